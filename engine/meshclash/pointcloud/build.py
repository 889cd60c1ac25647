"""From checked points to a ``PointTree``: sampling radius, bandwidth, tree, borders, samples, spheres."""

import math
from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from ..errors import InvalidPointCloud
from ..types.results import Progress
from .borders import collect_borders
from .covering import cover, cover_by_chance, describe_leaves, new_leaves, node_ranges
from .planes import fit_planes
from .split import DEPTH, NODES, SETTLED, new_split, split_points
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

SMALLEST_LENGTH = 1e-30
"""Points closer than this [m] count as one: boxes are float32, and squares of lengths must not vanish."""

BANDWIDTH_IN_NOISE = 4.0
"""Least bandwidth over the noise: then surfaces a little more than twice the noise apart are told apart."""

_DEVIATIONS_IN_MEDIAN = 1.4826  # standard deviation of normal noise over its median
_NOISE_STEPS = 6
_NEIGHBOURS = 8
_QUANTILE = 0.9
_CHOSEN = 4096
_USUAL_BORDER = 8  # border entries a point
_TINY_SHARE = 0.02
_SLICE_POINTS = 300_000  # points that a slice of the work looks at: some milliseconds
_SLICE_NORMALS = 100_000  # normals that it sorts
_SLICE_LEAVES = 100_000  # leaves whose distances from all samples of a node it looks at
_SLICE_NODES = 2_000  # nodes for which it makes random points


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


Steps = Generator[Progress, None, None]


def _copy_steps(points: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    """A copy, in slices."""
    result = np.empty_like(points)
    for begin in range(0, len(points), _SLICE_POINTS):
        part = slice(begin, begin + _SLICE_POINTS)
        result[part] = points[part]
        yield Progress(0.0, "sorting points")
    return result


def _node_steps(advance: Callable[[int], int], total: int, low: float, high: float, text: str) -> Steps:
    """Go on from node to node by ``advance``, in slices."""
    done = 0
    while True:
        done = advance(done)
        yield Progress(low + (high - low) * done / total, text)
        if done >= total:
            return


def _split_steps(
    points: np.ndarray, order: np.ndarray, skin: float, smallest: float, low: float, high: float
) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray, int]]:
    """The tree: first, count, depth."""
    total = points.shape[0]
    first, count = np.empty(2 * total - 1, np.int32), np.empty(2 * total - 1, np.int32)
    stack, state, box = new_split(total)
    finished = False
    while not finished:
        finished = split_points(
            points, order, LEAF_SIZE, skin, smallest, first, count, stack, state, box, _SLICE_POINTS
        )  # fmt: skip
        yield Progress(low + (high - low) * int(state[SETTLED]) / total, "sorting points")
    nodes = int(state[NODES])
    return first[:nodes].copy(), count[:nodes].copy(), int(state[DEPTH])


def _sampling_radius(points, origin, first, count, boxes, bandwidth: float | None) -> float:
    """The radius of discs around the points that have the surface's area together (the surfels of eq. 10).

    k neighbours within d_k are d_k^2 / k of area a point; the radius that nine in ten points do not exceed is taken.
    A bandwidth that was given is refused where no point has neighbours enough for a surface.
    """
    total = points.shape[0]
    chosen = np.unique(np.linspace(0, total - 1, min(total, _CHOSEN)).astype(np.int64))
    neighbours = min(_NEIGHBOURS, total - 1)
    distances = np.empty(len(chosen))
    neighbour_distances(points, origin, first, count, boxes, chosen, neighbours, distances)
    if bandwidth is not None and 2.0 * horizon_of(bandwidth) < distances.min():
        raise InvalidPointCloud(
            f"a bandwidth of {bandwidth:.3g} m reaches {horizon_of(bandwidth):.3g} m, and no point has {neighbours} "
            f"others nearer than {distances.min():.3g} m, so there is no surface: give a larger one, or none"
        )
    usable = distances[distances > SMALLEST_LENGTH] / math.sqrt(neighbours)
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

    The noise is what the median distance of points from the planes around them says of it: edges, and sheets that
    cross, leave more than half of the points near a plane. A wider bandwidth sees more noise, so this is repeated
    until it no longer grows.
    """
    h = bandwidth_of(radius)
    total = len(tree.points)
    chosen = np.unique(np.linspace(0, total - 1, min(total, _CHOSEN // 4)).astype(np.int64))
    residuals = np.empty(len(chosen))
    for _ in range(_NOISE_STEPS):
        tree.parameters[:] = _parameters(_lengths(radius, h), False)
        measure_residuals(tree, chosen, residuals)
        known = residuals[residuals >= 0.0]
        noise = _DEVIATIONS_IN_MEDIAN * float(np.median(known)) if len(known) else 0.0
        if BANDWIDTH_IN_NOISE * noise <= h:
            break
        h = BANDWIDTH_IN_NOISE * noise
    return h


def _box_steps(
    points: np.ndarray, origin: np.ndarray, first: np.ndarray, count: np.ndarray, low: float, high: float
) -> Generator[Progress, None, np.ndarray]:
    """Boxes of all nodes."""
    boxes = np.empty((len(first), 6), np.float32)
    yield from _node_steps(
        lambda done: fit_boxes(points, origin, first, count, boxes, done, _SLICE_POINTS),
        len(first), low, high, "enclosing points",
    )  # fmt: skip
    return boxes


def _border_steps(
    points: np.ndarray, origin: np.ndarray, first: np.ndarray, count: np.ndarray, boxes: np.ndarray, lengths: Lengths
) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
    """Borders of all leaves: where each begins, and their points."""
    start = np.zeros(len(first) + 1, np.int64)
    border = np.empty(_USUAL_BORDER * points.shape[0], np.int32)
    node = 0
    while node < len(first):
        before = node
        node = collect_borders(
            points, origin, first, count, boxes, lengths.margin, lengths.horizon, start, border, node, _SLICE_POINTS
        )
        if node == before:
            border.resize(2 * len(border), refcheck=False)
        yield Progress(0.45 + 0.25 * node / len(first), "collecting borders")
    border.resize(int(start[-1]), refcheck=False)  # gives back what is not needed; slicing and copying takes longer
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
    bounds: np.ndarray,
    normals: np.ndarray | None,
    bandwidth: float | None,
    spheres: bool,
    certified: bool,
) -> Generator[Progress, None, Built]:
    """Build everything, stage by stage, from a copy of the points that is brought into leaf order.

    Args:
        points: (n, 3) float64 [m]; left as they are, so that a cloud may be built twice at the same time.
        bounds: their lowest and highest coordinates, (2, 3).
        normals: (n, 3) float32 in the order of the points, or None; left as they are.
        bandwidth: h [m], or None to derive it.
        spheres: fit algebraic spheres; needs normals.
        certified: certified covering radii, else the paper's random ones.

    Yields:
        Progress after some milliseconds each.
    """
    low, high = bounds
    points = yield from _copy_steps(points)
    order = np.arange(len(points), dtype=np.int32)
    origin = 0.5 * low + 0.5 * high
    skin = float((high - low).max()) / math.sqrt(points.shape[0])
    first, count, depth = yield from _split_steps(points, order, skin, 0.0, 0.0, 0.25)
    boxes = yield from _box_steps(points, origin, first, count, 0.25, 0.3)
    radius = _sampling_radius(points, origin, first, count, boxes, bandwidth)
    yield Progress(0.3, "measuring the spacing of points")
    if bandwidth is None:
        bandwidth = _automatic_bandwidth(_bare_tree(points, origin, first, count, boxes), radius)
        yield Progress(0.3, "measuring the noise of points")
    lengths = _lengths(radius, bandwidth)
    reach = lengths.horizon + lengths.margin
    if _leaves_are_tiny(first, count, boxes, reach):
        first, count, depth = yield from _split_steps(points, order, skin, reach, 0.3, 0.4)
        boxes = yield from _box_steps(points, origin, first, count, 0.4, 0.45)
    start, border = yield from _border_steps(points, origin, first, count, boxes, lengths)
    nodes = len(first)
    tree = PointTree(
        points,
        (yield from _sorted_normals_steps(normals, order)),
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
    return Built(tree, order, depth, lengths, patch)


def _sorted_normals_steps(normals: np.ndarray | None, order: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    """Normals in the order of the points; (0, 3) without."""
    if normals is None:
        return np.empty((0, 3), np.float32)
    result = np.empty_like(normals)
    for begin in range(0, len(order), _SLICE_NORMALS):
        part = slice(begin, begin + _SLICE_NORMALS)
        result[part] = normals[order[part]]
        yield Progress(0.7, "sorting normals")
    return result


def _cover_steps(tree: PointTree, certified: bool) -> Steps:
    """Fill in samples, spheres and planes."""
    nodes = len(tree.first)
    leaf_nodes = np.flatnonzero(tree.count)
    leaf_nodes = leaf_nodes[np.argsort(tree.first[leaf_nodes], kind="stable")]
    ranges = np.empty((nodes, 2), np.int64)
    node_ranges(tree.first, tree.count, ranges)
    tree.totals[:] = ranges[:, 1] - ranges[:, 0]
    leaves = new_leaves(tree.points.shape[0], len(leaf_nodes))
    yield from _node_steps(
        lambda number: describe_leaves(tree, leaf_nodes, leaves, number, _SLICE_POINTS),
        len(leaf_nodes), 0.7, 0.8, "describing leaves",
    )  # fmt: skip
    yield from _node_steps(
        lambda node: cover(tree, ranges, leaves, node, _SLICE_LEAVES),
        nodes, 0.8, 0.9, "covering by spheres",
    )  # fmt: skip
    if not certified:
        yield from _node_steps(
            lambda node: cover_by_chance(tree, ranges, leaf_nodes, leaves, node, _SLICE_NODES),
            nodes, 0.9, 0.9, "covering by spheres",
        )  # fmt: skip
    yield from _node_steps(
        lambda node: fit_planes(tree, ranges, node, _SLICE_POINTS), nodes, 0.9, 1.0, "fitting planes"
    )
