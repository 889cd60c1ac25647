"""Upper bound of the depth of overlapping solids: if they share no volume after being shrunk, they overlap by less than
they shrank.

Suppose that each vertex of two solids moves by at most m. Then no point of a surface moves farther than m, because
points of a triangle are weighted means of its corners. Consider a ball of radius r > m in both solids. The centre of
the ball is at least r away from both surfaces, so the surfaces never reach it while they move, and the smaller ball of
radius r - m lies in both moved solids. So if the moved solids share no volume, there is no such ball, and the depth, a
diameter, is at most 2 m. This is true for any movement of the vertices, even if a surface then intersects itself.

The vertices move inward, so that all planes around a vertex recede equally, by least squares over their normals,
weighted by the triangles' angles at the vertex. Vertices at one position move together, or separately if the surface
touches itself (``fans.py``), so a closed mesh stays closed.
"""

import math
from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.tuples import cross, dot, minus
from ..hierarchy.build import as_boxes, refit
from ..hierarchy.bvh import Hierarchy
from ..jit import kernel
from ..reference import by_reference
from ..traversal.forest import join, pack_trees
from ..traversal.frames import centroid, inverses_of, make_frame, outward_side
from ..traversal.point import IDENTITY, new_point_workspace
from ..traversal.question import Question
from ..traversal.solids import Solid, gather_solids, kept_solids, solid_of
from ..types.mesh import TriangleMesh
from ..types.steps import hold_progress
from .case import Case
from .fans import cut_fans, least_moves, split_fans

_BEYOND = 1.0 + 1e-12  # covers the rounding of a move's length
_LARGE = 16  # times the triangles of the other object: such a large object is not shrunk
_KEPT, _KEPT_TRIANGLES = 4, 4096  # shrunk forms cached with a mesh of at most so many triangles
_ROUNDINGS = (3.0, 7.0)  # spacings of the largest coordinate: moves that part solids overlapping by rounding only
_GROWTH = 3.0  # from twice the resolutions of two parts, single precision, to less than sixteen spacings
_LITTLE = 0.125  # of an upper bound: the longest of growing moves

SharesVolume = Callable[[Case], Generator[None, None, np.ndarray]]
"""A function that returns which pairs (k,) bool of a case of solids have common volume."""


@kernel
def component_signs(forest, solids, origins, reaches, pose, inverse, work, signs):
    """Return 1 or -1 for each component: times the normals of its consistently wound triangles, out of the material."""
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    frame = by_reference(make_frame(0, pose, inverse, origins, reaches))
    for component in range(signs.shape[0]):
        t = np.int64(solids.representatives[component])
        corners = forest.triangles[t]
        a, b, c = forest.vertices[corners[0]], forest.vertices[corners[1]], forest.vertices[corners[2]]
        p = centroid((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2]))
        side = outward_side(forest, solids, frame, t, p, work) * solids.orientation[t]
        signs[component] = side if side != 0 else solids.inside[component]


@kernel
def gather_normals(vertices, triangles, signs, squares, sums):
    """Add up n n^T (v, 3, 3) and n (v, 3) of the unit normals around each vertex, weighted by angles."""
    for t in range(triangles.shape[0]):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        a = (vertices[i, 0], vertices[i, 1], vertices[i, 2])
        b = (vertices[j, 0], vertices[j, 1], vertices[j, 2])
        c = (vertices[k, 0], vertices[k, 1], vertices[k, 2])
        n = cross(minus(b, a), minus(c, a))
        length = math.sqrt(dot(n, n))
        if not length > 0.0:
            continue
        scale = signs[t] / length
        n = (scale * n[0], scale * n[1], scale * n[2])
        for v, p, q, r in ((i, a, b, c), (j, b, c, a), (k, c, a, b)):
            weight = math.atan2(length, dot(minus(q, p), minus(r, p)))
            for row in range(3):
                sums[v, row] += weight * n[row]
                for column in range(3):
                    squares[v, row, column] += weight * n[row] * n[column]


@kernel
def move_inward(vertices, moves, rows, most, placed):
    """Place vertices (n, 3) in the world, moved so that the longest move is about ``most``; return the length of the
    longest move [m].
    """
    longest = 0.0
    for v in range(vertices.shape[0]):
        for i in range(3):
            placed[v, i] = rows[i, 0] * moves[v, 0] + rows[i, 1] * moves[v, 1] + rows[i, 2] * moves[v, 2]
        p = (placed[v, 0], placed[v, 1], placed[v, 2])
        longest = max(longest, dot(p, p))
    scale = most / math.sqrt(longest) if longest > 0.0 else 0.0
    longest = 0.0
    for v in range(vertices.shape[0]):
        square = 0.0
        for i in range(3):
            x = rows[i, 0] * vertices[v, 0] + rows[i, 1] * vertices[v, 1] + rows[i, 2] * vertices[v, 2] + rows[i, 3]
            moved = x + scale * placed[v, i]
            placed[v, i] = moved
            square += (moved - x) ** 2
        longest = max(longest, square)
    return math.sqrt(longest)


class _Inward(NamedTuple):
    """An object that can be shrunk, with the move of each vertex that moves the planes around it inward by one."""

    hierarchy: Hierarchy
    moves: np.ndarray
    """Moves, (n, 3) float64; vertices without triangles stay."""
    solid: Solid
    """Solid of the mesh, also valid after shrinking."""


def _inward(hierarchy: Hierarchy) -> _Inward:
    """Return how an object shrinks; cached with its mesh."""
    mesh = hierarchy.mesh
    if "inward" not in mesh.derived:
        solid, triangles = solid_of(mesh), mesh.topology.welded[mesh.triangles]
        signs = solid.orientation * _outward_signs(hierarchy)[solid.component]
        triangles, source = split_fans(mesh.vertices, triangles, signs)
        squares, sums = np.zeros((len(source), 3, 3)), np.zeros((len(source), 3))
        gather_normals(mesh.vertices[source], triangles, signs, squares, sums)
        moves = least_moves(squares, sums)
        cut = cut_fans(mesh.vertices, triangles, source, signs, moves)
        if cut is not None:
            triangles, source, moves, beside = cut
            solid = _with_flat_triangles(solid, signs, beside)
        alone = np.full(len(solid.alone), len(solid.alone) == 1)  # other components may meet once they have moved
        apart = TriangleMesh(mesh.vertices[source], triangles)
        mesh.derived["inward"] = _Inward(as_boxes(apart), moves, solid._replace(alone=alone))
    inward: _Inward = mesh.derived["inward"]
    return inward


def _with_flat_triangles(solid: Solid, signs: np.ndarray, beside: np.ndarray) -> Solid:
    """Append outward triangles to a solid; each belongs to the component of one of the solid's own triangles (n,)."""
    outward = (signs * solid.orientation)[beside]
    orientation, component = np.append(solid.orientation, outward), np.append(solid.component, solid.component[beside])
    return solid._replace(orientation=orientation, component=component)


def _outward_signs(hierarchy: Hierarchy) -> np.ndarray:
    """Return 1 or -1 for each component, see ``component_signs``; (c,) int8."""
    solid = solid_of(hierarchy.mesh)
    if solid.alone.all():
        return solid.inside
    trees, signs = pack_trees([hierarchy]), np.empty_like(solid.inside)
    posed = trees.forest, kept_solids(hierarchy), trees.origins, trees.reaches, IDENTITY, inverses_of(IDENTITY[None])[0]
    component_signs(*posed, new_point_workspace(), signs)
    return signs


class _Moved(NamedTuple):
    """A shrunk object in the world."""

    hierarchy: Hierarchy
    longest: float
    """Longest move of its vertices [m], rounded up."""
    box: np.ndarray
    """Exact box, (6,) float64 [m]."""


def _moved(hierarchy: Hierarchy, rows: np.ndarray, most: float) -> _Moved:
    """Return an object in the pose (3, 4), shrunk by moves of about ``most`` [m]."""
    kept: dict[tuple[bytes, float], _Moved] = hierarchy.mesh.derived.setdefault("shrunk", {})
    key = rows.tobytes(), most
    moved = kept.pop(key, None) or _move(hierarchy, rows, most)
    if hierarchy.mesh.triangle_count <= _KEPT_TRIANGLES:
        kept[key] = moved
        for old in list(kept)[:-_KEPT]:
            kept.pop(old, None)
    return moved


def _move(hierarchy: Hierarchy, rows: np.ndarray, most: float) -> _Moved:
    inward = _inward(hierarchy)
    vertices = inward.hierarchy.mesh.arrays[0]
    placed = np.empty_like(vertices)
    longest = _BEYOND * move_inward(vertices, inward.moves, rows, most, placed)
    shrunk = refit(inward.hierarchy, placed)
    shrunk.mesh.derived["solid"] = inward.solid
    return _Moved(shrunk, longest, np.concatenate(shrunk.mesh.bounds))


class _Shrunk:
    """Pairs of a case whose objects have shrunk in the world."""

    def __init__(self, case: Case) -> None:
        self.hierarchies: list[Hierarchy] = []
        self.trees: list[list[int]] = []
        self.poses: list[list[np.ndarray]] = []
        self.boxes: list[list[np.ndarray]] = []
        self._case = case
        self._known: dict[tuple[int, bytes, float], tuple[int, _Moved]] = {}

    def add(self, job: int, moves: list[float]) -> Generator[None, None, float]:
        """Add a pair whose objects are moved by at most about (2,) [m]; return the length of the longest move [m]."""
        case, longest = self._case, 0.0
        sides = (case.rows_a[job], case.boxes_a[job]), (case.rows_b[job], case.boxes_b[job])
        trees, poses, boxes = list[int](), list[np.ndarray](), list[np.ndarray]()
        for side, ((rows, box), move) in enumerate(zip(sides, moves, strict=True)):
            tree = int(case.jobs[job, side])
            key = (tree, rows.tobytes(), move) if move > 0.0 else (tree, b"", 0.0)
            if key not in self._known:
                yield
                hierarchy = as_boxes(case.tree_set.parts[tree].mesh)
                moved = _moved(hierarchy, rows, move) if move > 0.0 else _Moved(hierarchy, 0.0, box)
                self._known[key] = len(self.hierarchies), moved
                self.hierarchies.append(moved.hierarchy)
            number, moved = self._known[key]
            trees.append(number)
            poses.append(IDENTITY if move > 0.0 else rows)
            boxes.append(moved.box if move > 0.0 else box)
            longest = max(longest, moved.longest)
        self.trees.append(trees)
        self.poses.append(poses)
        self.boxes.append(boxes)
        return longest


def triangle_counts(case: Case) -> np.ndarray:
    """Return the numbers of triangles of both objects, (k, 2)."""
    forest = case.tree_set.forest
    sizes: np.ndarray = (forest.triangle_end - forest.triangle_start)[case.jobs]
    return sizes


def of_both(case: Case, moves: np.ndarray) -> np.ndarray:
    """Return moves (k,) [m] of pairs as moves of both objects, (k, 2).

    An object next to a far smaller one does not move.
    """
    sizes = triangle_counts(case)
    return np.where(sizes <= _LARGE * sizes[:, ::-1], moves[:, None], 0.0)


def of_smaller(case: Case, moves: np.ndarray) -> np.ndarray:
    """Return moves (k,) [m] of pairs as moves of one object, (k, 2): the object with fewer triangles, which is
    cheaper.
    """
    sizes = triangle_counts(case)
    first = sizes[:, 0] <= sizes[:, 1]
    return np.column_stack([np.where(first, moves, 0.0), np.where(first, 0.0, moves)])


def shrunk_bounds(
    case: Case, chosen: np.ndarray, moves: np.ndarray, shares_volume: SharesVolume
) -> Generator[None, None, np.ndarray]:
    """Return upper bounds (n,) [m] of the depths of pairs of solids, infinite if they share volume once shrunk.

    The generator yields every few milliseconds.

    Args:
        case: the pairs.
        chosen: indices of the pairs to test, (n,).
        moves: maximum motion of the vertices of both objects, except for rounding errors, (n, 2) [m].
        shares_volume: decides whether the shrunk solids share volume.
    """
    shrunk, longest = _Shrunk(case), np.empty(len(chosen))
    for i, job in enumerate(chosen.tolist()):
        longest[i] = yield from shrunk.add(job, moves[i].tolist())
    jobs, (rows_a, rows_b) = np.array(shrunk.trees, np.int64), _by_side(shrunk.poses)
    tree_set = join([pack_trees([hierarchy]) for hierarchy in shrunk.hierarchies])
    solids = gather_solids(shrunk.hierarchies)
    question = Question(tree_set.side, tree_set.side, jobs, rows_a, rows_b)
    answer = yield from hold_progress(answer_steps(question), None)
    resolutions = np.zeros((len(chosen), 2))
    boxes_a, boxes_b = _by_side(shrunk.boxes)
    case = Case(tree_set, solids, jobs, rows_a, rows_b, boxes_a, boxes_b, answer, resolutions)
    shared = yield from shares_volume(case)
    return np.where(shared, np.inf, 2.0 * longest)


def _by_side(arrays: list[list[np.ndarray]]) -> np.ndarray:
    """Combine arrays of both objects of each pair into two arrays of all pairs, (2, n, ...)."""
    return np.ascontiguousarray(np.swapaxes(np.array(arrays), 0, 1))


def rounding_moves(case: Case) -> list[np.ndarray]:
    """Return moves (k,) [m], the least that are informative: some spacings of a pair's numbers, then its resolutions.

    Resolutions are NaN if they are no longer than the spacings.
    """
    spacings = np.spacing(_largest_numbers(case))
    few, more = (factor * spacings for factor in _ROUNDINGS)
    resolutions = case.resolutions.sum(axis=1)
    return [few, more, np.where(resolutions > more, resolutions, np.nan)]


def _largest_numbers(case: Case) -> np.ndarray:
    """Return the largest world coordinate of pairs, or term of the sums that place their vertices there, (k,) [m]."""
    largest = np.maximum(np.abs(case.boxes_a), np.abs(case.boxes_b)).max(axis=1)
    for side, rows in enumerate((case.rows_a, case.rows_b)):
        reaches = case.tree_set.reaches[case.jobs[:, side], None]
        terms = np.abs(rows) * np.append(reaches, np.ones_like(reaches[..., :1]), axis=2)
        largest = np.maximum(largest, terms.max(axis=(1, 2)))
    return largest


def fit_bounds(
    case: Case, chosen: np.ndarray, moves: Iterable[np.ndarray], shares_volume: SharesVolume
) -> Generator[None, None, np.ndarray]:
    """Return upper bounds (n,) [m] of the depths of some pairs, by growing moves until shrunk solids share no volume.

    Args:
        case, chosen, shares_volume: as for ``shrunk_bounds``.
        moves: the moves of all pairs, (k, 2) [m] each; NaN for a pair that is skipped.
    """
    bounds = np.full(len(chosen), np.inf)
    for move in moves:
        rows = np.flatnonzero(np.isinf(bounds) & ~np.isnan(move[chosen].max(axis=1)))
        if len(rows):
            bounds[rows] = yield from shrunk_bounds(case, chosen[rows], move[chosen[rows]], shares_volume)
    return bounds


def growing_bounds(
    case: Case, chosen: np.ndarray, lower: np.ndarray, upper: np.ndarray, shares_volume: SharesVolume
) -> Generator[None, None, np.ndarray]:
    """Like ``fit_bounds``, with moves from half of lengths (n,) [m] on, below half of others (n,).

    If the longest move already fails, only the shortest of the other moves is tried, because large moves cross thin
    parts.
    """
    moves, bounds = np.full(len(case.jobs), np.nan), np.full(len(chosen), np.inf)
    moves[chosen] = _LITTLE * upper
    far = yield from fit_bounds(case, chosen, [of_both(case, moves)], shares_volume)
    moves[chosen] = 0.5 * lower
    while not np.isnan(moves).all():
        found = yield from fit_bounds(case, chosen, [of_both(case, moves)], shares_volume)
        bounds = np.fmin(bounds, found)
        moves[chosen] = np.where(np.isfinite(bounds) | np.isinf(far), np.nan, _GROWTH * moves[chosen])
        moves[chosen] = np.where(moves[chosen] < _LITTLE * upper, moves[chosen], np.nan)
    return np.fmin(bounds, far)
