"""Verdicts of pairs with an open mesh: extend the contacts of the surfaces by the solids that the meshes represent.

Surfaces that bound no solid touch if they cross by no more than their resolution: then a short move separates them. A
move that separates two solids is at least as long as the diameter of any ball that lies in both solids, so it bounds
their depth from above. For meshes that bound no solid the depth is unknown, so such a move is the only measure that can
be reported.
"""

from collections.abc import Callable, Generator, Mapping
from itertools import product

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.triangle_pair import CROSSING
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..traversal.bounds import world_bounds
from ..traversal.forest import pack_trees
from ..traversal.question import Question
from ..traversal.solids import doubled_areas
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points
from ..types.steps import hold_progress
from ..types.verdict import CLASH, CONTAINED, TOUCHING
from .boundary_mesh import BoundaryMesh, boundary_mesh_steps
from .case import Case
from .depth_intervals import box_overlaps
from .open_overlap import DEPTH_CERTAINTY, OpenSide, beyond, depth_steps, parts_of, side_of, with_meshes
from .opening import enclosed_steps
from .solidity import IntendedSolid, bounding_steps, intended_solid_steps

_ROUNDING = 512.0 * 2.0**-53  # of the largest coordinate: lengths below this may be rounding
_STRETCH = 1.001  # of poses that are rigid within ``RIGID_TOLERANCE``
_DIRECTIONS = np.array([row for row in product((-1.0, 0.0, 1.0), repeat=3) if any(row)])
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1, keepdims=True)
_SHARES = (0.999, 1e-3)  # of the permitted length: a short move is for parts that fit in a slot
_SLACK = 1.001  # of lengths in preselections
_ROUNDING_OF_SUMS = 2.0**-48  # of the largest coordinate
_MOST = 4096  # contacts of a pair that are tested first

JudgesPlainly = Callable[[Case], Generator[None, None, np.ndarray]]
"""A function that returns the verdict codes (k,) of the pairs of a case, without permitted overlaps."""


def contain_steps(
    case: Case, may_lie: np.ndarray, codes: np.ndarray, certainties: np.ndarray
) -> Generator[None, None, None]:
    """Write which objects lie in an open one, completely or partly, into the codes and certainties (k,) of their pairs.

    ``may_lie`` (k, 2) bool: whether the first, and the second, object may lie in the other object. The generator yields
    every few milliseconds.
    """
    for job in np.flatnonzero(may_lie.any(axis=1)).tolist():
        for inner in range(2):
            if may_lie[job, inner] and codes[job] <= TOUCHING.severity and _has_part_within(case, job, inner):
                yield from _contain(case, job, inner, codes, certainties)
        yield


def ball_steps(
    case: Case, asked: np.ndarray, codes: np.ndarray, certainties: np.ndarray, measured: np.ndarray, exact: bool
) -> Generator[None, None, np.ndarray]:
    """Return diameters (k,) [m] of balls in both of the solids that the objects represent; NaN if no ball is known.

    Objects that touch and have such a common ball clash: the function writes this into the codes and certainties (k,).
    For pairs that are not ``measured`` (k,), the function only searches for such balls. ``exact`` selects a thorough
    search. Only pairs selected by ``asked`` (k,) are examined. The generator yields every few milliseconds.
    """
    balls = np.full(len(codes), np.nan)
    rounding = _ROUNDING * np.maximum(np.abs(case.boxes_a), np.abs(case.boxes_b)).max(axis=1)
    thick = box_overlaps(case.boxes_a, case.boxes_b)[:, 6] > rounding
    deep = (codes == CONTAINED.severity) | (codes == CLASH.severity)
    as_meant = {}
    for job in np.flatnonzero(asked & ((thick & (codes == TOUCHING.severity)) | (measured & deep))).tolist():
        sides = yield from _sides_steps(case, job)
        if sides is not None:
            as_meant[job] = sides
    common = np.ones(len(codes))
    if as_meant:
        yield from _balls_of_open(case, as_meant, exact, rounding, codes, balls, common)
    touching = codes == TOUCHING.severity
    through = touching & (balls > rounding)
    shared = through & (common >= 0.5)
    doubted = through & ~shared
    codes[shared] = CLASH.severity
    certainties[shared] = common[shared]
    certainties[doubted] = np.minimum(certainties, 1.0 - common)[doubted]
    balls[touching & ~shared] = np.nan
    return balls


def drawn_meshes_steps(case: Case) -> Generator[None, None, dict[int, BoundaryMesh]]:
    """Return the boundaries of the open trees of a case, if they differ from the mesh.

    The generator yields every few milliseconds.
    """
    found = {}
    for tree in np.unique(case.jobs).tolist():
        mesh = case.tree_set.parts[tree].mesh
        if not case.solids.closed[tree]:
            drawn = yield from boundary_mesh_steps(mesh)
            if drawn.mesh is not mesh:
                found[tree] = drawn
    return found


def as_drawn_steps(case: Case, drawn: Mapping[int, BoundaryMesh]) -> Generator[None, None, Case]:
    """Return a case in which some trees are replaced by other meshes, with the contacts of the added triangles."""
    meshes = {}
    for tree in np.unique(case.jobs).tolist():
        mesh = case.tree_set.parts[tree].mesh
        other = drawn.get(tree)
        meshes[tree] = (mesh, np.arange(mesh.triangle_count, dtype=np.int32)) if other is None else other[:2]
    made = with_meshes(case, meshes)[0]
    first = {made_tree: len(faces) for made_tree, (_, faces) in enumerate(meshes.values())}
    return (yield from _with_seams_steps(made, first))


def _with_seams_steps(case: Case, first: Mapping[int, int]) -> Generator[None, None, Case]:
    """Return a case with the contacts of the flat triangles at seams of its trees; ``first`` holds their first index.

    Flat triangles without area are on edges, whose contacts are known.
    """
    seams: list[tuple[np.ndarray, Hierarchy]] = []
    numbers = np.full(len(first), -1)
    for tree, begin in first.items():
        mesh = case.tree_set.parts[tree].mesh
        size = max(float((mesh.bounds[1] - mesh.bounds[0]).max()), 2.0**-1000)
        rows = begin + np.flatnonzero(doubled_areas(mesh, size)[begin:] > 0.0)
        if len(rows):
            numbers[tree] = len(seams)
            seams.append((rows, as_hierarchy(TriangleMesh(mesh.vertices, mesh.triangles[rows]))))
    if not seams:
        return case
    answer, own = case.answer, pack_trees([hierarchy for _, hierarchy in seams])
    pairs, kinds, jobs = [answer.pairs], [answer.kinds], [answer.jobs]
    for side, (posed, others) in enumerate(((case.rows_a, case.rows_b), (case.rows_b, case.rows_a))):
        chosen = np.flatnonzero(numbers[case.jobs[:, side]] >= 0)
        if not len(chosen):
            continue
        trees = np.stack([numbers[case.jobs[chosen, side]], case.jobs[chosen, 1 - side]], axis=1)
        question = Question(own.side, case.tree_set.side, trees, posed[chosen], others[chosen])
        found = yield from hold_progress(answer_steps(question), None)
        job = chosen[found.jobs]
        begins = np.cumsum([0, *(len(rows) for rows, _ in seams)])
        at_seams = np.concatenate([rows for rows, _ in seams])[begins[trees[found.jobs, 0]] + found.pairs[:, 0]]
        if side:  # seams of the second object on those of the first one were found before
            ends = np.array([first[tree] for tree in range(len(first))])[case.jobs[job, 0]]
            new = (found.pairs[:, 1] < ends) | (numbers[case.jobs[job, 0]] < 0)
        else:
            new = np.ones(len(job), np.bool_)
        both = np.stack([at_seams, found.pairs[:, 1]], axis=1)[new]
        pairs.append((both[:, ::-1] if side else both).astype(answer.pairs.dtype))
        kinds.append(found.kinds[new])
        jobs.append(job[new].astype(answer.jobs.dtype))
    every, kind, job = np.concatenate(pairs), np.concatenate(kinds), np.concatenate(jobs)
    order = np.lexsort((every[:, 1], every[:, 0], job))
    return case._replace(answer=answer._replace(pairs=every[order], kinds=kind[order], jobs=job[order]))


def _balls_of_open(
    case: Case,
    as_meant: dict[int, tuple[OpenSide, OpenSide]],
    exact: bool,
    rounding: np.ndarray,
    codes: np.ndarray,
    balls: np.ndarray,
    common: np.ndarray,
) -> Generator[None, None, None]:
    """Write balls (k,) of pairs, from the solids that they represent, and the probability that touching objects share
    volume.
    """
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
    """Write whether an object of a pair, or parts of the object, lie inside the other object without crossing it."""
    meshes = _meshes(case, job)
    rows = case.rows_a[job], case.rows_b[job]
    bounding = yield from bounding_steps(meshes[1 - inner])
    if bounding is None:
        other: IntendedSolid = yield from intended_solid_steps(meshes[1 - inner])
        certainties[job] = min(certainties[job], other.solidity.certainty)
        return
    meant = yield from intended_solid_steps(meshes[inner])
    contained, partly, certainty = yield from contained_steps(
        side_of(meant, rows[inner]), side_of(bounding, rows[1 - inner])
    )
    if partly and codes[job] == TOUCHING.severity:
        certainty = min(certainty, DEPTH_CERTAINTY)  # the part that touches may be on either side
    codes[job] = CLASH.severity if partly else CONTAINED.severity if contained else codes[job]
    certainties[job] = certainty if contained else min(certainty, certainties[job])


def contained_steps(inner: OpenSide, outer: OpenSide) -> Generator[None, None, tuple[bool, bool, float]]:
    """Return whether parts of an object lie inside another object without crossing it, and whether other parts do not.

    Also returns the probability that this result is correct. The generator yields every few milliseconds.
    """
    parts = parts_of(inner, outer)
    yield
    inside = parts.inside
    if not inside.any():
        return False, False, float(parts.certainties.min())
    if inside.all():
        points, certainty = np.concatenate(parts.points), float(parts.certainties.min())
    else:
        best = int(np.argmax(np.where(inside, parts.certainties, 0.0)))
        points = parts.points[best]
        certainty = min(float(parts.certainties[best]), float(parts.certainties[~inside].max()))
    enclosed: float = yield from enclosed_steps(outer, points)
    certainty = min(certainty, enclosed)
    return certainty >= 0.5, certainty >= 0.5 and not inside.all(), max(certainty, 1.0 - certainty)


def _common_steps(a: OpenSide, b: OpenSide, point: np.ndarray) -> Generator[None, None, float]:
    """Return the probability that a point that is inside two solids by their winding numbers really is inside both."""
    certainty = DEPTH_CERTAINTY
    for side in (a, b):
        certainty = min(certainty, (yield from enclosed_steps(side, point[None])))
    return certainty


def may_lie_in(case: Case, asked: np.ndarray) -> np.ndarray:
    """Return whether a component of each object of a pair may be inside the other object, (k, 2) bool: one of its
    corners is in the other object's box.

    Only pairs and sides with ``asked`` (k, 2) are tested.
    """
    may = np.zeros((len(case.jobs), 2), np.bool_)
    if not asked.any():
        return may
    forest, solids = case.tree_set.forest, case.solids
    boxes = case.boxes_b, case.boxes_a
    for side, rows in enumerate((case.rows_a, case.rows_b)):
        jobs = np.flatnonzero(asked[:, side])
        trees = case.jobs[jobs, side]
        counts = solids.component_start[trees + 1] - solids.component_start[trees]
        each = np.repeat(np.arange(len(trees)), counts)
        component = solids.component_start[trees[each]] + np.arange(len(each))
        component -= np.repeat(np.cumsum(counts) - counts, counts)
        triangle = forest.triangle_start[trees[each]] + solids.representatives[component]
        corners = forest.vertices[forest.vertex_start[trees[each]] + forest.triangles[triangle, 0]]
        job = jobs[each]
        points = transform_points(rows[job], corners)
        inside = ((points >= boxes[side][job, :3]) & (points <= boxes[side][job, 3:])).all(axis=1)
        may[job[inside], side] = True
    return may


def _has_part_within(case: Case, job: int, inner: int) -> bool:
    """Return whether a component of one object of a pair lies in the box of the other object."""
    rows, box = (case.rows_a, case.boxes_b) if inner == 0 else (case.rows_b, case.boxes_a)
    mesh = _meshes(case, job)[inner]
    outside = np.zeros(mesh.topology.component_count, np.bool_)
    outside[mesh.topology.component[beyond(mesh, rows[job], box[job])]] = True
    return not bool(outside.all())


def _meshes(case: Case, job: int) -> list[TriangleMesh]:
    """Return the meshes of both objects of a pair."""
    return [case.tree_set.parts[tree].mesh for tree in case.jobs[job].tolist()]


def _sides_steps(case: Case, job: int) -> Generator[None, None, tuple[OpenSide, OpenSide] | None]:
    """Return the objects of a pair as the solids that they represent; None if an object represents no solid."""
    sides = []
    for mesh, rows in zip(_meshes(case, job), (case.rows_a[job], case.rows_b[job]), strict=True):
        meant = yield from bounding_steps(mesh)
        if meant is None:
            return None
        sides.append(side_of(meant, rows))
    return sides[0], sides[1]


# Surfaces that bound no solid


def parted_steps(
    case: Case, chosen: np.ndarray, permitted: np.ndarray, apart: int, judges: JudgesPlainly
) -> Generator[None, None, np.ndarray]:
    """Find which pairs can be separated by a move of at most the permitted length, (k,) bool.

    Args:
        case: the pairs.
        chosen: indices (n,) of the pairs to test.
        permitted: permitted length of all pairs, (k,) [m].
        apart: the verdict code of pairs without a common point.
        judges: function that returns the codes of moved pairs.
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
    """Return some pairs (n,) with the second object of each moved by vectors (n, 3), and their contacts."""
    trees, rows_a, rows_b = case.jobs[jobs], case.rows_a[jobs], case.rows_b[jobs].copy()
    rows_b[:, :, 3] += moves
    side = case.tree_set.side
    answer = yield from hold_progress(answer_steps(Question(side, side, trees, rows_a, rows_b)), None)
    return case._replace(
        jobs=trees, rows_a=rows_a, rows_b=rows_b, boxes_a=case.boxes_a[jobs],
        boxes_b=world_bounds(case.tree_set, trees[:, 1], rows_b), answer=answer, resolutions=case.resolutions[jobs],
    )  # fmt: skip


def _may_part(case: Case, job: int, length: float) -> bool:
    """Return whether a move of some length may separate a pair: no two crossing triangles overlap by more than that."""
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
    """Return how far two triangles (n, 3, 3) of each pair must move to separate, (n,): the least overlap along any
    axis.
    """
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
