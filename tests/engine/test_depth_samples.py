"""The points from which a depth search starts depend on the surface only, not on how its hierarchy was made."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.jit import kernel
from meshclash.reference import by_reference
from meshclash.solid.ball_growth import new_search_room
from meshclash.solid.depth import _SAMPLES, _gather_samples
from meshclash.solid.nearest_points import search_frame
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.point import IDENTITY

pytestmark = pytest.mark.needs_jit

BALL = mc.shapes.sphere(1.0)


@kernel
def gather(forest, pose, inverse, origins, reaches, origin, far, room, samples, near):
    """Call ``_gather_samples`` for the only tree of a forest."""
    forest = by_reference(forest)
    room = by_reference(room)
    corner = (origin[0], origin[1], origin[2])
    frame = by_reference(search_frame(forest, 0, pose, inverse, origins, reaches, corner, 0, room))
    return _gather_samples(forest, frame, corner, (far[0], far[1], far[2]), samples, near)


def samples_of(tree, low, high):
    """The samples of a surface in a box, with the corners of their triangles."""
    packed = pack_trees([tree])
    samples, near = np.zeros((_SAMPLES, 4)), np.zeros((_SAMPLES, 2), np.int64)
    posed = IDENTITY, np.eye(3), packed.origins, packed.reaches
    count = gather(packed.forest, *posed, low, high - low, new_search_room(), samples, near)
    mesh = tree.mesh
    return count, samples[:count, :3].tolist(), mesh.vertices[mesh.triangles[near[:count, 0]]].tolist()


@given(st.integers(0, 2**32 - 1))
def test_samples_are_the_same_after_a_refit_and_in_other_trees(seed):
    rng = np.random.default_rng(seed)
    moved = BALL.vertices * rng.uniform(0.3, 1.5, 3) + 0.1 * rng.standard_normal(BALL.vertices.shape)
    low, high = np.sort(rng.uniform(-1.5, 1.5, (2, 3)), axis=0)
    fresh = mc.build(mc.TriangleMesh(moved, BALL.triangles))
    wanted = samples_of(fresh, low, high)
    shuffled = mc.TriangleMesh(moved, BALL.triangles[rng.permutation(BALL.triangle_count)])
    for tree in (mc.refit(mc.build(BALL), moved), mc.build(fresh.mesh, split="sah"), mc.build(shuffled)):
        assert samples_of(tree, low, high) == wanted
    assert wanted[0] <= _SAMPLES and all((np.array(wanted[1]) >= 0).ravel())
