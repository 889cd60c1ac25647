"""Verdicts of surfaces that cross themselves: boards laid through each other leave hollows without a mesh's corner.

The truth is set arithmetic: the planes of all boards cut space into boxes, and sets of boxes are compared.
"""

import meshclash as mc
import numpy as np
import pytest
from solids import box, joined, sheet

AXES = range(3)


def crate():
    """Six boards, each as long and wide as the crate: around a hollow from 1 to 3 no mesh has a corner."""
    return [(*(0.0 if k != axis else low for k in AXES), *(4.0 if k != axis else low + 1.0 for k in AXES))
            for axis in AXES for low in (0.0, 3.0)]  # fmt: skip


def mesh_of(boards, pose=None):
    """The boards as one object, each with all its faces."""
    vertices, triangles = joined(*(box(b[:3], b[3:]) for b in boards))
    return mc.TriangleMesh(vertices if pose is None else vertices @ pose[:3, :3].T + pose[:3, 3], triangles)


def truth_of(first, second):
    """The verdict of two unions of boards."""
    planes = [np.unique([[b[k], b[k + 3]] for b in (*first, *second)]) for k in AXES]
    cells = [filled(boards, planes) for boards in (first, second)]
    if not (cells[0] & cells[1]).any():
        meet = any(all(b[k] <= c[k + 3] and c[k] <= b[k + 3] for k in AXES) for b in first for c in second)
        return "TOUCHING" if meet else "APART"
    only = [(cells[0] & ~cells[1]).any(), (cells[1] & ~cells[0]).any()]
    return ("DUPLICATE", "CONTAINED", "CLASH")[sum(only)]


def filled(boards, planes):
    """Which boxes between planes the boards fill."""
    cells = np.zeros([len(p) - 1 for p in planes], bool)
    for b in boards:
        cells[tuple(slice(*np.searchsorted(planes[k], [b[k], b[k + 3]])) for k in AXES)] = True
    return cells


def block(planes, ends):
    """The board between two planes along each axis."""
    return (*(planes[k][ends[k][0]] for k in AXES), *(planes[k][ends[k][1]] for k in AXES))


def random_boards(rng, planes, count, thin):
    """Boards between some of the planes; thin ones reach through everything along one or two axes."""
    boards = []
    for _ in range(count):
        ends = [sorted(rng.choice(8, 2, replace=False)) for _ in AXES]
        for k in rng.permutation(3)[: rng.integers(1, 3) if thin else 0]:
            ends[k] = 0, 7
        boards.append(block(planes, ends))
    return boards


def random_crate(planes, inner):
    """Six boards through each other, around a hollow."""
    boards = []
    for axis in AXES:
        for ends in ((0, inner[axis][0]), (inner[axis][1], 7)):
            boards.append(block(planes, [ends if k == axis else (0, 7) for k in AXES]))
    return boards


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.0, 4.0, "CONTAINED"),
        (0.5, 3.5, "CLASH"),
        (1.0, np.nextafter(3.0, 4.0), "CLASH"),
        (1.0, 3.0, "TOUCHING"),
        (1.5, 2.5, "APART"),
        (-1.0, 5.0, "CONTAINED"),
    ],
)
def test_a_hollow_between_boards_is_no_part_of_the_crate(low, high, verdict):
    a, b = mesh_of(crate()), mc.TriangleMesh(*box([low] * 3, [high] * 3))
    assert [mc.verdict(a, b).name, mc.verdict(b, a).name] == [verdict] * 2


def test_a_hollow_is_found_in_any_pose():
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn * np.linalg.det(turn), (1e3, -20.0, 7.0)
    a, b = mesh_of(crate()), mc.TriangleMesh(*box([0.5] * 3, [3.5] * 3))
    scene = mc.Scene()
    scene.add(a, pose), scene.add(b, pose)
    assert mc.verdict(a, b, pose, pose) == mc.Verdict.CLASH
    assert [pair.verdict.name for pair in scene.contacts().pairs] == ["CLASH"]


def test_a_board_within_the_hollow_needs_the_corners_that_touch_nothing():
    """Of what crosses the crate only some corners lie in the hollow, none of them on the box that fills it."""
    post = (1.5, 1.5, 0.25, 2.5, 2.5, 2.0)
    a, b = mesh_of([*crate(), post]), mc.TriangleMesh(*box([0.5] * 3, [3.5] * 3))
    assert mc.verdict(a, b) == mc.Verdict.CLASH


def test_an_open_sheet_through_a_hollow_leaves_the_boards():
    a = mesh_of(crate())
    through = mc.TriangleMesh(*sheet((0.5, 0.5), (3.5, 3.5), 2.0))
    assert mc.verdict(a, through) == mc.verdict(through, a) == mc.Verdict.CLASH
    within = mc.TriangleMesh(*sheet((0.5, 0.5), (3.5, 3.5), 0.5))
    assert mc.verdict(a, within) == mc.Verdict.CONTAINED


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_boards_laid_through_each_other_against_set_arithmetic(seed):
    """Boards anywhere, and blocks beside and into the hollows of crates of unequal boards, some with posts in them."""
    rng = np.random.default_rng([seed, 15])
    planes = np.cumsum(rng.uniform(0.2, 1.0, (3, 8)), axis=1)
    first = random_boards(rng, planes, int(rng.integers(1, 4)), thin=rng.random() < 0.7)
    second = random_boards(rng, planes, 1, thin=False)
    if seed % 4:
        inner = [rng.choice(np.arange(1, 7), 2, replace=False) for _ in AXES]
        first += random_crate(planes, [sorted(i) for i in inner])
        around = [(rng.integers(0, i[0] + 1), rng.integers(i[1], 8)) for i in map(sorted, inner)]
        second = [block(planes, around)]
    if seed % 5 == 0:
        second += random_boards(rng, planes, 2, thin=True)
    a, b = mesh_of(first), mesh_of(second)
    assert [mc.verdict(a, b).name, mc.verdict(b, a).name] == [truth_of(first, second)] * 2
