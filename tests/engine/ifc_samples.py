"""A small IFC model, written by ifcopenshell: a wall with an opening, and two pipes of a system through it."""

from pathlib import Path

import numpy as np


def write_model(path: Path, shift: float = 0.0) -> Path:
    """In millimetres; the pipes are moved along the wall by ``shift`` [m]."""
    from ifcopenshell import api

    def run(action, model, **given):
        return api.run(action, model, **given)

    model = api.run("project.create_file", version="IFC4")
    project = run("root.create_entity", model, ifc_class="IfcProject", name="Sample")
    length = run("unit.add_si_unit", model, unit_type="LENGTHUNIT", prefix="MILLI")
    run("unit.assign_unit", model, units=[length])
    context = run("context.add_context", model, context_type="Model")
    body = run(
        "context.add_context", model, context_type="Model", context_identifier="Body", target_view="MODEL_VIEW",
        parent=context,
    )  # fmt: skip
    storey = run("root.create_entity", model, ifc_class="IfcBuildingStorey", name="Level 1")
    run("aggregate.assign_object", model, products=[storey], relating_object=project)

    def element(kind, name, guid, size, place):
        made = run("root.create_entity", model, ifc_class=kind, name=name)
        made.GlobalId = guid
        points = [(0.0, 0.0), (size[0], 0.0), (size[0], size[1]), (0.0, size[1]), (0.0, 0.0)]
        outline = model.createIfcPolyline([model.createIfcCartesianPoint([1000.0 * x for x in p]) for p in points])
        profile = model.createIfcArbitraryClosedProfileDef("AREA", None, outline)
        up = model.createIfcDirection((0.0, 0.0, 1.0))
        solid = model.createIfcExtrudedAreaSolid(profile, None, up, 1000.0 * size[2])
        shape = model.createIfcShapeRepresentation(body, "Body", "SweptSolid", [solid])
        run("geometry.assign_representation", model, product=made, representation=shape)
        matrix = np.eye(4)
        matrix[:3, 3] = place
        run("geometry.edit_object_placement", model, product=made, matrix=matrix)
        return made

    wall = element("IfcWall", "Wall", "0000000000000000000W01", (4.0, 0.3, 3.0), (0.0, 0.0, 0.0))
    pipes = [
        element("IfcPipeSegment", "Pipe", f"0000000000000000000P0{k}", (0.1, 2.0, 0.1), (1.0 + k + shift, -1.0, 1.0))
        for k in (1, 2)
    ]
    opening = element("IfcOpeningElement", "Hole", "0000000000000000000H01", (0.5, 0.5, 0.5), (3.2, -0.1, 2.0))
    run("feature.add_feature", model, feature=opening, element=wall)
    run("spatial.assign_container", model, products=[wall, *pipes], relating_structure=storey)
    kind = run("root.create_entity", model, ifc_class="IfcPipeSegmentType", name="DN100")
    run("type.assign_type", model, related_objects=pipes, relating_type=kind)
    system = run("system.add_system", model, ifc_class="IfcDistributionSystem")
    system.Name = "Heating"
    run("system.assign_system", model, products=pipes, system=system)
    model.write(str(path))
    return path


FRAME = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('','',(''),(''),'','','');
FILE_SCHEMA(('{schema}'));
ENDSEC;
DATA;
#1=IFCCARTESIANPOINT((0.,0.,0.));
#2=IFCAXIS2PLACEMENT3D(#1,$,$);
#3=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#2,$);
#4=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);
#5=IFCUNITASSIGNMENT((#4));
#6=IFCPROJECT('0000000000000000000Pr0',#7,'P',$,$,$,$,(#3),#5);
#7=IFCOWNERHISTORY(#8,#12,$,.ADDED.,$,$,$,0);
#8=IFCPERSONANDORGANIZATION(#9,#11,$);
#9=IFCPERSON($,'a',$,$,$,$,$,$);
#11=IFCORGANIZATION($,'b',$,$,$);
#12=IFCAPPLICATION(#11,'1','c','d');
#13=IFCDIRECTION((0.,0.,1.));
#14=IFCCARTESIANPOINT((0.5,0.5));
#15=IFCAXIS2PLACEMENT2D(#14,$);
#16=IFCRECTANGLEPROFILEDEF(.AREA.,$,#15,1.,1.);
#17=IFCEXTRUDEDAREASOLID(#16,#2,#13,1.);
#18=IFCSHAPEREPRESENTATION(#3,'Body','SweptSolid',(#17));
#19=IFCPRODUCTDEFINITIONSHAPE($,$,(#18));
#20=IFCLOCALPLACEMENT($,#2);
#21=IFCCARTESIANPOINT((1.,0.,0.));
#22=IFCPOLYLINE((#1,#21));
#23=IFCEXTRUDEDAREASOLID(#16,#2,#13,-1.);
#24=IFCCARTESIANPOINT((5.,0.,0.));
#25=IFCAXIS2PLACEMENT3D(#24,$,$);
#26=IFCEXTRUDEDAREASOLID(#16,#25,#13,1.);
{body}ENDSEC;
END-ISO-10303-21;
"""
"""A model in metres: #17 is the unit cube, #18 and #19 its representation and shape, #20 a place at the origin, #22 a
line, #23 a cube of a height that is none, #26 the cube 5 m along x."""


def model_text(body: str, schema: str = "IFC4") -> str:
    """A STEP file by hand, with lines in addition to those of `FRAME`."""
    return FRAME.format(schema=schema, body=body)


def product(
    number: int, kind: str = "IFCBUILDINGELEMENTPROXY", place: str = "#20", shape: str = "#19", more="$,$"
) -> str:
    """The line of a product, whose name is "E" and its number."""
    return f"#{number}={kind}('0000000000000000{number:06d}',#7,'E{number}',$,$,{place},{shape},{more});\n"


def write_cubes(path: Path, cubes: list[tuple[str, str, float]], kind: str = "IFCBUILDINGELEMENTPROXY") -> Path:
    """A model of unit cubes with their GlobalIds, names and places along x [m]."""
    body = []
    for k, (global_id, name, x) in enumerate(cubes):
        at = 100 + 10 * k
        body.append(f"#{at}=IFCCARTESIANPOINT(({float(x)!r},0.,0.));\n#{at + 1}=IFCAXIS2PLACEMENT3D(#{at},$,$);\n")
        body.append(f"#{at + 2}=IFCLOCALPLACEMENT($,#{at + 1});\n")
        body.append(f"#{at + 3}={kind}('{global_id}',#7,'{name}',$,$,#{at + 2},#19,$,$);\n")
    path.write_text(model_text("".join(body)))
    return path
