"""The extension's BVHTree beside Blender's own."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Vector
from mathutils.bvhtree import BVHTree as BlendersTree

from addon.bvhtree import BVHTree


@pytest.fixture
def ball():
    """An object with quads and triangles, moved and with a modifier."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=7, location=(1, 2, 3))
    made = bpy.context.object
    made.modifiers.new("ball", "SOLIDIFY").thickness = 0.25
    return made


def same(mine, theirs):
    """Whether two answers are the same, up to the rounding of float32."""
    if theirs[2] is None:
        return mine == (None, None, None, None)
    close = all((a - b).length < 1e-5 for a, b in zip(mine[:2], theirs[:2], strict=True))
    return close and mine[2] == theirs[2] and abs(mine[3] - theirs[3]) < 1e-5


def check(mine, theirs):
    rng = np.random.default_rng(1)
    for numbers in rng.normal(size=(60, 6)):
        origin, way = Vector(2.0 * numbers[:3]), Vector(numbers[3:])
        assert same(mine.ray_cast(origin, way), theirs.ray_cast(origin, way))
        assert same(mine.ray_cast(origin, way, 0.5), theirs.ray_cast(origin, way, 0.5))
        found, expected = mine.find_nearest(origin), theirs.find_nearest(origin)
        assert isinstance(found[0], Vector) and abs(found[3] - expected[3]) < 1e-5
        inside = ({hit[2] for hit in tree.find_nearest_range(origin, 0.9)} for tree in (mine, theirs))
        assert next(inside) == next(inside)


def test_objects_answer_as_blenders(ball):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    check(BVHTree.FromObject(ball, depsgraph), BlendersTree.FromObject(ball, depsgraph))
    with pytest.raises(ValueError, match="applies all modifiers"):
        BVHTree.FromObject(ball, depsgraph, cage=True)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    bpy.context.collection.objects.link(camera)
    with pytest.raises(ValueError, match="FromObject"):
        BVHTree.FromObject(camera, bpy.context.evaluated_depsgraph_get())


def test_bmeshes_answer_as_blenders(ball):
    made = bmesh.new()
    made.from_mesh(ball.data)
    check(BVHTree.FromBMesh(made), BlendersTree.FromBMesh(made))
    made.free()


def test_overlaps_are_blenders():
    rng = np.random.default_rng(2)
    corners = rng.normal(size=(60, 3)).astype(np.float32)
    faces = [rng.choice(60, 3, replace=False).tolist() for _ in range(40)]
    moved = corners * np.float32(0.7)
    mine = [BVHTree.FromPolygons(part, faces) for part in (corners, moved)]
    theirs = [BlendersTree.FromPolygons(part.tolist(), faces) for part in (corners, moved)]
    assert len(mine[0].overlap(mine[1])) > 50
    assert sorted(mine[0].overlap(mine[1])) == sorted(theirs[0].overlap(theirs[1]))
