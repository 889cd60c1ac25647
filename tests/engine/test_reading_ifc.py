"""IFC: every product is read, lost or no geometry; damaged models are refused before ifcopenshell follows them."""

import graphlib
import zipfile

import meshclash as mc
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ifc_samples import model_text, product
from meshclash.reading.step_text import read_references, references

pytest.importorskip("ifcopenshell")

SOME = product(99)


def read(tmp_path, body, schema="IFC4"):
    path = tmp_path / "model.ifc"
    path.write_text(model_text(body, schema))
    return mc.read(path)


def box(part):
    points = part.shape.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3]
    return [*points.min(axis=0).round(9).tolist(), *points.max(axis=0).round(9).tolist()]


def shape(number, items, identifier="Body", context=3):
    """A representation of items, and the shape of that number that has it."""
    line = f"#{number + 1}=IFCSHAPEREPRESENTATION(#{context},'{identifier}','SweptSolid',({items}));\n"
    return line + f"#{number}=IFCPRODUCTDEFINITIONSHAPE($,$,(#{number + 1}));\n"


def proxy_chain(count):
    lines = [f"#{1000 + k}=IFCLOCALPLACEMENT(#{1001 + k},#2);\n" for k in range(count)]
    return product(30, place="#1000") + "".join(lines) + f"#{1000 + count}=IFCLOCALPLACEMENT($,#2);\n"


RELATION = "#{0}=IFCREL{1}('0000000000000000rel{0}',#7,$,$,#{2},{3});\n"
OPENING = product(41, "IFCOPENINGELEMENT")
CYCLES = {
    "placement": ("#30=IFCLOCALPLACEMENT(#30,#2);\n", "#30=IFCLOCALPLACEMENT refers to itself"),
    "two placements": (
        "#30=IFCLOCALPLACEMENT(#31,#2);\n#31=IFCLOCALPLACEMENT(#30,#2);\n",
        "#30=IFCLOCALPLACEMENT refers to itself through #31=IFCLOCALPLACEMENT",
    ),
    "boolean": ("#30=IFCBOOLEANRESULT(.UNION.,#30,#17);\n", "#30=IFCBOOLEANRESULT"),
    "clipping": ("#30=IFCBOOLEANCLIPPINGRESULT(.DIFFERENCE.,#17,#30);\n", "#30=IFCBOOLEANCLIPPINGRESULT"),
    "solid": ("#30=IFCCSGSOLID(#31);\n#31=IFCBOOLEANRESULT(.UNION.,#30,#17);\n", "#30=IFCCSGSOLID"),
    "mapping": (
        "#30=IFCSHAPEREPRESENTATION(#3,'Body','MappedRepresentation',(#32));\n#31=IFCREPRESENTATIONMAP(#2,#30);\n"
        "#32=IFCMAPPEDITEM(#31,#33);\n#33=IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$,#1,$,$);\n",
        "#30=IFCSHAPEREPRESENTATION refers to itself through #32=IFCMAPPEDITEM",
    ),
    "curve": (
        "#30=IFCCOMPOSITECURVE((#31),.F.);\n#31=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#30);\n",
        "#30=IFCCOMPOSITECURVE",
    ),
    "profile": (
        "#30=IFCDERIVEDPROFILEDEF(.AREA.,$,#30,#31,$);\n#31=IFCCARTESIANTRANSFORMATIONOPERATOR2D($,$,#14,$,$);\n",
        "#30=IFCDERIVEDPROFILEDEF",
    ),
    "unit": (
        "#30=IFCCONVERSIONBASEDUNIT(#31,.LENGTHUNIT.,'x',#32);\n#31=IFCDIMENSIONALEXPONENTS(1,0,0,0,0,0,0);\n"
        "#32=IFCMEASUREWITHUNIT(IFCLENGTHMEASURE(1.),#30);\n",
        "#30=IFCCONVERSIONBASEDUNIT",
    ),
    "whole and part": (
        product(40) + RELATION.format(50, "AGGREGATES", 40, "(#99)") + RELATION.format(51, "AGGREGATES", 99, "(#40)"),
        "the relations of parts are invalid: #99=IFCBUILDINGELEMENTPROXY refers to itself through #40=",
    ),
    "its own part": (RELATION.format(50, "AGGREGATES", 99, "(#99)"), "#99=IFCBUILDINGELEMENTPROXY"),
    "nest": (
        product(40) + RELATION.format(50, "NESTS", 40, "(#99)") + RELATION.format(51, "NESTS", 99, "(#40)"),
        "the relations of parts are invalid: #99=",
    ),
    "opening": (OPENING + RELATION.format(50, "VOIDSELEMENT", 41, "#41"), "#41=IFCOPENINGELEMENT"),
    "filling": (
        OPENING + RELATION.format(50, "VOIDSELEMENT", 99, "#41") + RELATION.format(51, "FILLSELEMENT", 41, "#99"),
        "#41=IFCOPENINGELEMENT",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CYCLES)
def test_entities_in_a_cycle_are_refused_by_name(tmp_path, name):
    """Geometry of the first of these ended the process; others never ended."""
    body, message = CYCLES[name]
    with pytest.raises(mc.InvalidFile) as raised:
        read(tmp_path, SOME + body)
    assert message in str(raised.value) and "model.ifc" in str(raised.value)


@pytest.mark.parametrize(
    ("relation", "other"), [("VOIDSELEMENT", "#20"), ("FILLSELEMENT", "#21"), ("AGGREGATES", "(#20)")]
)
def test_a_relation_to_what_is_no_product_is_refused(tmp_path, relation, other):
    """An opening that is a place ended the process."""
    with pytest.raises(
        mc.InvalidFile, match=f"#50=IFCREL{relation} refers to {other.strip('()')}=IFC.*, which is not of the type Ifc"
    ):
        read(tmp_path, SOME + RELATION.format(50, relation, 99, other))


def test_a_long_chain_is_refused_and_one_of_real_length_is_read(tmp_path):
    assert len(read(tmp_path, proxy_chain(300))) == 1
    for count in (600, 100_000):
        with pytest.raises(mc.InvalidFile, match="=IFCLOCALPLACEMENT starts a chain of more than 500 references"):
            read(tmp_path, proxy_chain(count))


EDGES = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 14)), max_size=25)


@given(EDGES, st.sampled_from(["", " ", "\n", "/* #1=X(#1); 'x */", "/**/"]), st.booleans())
@settings(deadline=None)
def test_references_are_those_of_the_text(edges, between, with_texts):
    """Comments and texts that look like references are none; the oracle for cycles is the standard library's."""
    targets = {number: [target for source, target in edges if source == number] for number in range(1, 13)}
    text = "'it''s #1=Y(#1); /* '," if with_texts else ""
    lines = [
        f"#{source}{between}={between}IFCX({text}{between}({','.join(f'#{target}' for target in found)}));\n"
        for source, found in targets.items()
    ]
    data = "ISO-10303-21;\nDATA;\n" + "".join(lines) + "ENDSEC;\nEND-ISO-10303-21;\n"
    graph = read_references(data.encode())
    found = {(int(graph.ids[a]), int(graph.ids[b])) for a, b in zip(graph.sources, graph.targets, strict=True)}
    assert found == {edge for edge in edges if edge[1] <= 12}
    missing = {source for source, target in edges if target > 12}
    assert set(graph.ids[graph.missing].tolist()) == missing
    known = {source: [target for target in found if target <= 12] for source, found in targets.items()}
    try:
        list(graphlib.TopologicalSorter(known).static_order())
    except graphlib.CycleError:
        with pytest.raises(mc.InvalidFile, match="refers to itself"):
            graph.refuse_cycles()
    else:
        graph.refuse_cycles()
        reached = set(missing)
        for _ in known:
            reached |= {source for source, found in known.items() if reached & set(found)}
        assert graph.reaching(graph.missing) == reached


def test_a_chain_of_exactly_the_longest_length_is_taken():
    numbers = np.arange(1, 8)
    for longest, ok in ((6, True), (5, False)):
        graph = references(numbers, numbers[:-1], numbers[1:], lambda number: f"#{number}")
        if ok:
            graph.refuse_cycles(longest)
        else:
            with pytest.raises(mc.InvalidFile, match="#1 starts a chain"):
                graph.refuse_cycles(longest)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.partition("#99=")[0], "the file is incomplete"),
        (lambda text: text.partition("ENDSEC;\nEND")[0], "the file is incomplete"),
        (lambda text: text.replace("#99=", "/* #99="), "a comment in the file has no end"),
        (lambda text: text.replace("'E99'", "'E99"), "a text in the file has no end|the file is incomplete"),
        (lambda text: text.replace("#99=", "#20="), "the entity number #20 is used twice"),
        (lambda text: text.replace("#99=", "#123456789012345678901="), "more than 17 digits"),
        (lambda text: "solid thing\n", "the file is not a STEP file"),
    ],
)  # fmt: skip
def test_a_damaged_text_is_refused(tmp_path, change, message):
    """Elements behind the end of a file that was cut off were missing without a word."""
    path = tmp_path / "model.ifc"
    path.write_text(change(model_text(SOME)))
    with pytest.raises(mc.InvalidFile, match=message):
        mc.read(path)


@pytest.mark.parametrize("schema", ["IFC2X3", "IFC4", "IFC4X3_ADD2"])
def test_products_without_a_body_are_counted_by_kind(tmp_path, schema):
    old, new = schema == "IFC2X3", schema == "IFC4X3_ADD2"
    body = (
        SOME + product(31, shape="$") + product(32, shape="$") + RELATION.format(50, "AGGREGATES", 32, "(#99)")
        + product(41, "IFCOPENINGELEMENT", more="$" if old else "$,$")
        + product(33, "IFCSPACE", more="$,$,.INTERNAL.,$" if old else "$,$,$,$")
        + shape(60, "#22", "Axis") + product(34, shape="#60")
        + f"#35=IFCANNOTATION('0000000000000000000035',#7,$,$,$,#20,#19{',$' * new});\n"
        + "#36=IFCBUILDING('0000000000000000000036',#7,$,$,$,#20,$,$,$,$,$,$);\n"
        + "#37=IFCDISTRIBUTIONPORT('0000000000000000000037',#7,$,$,$,#20,#19,$" + ",$,$" * (not old) + ");\n"
    )  # fmt: skip
    parts = read(tmp_path, body, schema)
    assert [part.name for part in parts] == ["E99"] and box(parts[0]) == [0, 0, 0, 1, 1, 1]
    assert parts.left_out == ()
    assert parts.no_geometry == {
        "element without a shape": 1, "assembly": 1, "opening": 1, "space": 1, "element without a surface": 1,
        "annotation": 1, "spatial structure element": 1, "port": 1,
    }  # fmt: skip


def test_terrain_and_projections_are_read(tmp_path):
    """Sites with a surface, and material that projections add, were passed over."""
    site = "#31=IFCSITE('0000000000000000000031',#7,'Terrain',$,$,#20,#19,$,$,$,$,$,$,$);\n"
    parts = read(tmp_path, SOME + site + product(32, "IFCPROJECTIONELEMENT", more="$,$"))
    assert {part.name: part.properties["class"] for part in parts} == {
        "E99": "IfcBuildingElementProxy", "Terrain": "IfcSite", "E32": "IfcProjectionElement",
    }  # fmt: skip


def test_of_several_representations_the_body_counts(tmp_path):
    """Clearances and reference bodies were parts of their own with the same GlobalId, beside their element."""
    context = "#60=IFCGEOMETRICREPRESENTATIONSUBCONTEXT('Body','Model',*,*,*,*,#3,$,.{}_VIEW.,$);\n"
    contexts = context.format("MODEL") + context.format("SKETCH").replace("#60", "#61")
    others = [
        ("Body", 61, "#26"),
        ("Clearance", 3, "#26"),
        ("Reference", 3, "#26"),
        ("Axis", 3, "#22"),
    ]
    shapes = "".join(
        f"#{70 + k}=IFCSHAPEREPRESENTATION(#{place},'{name}','SweptSolid',({items}));\n"
        for k, (name, place, items) in enumerate([("Body", 60, "#17"), *others])
    )
    body = contexts + shapes + "#80=IFCPRODUCTDEFINITIONSHAPE($,$,(#74,#73,#72,#71,#70));\n" + product(30, shape="#80")
    parts = read(tmp_path, body)
    assert [(part.name, box(part)) for part in parts] == [("E30", [0, 0, 0, 1, 1, 1])]
    only = read(tmp_path, shape(60, "#26", "Clearance") + product(30, shape="#60"))
    assert [box(part) for part in only] == [[5, 0, 0, 6, 1, 1]], "nothing else is there to read"
    twice = (
        body.replace("(#74,#73,#72,#71,#70)", "(#70,#75)") + "#75=IFCSHAPEREPRESENTATION(#60,'Body','Brep',(#26));\n"
    )
    assert [box(part)[0] for part in read(tmp_path, twice)] == [0, 5]


def test_an_item_that_gives_no_triangles_is_lost_by_name(tmp_path):
    """ifcopenshell passes over it: the element was read without it, in silence."""
    parts = read(tmp_path, SOME + shape(60, "#17,#23,#26") + product(30, shape="#60"))
    assert sorted(box(part) for part in parts) == [[0, 0, 0, 1, 1, 1], [0, 0, 0, 6, 1, 1]]
    assert [name for name, _ in parts.left_out] == ["E30 #23"]
    parts = read(tmp_path, SOME + shape(60, "#23") + product(30, shape="#60"))
    assert len(parts) == 1 and parts.left_out == (("E30", "ifcopenshell makes no shape of it"),)


def test_booleans_and_surface_models_lose_nothing(tmp_path):
    body = (
        "#50=IFCBOOLEANRESULT(.DIFFERENCE.,#17,#26);\n#51=IFCBOOLEANRESULT(.UNION.,#50,#26);\n#52=IFCCSGSOLID(#51);\n"
        "#53=IFCPOLYLOOP((#1,#21,#24));\n"
        "#54=IFCCARTESIANPOINT((0.,1.,0.));\n#55=IFCPOLYLOOP((#1,#21,#54));\n#56=IFCFACEOUTERBOUND(#55,.T.);\n"
        "#57=IFCFACE((#56));\n#58=IFCOPENSHELL((#57));\n#59=IFCSHELLBASEDSURFACEMODEL((#58));\n"
    ) + shape(60, "#52,#59") + product(30, shape="#60")  # fmt: skip
    parts = read(tmp_path, body)
    assert len(parts) == 1 and parts.left_out == ()


MAPPED = (
    "#50=IFCREPRESENTATIONMAP(#2,#18);\n#51=IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$,#24,$,$);\n"
    "#52=IFCMAPPEDITEM(#50,#51);\n" + shape(60, "#52") + product(30, shape="#60")
)


def test_a_representation_that_others_map_is_read_where_it_stands_too(tmp_path):
    """ifcopenshell's iterator passes over it: the element was lost."""
    parts = read(tmp_path, SOME + MAPPED)
    assert [(part.name, box(part)) for part in parts] == [("E30", [5, 0, 0, 6, 1, 1]), ("E99", [0, 0, 0, 1, 1, 1])]
    assert parts.left_out == ()


CONTEXTS = st.lists(
    st.sampled_from(["'Model'", "'Plan'", "'Design'", "'Annotation'", "'X'", "''", "$", None]), min_size=1, max_size=6
)


@given(CONTEXTS, st.data())
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_shapes_of_all_contexts_are_made_together(tmp_path, kinds, data):
    """ifcopenshell's iterator passes over contexts of some types as soon as another context is a model's: their shapes
    were made one by one, on one core and without progress.
    """
    import ifcopenshell.geom

    single, alone = [], ifcopenshell.geom.create_shape
    body = "".join(
        f"#{300 + k}=IFCGEOMETRICREPRESENTATIONCONTEXT($,{kind},3,1.E-05,#2,$);\n"
        for k, kind in enumerate(kinds)
        if kind
    )
    used = data.draw(st.lists(st.integers(0, len(kinds) - 1), min_size=1, max_size=5))
    for k, at in enumerate(used):
        context = 300 + at if kinds[at] else "$"
        lines = shape(400 + 2 * k, "#17", context=context).replace("#$", "$")
        body += lines + product(500 + k, shape=f"#{400 + 2 * k}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ifcopenshell.geom, "create_shape", lambda *args: (single.append(args[1].Name), alone(*args))[1])
        parts = read(tmp_path, SOME + body)
    assert [part.name for part in parts] == sorted(
        ["E99", *(f"E{500 + k}" for k in range(len(used)))], key=lambda name: int(name[1:])
    )
    assert sorted(single) == [f"E{500 + k}" for k, at in enumerate(used) if kinds[at] is None]


def test_a_place_or_shape_that_is_not_there_loses_the_element(tmp_path):
    """The element stood at the origin instead."""
    place = "#50=IFCLOCALPLACEMENT(#777,#2);\n#51=IFCLOCALPLACEMENT(#50,#2);\n"
    body = SOME + place + product(30, place="#51") + product(31, place="#777") + product(32, shape="#777")
    parts = read(tmp_path, body + product(33).replace("#7,", "#777,"))
    assert [part.name for part in parts] == ["E33", "E99"], "an owner that is not there moves nothing"
    assert parts.left_out == (
        ("E30", "the place refers to a missing entity"),
        ("E31", "the place refers to a missing entity"),
        ("E32", "the shape refers to a missing entity"),
    )


def test_a_class_that_the_schema_does_not_have_is_lost_by_name(tmp_path):
    """ifcopenshell passes over such entities."""
    parts = read(tmp_path, SOME + product(30, "IFCSPACESHIP") + product(31, place="#50") + "#50=IFCODDPLACE();\n")
    assert len(parts) == 1 and parts.left_out == (
        ("#30=IFCSPACESHIP", "IFC4 has no such class"), ("#50=IFCODDPLACE", "IFC4 has no such class"),
        ("E31", "the place refers to a missing entity"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("members", "message"),
    [(["a.ifc"], None), (["folder/a.IFC", "notes.txt"], None), (["a.ifc", "b.ifc"], "one .ifc file, not a.ifc, b.ifc"),
     (["a.ifcxml"], "one .ifc file, not a.ifcxml"), (["a.txt"], "one .ifc file, not none")],
)  # fmt: skip
def test_a_zip_holds_one_model(tmp_path, members, message):
    """Of several models only the first was read."""
    path = tmp_path / "model.ifczip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in members:
            archive.writestr(name, model_text(SOME))
    if message is None:
        assert len(mc.read(path)) == 1
    else:
        with pytest.raises(mc.InvalidFile, match=message):
            mc.read(path)


def test_a_bounding_box_alone_is_lost_by_name(tmp_path):
    parts = read(
        tmp_path, SOME + "#50=IFCBOUNDINGBOX(#1,1.,2.,3.);\n" + shape(60, "#50", "Box") + product(30, shape="#60")
    )
    assert len(parts) == 1 and parts.left_out == (("E30", "ifcopenshell makes no shape of it"),)


STEPS = st.integers(-20, 20).map(lambda k: k / 4)
MOVES = st.lists(st.tuples(STEPS, STEPS, STEPS), min_size=2, max_size=5)
TURNS = [((0, 0, 1), (1, 0, 0)), ((0, 0, 1), (0, -1, 0)), ((1, 2, 2), (0, 1, 0.5)), ((0, 1, 0), (1, 0, 0.25))]
CHANGED = ["", "turned", "mirrored", "scaled", "opened", "not mapped"]


def directions(number, axis, ratio):
    return "".join(
        f"#{number + k}=IFCDIRECTION(({','.join(map(repr, map(float, d)))}));\n" for k, d in enumerate((axis, ratio))
    )


@given(MOVES, st.lists(st.sampled_from(TURNS), min_size=2, max_size=2), st.sampled_from(CHANGED), st.booleans())
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_copies_of_a_representation_are_what_ifcopenshell_makes(tmp_path, moves, turns, changed, millimetres):
    """A group of bolts is several copies of one representation: these are moved here, while ifcopenshell makes each."""
    import ifcopenshell
    import ifcopenshell.geom

    body = "#300=IFCSHAPEREPRESENTATION(#3,'Body','SweptSolid',(#17,#26));\n#302=IFCCARTESIANPOINT((0.5,-2.,1.));\n"
    for number, (axis, ratio) in zip((303, 306), turns, strict=True):
        body += directions(number, axis, ratio) + f"#{number + 2}=IFCAXIS2PLACEMENT3D(#302,#{number},#{number + 1});\n"
    body += "#301=IFCREPRESENTATIONMAP(#305,#300);\n#309=IFCLOCALPLACEMENT($,#308);\n" + directions(310, *turns[0])
    body += "#312=IFCDIRECTION((-1.,0.,0.));\n#313=IFCDIRECTION((0.,1.,0.));\n#314=IFCDIRECTION((0.,0.,1.));\n"
    for k, move in enumerate(moves):
        last = k == len(moves) - 1
        axes = {"turned": "#311,$,$,{},#310", "mirrored": "#312,#313,$,{},#314", "scaled": "$,$,$,{},$"}
        form = axes.get(changed if last else "", "$,$,$,{},$").split("{}")
        operator = form[0] + "#{point}," + ("2." if changed == "scaled" and last else "$") + form[1]
        point = 400 + 4 * k
        operator = operator.replace("$,$,$,#", "$,$,#").replace("#{point}", f"#{point}")
        target = f"IFCCARTESIANTRANSFORMATIONOPERATOR3D({operator})"
        body += f"#{point}=IFCCARTESIANPOINT(({','.join(map(repr, move))}));\n#{point + 1}={target};\n"
        body += f"#{point + 2}=IFCMAPPEDITEM(#301,#{point + 1});\n"
    items = ",".join(f"#{402 + 4 * k}" for k in range(len(moves))) + (",#17" if changed == "not mapped" else "")
    body += shape(500, items) + product(510, place="#309", shape="#500")
    if changed == "opened":
        body += OPENING + RELATION.format(50, "VOIDSELEMENT", 510, "#41")
    text = model_text(SOME + body)
    path = tmp_path / "model.ifc"
    path.write_text(text.replace(".LENGTHUNIT.,$,", ".LENGTHUNIT.,.MILLI.,") if millimetres else text)
    listed, iterator = [], ifcopenshell.geom.iterator
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            ifcopenshell.geom,
            "iterator",
            lambda *args, include: (listed.extend(item.Name for item in include), iterator(*args, include=include))[1],
        )
        part = next(part for part in mc.read(path) if part.name == "E510")
    assert ("E510" in listed) == bool(changed)
    model = ifcopenshell.open(str(path))
    made = ifcopenshell.geom.create_shape(ifcopenshell.geom.settings(), model.by_id(510))
    matrix = np.array(made.transformation.matrix).reshape(4, 4).T
    expected = np.array(made.geometry.verts).reshape(-1, 3)[np.array(made.geometry.faces).reshape(-1, 3)]
    expected = expected @ matrix[:3, :3].T + matrix[:3, 3]
    found = part.shape.vertices[part.shape.triangles] @ part.matrix[:3, :3].T + part.matrix[:3, 3]
    assert found.shape == expected.shape
    assert np.allclose(found, expected, rtol=0, atol=1e-12)
