"""Containment and depth of pairs with an open mesh that means a solid; see ``solidity.py`` for what it means.

A mesh without crossings lies in another one where nearly all of its surface does, and the winding numbers there are
far from one half. The depth is the diameter of the largest ball found in both solids, as for closed meshes, and it is
stated only where the winding numbers say that the ball lies in both, clear of large holes.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..hierarchy.build import as_hierarchy
from ..types.pose import transform_points
from .field import EXACT_SIDE, NEAREST, WINDING_SIDE, PosedSurface
from .solidity import Meant, certainties

_SAMPLES = 64  # of a surface, for containment
_IN_BOX, _BESIDE = 400, 150  # where the search for a ball begins
_WAYS = (-0.5, -0.05, 0.0, 0.05, 0.5)  # from a surface, in distances to the other
_SPREAD = 1500  # samples of a surface, for depth
_CLIMBERS = 10
_STEPS = 24
_LEAST_GAIN = 1.0005
_AT_ONCE = 50  # starts, of which the best are looked for
_KNOWN_POINTS = 48  # of the surfaces near a ball
_ROUNDED_DOWN = 1.0 - 2.0**-40  # lengths computed in two ways agree to less
_SURE = 0.7  # |w| at the whole sphere of a ball that is known to be inside
_INSIDE_SPHERE = 0.95  # of its radius
_RIM_RADII = 1.2  # a hole is clear of a ball when its rim is farther than this from the centre,
_SMALL_HOLE = 0.25  # or its radius is below this; both in radii of the ball
_SHARE, _MARGIN = 0.9, 0.2  # of the samples on one side, and their median ||w| - 1/2|, for containment to be known
_KNOWN_CONTAINMENT, _UNSURE_CONTAINMENT = 0.999, 0.65
DEPTH_CERTAINTY = 0.95
"""Of a verdict that depends on a depth."""

_grid = np.stack(np.meshgrid(*[(-1.0, 0.0, 1.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_SPHERE = np.delete(_grid, 13, axis=0) / np.linalg.norm(np.delete(_grid, 13, axis=0), axis=1, keepdims=True)


class OpenSide(NamedTuple):
    """One object of a pair."""

    meant: Meant
    surface: PosedSurface
    """Of the mesh that is meant."""
    rows: np.ndarray
    """Its pose, (3, 4)."""


def side_of(meant: Meant, rows: np.ndarray) -> OpenSide:
    """An object of a pair in its pose."""
    return OpenSide(meant, PosedSurface(as_hierarchy(meant.repair.mesh), rows), rows)


def _distances(side: OpenSide, points: np.ndarray) -> np.ndarray:
    """Distances (n,) [m] of points to a surface."""
    return side.surface.measure(points, NEAREST).distances


def _windings(side: OpenSide, points: np.ndarray) -> np.ndarray:
    """Absolute winding numbers (n,) of points, above one half inside; whole for a closed mesh."""
    return np.abs(side.surface.measure(points, _side_kind(side)).windings)


def _side_kind(side: OpenSide) -> int:
    """What to ask a surface for its sides: exact ones are cheaper where distances tell how far they hold."""
    return NEAREST | EXACT_SIDE if side.meant.solidity.closed else WINDING_SIDE


def _samples(side: OpenSide, count: int, box: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Points and unit normals (n, 3), evenly over the world triangles that meet a box, and within it."""
    mesh = side.meant.repair.mesh
    corners = transform_points(side.rows, mesh.vertices)[mesh.triangles]
    if box is not None:
        meets = (corners.max(axis=1) >= box[:3]) & (corners.min(axis=1) <= box[3:])
        corners = corners[meets.all(axis=1)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    if not areas.sum() > 0.0:
        return np.empty((0, 3)), np.empty((0, 3))
    rng = np.random.default_rng(0)  # the same points in every run, whichever object is named first
    t = rng.choice(len(areas), count if box is None else 4 * count, p=areas / areas.sum())
    root, share = np.sqrt(rng.random(len(t))), rng.random(len(t))
    weights = np.stack([1.0 - root, root * (1.0 - share), root * share], axis=1)
    points, units = np.einsum("nk,nkd->nd", weights, corners[t]), normals[t] / areas[t, None]
    if box is None:
        return points, units
    kept = ((points >= box[:3]) & (points <= box[3:])).all(axis=1)
    return points[kept][:count], units[kept][:count]


def containment(inner: OpenSide, outer: OpenSide) -> tuple[bool, float, np.ndarray]:
    """Whether winding numbers enclose an object, which crosses the other nowhere, how sure they are, and its points."""
    mesh = inner.meant.repair.mesh
    first = np.unique(mesh.topology.component, return_index=True)[1][:_SAMPLES]
    corners = transform_points(inner.rows, mesh.vertices[mesh.triangles[first, 0]])
    points = np.concatenate([_samples(inner, _SAMPLES)[0], corners])
    field = outer.surface.measure(points, NEAREST | _side_kind(outer))
    windings = np.abs(field.windings)
    certainty = np.ones(len(points)) if outer.meant.solidity.closed else certainties(outer.meant, field, outer.rows)
    inside = windings > 0.5
    share = float(inside.mean())
    contained, agreed = share > 0.5, max(share, 1.0 - share)
    if agreed >= _SHARE and float(np.median(np.abs(windings - 0.5))) >= _MARGIN:
        return contained, min(_KNOWN_CONTAINMENT, float(np.median(certainty[inside == contained]))), points
    return contained, _UNSURE_CONTAINMENT, points


def depth_steps(a: OpenSide, b: OpenSide, box: np.ndarray) -> Generator[None, None, tuple[float, np.ndarray] | None]:
    """Depth [m] of the overlap of two objects and the centre of that ball; None where it is not known.

    Args:
        a, b: the objects.
        box: what their world boxes have in common, (6,) [m].

    Yields every few milliseconds.
    """
    # Points in the common box find wide overlaps, points beside the surfaces thin ones.
    starts = [box[:3] + np.random.default_rng(0).random((_IN_BOX, 3)) * (box[3:] - box[:3])]
    rooms = [np.full(_IN_BOX, np.inf)]
    for own, other in ((a, b), (b, a)):
        points, units = _samples(own, _SPREAD, box)
        yield
        if len(points):
            deep, distances = yield from _deepest(other, points)
            way = distances[:, None] * units[deep]
            starts += [points[deep] + share * way for share in _WAYS]
            rooms += [abs(share) * distances / _ROUNDED_DOWN for share in _WAYS]  # so far from the own surface
    centres, radii = yield from _climb(a, b, np.concatenate(starts), np.concatenate(rooms))
    for centre, radius in zip(centres, radii.tolist(), strict=True):
        if (yield from _is_known(a, b, centre, radius)):
            return 2.0 * radius, centre
        if radius < 0.9 * radii[0]:
            break
    return None


def _deepest(side: OpenSide, points: np.ndarray) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
    """Rows (k,) of the points inside a solid that are farthest from its surface, and their distances [m]."""
    distances = _distances(side, points)
    yield
    order = np.argsort(-distances, kind="stable")
    found: list[int] = []
    for begin in range(0, len(order), 2 * _BESIDE):  # most points are never asked on which side they are
        some = order[begin : begin + 2 * _BESIDE]
        found += some[_windings(side, points[some]) > 0.5].tolist()
        yield
        if len(found) >= _BESIDE:
            break
    rows = np.array(found[:_BESIDE], np.int64)
    return rows, distances[rows]


class _Reach(NamedTuple):
    """How far points are from two surfaces."""

    lengths: np.ndarray
    """Distance to the nearer one, (n,) [m]; 0 where it was seen not to be larger than was asked for."""
    nearest: np.ndarray
    """The nearest points of both, (n, 2, 3); infinite where they were not looked for."""


def _reach(a: OpenSide, b: OpenSide, points: np.ndarray, larger_than: np.ndarray) -> _Reach:
    """How far points are from the nearer surface, where that is more than lengths (n,) [m]."""
    lengths, nearest = np.full(len(points), np.inf), np.full((len(points), 2, 3), np.inf)
    rows = np.arange(len(points))
    for number, side in enumerate((a, b)):
        if len(rows):
            field = side.surface.measure(points[rows], NEAREST)
            nearest[rows, number] = field.points
            lengths[rows] = np.minimum(lengths[rows], field.distances)
            rows = rows[lengths[rows] > larger_than[rows]]
    kept = np.zeros(len(points))
    kept[rows] = lengths[rows]
    return _Reach(kept, nearest)


def _in_both(a: OpenSide, b: OpenSide, points: np.ndarray) -> np.ndarray:
    """Rows (k,) of the points in both solids."""
    rows = np.arange(len(points))
    for side in (a, b):
        if len(rows):
            rows = rows[_windings(side, points[rows]) > 0.5]
    return rows


def _best_starts(
    a: OpenSide, b: OpenSide, starts: np.ndarray, rooms: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centres (n, 3), radii (n,) and nearest points (n, 2, 3) of the largest balls around points in both solids.

    ``rooms`` bounds the radii from above: what cannot be among the largest is not looked at.
    """
    lengths, nearest = np.zeros(len(starts)), np.full((len(starts), 2, 3), np.inf)
    outside = np.zeros(len(starts), np.bool_)
    rows = np.empty(0, np.int64)
    by_room = np.argsort(-rooms, kind="stable")
    for begin in range(0, len(starts), _IN_BOX):
        least = lengths[rows[-1]] if len(rows) == _CLIMBERS else 0.0
        some = by_room[begin : begin + _IN_BOX]
        some = some[rooms[some] >= least]
        if not len(some):
            break
        reach = _reach(a, b, starts[some], np.full(len(some), _ROUNDED_DOWN * least))
        lengths[some], nearest[some] = reach.lengths, reach.nearest
        rows = _largest_inside(a, b, starts, lengths, outside)
    return starts[rows], lengths[rows], nearest[rows]


def _largest_inside(
    a: OpenSide, b: OpenSide, points: np.ndarray, lengths: np.ndarray, outside: np.ndarray
) -> np.ndarray:
    """Rows (k,) of the points in both solids with the largest lengths; ``outside`` (n,) keeps which are not."""
    order = np.argsort(-np.where(outside, 0.0, lengths), kind="stable")
    order = order[(lengths[order] > 0.0) & ~outside[order]]
    rows = np.empty(0, np.int64)
    for begin in range(0, len(order), _AT_ONCE):  # most points are never asked on which side they are
        some = order[begin : begin + _AT_ONCE]
        inside = some[np.sort(_in_both(a, b, points[some]))]
        outside[np.setdiff1d(some, inside)] = True
        rows = np.concatenate([rows, inside])
        if len(rows) >= _CLIMBERS:
            break
    return rows[:_CLIMBERS]


def _climb(
    a: OpenSide, b: OpenSide, starts: np.ndarray, rooms: np.ndarray
) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
    """Centres (n, 3) and radii (n,) of balls grown from the best starts by pattern search, the largest first.

    Most steps need no distance: no ball grows more than its centre moves, and none beyond a point of the surfaces that
    is known from the steps before.
    """
    centres, radii, known = _best_starts(a, b, starts, rooms)
    steps = radii.copy()
    for _ in range(_STEPS):
        going = steps > (_LEAST_GAIN - 1.0) * radii
        if not going.any():
            break
        yield
        around, needed = centres[:, None] + steps[:, None, None] * _SPHERE, _LEAST_GAIN * radii
        room = np.sqrt(((around[:, :, None] - known[:, None]) ** 2).sum(axis=3).min(axis=2))
        asked = going[:, None] & (room > _ROUNDED_DOWN * needed[:, None])
        reach = _reach(a, b, around[asked], np.broadcast_to(needed[:, None], asked.shape)[asked])
        larger = np.flatnonzero(reach.lengths)
        inside = larger[_in_both(a, b, around[asked][larger])]
        found, nearest = np.zeros(asked.shape), np.full((*asked.shape, 2, 3), np.inf)
        found[tuple(np.argwhere(asked)[inside].T)] = reach.lengths[inside]
        nearest[asked] = reach.nearest
        best = found.argmax(axis=1)
        rows = np.arange(len(centres))
        better = found[rows, best] > 0.0
        centres = np.where(better[:, None], around[rows, best], centres)
        radii = np.where(better, found[rows, best], radii)
        steps = np.where(better, np.minimum(steps, radii), 0.5 * steps)
        known = _nearest_of(np.concatenate([known, nearest.reshape(len(rows), -1, 3)], axis=1), centres)
    order = np.argsort(-radii, kind="stable")
    return centres[order], radii[order]


def _nearest_of(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Of points (n, k, 3) those nearest to each centre (n, 3), at most so many."""
    squares = ((points - centres[:, None]) ** 2).sum(axis=2)
    chosen = np.argsort(squares, axis=1, kind="stable")[:, :_KNOWN_POINTS]
    nearest: np.ndarray = np.take_along_axis(points, chosen[:, :, None], axis=1)
    return nearest


def _is_known(a: OpenSide, b: OpenSide, centre: np.ndarray, radius: float) -> Generator[None, None, bool]:
    """Whether a ball surely lies in both solids."""
    sphere = np.concatenate([centre[None], centre + _INSIDE_SPHERE * radius * _SPHERE])
    for side in (a, b):
        yield
        if not side.meant.solidity.closed and (
            _windings(side, sphere).min() <= _SURE or _near_hole(side, centre, radius)
        ):
            return False
    return True


def _near_hole(side: OpenSide, centre: np.ndarray, radius: float) -> bool:
    """Whether the rim of a hole that is not small beside a ball comes near its centre."""
    mesh, radii = side.meant.repair.mesh, side.meant.radii
    large = np.argwhere(radii > _SMALL_HOLE * radius)
    ends = np.stack([mesh.triangles[large[:, 0], large[:, 1]], mesh.triangles[large[:, 0], (large[:, 1] + 1) % 3]])
    first, last = transform_points(side.rows, mesh.vertices[ends])
    along = last - first
    length2 = np.maximum((along**2).sum(axis=1), 1e-300)
    share = np.clip(((centre - first) * along).sum(axis=1) / length2, 0.0, 1.0)
    nearest = np.linalg.norm(first + share[:, None] * along - centre, axis=1)
    return bool((nearest < _RIM_RADII * radius).any())
