"""Meshes of other libraries are taken where a mesh is asked for."""

import gc
from pathlib import Path
from types import SimpleNamespace

import meshclash as mc
import numpy as np
import pytest
import trimesh
from meshclash.types import foreign_meshes
from solids import box

CUBE, OTHER = box((0, 0, 0), (1, 1, 1)), box((0.5, 0.25, 0.25), (1.5, 0.75, 0.75))


def as_attributes(vertices, triangles, names):
    """An object as another library has it; it takes weak references."""
    return type("Mesh", (SimpleNamespace,), {})(**dict(zip(names, (vertices, triangles), strict=True)))


class Tensors:
    """A mesh of Open3D whose arrays are tensors, which may lie on a device."""

    def __init__(self, vertices, triangles):
        self.vertex, self.triangle = (
            SimpleNamespace(positions=self._tensor(vertices)), SimpleNamespace(indices=self._tensor(triangles))
        )  # fmt: skip

    @staticmethod
    def _tensor(array):
        on_cpu = SimpleNamespace(numpy=lambda: array)
        return SimpleNamespace(cpu=lambda: on_cpu)

    def to_legacy(self):
        raise AssertionError("it is read as it is")


def of_meshio(vertices, triangles, *others):
    """A mesh of meshio: blocks of cells, of which each has a kind."""
    blocks = [SimpleNamespace(type="triangle", data=part) for part in np.array_split(triangles, 2)]
    cells = [*blocks, *(SimpleNamespace(type=kind, data=np.zeros((1, 2), int)) for kind in others)]
    return type("Mesh", (SimpleNamespace,), {})(points=vertices, cells=cells, cells_dict={"triangle": triangles})


FORMS = {
    "trimesh": lambda mesh: trimesh.Trimesh(*mesh, process=False),
    "Open3D": lambda mesh: as_attributes(*mesh, ("vertices", "triangles")),
    "PyVista": lambda mesh: as_attributes(*mesh, ("points", "regular_faces")),
    "vedo": lambda mesh: as_attributes(mesh[0], mesh[1].tolist(), ("vertices", "cells")),
    "meshio": lambda mesh: of_meshio(*mesh),
    "Open3D's tensors": lambda mesh: Tensors(*mesh),
    "pair": lambda mesh: mesh,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_question_takes_them(form):
    """The answers are those of a ``TriangleMesh`` of the same arrays."""
    a, b = (mc.TriangleMesh(*mesh) for mesh in (CUBE, OTHER))
    c, d = (FORMS[form](mesh) for mesh in (CUBE, OTHER))
    assert np.array_equal(mc.collide(c, d).pairs, mc.collide(a, b).pairs)
    assert mc.collides(c, b) is True and len(mc.self_collide(c)) == 0
    assert mc.distance(c, d).distance == 0.0 and len(mc.clearance(c, d, 0.1)) == len(mc.clearance(a, b, 0.1))
    assert mc.verdict(c, d).depth == mc.verdict(a, b).depth
    assert mc.penetration(c, d).depth == mc.penetration(a, b).depth
    assert mc.contains(c, [[0.5, 0.5, 0.5], [2, 2, 2]]).tolist() == [True, False]
    assert mc.signed_distance(c, [[0.5, 0.5, 0.5]]).distance[0] == -0.5 and mc.solidity(c).closed
    assert mc.build(c).mesh.triangle_count == 12
    assert mc.motion.time_of_contact(c, d).time == 0.0 and len(mc.motion.swept_collide(c, d).pairs)
    cloud = mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(500, 3)) + 9.0)
    assert mc.motion.time_of_contact(cloud, c).time == mc.motion.time_of_contact(cloud, a).time
    assert len(mc.voxels.voxel_collide(c, d).contacts) == len(mc.collide(a, b))
    scene = mc.Scene()
    scene.add(c)
    scene.add(d)
    assert len(scene.contacts().pairs) == 1


def test_the_mesh_is_kept_while_the_object_stays_the_same():
    """One conversion and one hierarchy for one object; another after it was changed; none when it is gone."""
    thing = trimesh.Trimesh(*CUBE, process=False)
    before = foreign_meshes.as_own(thing)
    mc.collide(thing, thing)
    assert foreign_meshes.as_own(thing) is before and before.derived
    thing.vertices[0] -= 1.0
    after = foreign_meshes.as_own(thing)
    assert after is not before and np.array_equal(after.vertices, thing.vertices)
    key = id(thing)
    assert key in foreign_meshes._kept
    del thing
    gc.collect()
    assert key not in foreign_meshes._kept


def test_what_is_wrong_with_the_arrays_is_said():
    """Arrays that are no mesh are named; what has none is refused by its type."""
    with pytest.raises(mc.InvalidMesh, match="triangle 0 is"):
        mc.collide((CUBE[0], CUBE[1] + 99), OTHER)
    with pytest.raises(mc.InvalidMesh, match="not a str"):
        mc.collide("cube", OTHER)
    with pytest.raises(mc.InvalidMesh, match="cells of type quad"):
        mc.collide(of_meshio(*CUBE, "quad"), OTHER)
    with pytest.raises(mc.InvalidMesh, match=r"\(6, 4\): triangulate the mesh"):
        mc.collide((CUBE[0], CUBE[1].reshape(-1, 4)[:6]), OTHER)
    with pytest.raises(mc.InvalidMesh, match="does not consist of triangles only: not regular"):
        mc.collide(Mixed(), OTHER)
    with pytest.raises(mc.InvalidMesh, match="not a list"):
        mc.verdict([1, 2], OTHER)


def test_a_hull_is_its_mesh():
    """Its faces have any number of corners, so they are no triangles by themselves."""
    hull = mc.shapes.ConvexHull(CUBE[0])
    assert len(mc.collide(hull, OTHER)) == len(mc.collide(hull.mesh(), OTHER)) > 0
    assert mc.verdict(hull, OTHER).depth == mc.verdict(hull.mesh(), OTHER).depth


class Mixed:
    """A mesh of PyVista with triangles and quads."""

    points = CUBE[0]

    @property
    def regular_faces(self):
        raise ValueError("not regular")


def of_library(module, name, bases=(object,)):
    """An object of a class of a library that need not be installed."""
    return type(name, bases, {"__module__": module})()


@pytest.mark.parametrize(
    ("thing", "says"),
    [
        ("x.stl", r"not a str: meshclash\.read\(path\)"),
        (Path("x.stl"), r"not a pathlib\..*: meshclash\.read\(path\)"),
        (trimesh.Scene(), r"not a trimesh\.scene\.scene\.Scene: meshclash\.Scene\.from_trimesh"),
        (trimesh.PointCloud(CUBE[0]), r"not a trimesh\.points\.PointCloud: use meshclash\.clouds\.PointCloud"),
        (of_library("open3d.cpu.pybind.geometry", "PointCloud"), r"use meshclash\.clouds\.PointCloud"),
        (of_library("open3d.cpu.pybind.geometry", "TriangleMesh"), r"not an open3d\.cpu\.pybind\.geometry\.Triangle"),
        (of_library("bpy_types", "Mesh"), r"calc_loop_triangles"),
        (of_library("bpy_types", "Object"), r"to_mesh"),
        (mc.Scene(), r"not a Scene: ask the scene itself"),
        ([CUBE[0], CUBE[1]], r"not a list: a mesh is meshclash\.TriangleMesh\(vertices, triangles\), or a tuple"),
        (None, "not None"),
        (mc.TriangleMesh, "not the class TriangleMesh itself"),
    ],
)  # fmt: skip
def test_what_is_no_mesh_is_named_with_the_way(thing, says):
    """Every question says what to do with objects that stand for meshes elsewhere."""
    for ask in (mc.collide, mc.distance, mc.verdict, mc.motion.time_of_contact, mc.motion.swept_collide):
        with pytest.raises(mc.InvalidMesh, match=says):
            ask(thing, OTHER)
    for ask in (mc.self_collide, mc.build, mc.solidity, mc.Scene().add, mc.clash.coaxial_fit, mc.shapes.convex_parts):
        with pytest.raises(mc.InvalidMesh, match=says):
            ask(thing)


def test_parts_of_a_file_are_named_with_the_way(tmp_path):
    """What ``read`` returns is no mesh, and neither is one of its parts."""
    trimesh.creation.box().export(tmp_path / "box.stl")
    parts = mc.read(tmp_path / "box.stl")
    with pytest.raises(mc.InvalidMesh, match="take mesh and pose of each part"):
        mc.collide(parts, OTHER)
    with pytest.raises(mc.InvalidMesh, match=r"use part\.mesh, with part\.pose"):
        mc.collide(parts[0], OTHER)
