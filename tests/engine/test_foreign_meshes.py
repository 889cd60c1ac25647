"""Meshes of other libraries are taken where a mesh is asked for."""

import gc
from types import SimpleNamespace

import meshclash as mc
import numpy as np
import pytest
import trimesh
from meshclash.types import foreign
from solids import box

CUBE, OTHER = box((0, 0, 0), (1, 1, 1)), box((0.5, 0.25, 0.25), (1.5, 0.75, 0.75))


def as_attributes(vertices, triangles, names):
    """An object as another library has it; it takes weak references."""
    return type("Mesh", (SimpleNamespace,), {})(**dict(zip(names, (vertices, triangles), strict=True)))


FORMS = {
    "trimesh": lambda mesh: trimesh.Trimesh(*mesh, process=False),
    "Open3D": lambda mesh: as_attributes(*mesh, ("vertices", "triangles")),
    "PyVista": lambda mesh: as_attributes(*mesh, ("points", "regular_faces")),
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
    before = foreign.as_own(thing)
    mc.collide(thing, thing)
    assert foreign.as_own(thing) is before and before.derived
    thing.vertices[0] -= 1.0
    after = foreign.as_own(thing)
    assert after is not before and np.array_equal(after.vertices, thing.vertices)
    key = id(thing)
    assert key in foreign._kept
    del thing
    gc.collect()
    assert key not in foreign._kept


def test_what_is_wrong_with_the_arrays_is_said():
    """Arrays that are no mesh are named; what has none is refused by its type."""
    with pytest.raises(mc.InvalidMesh, match="triangle 0 is"):
        mc.collide((CUBE[0], CUBE[1] + 99), OTHER)
    with pytest.raises(mc.InvalidMesh, match="not a str"):
        mc.collide("cube", OTHER)
    with pytest.raises(mc.InvalidMesh, match="not a list"):
        mc.verdict([1, 2], OTHER)
