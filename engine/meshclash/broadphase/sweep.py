"""Sweep and prune over world boxes: sort along one axis, compare neighbours on the other two.

Source: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE" (1995), reduced to one sorted axis: the axis along which the middles
of the boxes spread most. Boxes are closed, so boxes that touch count as overlapping.
"""

from collections.abc import Iterator

import numpy as np

from ..jit import inlined, inner, kernel
from ..types.pose import RIGID_TOLERANCE

STRETCH = 1.0 + 3.0 * RIGID_TOLERANCE
"""Bound of the factor by which a pose can stretch lengths, since its rotation is exact only up to a tolerance."""
_LOOKED_AT = 1 << 19
"""Pairs of objects that are compared in one step: some milliseconds."""


@inlined
def _meet(low_a, high_a, low_b, high_b):
    """Return whether two intervals have a number in common."""
    return not (low_a > high_b or low_b > high_a)


@kernel
def _sweep_on(boxes, order, axis, in_a, in_b, position, pairs):
    """Write overlapping pairs from a position in the order of the boxes on; return their number.

    ``position`` (2,) int64 is the index of the first object in the order, and the number of positions by which the
    second object follows: 0, 1 at first. The position advances until all pairs are written, there is no room, or
    ``_LOOKED_AT`` pairs have been compared.
    """
    other1, other2 = (axis + 1) % 3, (axis + 2) % 3
    found = looked_at = 0
    s, r = position[0], position[0] + position[1]
    while s < order.shape[0] and found < pairs.shape[0] and looked_at < _LOOKED_AT:
        i = order[s]
        looked_at += 1
        if r == order.shape[0] or boxes[order[r], axis] > boxes[i, axis + 3]:
            s += 1
            r = s + 1
            continue
        j = order[r]
        if (
            ((in_a[i] and in_b[j]) or (in_a[j] and in_b[i]))
            and _meet(boxes[i, other1], boxes[i, other1 + 3], boxes[j, other1], boxes[j, other1 + 3])
            and _meet(boxes[i, other2], boxes[i, other2 + 3], boxes[j, other2], boxes[j, other2 + 3])
        ):
            pairs[found, 0] = min(i, j)
            pairs[found, 1] = max(i, j)
            found += 1
        r += 1
    position[0], position[1] = s, r - s
    return found


@kernel
def _sweep(boxes, orders, axis, in_a, in_b, pairs, places):
    """Write the overlapping pairs with one object in each set; return their number, which may exceed the capacity."""
    other1, other2 = (axis + 1) % 3, (axis + 2) % 3
    found = 0
    for m in range(boxes.shape[0]):
        order, own = orders[m], boxes[m]
        for s in range(order.shape[0]):
            i = order[s]
            highest = own[i, axis + 3]
            for r in range(s + 1, order.shape[0]):
                j = order[r]
                if own[j, axis] > highest:
                    break
                is_pair = (
                    ((in_a[i] and in_b[j]) or (in_a[j] and in_b[i]))
                    and _meet(own[i, other1], own[i, other1 + 3], own[j, other1], own[j, other1 + 3])
                    and _meet(own[i, other2], own[i, other2 + 3], own[j, other2], own[j, other2 + 3])
                )
                if not is_pair:
                    continue
                if found < pairs.shape[0]:
                    places[found] = m
                    pairs[found, 0] = min(i, j)
                    pairs[found, 1] = max(i, j)
                found += 1
    return found


def overlapping_pairs(boxes: np.ndarray, in_a: np.ndarray, in_b: np.ndarray) -> np.ndarray:
    """Return the pairs i < j of overlapping boxes, with one box in each set.

    Args:
        boxes: lowest and highest corner of each object, (n, 6) float64 [m].
        in_a, in_b: whether each object belongs to the set, (n,) bool; an object may be in both.

    Returns:
        (k, 2) int64, sorted.
    """
    return overlapping_pairs_of_each(boxes[None], in_a, in_b)[1]


def overlapping_pairs_of_each(boxes: np.ndarray, in_a: np.ndarray, in_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the overlapping pairs in each of m configurations of the objects, as ``overlapping_pairs`` does.

    Args:
        boxes: (m, n, 6) float64 [m].
        in_a, in_b: as ``overlapping_pairs``.

    Returns:
        The configuration (k,) int64 of each pair, and the pairs (k, 2) int64; sorted.
    """
    axis, orders = _sweep_order(boxes)
    room = boxes.shape[0] * (4 * boxes.shape[1] + 16)
    while True:
        pairs, places = np.empty((room, 2), np.int64), np.empty(room, np.int64)
        found = _sweep(boxes, orders, axis, in_a, in_b, pairs, places)
        if found <= room:
            break
        room = found
    pairs, places = pairs[:found], places[:found]
    count = boxes.shape[1]
    order = np.argsort((places * count + pairs[:, 0]) * count + pairs[:, 1])
    return places[order], pairs[order]


def overlapping_portions(
    boxes: np.ndarray, in_a: np.ndarray, in_b: np.ndarray, first: int, most: int
) -> Iterator[tuple[float, np.ndarray]]:
    """Yield the pairs of ``overlapping_pairs`` in portions, in another order, without storing all of them.

    Args:
        boxes, in_a, in_b: as ``overlapping_pairs``.
        first, most: the size of the first portion, and the maximum size; each portion may be twice as large as the
            previous one.

    Yields:
        The share of the work that is done, and pairs (k, 2) int64; k may be 0.
    """
    axis, (order,) = _sweep_order(boxes[None])
    position, size, count = np.array([0, 1]), first, len(boxes)
    while position[0] < count:
        pairs = np.empty((size, 2), np.int64)
        found = _sweep_on(boxes, order, axis, in_a, in_b, position, pairs)
        yield float(min(1.0, position[0] / count)), pairs[:found]
        size = min(2 * size, most)


def _sweep_order(boxes: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the axis along which the boxes (m, n, 6) are spread most, and the orders of the boxes along it, (m, n)."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinite boxes have no middle
        middles = 0.5 * boxes[..., :3] + 0.5 * boxes[..., 3:]
        axis = int(np.argmax(middles.std(axis=1).mean(axis=0)))
    return axis, np.argsort(boxes[..., axis], axis=1, kind="stable")


def world_boxes(bounds: np.ndarray, rows: np.ndarray, margin: float) -> np.ndarray:
    """Return world boxes (..., n, 6) [m] that contain n objects in their poses, rounded outward.

    Args:
        bounds: bounds of the objects in their own coordinates, (n, 2, 3) [m].
        rows: poses (..., n, 3, 4).
        margin: length by which each box is enlarged on every side [m].
    """
    boxes = np.empty((*rows.shape[:-2], 6))
    _world_boxes(bounds, np.ascontiguousarray(rows).reshape(-1, 3, 4), margin, boxes.reshape(-1, 6))
    return boxes


def cut_to_spheres(
    bounds: np.ndarray, radii: np.ndarray, rows: np.ndarray, boxes: np.ndarray, margin: float = 0.0
) -> None:
    """Shrink world boxes (n, 6) [m] in place to the cubes around bounding spheres of the objects, rounded outward.

    The centre of the sphere is the centre of an object's bounds, so its cube has the same size in every orientation
    (the "fixed" boxes of I-COLLIDE). The box of rotated bounds ("dynamic") may be much larger than a round object.

    Args:
        bounds: bounds of the objects in their own coordinates, (n, 2, 3) [m].
        radii: largest distance of each object's vertices from the centre of its bounds, (n,) [m]; infinite if unknown.
        rows: poses (n, 3, 4).
        boxes: the boxes, changed in place.
        margin: length by which the boxes are enlarged on every side [m].
    """
    _cut_to_spheres(bounds, radii, rows, boxes, margin)


@kernel
def _cut_to_spheres(bounds, radii, rows, boxes, margin):
    for i in range(rows.shape[0]):
        reach = STRETCH * radii[i] + margin
        for k in range(3):
            centre, size = rows[i, k, 3], abs(rows[i, k, 3])
            for j in range(3):
                centre += rows[i, k, j] * (0.5 * bounds[i, 0, j] + 0.5 * bounds[i, 1, j])
                size += abs(rows[i, k, j]) * max(abs(bounds[i, 0, j]), abs(bounds[i, 1, j]))
            extent = reach + 64.0 * 2.0**-53 * (size + reach)
            boxes[i, k] = max(boxes[i, k], centre - extent)
            boxes[i, k + 3] = min(boxes[i, k + 3], centre + extent)


@inner
def put_world_boxes(bounds, rows, margin, boxes):
    """Fill ``boxes`` (m, 6) for poses (m, 3, 4); pose i belongs to object i modulo the number of objects."""
    for i in range(rows.shape[0]):
        of = i % bounds.shape[0]
        for k in range(3):
            centre, extent, reach = rows[i, k, 3], margin, abs(rows[i, k, 3])
            for j in range(3):
                low, high = bounds[of, 0, j], bounds[of, 1, j]
                centre += rows[i, k, j] * (0.5 * low + 0.5 * high)
                extent += abs(rows[i, k, j]) * (0.5 * (high - low))
                reach += abs(rows[i, k, j]) * max(abs(low), abs(high))
            extent += 64.0 * 2.0**-53 * reach
            boxes[i, k] = centre - extent
            boxes[i, k + 3] = centre + extent


@kernel
def _world_boxes(bounds, rows, margin, boxes):
    put_world_boxes(bounds, rows, margin, boxes)
