"""USD: every object is read where it is placed, lost with a reason, or no geometry of a kind."""

import math
from dataclasses import dataclass, field

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.reading import round_shapes, usd_files

pytest.importorskip("pxr")

HEAD = '#usda 1.0\n(\n metersPerUnit = 1\n upAxis = "Z"\n)\n'


def mesh(name="m", inside="", points="(0,0,0), (1,0,0), (0,2,0), (0,0,3)"):
    """A tetrahedron of sides 1, 2, 3."""
    return (
        f'def Mesh "{name}"\n{{\npoint3f[] points = [{points}]\nint[] faceVertexCounts = [3, 3, 3, 3]\n'
        "int[] faceVertexIndices = [0,2,1, 0,1,3, 0,3,2, 1,2,3]\n"
        f'uniform token subdivisionScheme = "none"\n{inside}\n}}\n'
    )


def prim(kind, name, inside="", head=""):
    return f'def {kind} "{name}" {f"({head})" if head else ""}\n{{\n{inside}\n}}\n'


def moved(x=0.0, y=0.0, z=0.0):
    return f'double3 xformOp:translate = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'


def instancer(name, lines, inside, prototypes="</p/a>"):
    return prim("PointInstancer", name, f"rel prototypes = [{prototypes}]\n{lines}\n{inside}")


def read(tmp_path, body, head=HEAD):
    path = tmp_path / "model.usda"
    path.write_text(head + body)
    return mc.read(path)


def box(part):
    points = part.shape.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3]
    return [*points.min(axis=0).round(6).tolist(), *points.max(axis=0).round(6).tolist()]


def boxes(parts):
    return sorted(box(part) for part in parts)


def test_each_instance_of_an_instancer_is_a_part(tmp_path):
    """One part stood at the prototype's place."""
    lines = (
        "int[] protoIndices = [0, 0, 0]\npoint3f[] positions = [(0,0,0), (10,0,0), (20,0,0)]\n"
        "quath[] orientations = [(1,0,0,0), (0.70710678,0,0,0.70710678), (1,0,0,0)]\n"
        "float3[] scales = [(1,1,1), (1,1,1), (2,3,4)]\n"
    )
    inside = prim("Xform", "a", moved(1) + mesh())
    parts = read(tmp_path, prim("Xform", "top", moved(100) + instancer("p", lines, inside, "</top/p/a>")))
    # the second turns by 90 degrees around z, x to y and y to -x, and the prototype's own move with it
    wanted = [[101, 0, 0, 102, 2, 3], [108, 1, 0, 110, 2, 3], [122, 0, 0, 124, 6, 12]]
    assert [part.name for part in parts] == ["p[0]", "p[1]", "p[2]"] and parts.left_out == ()
    assert np.allclose([box(part) for part in parts], wanted, atol=2e-3)
    assert parts[0].shape is parts[2].shape and parts[0].groups[1:] == ("top", "p", "a")


def test_masked_instances_are_no_geometry_and_ids_name_the_others(tmp_path):
    lines = (
        "int[] protoIndices = [0, 0, 0]\npoint3f[] positions = [(0,0,0), (10,0,0), (20,0,0)]\nint64[] ids = [7, 8, 9]\n"
        "int64[] invisibleIds = [8]\n"
    )
    parts = read(tmp_path, instancer("p", lines, prim("Xform", "a", mesh("m") + mesh("n"))))
    assert [part.name for part in parts] == ["p[7] m", "p[7] n", "p[9] m", "p[9] n"]
    assert parts.no_geometry == {"invisible": 2}
    inactive = lines.replace("int64[] invisibleIds = [8]", "")
    meta = prim("PointInstancer", "p", f"rel prototypes = [</p/a>]\n{inactive}\n{prim('Xform', 'a', mesh())}",
                "inactiveIds = [7, 9]")  # fmt: skip
    parts = read(tmp_path, meta)
    assert [part.name for part in parts] == ["p[8]"] and parts.no_geometry == {"invisible": 2}


def test_instancers_in_instancers_and_in_native_instances(tmp_path):
    two = "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0,0,0), ({0},0,0)]\n"
    inner = instancer("q", two.format(10), prim("Xform", "b", mesh()), "</p/a/q/b>")
    nested = instancer("p", two.format(100), prim("Xform", "a", inner))
    parts = read(tmp_path, nested)
    assert [part.name for part in parts] == ["q[0]", "q[1]", "q[0] (2)", "q[1] (2)"]
    assert [row[0] for row in boxes(parts)] == [0, 10, 100, 110]
    source = f'class Xform "c"\n{{\n{instancer("p", two.format(10), prim("Xform", "a", mesh()), "</c/p/a>")}\n}}\n'
    head = "references = </c>\ninstanceable = true"
    parts = read(tmp_path, source + prim("Xform", "x", "", head) + prim("Xform", "y", moved(100), head))
    assert [row[0] for row in boxes(parts)] == [0, 10, 100, 110]


def test_prototypes_may_stand_elsewhere_and_be_classes_or_hidden(tmp_path):
    lines = "int[] protoIndices = [0, 1, 2]\npoint3f[] positions = [(0,0,0), (10,0,0), (20,0,0)]\n"
    roots = "</k>, </o>, </hidden/v>"
    others = f'class Xform "k"\n{{\n{mesh()}\n}}\nover "o"\n{{\n{mesh()}\n}}\n' + prim(
        "Scope", "hidden", 'token visibility = "invisible"\n' + prim("Xform", "v", mesh())
    )
    parts = read(tmp_path, instancer("p", lines, "", roots) + others)
    assert [row[0] for row in boxes(parts)] == [0, 10, 20] and parts.no_geometry == {"invisible": 1}


@pytest.mark.parametrize(
    ("lines", "prototypes", "reason"),
    [
        ("int[] protoIndices = [0, 5]\npoint3f[] positions = [(0,0,0), (1,0,0)]", "</p/a>", "names prototype 5 of 1"),
        ("int[] protoIndices = [0, 0]\npoint3f[] positions = [(0,0,0)]", "</p/a>", "1 positions of 2 instances"),
        ("int[] protoIndices = [0, 0]", "</p/a>", "0 positions of 2 instances"),
        ("int[] protoIndices = [0]\npoint3f[] positions = [(0,0,0)]", "</nowhere>", "the prototype 0 is missing"),
        ("int[] protoIndices = [0, 0]\npoint3f[] positions = [(0,0,0), (1,0,0)]\nfloat3[] scales = [(1,1,1)]", "</p/a>",
         "orientations or scales"),
    ],
)  # fmt: skip
def test_a_damaged_instancer_is_lost_with_a_reason(tmp_path, lines, prototypes, reason):
    parts = read(tmp_path, mesh() + instancer("p", lines, prim("Xform", "a", mesh()), prototypes))
    assert len(parts) == 1 and len(parts.left_out) == 1 and reason in parts.left_out[0][1]


def test_an_instancer_of_itself_and_one_of_too_many_are_refused(tmp_path, monkeypatch):
    lines = "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0,0,0), (1,0,0)]\n"
    with pytest.raises(mc.InvalidFile, match="/p contains itself as a prototype"):
        read(tmp_path, mesh() + instancer("p", lines, "", "</p>"))
    body = mesh("m0")
    for k in range(1, 41):
        body += instancer(f"p{k}", lines, "", f"</p{k - 1}>" if k > 1 else "</m0>")
    with pytest.raises(mc.InvalidFile, match="contains 2199023255551 object instances"):
        read(tmp_path, body)
    monkeypatch.setattr(usd_files, "MOST_OBJECTS", 6)
    with pytest.raises(mc.InvalidFile, match="contains 7 object instances, more than the limit of 6"):
        read(tmp_path, body[: body.index('def PointInstancer "p3"')])


SHAPES = {
    "Cube": ("double size = 4", [2, 2, 2]),
    "Sphere": ("double radius = 3", [3, 3, 3]),
    "Cylinder": ('double radius = 2\ndouble height = 6\nuniform token axis = "X"', [3, 2, 2]),
    "Cone": ('double radius = 2\ndouble height = 6\nuniform token axis = "Y"', [2, 3, 2]),
    "Capsule": ('double radius = 2\ndouble height = 6\nuniform token axis = "Z"', [2, 2, 5]),
    "Plane": ('double width = 4\ndouble length = 6\nuniform token axis = "X"', [0, 3, 2]),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_of_a_few_numbers_have_their_exact_box(tmp_path, kind):
    """They were passed over."""
    text, half = SHAPES[kind]
    parts = read(tmp_path, prim(kind, "s", text + "\n" + moved(10)))
    assert [part.name for part in parts] == ["s"] and parts[0].properties["shape"] == kind
    low, high = np.array(box(parts[0])).reshape(2, 3) - [10, 0, 0]
    assert np.allclose(high, half) and np.allclose(low, np.negative(half))
    if kind == "Cone":
        top = parts[0].shape.vertices[:, 1].argmax()
        assert np.allclose(parts[0].shape.vertices[top], [0, 3, 0]), "the apex is on the positive axis"


@pytest.mark.parametrize("axis", "XYZ")
@pytest.mark.parametrize("kind", ["Sphere", "Cylinder", "Cone", "Capsule"])
@given(radius=st.floats(0.01, 100.0), height=st.floats(0.01, 100.0))
@settings(max_examples=4, deadline=None)
def test_meshes_of_round_shapes_enclose_them_within_the_stated_tolerance(kind, axis, radius, height):
    """Points of the true surface lie inside all face planes of its convex mesh; no vertex is farther out than said."""
    made = {
        "Sphere": lambda: round_shapes.sphere(radius),
        "Cylinder": lambda: round_shapes.cylinder(radius, radius, height, axis),
        "Cone": lambda: round_shapes.cylinder(radius, 0.0, height, axis),
        "Capsule": lambda: round_shapes.capsule(radius, radius, height, axis),
    }
    vertices, triangles = made[kind]()
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    turns = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 29))
    half = 0.0 if kind == "Sphere" else 0.5 * height
    sections = {"Cylinder": [(radius, half), (radius, -half)], "Cone": [(radius, -half), (0.0, half)]}.get(kind) or [
        (radius * math.cos(t), math.copysign(half, t) + radius * math.sin(t)) for t in np.linspace(-1.57, 1.57, 31)
    ]
    local = np.array([[rho * turn.real, rho * turn.imag, z] for rho, z in sections for turn in turns])
    true = np.empty_like(local)
    true[:, [("XYZ".index(axis if kind != "Sphere" else "Z") + k) % 3 for k in (1, 2, 0)]] = local
    size = radius + height
    assert ((normals @ true.T) <= np.einsum("nk,nk->n", normals, a)[:, None] + 1e-12 * size).all()
    spine = "XYZ".index(axis if kind != "Sphere" else "Z")
    along = vertices[:, spine]
    across = np.linalg.norm(np.delete(vertices, spine, axis=1), axis=1)
    core = np.clip(along, -half, half)
    outside = {
        "Cone": across - radius * np.clip(0.5 - along / height, 0.0, 1.0),
        "Cylinder": across - radius,
    }.get(kind, np.hypot(across, along - core) - radius)
    assert outside.max() <= round_shapes.OUTSIDE * radius * (1.0 + 1e-9)


def test_a_shape_without_a_size_has_no_surface_and_a_wrong_size_is_lost(tmp_path):
    parts = read(
        tmp_path, mesh() + prim("Sphere", "s", "double radius = 0") + prim("Cylinder", "c", "double height = -1")
    )
    assert parts.no_geometry == {"Sphere without a surface": 1} and parts.left_out == (
        ("c", "the height -1 is not supported"),
    )


def test_what_has_nothing_to_collide_with_is_counted_by_kind(tmp_path):
    body = (
        mesh() + prim("Camera", "cam") + prim("SphereLight", "lamp") + prim("Xform", "nothing") + prim("Mesh", "bare")
    )
    body += prim("BasisCurves", "hair", "int[] curveVertexCounts = [2]\npoint3f[] points = [(0,0,0), (1,0,0)]")
    body += mesh("ghost", 'token visibility = "invisible"') + mesh("rig", 'uniform token purpose = "guide"')
    body += prim("Xform", "off", mesh(), "active = false") + prim("OddPhysics", "odd")
    body += (
        prim("Material", "paint")
        + prim("Scope", "looks")
        + f'over "o"\n{{\n{mesh()}\n}}\nclass "c"\n{{\n{mesh()}\n}}\n'
    )
    parts = read(tmp_path, body)
    assert [part.name for part in parts] == ["m"] and parts.left_out == ()
    assert parts.no_geometry == {
        "camera": 1, "light": 1, "empty group": 1, "mesh without a surface": 1, "curves without a surface": 1,
        "invisible": 1, "guide": 1, "inactive": 1, "prim of an unknown type": 1,
    }  # fmt: skip


def test_what_cannot_be_read_is_lost_by_name(tmp_path):
    curve = "int[] curveVertexCounts = [2]\npoint3f[] points = [(0,0,0), (1,0,0)]\nfloat[] widths = [0.1]"
    body = mesh() + prim("BasisCurves", "rope", curve) + prim("NurbsPatch", "patch") + prim("Volume", "smoke")
    body += prim("Points", "drops", "point3f[] points = [(0,0,0)]\nfloat[] widths = [0.1]")
    body += prim("OddMesh", "odd", "point3f[] points = [(0,0,0)]") + mesh("bad").replace("0,2,1", "0,9,1")
    parts = read(tmp_path, body)
    assert [name for name, _ in parts.left_out] == ["rope", "patch", "smoke", "drops", "odd", "bad"] and len(parts) == 1
    reasons = " ".join(reason for _, reason in parts.left_out)
    for text in (
        "curves with a width",
        "type NurbsPatch",
        "type Volume",
        "type OddMesh",
        "vertices that do not exist",
    ):
        assert text in reasons


def test_references_that_lead_nowhere_are_lost_by_name(tmp_path):
    body = (
        mesh()
        + prim("Xform", "a", "", "references = @missing.usda@")
        + prim("Xform", "b", "", "payload = @none.usda@</x>")
    )
    body += prim("Xform", "c", "", "references = </nowhere>") + prim("Scope", "looks", "", "references = @paint.mtlx@")
    parts = read(tmp_path, body, HEAD.replace("(\n", "(\nsubLayers = [@gone.usda@]\n"))
    assert sorted(name for name, _ in parts.left_out) == ["/a", "/b", "/c", "model.usda"]
    assert parts.no_geometry == {"empty group": 3, "material that is not there": 1}


def test_payloads_variants_and_the_earliest_time_are_read(tmp_path):
    (tmp_path / "load.usda").write_text(HEAD + prim("Xform", "x", mesh()))
    body = prim("Xform", "a", "", "payload = @load.usda@</x>")
    body += (
        'def Xform "b" (variants = { string v = "two" }\nprepend variantSets = "v")\n{\nvariantSet "v" = {\n'
        f'"one" {{\n{mesh("one")}\n}}\n"two" {{\n{mesh("two")}\n}}\n}}\n}}\n'
    )
    animated = moved().replace(" = (0.0, 0.0, 0.0)", ".timeSamples = {5: (10,0,0), 9: (99,0,0)}")
    parts = read(tmp_path, body + prim("Xform", "c", animated + "\n" + mesh()))
    assert {part.name: box(part)[0] for part in parts} == {"a": 0, "b": 0, "c": 10}


def test_left_handed_faces_are_turned_and_holes_are_open(tmp_path):
    parts = read(tmp_path, mesh("right") + mesh("left", 'uniform token orientation = "leftHanded"'))
    volumes = [
        np.einsum("nk,nk->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
        for corners in (part.shape.vertices[part.shape.triangles] for part in parts)
    ]
    assert np.allclose(volumes, [1.0, -1.0])
    parts = read(tmp_path, mesh("plain", "int[] holeIndices = [3]")
                 + mesh("smooth", "int[] holeIndices = [3]").replace('"none"', '"catmullClark"'))  # fmt: skip
    assert [len(part.shape.triangles) for part in parts] == [4, 3]
    assert [dict(part.properties) for part in parts] == [{}, {"subdivision": "control cage of catmullClark"}]


def test_a_proxy_counts_only_where_nothing_is_rendered_in_its_place(tmp_path):
    proxy, render = (mesh(kind, f'uniform token purpose = "{kind}"') for kind in ("proxy", "render"))
    parts = read(tmp_path, prim("Xform", "a", proxy + render) + prim("Xform", "b", proxy))
    assert [part.name for part in parts] == ["render", "b"] and parts.no_geometry == {"proxy": 1}
    named = prim("Xform", "stand", proxy) + prim("Xform", "real", "rel proxyPrim = </stand/proxy>\n" + render)
    assert len(read(tmp_path, named)) == 2, "the partner stands elsewhere: both are read, which loses nothing"


def test_points_are_a_cloud(tmp_path):
    points = ", ".join(f"({x}, {y}, 0)" for x in range(5) for y in range(5))
    part = read(tmp_path, prim("Points", "scan", f"point3f[] points = [{points}]"))[0]
    assert isinstance(part.mesh, mc.clouds.PointCloud) and box(part) == [0, 0, 0, 4, 4, 0]


def test_a_fallback_type_counts_for_a_type_that_is_not_known(tmp_path):
    head = HEAD.replace("(\n", '(\nfallbackPrimTypes = { token[] BestBall = ["BetterBall", "Sphere"] }\n')
    parts = read(tmp_path, prim("BestBall", "b", "double radius = 2"), head)
    assert parts[0].properties["shape"] == "Sphere" and box(parts[0]) == [-2, -2, -2, 2, 2, 2]


SKIN = """def SkelRoot "root" (prepend apiSchemas = ["SkelBindingAPI"])
{
    rel skel:skeleton = </root/bones>
    def Skeleton "bones" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] joints = ["a", "a/b"]
        uniform matrix4d[] bindTransforms = [ONE, UP]
        uniform matrix4d[] restTransforms = [ONE, UP]
        rel skel:animationSource = </root/bones/pose>
        double3 xformOp:translate = (0, 50, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def SkelAnimation "pose"
        {
            uniform token[] joints = ["a", "a/b"]
            float3[] translations.timeSamples = {1: [(0,0,0), (7,0,1)], 2: [(0,0,0), (0,0,9)]}
            quatf[] rotations = [(1,0,0,0), (1,0,0,0)]
            half3[] scales = [(1,1,1), (1,1,1)]
            uniform token[] blendShapes = ["up"]
            float[] blendShapeWeights = [0.5]
        }
    }
    def Mesh "skin" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        point3f[] points = [(0,0,0), (1,0,0), (0,0,2)]
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        uniform token subdivisionScheme = "none"
        uniform token[] skel:blendShapes = ["up"]
        rel skel:blendShapeTargets = </root/skin/up>
        int[] primvars:skel:jointIndices = [0, 0, 1] (
 interpolation = "vertex"
 elementSize = 1
)
        float[] primvars:skel:jointWeights = [1, 1, 1] (
 interpolation = "vertex"
 elementSize = 1
)
        double3 xformOp:translate = (1000, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def BlendShape "up"
        {
            uniform vector3f[] offsets = [(0, 4, 0)]
            uniform int[] pointIndices = [0]
        }
    }
}
"""


SKIN = SKIN.replace("ONE", "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))")
SKIN = SKIN.replace("UP", "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,1,1))")


def test_skinned_meshes_have_the_pose_of_the_earliest_time(tmp_path):
    """They lay in their bind pose, here 1 km away.

    By hand: the blend shape moves corner 0 by 2 along y, joint b corner 2 by 7 along x, and the skeleton stands at
    y = 50; where the mesh itself stands does not matter.
    """
    from pxr import Gf, Usd, UsdGeom, UsdSkel

    parts = read(tmp_path, SKIN)
    points = parts[0].shape.vertices @ parts[0].matrix[:3, :3].T + parts[0].matrix[:3, 3]
    assert np.allclose(points, [[0, 52, 0], [1, 50, 0], [7, 50, 2]])
    stage = Usd.Stage.Open(str(tmp_path / "model.usda"))
    stage.SetEditTarget(stage.GetSessionLayer())
    assert UsdSkel.BakeSkinning(stage.Traverse(), Gf.Interval(1, 1))
    baked = UsdGeom.Mesh(stage.GetPrimAtPath("/root/skin"))
    matrix = np.array(UsdGeom.XformCache(1).GetLocalToWorldTransform(baked.GetPrim()))
    assert np.allclose(np.array(baked.GetPointsAttr().Get(1)) @ matrix[:3, :3] + matrix[3, :3], points)


def test_a_skin_of_other_joints_is_lost(tmp_path):
    parts = read(tmp_path, mesh() + SKIN.replace("jointIndices = [0, 0, 1]", "jointIndices = [0, 0, 5]"))
    assert [part.name for part in parts] == ["m"] and parts.left_out == (
        ("skin", "the joints do not match the skeleton"),
    )


@dataclass
class Node:
    """A prim of a random stage: a group, a mesh, a cube, a reference to a class, or a point instancer."""

    kind: str
    place: tuple[float, float, float]
    scale: int
    hidden: bool
    count: int = 1
    children: list["Node"] = field(default_factory=list)


NODES = st.deferred(
    lambda: st.builds(
        Node, st.sampled_from(["Xform", "Mesh", "Cube", "instance", "PointInstancer"]),
        st.tuples(*[st.integers(-9, 9)] * 3), st.integers(1, 3), st.booleans(), st.integers(0, 3),
        st.lists(NODES, max_size=2),
    )
)  # fmt: skip


def written(node, name, path, seen):
    """The text of a node, and its boxes in the frame of its parent with what hides them: (low, high, hidden)."""
    here = f"{path}/{name}"
    lines = (
        f"double3 xformOp:translate = {node.place}\nfloat3 xformOp:scale = ({node.scale}, {node.scale}, {node.scale})\n"
        'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]\n'
        + ('token visibility = "invisible"\n' if node.hidden else "")
    )
    if node.kind == "Mesh":
        text, own = mesh(name, lines), [(np.zeros(3), np.array([1.0, 2.0, 3.0]), False)]
    elif node.kind == "Cube":
        text, own = prim("Cube", name, "double size = 2\n" + lines), [(-np.ones(3), np.ones(3), False)]
    elif node.kind == "instance":
        text = prim("Xform", name, lines, "references = </kept>\ninstanceable = true")
        own = [(np.zeros(3), np.array([1.0, 2.0, 3.0]), False), (-np.ones(3), np.ones(3), False)]
    else:
        made = [written(child, f"n{k}", here, seen) for k, child in enumerate(node.children)]
        below = [item for _, items in made for item in items]
        inside = "".join(text for text, _ in made)
        if node.kind == "Xform":
            text, own = prim("Xform", name, lines + inside), below or [None]
        else:
            indices = [k % len(made) for k in range(node.count)] if made else []
            positions = ", ".join(f"({k}, 0, 0)" for k in range(len(indices)))
            lines += f"int[] protoIndices = {indices}\npoint3f[] positions = [{positions}]\n"
            targets = ", ".join(f"<{here}/n{k}>" for k in range(len(made)))
            text = prim("PointInstancer", name, f"rel prototypes = [{targets}]\n{lines}{inside}")
            own = [
                item and (item[0] + [k, 0, 0], item[1] + [k, 0, 0], item[2])
                for k, which in enumerate(indices) for item in made[which][1]
            ] or [None]  # fmt: skip
    size, place = node.scale, node.place
    scaled = [item and (size * item[0] + place, size * item[1] + place, item[2] or node.hidden) for item in own]
    return text, scaled


@pytest.mark.slow
@given(st.lists(NODES, min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_all_of_a_random_stage_is_accounted_for_and_in_its_place(tmp_path_factory, nodes):
    """The boxes are computed beside the text, without USD; None stands for a group or an instancer of nothing."""
    kept = prim("Xform", "k", mesh() + prim("Cube", "c", "double size = 2")).replace("def Xform", "class Xform", 1)
    body, wanted = kept.replace('"k"', '"kept"') + mesh("seen"), [(np.zeros(3), np.array([1.0, 2.0, 3.0]), False)]
    for k, node in enumerate(nodes):
        text, items = written(node, f"r{k}", "", body)
        body, wanted = body + text, wanted + items
    parts = read(tmp_path_factory.mktemp("random"), body)
    seen = sorted([*low.tolist(), *high.tolist()] for low, high, hidden in filter(None, wanted) if not hidden)
    assert np.allclose(boxes(parts), seen) and parts.left_out == ()
    assert len(parts) + sum(parts.no_geometry.values()) == len(wanted)
