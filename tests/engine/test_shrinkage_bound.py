"""Bounds from above by shrinking: never below the depth, by moves of both solids or of one."""

import meshclash as mc
import numpy as np
import pytest
from fit_shapes import cell_body
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.answering.answer import answer_steps
from meshclash.hierarchy.build import as_boxes
from meshclash.solid.case import Case
from meshclash.solid.cell_membership import shares_volume
from meshclash.solid.shrinkage_bound import fit_bounds, growing_bounds, of_both, of_smaller
from meshclash.traversal.bounds import world_bounds
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.question import Question
from meshclash.traversal.solids import gather_solids
from meshclash.types.steps import run
from solids import box, joined
from strategies import matrix, rotation

ONE = np.array([0])
OVERLAPS = st.floats(1e-9, 0.4)


def case_of(a, b, rows):
    """One pair of meshes in one pose."""
    hierarchies = [as_boxes(mc.TriangleMesh(*mesh)) for mesh in (a, b)]
    trees, jobs, rows = pack_trees(hierarchies), np.array([[0, 1]]), np.ascontiguousarray(rows)[None]
    answer = run(answer_steps(Question(trees.side, trees.side, jobs, rows, rows)))
    boxes = [world_bounds(trees, jobs[:, side], rows) for side in range(2)]
    return Case(trees, gather_solids(hierarchies), jobs, rows, rows, *boxes, answer, np.zeros((1, 2)))


def overlapping(overlap, seed):
    """A box and two boxes far apart, one of which overlaps it by so much; the first has fewer triangles."""
    rng = np.random.default_rng(seed)
    low = (1 - overlap, *rng.uniform(-0.5, 0.5, 2))
    other = joined(box(low, np.add(low, 1)), box((5, 5, 5), (6, 6, 6)))
    return case_of(box((0, 0, 0), (1, 1, 1)), other, matrix(rotation(rng), rng.uniform(-2, 2, 3))[:3])


@settings(max_examples=20)
@given(OVERLAPS, st.floats(1e-9, 0.25), st.integers(0, 2**32 - 1))
def test_no_move_of_one_or_of_both_bounds_a_depth_from_below(overlap, move, seed):
    """Corners of a box move along its diagonals, so its faces recede by the move over the root of three."""
    case = overlapping(overlap, seed)
    for moves, receding in ((of_both, 2.0), (of_smaller, 1.0)):
        assert (moves(case, np.array([move])) > 0.0).sum() == receding
        bound = run(fit_bounds(case, ONE, [moves(case, np.array([move]))], shares_volume))[0]
        assert bound >= overlap * (1 - 1e-12) - 1e-14
        if receding * move / np.sqrt(3.0) > overlap * (1 + 1e-6) + 1e-14:
            assert bound == pytest.approx(2.0 * move, rel=1e-6, abs=1e-14)


@settings(max_examples=10)
@given(st.floats(1e-9, 0.02), st.integers(0, 2**32 - 1))
def test_growing_moves_end_soon_after_what_parts_solids(overlap, seed):
    case = overlapping(overlap, seed)
    bound = run(growing_bounds(case, ONE, np.array([1e-9]), np.array([1.0]), shares_volume))[0]
    assert overlap * (1 - 1e-12) - 1e-14 <= bound <= 8 * overlap
    assert np.isinf(run(growing_bounds(case, ONE, np.array([1e-9]), np.array([overlap]), shares_volume))[0])


@pytest.mark.parametrize("mine", range(1, 255))
def test_eight_cubes_shared_out_in_any_way_part_as_they_shrink(mine):
    """Around their common corner material touches itself at edges and points, and planes face each other."""
    cells = np.argwhere(np.ones((2, 2, 2)))
    own = (mine >> np.arange(8)) & 1 == 1
    rng = np.random.default_rng(mine)
    bodies = [cell_body(cells[some]) for some in (own, ~own)]
    rounded = [(vertices + rng.uniform(-0.005, 0.005, vertices.shape), triangles) for vertices, triangles in bodies]
    case = case_of(*rounded, np.eye(4)[:3])
    assert run(fit_bounds(case, ONE, [of_both(case, np.array([0.05]))], shares_volume))[0] == pytest.approx(0.1)
