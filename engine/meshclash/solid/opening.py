"""Measure how wide the opening of an open mesh is, and how certain points enclosed by its winding numbers are inside.

Across a hole, the level set |w| = 1/2 of the winding number stretches like a skin; if the rim of the hole is plane, the
skin is that plane. The largest empty ball around a point of the skin is as wide as the hole, for any shape of the
hole's edges. For a crack or slit, the ball is as narrow as the crack. The largest ball inside gives the width of the
mesh itself. The ratio of both is the ``opening``: 0 for a closed mesh, sin(t) for a sphere that is cut at t > 90
degrees, 1 for a tube or a tray.

Seen from a point inside, 1 - |w| is the share of all directions that leave through holes. The certainty decreases with
both numbers. Source: Jacobson et al. (2013) for the winding number; ``_certainty`` documents the requirements for the
constants.
"""

import math
from collections.abc import Generator

import numpy as np

from ..hierarchy.build import as_hierarchy
from ..traversal.layers import joined_numbers
from ..traversal.point import IDENTITY
from .field import NEAREST, WINDING, WINDING_SIDE, PosedSurface
from .open_overlap import OpenSide
from .solidity import IntendedSolid

_RIM_POINTS = 32  # on the rims; every two of them have a middle
_TRIED = 200  # points of open edges from which they are chosen
_LEAST_HOLE = 0.01  # of the mesh's size: narrower gaps are not holes
_SKIN = 0.2  # ||w| - 1/2| up to which a middle counts as on the skin
_STARTS = 250
_FIRST_ASKED = 4  # for each point that is wanted
_CLIMBERS = 3
_LEAST_STEP = 0.02  # of a radius
_LEAST_GAIN = 2.0**-8  # of a radius: along a wall of even thickness, rounding makes radii grow without end
_BOTH = NEAREST | WINDING_SIDE
_NEGLIGIBLE, _BY_WIDTH, _BY_SIGHT = 0.2, 0.5, 6.0

_grid = np.stack(np.meshgrid(*[(-1.0, 0.0, 1.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_WAYS = np.delete(_grid, 13, axis=0) / np.linalg.norm(np.delete(_grid, 13, axis=0), axis=1, keepdims=True)

Steps = Generator[None, None, float]


def enclosed_steps(side: OpenSide, points: np.ndarray) -> Steps:
    """Return the probability that points (n, 3) [m], world, enclosed by an object's winding numbers, are inside the
    object.

    The generator yields every few milliseconds.
    """
    if side.meant.solidity.closed:
        return 1.0
    opening = yield from opening_steps(side.meant)
    windings = np.abs(side.surface.measure(points, WINDING).windings)
    return _certainty(opening, float(np.median(np.clip(1.0 - windings, 0.0, 1.0))))


def _certainty(opening: float, seen: float) -> float:
    """Return the certainty for an opening and the share of directions that leave through holes, both 0 to 1.

    The certainty is at most 0.9 from an opening of one half on, and at least 0.8 up to one tenth. Up to an opening of
    one fifth, as in a part that lacks a face, the certainty decreases only next to the hole.
    """
    return math.exp(-_BY_WIDTH * max(0.0, opening - _NEGLIGIBLE) - _BY_SIGHT * opening**2 * seen)


def opening_steps(meant: IntendedSolid) -> Steps:
    """Return the width of the widest hole over the width of an open solid, 0 to 1; cached with its mesh."""
    derived = meant.repair.mesh.derived
    if "opening" not in derived:
        surface = PosedSurface(as_hierarchy(meant.repair.mesh), IDENTITY)
        hole = yield from _hole_steps(meant, surface)
        room = (yield from _room_steps(meant, surface, hole)) if hole > 0.0 else 1.0
        derived["opening"] = hole / room
    found: float = derived["opening"]
    return found


def onward_share(meant: IntendedSolid) -> float:
    """Return how far the surface at the longest rim of an open solid continues in one direction, 0 to 1.

    At the open end of a pipe or a box the result is 1: the surface ends everywhere in the same direction. Around a hole
    in a plane side the directions cancel each other, and the result is 0.
    """
    derived = meant.repair.mesh.derived
    if "onward" not in derived:
        derived["onward"] = _onward_share(meant)
    share: float = derived["onward"]
    return share


def _onward_share(meant: IntendedSolid) -> float:
    begin, end, third = _open_edges(meant)
    lengths, out = leaving(begin, end, third)
    ends, numbers = np.unique(np.concatenate([begin, end]), axis=0, return_inverse=True)
    rims = joined_numbers(len(ends), numbers.reshape(2, -1).T)[numbers.ravel()[: len(begin)]]
    around = np.bincount(rims, lengths)
    if not around.any():
        return 0.0
    longest = rims == int(around.argmax())
    return min(1.0, float(np.linalg.norm(out[longest].sum(axis=0)) / around.max()))


def leaving(begin: np.ndarray, end: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lengths (k,) [m] of open edges, and the directions (k, 3) [m] in which their triangles leave them,
    multiplied by these lengths.

    Args:
        begin, end: the ends of each edge, (k, 3) [m].
        inside: a point of its triangle beside the edge, (k, 3) [m].
    """
    lengths = np.linalg.norm(end - begin, axis=1)
    along = (end - begin) / np.maximum(lengths, 2.0**-1000)[:, None]
    out = begin - inside
    out -= (out * along).sum(axis=1)[:, None] * along
    out *= (lengths / np.maximum(np.linalg.norm(out, axis=1), 2.0**-1000))[:, None]
    return lengths, out


def _open_edges(meant: IntendedSolid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of the open edges, and the third corner of the triangle at each, (k, 3) [m] each."""
    mesh = meant.repair.mesh
    triangle, side = np.nonzero(~np.isnan(meant.radii))
    corners = mesh.vertices[mesh.triangles[triangle]]
    rows = np.arange(len(triangle))
    begin, end, third = (corners[rows, (side + k) % 3] for k in range(3))
    return begin, end, third


def _hole_steps(meant: IntendedSolid, surface: PosedSurface) -> Steps:
    """Return the radius of the largest ball around a point on the skin of a hole [m].

    The candidates are the middles between two points of a rim.
    """
    rim = _rim_points(meant, surface)
    yield
    first, second = np.triu_indices(len(rim), 1)
    middles = 0.5 * (rim[first] + rim[second])
    if not len(middles):
        return 0.0
    field = surface.measure(middles, _BOTH)
    on_skin = np.abs(np.abs(field.windings) - 0.5) <= _SKIN
    return float(field.distances[on_skin].max(initial=0.0))


def _rim_points(meant: IntendedSolid, surface: PosedSurface) -> np.ndarray:
    """Return points (n, 3) [m], evenly along the open edges that have no other surface nearby."""
    mesh = meant.repair.mesh
    begin, end, third = _open_edges(meant)
    along = end - begin
    lengths = np.linalg.norm(along, axis=1)
    reached = np.cumsum(lengths)
    if not len(reached) or not reached[-1] > 0.0:
        return np.empty((0, 3))
    place = (np.arange(_TRIED) + 0.5) / _TRIED * reached[-1]
    edge = np.minimum(np.searchsorted(reached, place), len(reached) - 1)
    share = 1.0 - (reached[edge] - place) / lengths[edge]
    points, along = begin[edge] + share[:, None] * along[edge], along[edge] / lengths[edge, None]
    out = points - third[edge]
    out -= (out * along).sum(axis=1)[:, None] * along
    out /= np.maximum(np.linalg.norm(out, axis=1), 2.0**-1000)[:, None]
    step = _LEAST_HOLE * float((mesh.bounds[1] - mesh.bounds[0]).max())
    wide = np.flatnonzero(surface.measure(points + step * out, NEAREST).distances >= 0.5 * step)
    chosen = wide[np.linspace(0, len(wide) - 1, min(_RIM_POINTS, len(wide))).round().astype(np.int64)]
    found: np.ndarray = points[chosen]
    return found


def _room_steps(meant: IntendedSolid, surface: PosedSurface, least: float) -> Steps:
    """Return the radius of the largest ball inside [m], found by moving balls from some points; ``least`` if no larger
    ball is found.
    """
    mesh, rng = meant.repair.mesh, np.random.default_rng(0)
    low, high = mesh.bounds
    corners = mesh.vertices[mesh.triangles]
    units = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(units, axis=1)
    t = rng.choice(len(areas), _STARTS // 2, p=areas / areas.sum())
    inward = corners[t].mean(axis=1) - least * rng.random((len(t), 1)) * units[t] / areas[t, None]
    starts = np.concatenate([low + rng.random((_STARTS // 2, 3)) * (high - low), inward])
    yield
    radii = yield from _free_inside_steps(surface, starts[None], np.zeros(1), _CLIMBERS)
    best = np.argsort(-radii[0], kind="stable")[:_CLIMBERS]
    centres, radii = starts[best], radii[0, best]
    steps, rows = radii.copy(), np.arange(len(radii))
    while (steps > _LEAST_STEP * radii).any():
        around = centres[:, None] + steps[:, None, None] * _WAYS
        found = yield from _free_inside_steps(surface, around, radii, 1)
        best = found.argmax(axis=1)
        better = found[rows, best] > (1.0 + _LEAST_GAIN) * radii
        centres = np.where(better[:, None], around[rows, best], centres)
        radii = np.where(better, found[rows, best], radii)
        # Steps grow again: a climb that begins beside the surface would otherwise not end.
        steps = np.where(better, np.minimum(2.0 * steps, radii), 0.5 * steps)
    return max(least, float(radii.max(initial=0.0)))


def _free_inside_steps(
    surface: PosedSurface, points: np.ndarray, least: np.ndarray, most: int
) -> Generator[None, None, np.ndarray]:
    """Return the distances [m] to the surface for the ``most`` farthest inside points in each row; 0 for all other
    points.

    Winding numbers take more time than distances, so they are computed for the farthest points first.

    Args:
        surface: the surface.
        points: (k, n, 3) [m].
        least: only points that are farther from the surface count, (k,) [m].
        most: maximum number of points of each row.
    """
    distances = surface.measure(points.reshape(-1, 3), NEAREST).distances.reshape(points.shape[:2])
    yield
    order = np.argsort(-distances, axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(order.shape[1])[None], axis=1)
    left, found = distances > least[:, None], np.zeros(distances.shape)
    first, end = 0, _FIRST_ASKED * most
    while left.any():
        row, at = np.nonzero(left & (place >= first) & (place < end))
        if len(row):
            inside = np.abs(surface.measure(points[row, at], WINDING_SIDE).windings) > 0.5
            yield
            found[row[inside], at[inside]] = distances[row[inside], at[inside]]
        left &= (place >= end) & ((found > 0.0).sum(axis=1) < most)[:, None]
        first, end = end, 2 * end
    return found
