"""From checked points to a ``PointTree``: sampling radius, bandwidth, tree, borders, samples, spheres."""

import math
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..errors import InvalidPointCloud
from ..types.results import Progress
from .covering import collect_borders, cover, cover_by_chance, describe_leaves, fit_planes, node_ranges
from .split import split_points
from .surface import PARAMETERS_LENGTH
from .tree import SAMPLE_COUNT, PointTree, fit_boxes, measure_residuals, neighbour_distances

LEAF_SIZE = 30
"""Points up to which a node is a leaf."""
LEAST_WEIGHT = 0.01
"""theta_eps of the paper: the weight at the horizon."""
REACH_IN_RADII = 4.5
"""m of eq. 9: the horizon in sampling radii; about m^2 points are within it."""
CUTOFF = 7
"""c of eq. 6: the surface is where more than so many points are within the horizon, a third of what is usual."""
MARGIN_IN_RADII = 1.5
"""How far from the points of its leaf a piece of surface is looked for, in sampling radii."""

BANDWIDTH_IN_NOISE = 4.0
"""Least bandwidth over the noise: then surfaces a little more than twice the noise apart are told apart."""

_NOISE_STEPS = 6
_NEIGHBOURS = 8
_QUANTILE = 0.9
_CHOSEN = 4096
_USUAL_BORDER = 6  # border entries a point
_TINY_SHARE = 0.02
_CHANCE_TRIES = 64


class Lengths(NamedTuple):
    """The lengths of a cloud's surface, in metres, and its cut-off count."""

    sampling_radius: float
    bandwidth: float
    horizon: float
    margin: float
    cutoff: int


class Built(NamedTuple):
    """What ``build_steps`` gives."""

    tree: PointTree
    order: np.ndarray
    """Index in the caller's array of each point of the tree, (n,) int32."""
    depth: int
    lengths: Lengths
    largest_patch: int
    """Most points of a leaf with its border."""


def horizon_of(bandwidth: float) -> float:
    """r_eps = h sqrt(|ln theta_eps|) (Klein and Zachmann, section 4.1.2)."""
    return bandwidth * math.sqrt(-math.log(LEAST_WEIGHT))


def bandwidth_of(sampling_radius: float) -> float:
    """Eq. 9: h such that points up to m sampling radii away have influence."""
    return REACH_IN_RADII * sampling_radius / math.sqrt(-math.log(LEAST_WEIGHT))


def _split(points: np.ndarray, order: np.ndarray, skin: float, smallest: float):
    capacity = 2 * points.shape[0] - 1
    first = np.empty(capacity, np.int32)
    count = np.empty(capacity, np.int32)
    nodes, depth = split_points(points, order, LEAF_SIZE, skin, smallest, first, count)
    return first[:nodes].copy(), count[:nodes].copy(), depth


def _sampling_radius(points, origin, first, count, boxes) -> float:
    """The radius of discs around the points that have the surface's area together (the surfels of eq. 10).

    k neighbours within d_k are d_k^2 / k of area a point; the radius that nine in ten points do not exceed is taken.
    """
    total = points.shape[0]
    chosen = np.unique(np.linspace(0, total - 1, min(total, _CHOSEN)).astype(np.int64))
    neighbours = min(_NEIGHBOURS, total - 1)
    distances = np.empty(len(chosen))
    neighbour_distances(points, origin, first, count, boxes, chosen, neighbours, distances)
    usable = distances[distances > 0.0] / math.sqrt(neighbours)
    if not len(usable):
        raise InvalidPointCloud("nearly all points coincide with others: remove the duplicates, or give a bandwidth")
    return float(np.quantile(usable, _QUANTILE))


def _lengths(radius: float, bandwidth: float) -> Lengths:
    return Lengths(radius, bandwidth, horizon_of(bandwidth), MARGIN_IN_RADII * radius, CUTOFF)


def _bare_tree(points, origin, first, count, boxes) -> PointTree:
    """A tree without what depends on the bandwidth."""
    none, number = np.empty(0, np.int32), np.empty(0, np.int64)
    return PointTree(
        points, np.empty((0, 3), np.float32), origin, first, count, none, boxes, number, none,
        np.empty((0, SAMPLE_COUNT), np.int32), np.empty(0, np.float32), np.empty((0, 5), np.float32),
        np.empty(PARAMETERS_LENGTH),
    )  # fmt: skip


def _automatic_bandwidth(tree: PointTree, radius: float) -> float:
    """Eq. 9, or more where the points are so noisy that their planes would follow the noise.

    The noise is the median distance of points from the planes around them. A wider bandwidth sees more of it, so this
    is repeated until it no longer grows.
    """
    h = bandwidth_of(radius)
    total = len(tree.points)
    chosen = np.unique(np.linspace(0, total - 1, min(total, _CHOSEN // 4)).astype(np.int64))
    residuals = np.empty(len(chosen))
    for _ in range(_NOISE_STEPS):
        tree.parameters[:] = _parameters(_lengths(radius, h), False)
        measure_residuals(tree, chosen, residuals)
        known = residuals[residuals >= 0.0]
        needed = BANDWIDTH_IN_NOISE * float(np.median(known)) if len(known) else 0.0
        if needed <= h:
            break
        h = needed
    return h


def _fitted(points, origin, first, count) -> np.ndarray:
    boxes = np.empty((len(first), 6), np.float32)
    fit_boxes(points, origin, first, count, boxes)
    return boxes


def _borders(points, origin, first, count, boxes, reach) -> tuple[np.ndarray, np.ndarray]:
    start = np.empty(len(first) + 1, np.int64)
    border = np.empty(_USUAL_BORDER * points.shape[0], np.int32)
    needed = collect_borders(points, origin, first, count, boxes, reach, start, border)
    if needed <= len(border):
        return start, border[:needed].copy()
    border = np.empty(needed, np.int32)
    collect_borders(points, origin, first, count, boxes, reach, start, border)
    return start, border


def _leaves_are_tiny(first, count, boxes, reach: float) -> bool:
    """Whether leaves are so small against the horizon that borders would hold the points many times over."""
    leaf = count > 0
    longest = (boxes[leaf, 3:] - boxes[leaf, :3]).max(axis=1)
    return bool(count[leaf][longest < 0.5 * reach].sum() > _TINY_SHARE * count.sum())


def _parameters(lengths: Lengths, spheres: bool) -> np.ndarray:
    return np.array(
        [
            1.0 / lengths.bandwidth**2,
            lengths.horizon**2,
            float(lengths.cutoff),
            float(spheres),
            lengths.sampling_radius,
            lengths.margin,
        ]
    )


def build_steps(
    points: np.ndarray,
    order: np.ndarray,
    normals: np.ndarray | None,
    bandwidth: float | None,
    spheres: bool,
    certified: bool,
) -> Generator[Progress, None, Built]:
    """Build everything, stage by stage; ``points`` (n, 3) float64 is brought into leaf order.

    Args:
        points: (n, 3) float64 [m], sorted in place.
        order: (n,) int32, the index that each point has in the caller's array; sorted with them at every yield.
        normals: (n, 3) float32 in the caller's order, or None; left as they are.
        bandwidth: h [m], or None to derive it.
        spheres: fit algebraic spheres; needs normals.
        certified: certified covering radii, else the paper's random ones.

    Yields:
        Progress after each stage.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    origin = 0.5 * low + 0.5 * high
    skin = float((high - low).max()) / math.sqrt(points.shape[0])
    first, count, depth = _split(points, order, skin, 0.0)
    yield Progress(0.3, "sorting points")
    boxes = _fitted(points, origin, first, count)
    radius = _sampling_radius(points, origin, first, count, boxes)
    if bandwidth is None:
        bandwidth = _automatic_bandwidth(_bare_tree(points, origin, first, count, boxes), radius)
    lengths = _lengths(radius, bandwidth)
    reach = lengths.horizon + lengths.margin
    yield Progress(0.4, "measuring the spacing of points")
    if _leaves_are_tiny(first, count, boxes, reach):
        first, count, depth = _split(points, order, skin, reach)
        yield Progress(0.5, "sorting points by larger leaves")
        boxes = _fitted(points, origin, first, count)
    start, border = _borders(points, origin, first, count, boxes, reach)
    yield Progress(0.7, "collecting borders")
    nodes = len(first)
    tree = PointTree(
        points,
        np.empty((0, 3), np.float32) if normals is None else np.ascontiguousarray(normals[order]),
        origin,
        first,
        count,
        np.empty(nodes, np.int32),
        boxes,
        start,
        border,
        np.empty((nodes, SAMPLE_COUNT), np.int32),
        np.empty(nodes, np.float32),
        np.empty((nodes, 5), np.float32),
        _parameters(lengths, spheres),
    )
    yield from _cover_steps(tree, certified)
    patch = int((count + np.diff(start)).max())
    return Built(tree, order, int(depth), lengths, patch)


def _cover_steps(tree: PointTree, certified: bool) -> Generator[Progress, None, None]:
    nodes, leaves = len(tree.first), np.flatnonzero(tree.count)
    ranges = np.empty((nodes, 2), np.int64)
    node_ranges(tree.first, tree.count, ranges)
    tree.totals[:] = ranges[:, 1] - ranges[:, 0]
    leaf_of = np.empty(tree.points.shape[0], np.int32)
    leaf_boxes = np.empty((len(leaves), 6))
    central = np.empty(len(leaves), np.int32)
    describe_leaves(tree, ranges, leaf_of, leaf_boxes, central)
    yield Progress(0.8, "describing leaves")
    cover(tree, ranges, leaf_of, leaf_boxes, central)
    if not certified:
        leaf_nodes = leaves[np.argsort(tree.first[leaves], kind="stable")]
        cover_by_chance(tree, ranges, leaf_nodes, leaf_of, _CHANCE_TRIES, 1)
    yield Progress(0.9, "covering by spheres")
    fit_planes(tree, ranges)
