"""Build a ``PointTree`` from checked points: sampling radius, bandwidth, tree, borders, samples, planes."""

import math
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..errors import InvalidPointCloud
from ..types.results import Progress
from ..types.steps import scale_progress
from .borders import collect_borders
from .mean_planes import fit_planes
from .node_slices import node_steps
from .samples import Leaves, choose_samples, describe_leaves, new_leaves, node_ranges
from .shrinkage import measure_shortfalls, move_points, new_neighbours
from .split import DEPTH, NODES, SETTLED, new_split, split_points
from .surface import HORIZON2, NO_NORMALS, PARAMETERS_LENGTH
from .tree import LINE, SAMPLE_COUNT, PointTree, fit_boxes, measure_residuals, neighbour_distances

LEAF_SIZE = 30
"""Largest number of points in a leaf."""
LEAST_WEIGHT = 0.01
"""theta_eps of the paper: the weight at the horizon."""
REACH_IN_RADII = 4.5
"""m of eq. 9: the horizon in sampling radii; about m^2 points are within it."""
CUTOFF = 7
"""c of eq. 6: there is a surface where more points than this lie within the horizon. A third of the usual number."""
MARGIN_IN_RADII = 1.5
"""How far from the points of a leaf its piece of surface is searched for, in sampling radii."""

SMALLEST_LENGTH = 1e-30
"""Points closer than this [m] count as one: boxes are float32, and squares of lengths must not underflow."""

BANDWIDTH_IN_NOISE = 4.0
"""Smallest bandwidth divided by the noise. This bandwidth separates surfaces whose distance is a little more than twice
the noise."""

_DEVIATIONS_IN_SPREAD = 1.822  # standard deviation of normal noise divided by its median ``measure_residuals``
_NOISE_STEPS = 6
_GROWTH = 1.05  # of noise / bandwidth: where it is larger for a larger bandwidth, the points have a shape
_SHAPELESS = 0.5  # noise / bandwidth, once the bandwidth has doubled: above it, the points fill space, not a surface
_NEIGHBOURS = 8
_QUANTILE = 0.9
_CHOSEN = 4096
_USUAL_BORDER = 8  # first guess of the border entries per point
_TINY_SHARE = 0.02
# Work of one slice, which takes some milliseconds.
_SLICE_NODES = 50_000  # nodes that get samples
_SLICE_POINTS = 300_000  # points visited
_SLICE_NEIGHBOURS = 1_000_000  # neighbours visited
_SLICE_NORMALS = 100_000  # normals sorted


class Lengths(NamedTuple):
    """The lengths of a cloud's surface, in metres, and its cut-off count."""

    sampling_radius: float
    bandwidth: float
    horizon: float
    margin: float
    cutoff: int


class Built(NamedTuple):
    """The result of ``build``."""

    tree: PointTree
    order: np.ndarray
    """Index of each point of the tree in the caller's array, (n,) int32."""
    depth: int
    lengths: Lengths
    largest_patch: int
    """Largest number of points of a leaf and its border together."""


def horizon_of(bandwidth: float) -> float:
    """Return the horizon r_eps = h sqrt(|ln theta_eps|) (Klein and Zachmann, section 4.1.2)."""
    return bandwidth * math.sqrt(-math.log(LEAST_WEIGHT))


def bandwidth_of(sampling_radius: float) -> float:
    """Return the bandwidth h with which points up to m sampling radii away have influence (eq. 9)."""
    return REACH_IN_RADII * sampling_radius / math.sqrt(-math.log(LEAST_WEIGHT))


Steps = Generator[Progress, None, None]


def _copy_steps(points: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    """Copy the points, in slices."""
    result = np.empty_like(points)
    for begin in range(0, len(points), _SLICE_POINTS):
        part = slice(begin, begin + _SLICE_POINTS)
        result[part] = points[part]
        yield Progress(0.0, "sorting points")
    return result


def _relative_steps(points: np.ndarray, origin: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    """Return the points relative to the origin, in slices."""
    result = np.empty_like(points)
    for begin in range(0, len(points), _SLICE_POINTS):
        part = slice(begin, begin + _SLICE_POINTS)
        np.subtract(points[part], origin, out=result[part])
        yield Progress(min(part.stop, len(points)) / len(points), "sorting points")
    return result


def _split_steps(
    points: np.ndarray, order: np.ndarray, skin: float, smallest: float
) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray, int]]:
    """Split the points into a tree: its first, its count, its depth."""
    total = points.shape[0]
    first, count = np.empty(2 * total - 1, np.int32), np.empty(2 * total - 1, np.int32)
    stack, state, box = new_split(total)
    finished = False
    while not finished:
        finished = split_points(
            points, order, LEAF_SIZE, skin, smallest, first, count, stack, state, box, _SLICE_POINTS
        )  # fmt: skip
        yield Progress(int(state[SETTLED]) / total, "sorting points")
    nodes = int(state[NODES])
    return first[:nodes].copy(), count[:nodes].copy(), int(state[DEPTH])


def _sampling_radius(tree: PointTree, bandwidth: float | None) -> float:
    """Return the radius of discs around the points whose areas add up to that of the surface (the surfels of eq. 10).

    If k neighbours lie within d_k, each point represents a disc of radius d_k / sqrt(k). The result is the 90th
    percentile of these radii. A given bandwidth raises InvalidPointCloud if no point has enough neighbours for a
    surface.
    """
    total = len(tree.points)
    chosen = np.unique(np.linspace(0, total - 1, min(total, _CHOSEN)).astype(np.int64))
    neighbours = min(_NEIGHBOURS, total - 1)
    distances = np.empty(len(chosen))
    neighbour_distances(
        tree.points, tree.origin, tree.first, tree.count, tree.boxes, chosen, neighbours, distances
    )  # fmt: skip
    if bandwidth is not None and 2.0 * horizon_of(bandwidth) < distances.min():
        raise InvalidPointCloud(
            f"a bandwidth of {bandwidth:.3g} m uses points within {horizon_of(bandwidth):.3g} m, but "
            f"no point has {neighbours} others nearer than {distances.min():.3g} m, so there is no "
            "surface: give a larger bandwidth, or none"
        )
    usable = distances[distances > SMALLEST_LENGTH] / math.sqrt(neighbours)
    if not len(usable):
        raise InvalidPointCloud(
            "nearly all points coincide with other points: remove the duplicates, or give a bandwidth"
        )
    return float(np.quantile(usable, _QUANTILE))


def _lengths(radius: float, bandwidth: float) -> Lengths:
    return Lengths(radius, bandwidth, horizon_of(bandwidth), MARGIN_IN_RADII * radius, CUTOFF)


def _rough_tree_steps(
    points: np.ndarray, order: np.ndarray, origin: np.ndarray, skin: float, smallest: float
) -> Generator[Progress, None, tuple[PointTree, int]]:
    """Return a tree without the parts that depend on the bandwidth, and its depth.

    The corrected points of this tree are the points themselves.
    """
    first, count, depth = yield from scale_progress(_split_steps(points, order, skin, smallest), 0.0, 0.7)
    none, number = np.empty(0, np.int32), np.empty(0, np.int64)
    tree = PointTree(
        points, (yield from scale_progress(_relative_steps(points, origin), 0.7, 0.8)), NO_NORMALS, origin, first,
        count, none, np.empty((len(first), 6), np.float32), number, none, np.empty((0, SAMPLE_COUNT), np.int32),
        np.empty((0, 6), np.float32), np.empty(PARAMETERS_LENGTH),
    )  # fmt: skip
    yield from scale_progress(_box_steps(tree), 0.8, 1.0)
    return tree, depth


def _box_steps(tree: PointTree) -> Steps:
    """Fill in the boxes of all nodes."""
    yield from node_steps(
        lambda done: fit_boxes(
            tree.points, tree.corrected, tree.origin, tree.first, tree.count, tree.boxes, done, _SLICE_POINTS
        ),
        len(tree.first), 0.0, 1.0, "enclosing points",
    )  # fmt: skip


def _automatic_bandwidth(tree: PointTree, radius: float) -> float:
    """Return the bandwidth of eq. 9, or a larger one if the points are so noisy that their planes would follow it.

    The noise is estimated from the distances of points from the planes fitted around them, in a way that edges,
    crossing sheets and the two sides of a plate do not count as noise. A larger bandwidth includes more noise, so the
    estimate is repeated until the bandwidth no longer grows. Fins that are closer than the bandwidth fill space, which
    a noisy surface never does; they keep the bandwidth of eq. 9. So do wires and thin branches: what looks like noise
    grows faster than the bandwidth there, or a larger bandwidth treats their points as lines.
    """
    least = h = bandwidth_of(radius)
    total = len(tree.points)
    chosen = np.unique(np.linspace(0, total - 1, min(total, _CHOSEN // 4)).astype(np.int64))
    residuals = np.empty(len(chosen))
    first = math.inf
    for _ in range(_NOISE_STEPS):
        tree.parameters[:] = _parameters(_lengths(radius, h), False)
        measure_residuals(tree, chosen, residuals)
        if h > least and np.count_nonzero(residuals == LINE) > 0.5 * len(residuals):
            return least
        known = residuals[residuals >= 0.0]
        noise = _DEVIATIONS_IN_SPREAD * float(np.median(known)) if len(known) else 0.0
        if BANDWIDTH_IN_NOISE * noise <= h:
            break
        if noise > _GROWTH * first * h:
            return least
        first = min(first, noise / h)
        if h > 2.0 * least and noise > _SHAPELESS * h:
            return least
        h = BANDWIDTH_IN_NOISE * noise
    return h


def _border_steps(tree: PointTree, margin: float) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
    """Return the borders of all leaves: the start of each in the list of border points, and that list."""
    nodes = len(tree.first)
    start = np.zeros(nodes + 1, np.int64)
    border = np.empty(_USUAL_BORDER * len(tree.points), np.int32)
    horizon = math.sqrt(tree.parameters[HORIZON2])
    node = 0
    while node < nodes:
        before = node
        node = collect_borders(
            tree.corrected, tree.first, tree.count, tree.boxes, margin, horizon, start, border, node, _SLICE_POINTS
        )
        if node == before:
            border.resize(2 * len(border), refcheck=False)
        yield Progress(node / nodes, "collecting borders")
    border.resize(int(start[-1]), refcheck=False)  # frees the unused end; slicing and copying takes longer
    return start, border


def _leaves_are_tiny(tree: PointTree, reach: float) -> bool:
    """Return whether leaves are so small, compared with the horizon, that their borders would repeat most points many
    times.
    """
    leaf = tree.count > 0
    longest = (tree.boxes[leaf, 3:] - tree.boxes[leaf, :3]).max(axis=1)
    return bool(tree.count[leaf][longest < 0.5 * reach].sum() > _TINY_SHARE * tree.count.sum())


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
    surface: str,
) -> Generator[Progress, None, Built]:
    """Build everything, stage by stage, from a copy of the points that is sorted into leaf order.

    Args:
        points: (n, 3) float64 [m]; the array is not changed, so that a cloud may be built twice at the same time.
        bounds: lowest and highest coordinates of the points, (2, 3).
        normals: (n, 3) float32 in the order of the points, or None; the array is not changed.
        bandwidth: h [m], or None to derive it from the points.
        surface: "twicing", "wls" or "apss"; the last needs normals.

    Yields:
        Progress, every few milliseconds.
    """
    low, high = bounds
    points = yield from _copy_steps(points)
    order = np.arange(len(points), dtype=np.int32)
    origin = 0.5 * low + 0.5 * high
    skin = float((high - low).max()) / math.sqrt(points.shape[0])
    tree, depth = yield from scale_progress(_rough_tree_steps(points, order, origin, skin, 0.0), 0.0, 0.25)
    radius = _sampling_radius(tree, bandwidth)
    yield Progress(0.25, "measuring the spacing of points")
    if bandwidth is None:
        bandwidth = _automatic_bandwidth(tree, radius)
        yield Progress(0.25, "measuring the noise of points")
    lengths = _lengths(radius, bandwidth)
    reach = lengths.horizon + lengths.margin
    if _leaves_are_tiny(tree, reach):
        tree, depth = yield from scale_progress(_rough_tree_steps(points, order, origin, skin, reach), 0.25, 0.35)
    tree.parameters[:] = _parameters(lengths, surface == "apss")
    if surface == "twicing":
        yield from scale_progress(_correction_steps(tree), 0.35, 0.6)
    start, border = yield from scale_progress(_border_steps(tree, lengths.margin), 0.6, 0.75)
    nodes = len(tree.first)
    tree = tree._replace(
        normals=(yield from _sorted_normals_steps(normals, order)),
        totals=np.empty(nodes, np.int32),
        border_start=start,
        border=border,
        samples=np.empty((nodes, SAMPLE_COUNT), np.int32),
        planes=np.empty((nodes, 6), np.float32),
    )
    yield from _sample_steps(tree)
    patch = int((tree.count + np.diff(start)).max())
    return Built(tree, order, depth, lengths, patch)


def _correction_steps(tree: PointTree) -> Steps:
    """Move the corrected points to undo the surface's shrinkage (``shrinkage.py``), and refit the boxes to them."""
    start, border = yield from scale_progress(_border_steps(tree, 0.0), 0.0, 0.2)
    rough = tree._replace(border_start=start, border=border)
    neighbours, residuals = new_neighbours(), np.empty(tree.points.shape, np.float32)
    state, nodes = np.zeros(3, np.int64), len(tree.first)
    yield from node_steps(
        lambda _: int(measure_shortfalls(rough, neighbours, residuals, state, _SLICE_NEIGHBOURS)),
        nodes, 0.2, 0.6, "measuring curvature",
    )  # fmt: skip
    state[:] = 0
    yield from node_steps(
        lambda _: int(move_points(rough, neighbours, residuals, state, _SLICE_NEIGHBOURS)),
        nodes, 0.6, 0.9, "measuring curvature",
    )  # fmt: skip
    yield from scale_progress(_box_steps(tree), 0.9, 1.0)


def _sorted_normals_steps(normals: np.ndarray | None, order: np.ndarray) -> Generator[Progress, None, np.ndarray]:
    """Return the normals in the order of the tree's points; an empty (0, 3) array for a cloud without normals."""
    if normals is None:
        return NO_NORMALS
    result = np.empty_like(normals)
    for begin in range(0, len(order), _SLICE_NORMALS):
        part = slice(begin, begin + _SLICE_NORMALS)
        result[part] = normals[order[part]]
        yield Progress(0.75, "sorting normals")
    return result


def described_steps(tree: PointTree) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray, Leaves]]:
    """Return (first point and end of each node, (nodes, 2); nodes of the leaves in point order; their ``Leaves``)."""
    nodes = len(tree.first)
    leaf_nodes = np.flatnonzero(tree.count)
    leaf_nodes = leaf_nodes[np.argsort(tree.first[leaf_nodes], kind="stable")]
    ranges = np.empty((nodes, 2), np.int64)
    node_ranges(tree.first, tree.count, ranges)
    leaves = new_leaves(tree.points.shape[0], len(leaf_nodes))
    yield from node_steps(
        lambda number: describe_leaves(tree, leaf_nodes, leaves, number, _SLICE_POINTS),
        len(leaf_nodes), 0.75, 0.8, "describing leaves",
    )  # fmt: skip
    return ranges, leaf_nodes, leaves


def _sample_steps(tree: PointTree) -> Steps:
    """Choose the samples and fit the planes of all nodes."""
    nodes = len(tree.first)
    ranges, _, leaves = yield from described_steps(tree)
    tree.totals[:] = ranges[:, 1] - ranges[:, 0]
    yield from node_steps(
        lambda node: choose_samples(ranges, leaves, tree.samples, node, _SLICE_NODES),
        nodes, 0.8, 0.9, "choosing samples",
    )  # fmt: skip
    yield from node_steps(lambda node: fit_planes(tree, ranges, node, _SLICE_POINTS), nodes, 0.9, 1.0, "fitting planes")
