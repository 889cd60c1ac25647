"""Verdicts of constructed configurations (see verdict_cases.py), in exact poses and, where robust, in any pose."""

import meshclash as mc
import numpy as np
import pytest
from meshclash.solid import cell_membership, coincidence, voids
from solids import box, cell_body, joined, moved, refined
from verdict_cases import APART, CLASH, CONTAINED, DUPLICATE, TOUCHING, Case, all_cases

CASES = all_cases()
DEPTH_TOLERANCE = 0.05


def matrix(rotation, shift):
    result = np.eye(4)
    result[:3, :3] = rotation
    result[:3, 3] = shift
    return result


def rotation(axis, angle):
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


QUARTER_TURN = matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]], (2.0**20, -3.25, 17.5))
ANY_POSE = matrix(rotation((1, 2, 3), 0.7), (0.3, -11.7, 5.1))


def assert_verdict(case: Case, pose_a, pose_b, shift_b=(0.0, 0.0, 0.0)):
    """The verdict in both orders; b's vertices are shifted by -shift_b, which its pose must undo."""
    a, b = mc.TriangleMesh(*case.a), mc.TriangleMesh(case.b[0] - np.array(shift_b), case.b[1])
    options = {"permitted_overlap": case.permitted_overlap, "touch_tolerance": case.touch_tolerance}
    poses = mc.Pose.from_matrix(pose_a), mc.Pose.from_matrix(pose_b)
    found = mc.verdict(a, b, *poses, **options)
    swapped = mc.verdict(b, a, *poses[::-1], **options)
    assert (found.name, swapped.name) == (case.verdict, case.verdict)
    if case.depth is not None:
        assert (found.depth, swapped.depth) == pytest.approx((case.depth, case.depth), rel=DEPTH_TOLERANCE)


def ids(cases):
    return [case.name.replace(" ", "-") for case in cases]


def test_there_are_enough_cases_and_their_names_differ():
    assert len({case.name for case in CASES}) == len(CASES) >= 200


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_verdict_as_built(case):
    assert_verdict(case, np.eye(4), np.eye(4))


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_verdict_after_a_quarter_turn_far_from_the_origin(case):
    """Each mesh has its own pose; coordinates stay exact (those of the unrounded round bodies need not)."""
    shift = (2.5, -7.25, 64.0)
    assert_verdict(case, QUARTER_TURN, QUARTER_TURN @ matrix(np.eye(3), shift), shift)


ROBUST = [case for case in CASES if case.robust]


@pytest.mark.parametrize("case", ROBUST, ids=ids(ROBUST))
def test_verdict_in_any_pose(case):
    """Rounding moves the coordinates, so only verdicts that do not hang on exact contact are asked for; bodies that are
    duplicates keep a common pose, under which equal coordinates stay equal."""
    shift = (0.0, 0.0, 0.0) if case.verdict == DUPLICATE else (1.5, -2.25, 4.0)
    assert_verdict(case, ANY_POSE, ANY_POSE @ matrix(np.eye(3), shift), shift)


def test_most_verdicts_are_tested_in_any_pose():
    assert {case.verdict for case in ROBUST} >= {CLASH, DUPLICATE} and len(ROBUST) > len(CASES) // 2


def random_cells(rng) -> set:
    """Some unit cubes of a block of up to 5 x 5 x 5, with holes, cavities and cubes that meet only in an edge."""
    block = rng.random(rng.integers(1, 6, 3)) < rng.choice([0.3, 0.7, 0.95, 1.0])
    if min(block.shape) > 2 and rng.random() < 0.5:
        block[1:-1, 1:-1, 1:-1] = False
    return {tuple(cell) for cell in np.argwhere(block).tolist()} or {(0, 0, 0)}


def half_cells(cells, shift) -> set:
    """The cubes of side 1/2 that fill the unit cubes after a shift by multiples of 1/2, on a grid of halves."""
    octants = np.argwhere(np.ones((2, 2, 2)))
    fine = 2 * np.array(sorted(cells))[:, None] + octants + (2 * np.array(shift)).astype(int)
    return {tuple(cell) for cell in fine.reshape(-1, 3).tolist()}


def verdict_of_cells(a: set, b: set) -> str:
    """By set arithmetic; closed cubes touch when their places on the grid differ by at most one on every axis."""
    if a == b:
        return DUPLICATE
    if a <= b or b <= a:
        return CONTAINED
    if a & b:
        return CLASH
    distance = np.abs(np.array(sorted(a))[:, None] - np.array(sorted(b))[None]).max(axis=2)
    return TOUCHING if distance.min() <= 1 else APART


@pytest.mark.parametrize("seed", range(200))
def test_unions_of_cubes_against_set_arithmetic(seed):
    """Faces flush everywhere, edge loops in face planes, whatever random cubes give; half of the shifts are whole."""
    rng = np.random.default_rng(seed)
    cells_a = random_cells(rng)
    cells_b = random_cells(rng) if rng.random() < 0.7 else {cell for cell in cells_a if rng.random() < 0.8} or cells_a
    shift = rng.integers(-2, 3, 3) / rng.choice([1, 2]) * (rng.random() < 0.8)
    body_a, body_b = cell_body(sorted(cells_a)), moved(cell_body(sorted(cells_b)), shift)
    if seed % 3 == 0:
        body_b = refined(body_b)
    expected = verdict_of_cells(half_cells(cells_a, (0, 0, 0)), half_cells(cells_b, shift))
    assert_verdict(Case(f"cells-{seed}", body_a, body_b, expected), np.eye(4), np.eye(4))


@pytest.mark.parametrize("span", [1, 3])
@pytest.mark.parametrize("case", CASES[::7], ids=ids(CASES[::7]))
def test_verdict_and_depth_do_not_depend_on_where_the_work_is_cut(case, span, monkeypatch):
    meshes = mc.TriangleMesh(*case.a), mc.TriangleMesh(*case.b)
    whole = mc.verdict(*meshes, permitted_overlap=case.permitted_overlap)
    monkeypatch.setattr(coincidence, "_SPAN", span)
    for module in (cell_membership, voids):
        monkeypatch.setattr(module, "EFFORT", span)
    pieces = mc.verdict(*meshes, permitted_overlap=case.permitted_overlap)
    assert (pieces.name, pieces.depth) == (whole.name, whole.depth)


def test_pairs_that_are_judged_in_portions_have_the_same_verdicts(monkeypatch):
    scene = mc.Scene()
    for k in range(6):
        scene.add(mc.TriangleMesh(*box((0, 0, k), (1 + 0.1 * k, 1, k + 1))))
        scene.add(mc.TriangleMesh(*moved(refined(box((0, 0, 0), (1, 1, 1)), 3), (0.125 * (k % 2) - 1.0, 0.3, k))))
    told = []
    for effort in (cell_membership.EFFORT, 1, 100):
        monkeypatch.setattr(cell_membership, "EFFORT", effort)
        told.append([(f.a, f.b, f.verdict, f.location.tolist()) for f in scene.contacts().pairs])
    assert len(told[0]) > 10 and {verdict.name for _, _, verdict, _ in told[0]} == {"TOUCHING", "CLASH"}
    assert told[0] == told[1] == told[2]


def test_one_enormous_touching_pair_is_judged_in_many_steps(monkeypatch):
    slab, far = refined(cell_body([(0, 0, 0)]), 5), cell_body([(3, 0, 2)])  # the boxes of both objects overlap
    below, above = mc.TriangleMesh(*joined(slab, far)), mc.TriangleMesh(slab[0] + np.array([0.25, 0.125, 1.0]), slab[1])
    stops, sample = [], cell_membership.sample_sides

    def noted(*arguments):
        done = sample(*arguments)
        stops.append(arguments[-2].tolist())
        return done

    monkeypatch.setattr(cell_membership, "sample_sides", noted)
    scene = mc.Scene()
    for mesh in (below, above):
        scene.add(mesh)
    (pair,) = scene.contacts().pairs
    assert pair.verdict == mc.Verdict.TOUCHING
    looked_at = sum(len(np.unique(pair.contacts.pairs[:, side])) for side in range(2))
    assert len(stops) > 4 and len(set(map(tuple, stops[:-1]))) == len(stops) - 1
    assert len(stops) >= looked_at * 32 / 6 / cell_membership.EFFORT  # six triangles share a vertex
