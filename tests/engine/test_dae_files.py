"""COLLADA: every geometry in its place, in metres, and what cannot be read by name."""

import meshclash as mc
import numpy as np
import pytest
from robot_samples import collision, link, write

pytest.importorskip("collada", reason="pycollada is not installed")

CORNERS = "0 0 0 4 0 0 4 4 0 2 1 0 0 4 0 0 0 1 4 0 1"
INPUT = '<input semantic="VERTEX" source="#{0}-v" offset="0"/>'
PENTAGON = f'<polylist count="1" material="m">{INPUT}<vcount>5</vcount><p>0 1 2 3 4</p></polylist>'
TRIANGLE = f'<triangles count="1">{INPUT}<p>0 1 5</p></triangles>'


def geometry(name, *primitives):
    return f"""<geometry id="{name}" name="{name} mesh"><mesh>
<source id="{name}-s"><float_array id="{name}-f" count="21">{CORNERS}</float_array><technique_common>
<accessor source="#{name}-f" count="7" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="{name}-v"><input semantic="POSITION" source="#{name}-s"/></vertices>
{"".join(primitive.format(name) for primitive in primitives)}</mesh></geometry>"""


def node(*content, name="n"):
    return f'<node id="{name}" name="{name}">{"".join(content)}</node>'


def instance(name):
    return f'<instance_geometry url="#{name}"/>'


def write_dae(folder, geometries, nodes, up="Z_UP", unit="1", more="", scene=True):
    path = folder / "part.dae"
    path.write_text(
        f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>yesterday</created><unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>{more}
<library_geometries>{"".join(geometries)}</library_geometries>
<library_visual_scenes><visual_scene id="s">{"".join(nodes)}</visual_scene></library_visual_scenes>
{'<scene><instance_visual_scene url="#s"/></scene>' if scene else ""}</COLLADA>""",
        encoding="utf-8",
    )
    return path


def areas(part):
    a, b, c = np.moveaxis(part.mesh.vertices[part.mesh.triangles], 1, 0)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def box(part):
    points = part.shape.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3]
    return np.round([points.min(axis=0), points.max(axis=0)], 6).tolist()


def test_geometries_are_in_their_places_and_in_metres(tmp_path):
    matrix = "<matrix>1 0 0 100 0 1 0 200 0 0 1 300 0 0 0 1</matrix>"
    turned = "<translate>10 0 0</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>"
    shared = f"<library_nodes>{node(instance('b'), name='shared')}</library_nodes>"
    nodes = [
        node(matrix, instance("a"), node(turned, instance("b"), name="inner"), name="outer"),
        node("<translate>0 0 -7</translate>", '<instance_node url="#shared"/>', name="again"),
        node('<instance_camera url="#gone"/>', '<instance_light url="#gone"/>', name="eye"),
    ]
    path = write_dae(tmp_path, [geometry("a", PENTAGON), geometry("b", TRIANGLE)], nodes, unit="0.01", more=shared)
    parts = mc.read(path)
    assert parts.metres == 0.01 and parts.unit_known and len(parts) == 3 and not parts.left_out
    assert [part.shape.triangles.shape[0] for part in parts] == [3, 1, 1]
    assert box(parts[0]) == [[1, 2, 3], [1.04, 2.04, 3.01]]
    assert box(parts[1]) == [[1.06, 2.0, 3.0], [1.1, 2.08, 3.01]], "matrices act in the order of the scene graph"
    assert box(parts[2]) == [[0, 0, -0.07], [0.04, 0.04, -0.06]]
    assert parts[1].shape is parts[2].shape
    assert areas(parts[0]).sum() == pytest.approx(10e-4), "the pentagon is concave"


@pytest.mark.parametrize(
    "primitive, triangles, area",
    [
        (PENTAGON, 3, 10),
        ("<polygons count='1'>" + INPUT + "<p>0 1 2 3 4</p></polygons>", 3, 10),
        (TRIANGLE, 1, 2),
        ("<tristrips count='1'>" + INPUT + "<p>0 1 5 6</p></tristrips>", 2, 4),
        ("<trifans count='1'>" + INPUT + "<p>0 1 6 5</p></trifans>", 2, 4),
        (TRIANGLE + "<lines count='1'>" + INPUT + "<p>0 1</p></lines>" + TRIANGLE, 2, 4),
    ],
)
def test_every_kind_of_faces_is_read(tmp_path, primitive, triangles, area):
    part = mc.read(write_dae(tmp_path, [geometry("a", primitive)], [node(instance("a"))]))[0]
    assert part.mesh.triangle_count == triangles and areas(part).sum() == pytest.approx(area)


def test_y_up_becomes_z_up_in_files_of_meshes_and_stays_in_robots(tmp_path):
    path = write_dae(tmp_path, [geometry("a", PENTAGON)], [node(instance("a"))], up="Y_UP", unit="0.5")
    assert box(mc.read(path)[0]) == [[0, -0.5, 0], [2, 0, 2]]
    robot = mc.Robot(write(tmp_path, link("a", collision('<mesh filename="part.dae" scale="1 2 1"/>'))))
    assert robot.links[0].mesh.bounds.tolist() == [[0, 0, 0], [2, 4, 0]], "as RViz and Pinocchio place it"


def test_materials_do_not_matter(tmp_path):
    more = '<library_images><image id="i"><init_from>gone.png</init_from></image></library_images>'
    more += '<library_materials><material id="m"><instance_effect url="#gone"/></material></library_materials>'
    bound = (
        '<instance_geometry url="#a"><bind_material><technique_common><instance_material symbol="m" target="#gone"/>'
    )
    bound += "</technique_common></bind_material></instance_geometry>"
    path = write_dae(tmp_path, [geometry("a", PENTAGON)], [node(bound)], more=more)
    assert len(mc.read(path)) == 1


def test_what_cannot_be_read_is_named(tmp_path):
    holes = "<polygons count='1'>" + INPUT + "<ph><p>0 1 2 4</p><h>0 1 5</h></ph></polygons>"
    skinned = '<instance_controller url="#arm"/>'
    both = [node(instance("a")), node(instance("b")), node(skinned), node(instance("c"))]
    lines = "<lines count='1'>" + INPUT + "<p>0 1</p></lines>"
    path = write_dae(tmp_path, [geometry("a", PENTAGON), geometry("b", holes), geometry("c", lines)], both)
    parts = mc.read(path)
    assert len(parts) == 1 and dict(parts.no_geometry) == {"mesh without faces": 1}
    assert {name: reason.partition(":")[0] for name, reason in parts.left_out} == {
        "#arm": "the mesh is skinned",
        "b mesh": "the mesh has polygons with holes",
    }
    robot = write(tmp_path, link("hand", collision('<mesh filename="part.dae"/>')))
    with pytest.raises(mc.InvalidFile, match=r"link 'hand', .*part\.dae: '#arm' cannot be read: the mesh is skinned"):
        mc.Robot(robot)


@pytest.mark.parametrize(
    "geometries, nodes, options, message",
    [
        ([geometry("a", PENTAGON)], [node(instance("gone"))], {}, "pycollada cannot read it: .*gone"),
        ([geometry("a", PENTAGON.replace("3 4<", "3 9<"))], [node(instance("a"))], {}, "part.dae"),
        ([geometry("a", PENTAGON.replace("5</v", "6</v"))], [node(instance("a"))], {}, "part.dae"),
        ([geometry("a", "<spline/>")], [node(instance("a"))], {}, "pycollada cannot read it: .*spline"),
        ([geometry("a", PENTAGON)], [node(instance("a"))], {"up": "X_UP"}, "up_axis X_UP is not supported"),
        ([geometry("a", PENTAGON)], [node(instance("a"))], {"unit": "one"}, "unit 'one' is not a number of metres"),
        ([geometry("a", PENTAGON)], [node(instance("a"))], {"unit": "-1"}, "a unit of -1.0 m is not supported"),
        ([geometry("a", PENTAGON)], [node(instance("a"))], {"scene": False}, "has no visual scene"),
        ([geometry("a", PENTAGON)], [node()], {}, "contains neither meshes"),
    ],
)
def test_damaged_files_are_refused(tmp_path, geometries, nodes, options, message):
    with pytest.raises(mc.InvalidFile, match=message):
        mc.read(write_dae(tmp_path, geometries, nodes, **options))


def test_what_is_no_collada_is_refused(tmp_path):
    path = tmp_path / "part.dae"
    for content, message in (("<robot/>", "root element of a COLLADA file"), ("solid", "not valid XML")):
        path.write_text(content)
        with pytest.raises(mc.InvalidFile, match=message):
            mc.read(path)
