"""Verdicts of pairs with an open mesh: what the solids that they mean add to what the surfaces do to each other.

Surfaces that bound no solid touch where they cross by no more than their resolution: a move that short takes them
apart. A move that takes two solids apart is no shorter than the diameter of any ball that lies in both, so it bounds
their depth from above. Of meshes that bound no solid no depth is known; such a move is all that can be said.
"""

from collections.abc import Callable, Generator
from itertools import product
from typing import NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.triangle_pair import CROSSING
from ..hierarchy.build import as_boxes
from ..traversal.bounds import world_bounds
from ..traversal.forest import pack_trees
from ..traversal.question import Question
from ..traversal.solids import gather_solids
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points
from ..types.steps import always
from ..types.verdict import CLASH, CONTAINED, TOUCHING
from .case import Case
from .measure import LOWER, UPPER, box_overlaps
from .open_overlap import DEPTH_CERTAINTY, OpenSide, containment, depth_steps, side_of
from .opening import enclosed_steps
from .repair import closed_mesh
from .solidity import Meant, meant_steps

_ROUNDING = 512.0 * 2.0**-53  # of the largest coordinate: lengths below this may be rounding
_STRETCH = 1.001  # of poses that are rigid but for ``RIGID_TOLERANCE``
_DIRECTIONS = np.array([row for row in product((-1.0, 0.0, 1.0), repeat=3) if any(row)])
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1, keepdims=True)
_SHARES = (0.999, 1e-3)  # of what is permitted: a short move suits parts that fit in a slot
_SLACK = 1.001  # of lengths that only sort out what is not looked at
_ROUNDING_OF_SUMS = 2.0**-48  # of the largest coordinate
_MOST = 4096  # contacts of a pair that are looked at first

MeasuresSolids = Callable[[Case], Generator[None, None, np.ndarray]]
"""Bounds of the depths of the pairs of a case of solids, (k, 2) [m]; NaN where there is no common volume."""

JudgesPlainly = Callable[[Case], Generator[None, None, np.ndarray]]
"""Verdict codes (k,) of the pairs of a case, nothing permitted."""


class OfOpen(NamedTuple):
    """Depths of k pairs with an open mesh; NaN where nothing is known, and for pairs of solids."""

    balls: np.ndarray
    """Diameters of balls in both, (k,) [m]."""
    bounds: np.ndarray
    """Proved, (k, 2) [m]: of pairs that are closed but for rounding."""


def judge_open_steps(
    case: Case,
    codes: np.ndarray,
    certainties: np.ndarray,
    measured: np.ndarray,
    exact: bool,
    measures_solids: MeasuresSolids,
) -> Generator[None, None, OfOpen]:
    """Write into the codes and certainties (k,) of a case what is known of pairs with an open mesh.

    An object that crosses nothing may be contained in an open one, objects that touch may have a ball in common, and
    clashes and contained objects get a depth, each where it is known. Meshes that mean no solid are left as they are.
    Of pairs that are not ``measured`` (k,) only those depths are found on which the verdict hangs; ``exact``: by a
    thorough search. Yields every few milliseconds.
    """
    found = OfOpen(np.full(len(codes), np.nan), np.full((len(codes), 2), np.nan))
    is_open = ~case.solids.closed[case.jobs]
    in_b = _within(case.boxes_a, case.boxes_b) & is_open[:, 1]
    in_a = _within(case.boxes_b, case.boxes_a) & is_open[:, 0]
    enclosed = (in_a | in_b) & (codes <= TOUCHING.severity)
    overlaps = box_overlaps(case.boxes_a, case.boxes_b)
    rounding = _ROUNDING * np.maximum(np.abs(case.boxes_a), np.abs(case.boxes_b)).max(axis=1)
    thick = overlaps[:, 6] > rounding
    hanging = thick & (codes == TOUCHING.severity)
    asked = enclosed | hanging | (measured & (codes >= CONTAINED.severity))
    as_solids, as_meant = [], {}
    for job in np.flatnonzero(is_open.any(axis=1) & asked).tolist():
        for inner, contains in ((0, in_b), (1, in_a)):
            if enclosed[job] and contains[job] and codes[job] != CONTAINED.severity:
                yield from _contain(case, job, inner, codes, certainties)
        yield
        if codes[job] == TOUCHING.severity or (measured[job] and codes[job] in (CONTAINED.severity, CLASH.severity)):
            if all(closed_mesh(mesh) is not None for mesh in _meshes(case, job)):
                as_solids.append(job)
                continue
            sides = yield from _sides_steps(case, job)
            if sides is not None:
                as_meant[job] = sides
    if as_solids:
        chosen = np.array(as_solids)
        found.bounds[chosen] = yield from _bounds_of_solids(case, chosen, measures_solids)
        found.balls[chosen] = found.bounds[chosen, LOWER]
    common = np.ones(len(codes))
    if as_meant:
        yield from _balls_of_open(case, as_meant, exact, rounding, codes, found.balls, common)
    touching = codes == TOUCHING.severity
    through = touching & (found.balls > rounding)  # surfaces pass through each other along edges only
    shared = through & (common >= 0.5)
    doubted = through & ~shared
    codes[shared] = CLASH.severity
    certainties[shared & np.isnan(found.bounds[:, UPPER])] = common[shared & np.isnan(found.bounds[:, UPPER])]
    certainties[doubted] = np.minimum(certainties, 1.0 - common)[doubted]
    for of_touching in found:
        of_touching[touching & ~shared] = np.nan
    return found


def _balls_of_open(
    case: Case,
    as_meant: dict[int, tuple[OpenSide, OpenSide]],
    exact: bool,
    rounding: np.ndarray,
    codes: np.ndarray,
    balls: np.ndarray,
    common: np.ndarray,
) -> Generator[None, None, None]:
    """Write balls (k,) of pairs by what they mean, and how likely it is that those that touch share theirs."""
    chosen = np.zeros(len(balls), np.bool_)
    chosen[list(as_meant)] = True
    depths, centres = yield from depth_steps(case.chosen(chosen), list(as_meant.values()), exact)
    for (job, sides), depth, centre in zip(as_meant.items(), depths.tolist(), centres, strict=True):
        if depth > rounding[job]:
            balls[job] = depth
            if codes[job] == TOUCHING.severity:
                common[job] = yield from _common_steps(*sides, centre)


def _contain(
    case: Case, job: int, inner: int, codes: np.ndarray, certainties: np.ndarray
) -> Generator[None, None, None]:
    """Tell whether an object of a pair lies in the other one, which it crosses nowhere."""
    sides = yield from _sides_steps(case, job)
    if sides is None:
        return
    contained, certainty = yield from contained_steps(sides[inner], sides[1 - inner])
    codes[job] = CONTAINED.severity if contained else codes[job]
    certainties[job] = certainty if contained else min(certainty, certainties[job])


def _bounds_of_solids(
    case: Case, chosen: np.ndarray, measures_solids: MeasuresSolids
) -> Generator[None, None, np.ndarray]:
    """Bounds (n, 2) [m] of the depths of pairs (n,) of meshes that are closed but for rounding, as closed ones.

    A ball of radius r in both solids leaves one of radius r - m while no vertex moves farther than m (``shrink.py``).
    So m moves each bound of the depth, a diameter, by 2 m.
    """
    trees: dict[int, tuple[int, TriangleMesh]] = {}
    jobs, moved = np.empty((len(chosen), 2), np.int64), np.zeros(len(chosen))
    for row, job in enumerate(chosen.tolist()):
        for side, mesh in enumerate(_meshes(case, job)):
            closed = closed_mesh(mesh)
            assert closed is not None
            jobs[row, side] = trees.setdefault(id(closed.mesh), (len(trees), closed.mesh))[0]
            moved[row] = max(moved[row], _STRETCH * closed.moved)
    hierarchies = [as_boxes(mesh) for _, mesh in trees.values()]
    tree_set, rows = pack_trees(hierarchies), (case.rows_a[chosen], case.rows_b[chosen])
    answer = yield from always(None, answer_steps(Question(tree_set.side, tree_set.side, jobs, *rows)))
    box_a, box_b = (world_bounds(tree_set, jobs[:, side], rows[side]) for side in range(2))
    solids, resolutions = gather_solids(hierarchies), case.resolutions[chosen]
    bounds = yield from measures_solids(Case(tree_set, solids, jobs, *rows, box_a, box_b, answer, resolutions))
    bounds = np.where(np.isnan(bounds), 0.0, bounds)
    lower, upper = np.maximum(bounds[:, LOWER] - 2.0 * moved, 0.0), bounds[:, UPPER] + 2.0 * moved
    wider = np.column_stack([np.nextafter(lower, 0.0), np.nextafter(upper, np.inf)])
    return np.where(moved[:, None] > 0.0, wider, bounds)


def contained_steps(inner: OpenSide, outer: OpenSide) -> Generator[None, None, tuple[bool, float]]:
    """Whether one object, which crosses the other nowhere, lies in it, and the probability that this is right.

    Yields every few milliseconds.
    """
    contained, certainty, points = containment(inner, outer)
    if not contained:
        return False, certainty
    yield
    certainty = min(certainty, (yield from enclosed_steps(outer, points)))
    return certainty >= 0.5, max(certainty, 1.0 - certainty)


def _common_steps(a: OpenSide, b: OpenSide, point: np.ndarray) -> Generator[None, None, float]:
    """Probability that a point, which winding numbers say to be in both solids, is so."""
    certainty = DEPTH_CERTAINTY
    for side in (a, b):
        certainty = min(certainty, (yield from enclosed_steps(side, point[None])))
    return certainty


def _within(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Which boxes (k, 6) lie in others."""
    low, high = inner[:, :3] >= outer[:, :3], inner[:, 3:] <= outer[:, 3:]
    return np.logical_and(low.all(axis=1), high.all(axis=1))


def _meshes(case: Case, job: int) -> list[TriangleMesh]:
    """The meshes of a pair."""
    return [case.tree_set.parts[tree].mesh for tree in case.jobs[job].tolist()]


def _sides_steps(case: Case, job: int) -> Generator[None, None, tuple[OpenSide, OpenSide] | None]:
    """The objects of a pair as the solids that they mean; None where one means none."""
    sides = []
    for mesh, rows in zip(_meshes(case, job), (case.rows_a[job], case.rows_b[job]), strict=True):
        meant: Meant = yield from meant_steps(mesh)
        if not meant.solidity.solid:
            return None
        sides.append(side_of(meant, rows))
    return sides[0], sides[1]


# Surfaces that bound no solid


def parted_steps(
    case: Case, chosen: np.ndarray, permitted: np.ndarray, apart: int, judges: JudgesPlainly
) -> Generator[None, None, np.ndarray]:
    """Which pairs a move by at most what is permitted takes apart, (k,) bool.

    Args:
        case: the pairs.
        chosen: numbers (n,) of those that are asked about.
        permitted: of all pairs, (k,) [m].
        apart: the verdict code of pairs that share nothing.
        judges: tells the codes of moved pairs.
    """
    parted = np.zeros(len(case.jobs), np.bool_)
    left = []
    for job in chosen.tolist():
        if _may_part(case, job, float(permitted[job])):
            left.append(job)
        yield
    for share, direction in product(_SHARES, _DIRECTIONS):
        if not left:
            break
        jobs = np.array(left)
        moved = yield from _moved(case, jobs, share * permitted[jobs, None] * direction)
        codes = yield from judges(moved)
        parted[jobs[codes == apart]] = True
        left = [job for job in left if not parted[job]]
        yield
    return parted


def _moved(case: Case, jobs: np.ndarray, moves: np.ndarray) -> Generator[None, None, Case]:
    """Some pairs (n,), the second object of each moved by (n, 3), with their contacts."""
    trees, rows_a, rows_b = case.jobs[jobs], case.rows_a[jobs], case.rows_b[jobs].copy()
    rows_b[:, :, 3] += moves
    side = case.tree_set.side
    answer = yield from always(None, answer_steps(Question(side, side, trees, rows_a, rows_b)))
    return case._replace(
        jobs=trees, rows_a=rows_a, rows_b=rows_b, boxes_a=case.boxes_a[jobs],
        boxes_b=world_bounds(case.tree_set, trees[:, 1], rows_b), answer=answer, resolutions=case.resolutions[jobs],
    )  # fmt: skip


def _may_part(case: Case, job: int, length: float) -> bool:
    """Whether no two triangles of a pair cross so far that a move by a length cannot take them apart."""
    begin, end = case.starts[job : job + 2]
    crossing = case.answer.pairs[begin:end][case.answer.kinds[begin:end] == CROSSING][:_MOST]
    forest, corners = case.tree_set.forest, []
    for side, rows in enumerate((case.rows_a[job], case.rows_b[job])):
        tree = case.jobs[job, side]
        numbers = forest.triangles[forest.triangle_start[tree] + crossing[:, side]]
        corners.append(transform_points(rows, forest.vertices[forest.vertex_start[tree] + numbers]))
    a, b = corners
    largest = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return bool((_overlaps(a, b) <= _SLACK * length + _ROUNDING_OF_SUMS * largest).all())


def _overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far triangles (n, 3, 3) must be moved to come apart, (n,): the least overlap along any axis of both."""
    edges_a, edges_b = np.roll(a, -1, axis=1) - a, np.roll(b, -1, axis=1) - b
    normals = [np.cross(edges[:, 0], edges[:, 1])[:, None] for edges in (edges_a, edges_b)]
    across = np.cross(edges_a[:, :, None], edges_b[:, None]).reshape(-1, 9, 3)
    axes = np.concatenate([*normals, across], axis=1)
    lengths = np.linalg.norm(axes, axis=2, keepdims=True)
    axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 0.0)
    along_a, along_b = (np.einsum("nad,ncd->nac", axes, corners) for corners in (a, b))
    overlap = np.minimum(along_a.max(axis=2) - along_b.min(axis=2), along_b.max(axis=2) - along_a.min(axis=2))
    least: np.ndarray = np.where(lengths[:, :, 0] > 0.0, overlap, np.inf).min(axis=1)
    return least
