"""Containment and depth of pairs with an open mesh that represents a solid; ``solidity.py`` defines this solid.

A component without crossings lies in another object if nearly all of its surface does, and the winding numbers on the
surface are far from one half. The depth is the diameter of the largest ball found in both solids, as for closed meshes
(``depth.py``). The ball is returned only if the winding numbers confirm that it lies in both objects, away from large
holes.
"""

import itertools
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..hierarchy.build import as_boxes, as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..hierarchy.moments import MOMENT_WORDS, moment_unit, moments_of
from ..traversal.forest import pack_trees
from ..traversal.solids import Solids, gather_solids
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points
from .ball_growth import SearchRoom, new_search_room
from .case import Case, pair_order
from .contact_centres import centre_steps
from .depth import DEEP_STARTS, THOROUGH
from .depth_intervals import LOWER, UPPER, Overlaps, box_overlaps
from .field import EXACT_SIDE, NEAREST, WINDING_SIDE, PosedSurface
from .solidity import IntendedSolid, certainties

_SAMPLES, _MOST_SAMPLES = 64, 1 << 12  # for containment: samples of a component, and of the whole object
_SURE = 0.7  # |w| at the whole sphere of a ball that is known to be inside
_INSIDE_SPHERE = 0.95  # of its radius
_RIM_RADII = 1.2  # a hole is clear of a ball if its rim is farther than this from the centre,
_SMALL_HOLE = 0.25  # or its radius is below this; both in radii of the ball
_SHARE, _MARGIN = 0.9, 0.2  # of the samples on one side, and their median ||w| - 1/2|, for containment to be known
_KNOWN_CONTAINMENT, _UNSURE_CONTAINMENT = 0.999, 0.65
DEPTH_CERTAINTY = 0.95
"""Certainty of a verdict that depends on a depth."""

_grid = np.stack(np.meshgrid(*[(-1.0, 0.0, 1.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_SPHERE = np.delete(_grid, 13, axis=0) / np.linalg.norm(np.delete(_grid, 13, axis=0), axis=1, keepdims=True)


class OpenSide(NamedTuple):
    """One object of a pair, as the solid that it represents."""

    meant: IntendedSolid
    surface: PosedSurface
    """Surface of the solid that the mesh represents."""
    rows: np.ndarray
    """Its pose, (3, 4)."""


def side_of(meant: IntendedSolid, rows: np.ndarray) -> OpenSide:
    """Return an object of a pair in its pose."""
    return OpenSide(meant, PosedSurface(as_hierarchy(meant.repair.mesh), rows), rows)


def _windings(side: OpenSide, points: np.ndarray) -> np.ndarray:
    """Return absolute winding numbers (n,) of points, above one half inside; whole numbers for a closed mesh."""
    return np.abs(side.surface.measure(points, _side_kind(side)).windings)


def _side_kind(side: OpenSide) -> int:
    """Return which side query to use: exact sides are cheaper if distances tell how far a side is valid."""
    return NEAREST | EXACT_SIDE if side.meant.solidity.closed else WINDING_SIDE


class EnclosedParts(NamedTuple):
    """Components of an object that do not cross another object, tested against that object."""

    inside: np.ndarray
    """Whether the other object's winding numbers enclose each tested component, (c,) bool."""
    certainties: np.ndarray
    """Certainty of each, (c,)."""
    points: tuple[np.ndarray, ...]
    """Sample points on each, (n, 3) each [m]."""


def _samples(side: OpenSide) -> list[np.ndarray]:
    """Return points (n, 3), evenly over the world triangles of each component, with a corner of each.

    For objects with many components the number of points is limited.
    """
    mesh = side.meant.repair.mesh
    component, count = mesh.topology.component, mesh.topology.component_count
    corners = transform_points(side.rows, mesh.vertices)[mesh.triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    each = max(1, min(_SAMPLES, _MOST_SAMPLES // count))
    order = np.argsort(component, kind="stable")
    begins = np.searchsorted(component[order], np.arange(count + 1))
    sums = np.append(0.0, np.cumsum(areas[order]))
    low, high = sums[begins[:-1]], sums[begins[1:]]
    chosen = np.flatnonzero(high > low)
    rng = np.random.default_rng(0)  # the same points in every run, whichever object is named first
    draws = rng.random((each, 3))
    at = low[chosen, None] + draws[:, 0] * (high - low)[chosen, None]
    t = order[np.clip(np.searchsorted(sums, at, "right") - 1, begins[chosen, None], begins[chosen + 1, None] - 1)]
    root, share = np.sqrt(draws[:, 1]), draws[:, 2]
    weights = np.stack([1.0 - root, root * (1.0 - share), root * share], axis=1)
    on = np.einsum("nk,cnkd->cnd", weights, corners[t])
    points = [_corners(corners[order[begin:end]]) for begin, end in itertools.pairwise(begins.tolist())]
    for k, own in zip(chosen.tolist(), on, strict=True):
        points[k] = np.concatenate([own, points[k][:1]])
    return points


def _corners(triangles: np.ndarray) -> np.ndarray:
    """Return at most ``_SAMPLES`` points (k, 3) of triangles (m, 3, 3) without area: ends and middles of sides."""
    middles = 0.5 * (triangles + np.roll(triangles, 1, axis=1))
    every = np.concatenate([triangles, middles], axis=1).reshape(-1, 3)
    spread: np.ndarray = every[np.linspace(0, len(every) - 1, min(_SAMPLES, len(every))).round().astype(np.int64)]
    return spread


def beyond(mesh: TriangleMesh, rows: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Return which triangles of a mesh in a pose (3, 4) extend beyond a box (6,), (m,) bool."""
    points = transform_points(rows, mesh.vertices)
    outside = np.logical_or((points < box[:3]).any(axis=1), (points > box[3:]).any(axis=1))
    found: np.ndarray = outside[mesh.triangles].any(axis=1)
    return found


def parts_of(inner: OpenSide, outer: OpenSide) -> EnclosedParts:
    """Return which components of an object are enclosed by another object's winding numbers; no component may cross
    that object.

    Components that extend beyond the other object's box are not enclosed.
    """
    mesh, corners = inner.meant.repair.mesh, transform_points(outer.rows, outer.meant.repair.mesh.vertices)
    used = corners[np.unique(outer.meant.repair.mesh.triangles)]
    outside = np.zeros(mesh.topology.component_count, np.bool_)
    box = np.concatenate([used.min(axis=0), used.max(axis=0)])
    outside[mesh.topology.component[beyond(mesh, inner.rows, box)]] = True
    points = _samples(inner)
    every = np.concatenate(points)
    field = outer.surface.measure(every, NEAREST | _side_kind(outer))
    windings = np.abs(field.windings)
    sure = np.ones(len(every)) if outer.meant.solidity.closed else certainties(outer.meant, field, outer.rows)
    ends = np.cumsum([len(some) for some in points])
    found = [
        _part(windings[end - len(some) : end], sure[end - len(some) : end])
        for end, some in zip(ends, points, strict=True)
    ]
    inside, sides_known = (np.array(column) for column in zip(*found, strict=True))
    most = outer.meant.solidity.certainty
    passing = [bool((windings[end - len(some) : end] > 0.5).any()) for end, some in zip(ends, points, strict=True)]
    beyond_box = np.where(passing, _UNSURE_CONTAINMENT, 1.0)  # it may pass through a hole
    known = np.where(outside, beyond_box, np.minimum(sides_known, most))
    if outer.meant.solidity.closed:  # without crossings it is outside if one exact winding number is
        none_inside = ~np.array(passing)
        known[none_inside] = 1.0
    return EnclosedParts(inside & ~outside, known, tuple(points))


def _part(windings: np.ndarray, certainty: np.ndarray) -> tuple[bool, float]:
    """Return whether the winding numbers (n,) of points of a component enclose the component, and the certainty.

    ``certainty`` (n,) is the certainty of each point.
    """
    inside = windings > 0.5
    share = float(inside.mean())
    contained, agreed = share > 0.5, max(share, 1.0 - share)
    if agreed >= _SHARE and float(np.median(np.abs(windings - 0.5))) >= _MARGIN:
        return contained, min(_KNOWN_CONTAINMENT, float(np.median(certainty[inside == contained])))
    return contained, _UNSURE_CONTAINMENT


def depth_steps(
    case: Case, sides: Sequence[tuple[OpenSide, OpenSide]], exact: bool
) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
    """Return depths (k,) [m] of the overlaps of pairs of objects, NaN if unknown, and centres (k, 3) of their balls.

    The generator yields every few milliseconds.

    Args:
        case: the pairs, with the meshes as they were given.
        sides: both objects of each pair as the solids that they mean.
        exact: whether to search thoroughly.
    """
    swapped = pair_order(case)
    middles = yield from centre_steps(case, swapped, np.ones(len(case.jobs), np.bool_))
    meant, kept, room = _as_meant(case, sides)
    overlaps = Overlaps(meant, meant.starts, middles[kept], swapped, room)
    yield from overlaps.search(np.arange(len(sides)), THOROUGH if exact else DEEP_STARTS)
    depths = np.full(len(sides), np.nan)
    centres = overlaps.found[:, UPPER + 1 :] + box_overlaps(case.boxes_a, case.boxes_b)[:, :3]
    for job in np.flatnonzero(overlaps.found[:, LOWER] > 0.0).tolist():
        depth = float(overlaps.found[job, LOWER])
        a, b = sides[job]
        if (yield from _is_known(a, b, centres[job], 0.5 * depth)):
            depths[job] = depth
    return depths, centres


def _as_meant(case: Case, sides: Sequence[tuple[OpenSide, OpenSide]]) -> tuple[Case, np.ndarray, SearchRoom]:
    """Return the case with the meshes that its objects represent, which of its contacts (n,) bool belong to these
    meshes, and a search room.
    """
    both = zip(case.jobs.ravel().tolist(), (side for pair in sides for side in pair), strict=True)
    meant, kept = with_meshes(case, {tree: (side.meant.repair.mesh, side.meant.repair.faces) for tree, side in both})
    hierarchies = [as_boxes(parts.mesh) for parts in meant.tree_set.parts]
    units = np.array([moment_unit(hierarchy.parts) for hierarchy in hierarchies])
    room = new_search_room(np.concatenate(list(map(_moments, hierarchies))), units)
    return meant._replace(solids=_solids_as_turned(hierarchies)), kept, room


def with_meshes(case: Case, meshes: Mapping[int, tuple[TriangleMesh, np.ndarray]]) -> tuple[Case, np.ndarray]:
    """Return a case in which the trees are replaced by other meshes, and which of its contacts (n,) bool belong to
    these meshes.

    Args:
        case: the pairs.
        meshes: a mesh for each tree of the pairs, and for each of its first triangles the triangle of the tree's mesh.
    """
    hierarchies = [as_boxes(mesh) for mesh, _ in meshes.values()]
    numbers = np.zeros(max(meshes) + 1, np.int64)
    numbers[list(meshes)] = np.arange(len(meshes))
    counts = [case.tree_set.parts[tree].mesh.triangle_count for tree in meshes]
    begins = np.cumsum([0, *counts])
    place = np.full(begins[-1], -1, np.int32)  # in the other mesh
    for (_, faces), begin in zip(meshes.values(), begins.tolist(), strict=False):
        place[begin + faces] = np.arange(len(faces))
    jobs, answer = numbers[case.jobs], case.answer
    pairs = place[begins[jobs[answer.jobs]] + answer.pairs]
    kept = (pairs >= 0).all(axis=1)
    answer = answer._replace(pairs=pairs[kept], kinds=answer.kinds[kept], jobs=answer.jobs[kept])
    tree_set, solids = pack_trees(hierarchies), gather_solids(hierarchies)
    return case._replace(tree_set=tree_set, solids=solids, jobs=jobs, answer=answer), kept


def _moments(hierarchy: Hierarchy) -> np.ndarray:
    """Return the moments of the nodes of an open mesh; the moments of a closed mesh are never read."""
    if hierarchy.mesh.is_closed:
        return np.zeros((hierarchy.node_count, MOMENT_WORDS), np.float32)
    return moments_of(hierarchy.parts)


def _solids_as_turned(hierarchies: Sequence[Hierarchy]) -> Solids:
    """Return the solids of meshes; triangles of open meshes face outward by their winding."""
    solids = gather_solids(hierarchies)
    triangles = [h.mesh.triangle_count for h in hierarchies]
    solids.orientation[np.repeat(~solids.closed, triangles)] = 1
    own = np.repeat(~solids.closed, np.diff(solids.component_start))
    solids.inside[own], solids.alone[own] = 1, True
    return solids


def _is_known(a: OpenSide, b: OpenSide, centre: np.ndarray, radius: float) -> Generator[None, None, bool]:
    """Return whether a ball certainly lies in both solids."""
    sphere = np.concatenate([centre[None], centre + _INSIDE_SPHERE * radius * _SPHERE])
    for side in (a, b):
        yield
        if not side.meant.solidity.closed and (
            _windings(side, sphere).min() <= _SURE or _near_hole(side, centre, radius)
        ):
            return False
    return True


def _near_hole(side: OpenSide, centre: np.ndarray, radius: float) -> bool:
    """Return whether the rim of a hole that is not small compared with a ball is near the centre of the ball."""
    mesh, radii = side.meant.repair.mesh, side.meant.radii
    large = np.argwhere(radii > _SMALL_HOLE * radius)
    ends = np.stack([mesh.triangles[large[:, 0], large[:, 1]], mesh.triangles[large[:, 0], (large[:, 1] + 1) % 3]])
    first, last = transform_points(side.rows, mesh.vertices[ends])
    along = last - first
    length2 = np.maximum((along**2).sum(axis=1), 1e-300)
    share = np.clip(((centre - first) * along).sum(axis=1) / length2, 0.0, 1.0)
    nearest = np.linalg.norm(first + share[:, None] * along - centre, axis=1)
    return bool((nearest < _RIM_RADII * radius).any())
