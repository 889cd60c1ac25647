"""Near contacts of every sort, decided by the float32 filters of the 8-wide engine and by the exact predicates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from meshclash.geometry import lane_boxes, lane_oriented, lane_triangles
from meshclash.geometry.lanes import floats, store
from meshclash.geometry.relative_pose import DEFECT, PRODUCTS, narrow_rows, relative_rows
from meshclash.geometry.triangle_pair import classify_triangle_pairs
from meshclash.hierarchy.wide_bvh import PADDING
from meshclash.jit import kernel
from meshclash.volumes import aabb, obb

from .near_contacts import near_contacts, posed


@kernel
def _compare(coordinates, boxes, relative, frames, share, scratch, crossing, undecided):
    """Bits (k, 8) of the triangles of block a that certainly cross each one of b, and that are undecided.

    ``share``: of the slack that is used.
    """
    scratch_a, scratch_b = floats(scratch[0].ctypes.data), floats(scratch[1].ctypes.data)
    planes = floats(scratch[2].ctypes.data)
    at_a, at_b = floats(coordinates[0].ctypes.data), floats(coordinates[1].ctypes.data)
    nodes_a, nodes_b = floats(boxes[0].ctypes.data), floats(boxes[1].ctypes.data)
    for k in range(frames.shape[0]):
        frame = floats(frames[k].ctypes.data)
        shift, slack = lane_triangles.place_leaves(nodes_a, 48 * k, nodes_b, 48 * k, relative[k], frame)
        slack *= np.float32(share)
        lane_triangles.turn_leaf(at_b, 72 * k, 8, frame, shift, scratch_b)
        lane_triangles.copy_leaf(at_a, 72 * k, 8, scratch_a)
        lane_triangles.lay_planes(scratch_a, slack, frame[PRODUCTS], planes)
        for j in range(8):
            bits = lane_triangles.meet_box_of(scratch_a, scratch_b, j, slack)
            crossing[k, j], undecided[k, j] = lane_triangles.compare_with(
                scratch_a, planes, scratch_b, j, bits, slack, frame[PRODUCTS]
            )


@kernel
def _compare_boxes(corners_a, corners_b, frames, box, nodes, out):
    """Margins (k, 8, 8) of the boxes of each triangle of a and of b, by both ways of asking (0 and 1)."""
    places = floats(nodes.ctypes.data)
    for k in range(frames.shape[0]):
        frame = floats(frames[k].ctypes.data)
        for side in range(2):
            corners = corners_a if side == 0 else corners_b
            for i in range(8):
                aabb.clear(box)
                for c in range(3):
                    aabb.extend(box, corners[k, i, c, 0], corners[k, i, c, 1], corners[k, i, c, 2])
                for row in range(6):
                    nodes[side, 8 * row + i] = box[row]
        for i in range(8):
            margins = lane_boxes.margins_of_second(places, 64, places, i, frame)
            store(floats(out[0, k, i].ctypes.data), 0, margins)
            margins = lane_boxes.margins_of_first(places, 0, places, 64 + i, frame)
            store(floats(out[1, k, i].ctypes.data), 0, margins)


@kernel
def _compare_oriented(corners_a, corners_b, relative, frames, volume, nodes, oriented, out):
    """Bits (2, k, 8) of the boxes of one side that may meet each one of the other, by both ways of asking."""
    places, boxes = floats(nodes.ctypes.data), floats(oriented.ctypes.data)
    for k in range(frames.shape[0]):
        frame = floats(frames[k].ctypes.data)
        loose = np.float32(lane_oriented.LOOSENESS + 2.0 * relative[k, DEFECT])
        for side in range(2):
            corners = corners_a if side == 0 else corners_b
            for i in range(8):
                obb.fit(corners[k, i], volume)
                for row in range(15):
                    oriented[side, 8 * row + i] = volume[row]
        shift = np.float32(relative[k, 24]), np.float32(relative[k, 25]), np.float32(relative[k, 26])
        for i in range(8):
            out[0, k, i] = lane_oriented.meet_oriented(
                places, 64, boxes, 120, places, i, boxes, i, frame, 12, shift, loose
            )
            out[1, k, i] = lane_oriented.meet_oriented(
                places, 0, boxes, 0, places, 64 + i, boxes, 120 + i, frame, 0, (frame[9], frame[10], frame[11]), loose
            )


def _leaves(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (k * 72 + PADDING,) and boxes (k, 48) of blocks (k, 8, 3, 3), as ``hierarchy/wide_bvh.py`` does."""
    low, high = corners.min(axis=(1, 2)), corners.max(axis=(1, 2))
    down, up = low.astype(np.float32), high.astype(np.float32)
    down = np.where(down > low, np.nextafter(down, np.float32(-np.inf)), down)
    up = np.where(up < high, np.nextafter(up, np.float32(np.inf)), up)
    boxes = np.zeros((len(corners), 48), np.float32)
    boxes[:, :48:8] = np.hstack([down, up])
    local = (corners - down[:, None, None]).transpose(0, 2, 3, 1).astype(np.float32)
    return np.append(local.ravel(), np.zeros(PADDING, np.float32)), boxes


def _as_lanes(bits: np.ndarray) -> np.ndarray:
    return (bits[..., None] >> np.arange(8)) & 1 == 1


class Attack(NamedTuple):
    """What became of pairs (count, 8 of b, 8 of a)."""

    crossing: np.ndarray
    """Surely crossing, by the lanes."""
    undecided: np.ndarray
    boxes: np.ndarray
    """Whose boxes may meet, by both ways of asking."""
    oriented: np.ndarray
    """The same for oriented boxes."""
    kinds: np.ndarray
    """By the exact predicates; 0 is apart."""
    careless: np.ndarray
    """Undecided or crossing without any slack."""
    careless_crossing: np.ndarray


def attacked(seed: int, count: int) -> Attack:
    """Near contacts, decided by lanes and exactly."""
    blocks = near_contacts(seed, count)
    rng = np.random.default_rng(seed)
    middles = [c.reshape(count, -1, 3).mean(axis=1) for c in (blocks.corners_a, blocks.corners_b)]
    origins = [m * rng.integers(0, 2, (count, 1)) for m in middles]
    local = [c - o[:, None, None] for c, o in zip((blocks.corners_a, blocks.corners_b), origins, strict=True)]
    reaches = [np.abs(c).max(axis=(1, 2)) for c in (blocks.corners_a, blocks.corners_b)]
    relative = relative_rows(blocks.rows_a, blocks.rows_b, *origins, *reaches)
    near = [np.nextafter(np.abs(c).max(axis=(1, 2)).astype(np.float32), np.float32(np.inf)) for c in local]
    frames = narrow_rows(relative, *near)
    coordinates, boxes = zip(*map(_leaves, local), strict=True)
    scratch = np.empty((3, lane_triangles.BLOCK + 8), np.float32)
    found = np.empty((4, count, 8), np.int64)
    for share in (0, 1):
        _compare(coordinates, boxes, relative, frames, share, scratch, found[2 * share], found[2 * share + 1])
    margins = np.empty((2, count, 8, 8), np.float32)
    _compare_boxes(*local, frames, np.empty(6, np.float32), np.zeros((2, 64), np.float32), margins)
    meeting = ~(margins < 0.0)
    bits, spare = np.empty((2, count, 8), np.int64), np.empty(obb.WIDTH, np.float32)
    boxes_of_both = np.zeros((2, 64), np.float32), np.zeros((2, 120), np.float32)
    _compare_oriented(*local, relative, frames, spare, *boxes_of_both, bits)
    oriented = _as_lanes(bits)
    world_a, world_b = posed(blocks.rows_a, blocks.corners_a), posed(blocks.rows_b, blocks.corners_b)
    pairs = [np.broadcast_to(w, (count, 8, 8, 3, 3)) for w in (world_a[:, None], world_b[:, :, None])]
    kinds = classify_triangle_pairs(*(p.reshape(-1, 3, 3) for p in pairs))[0].reshape(count, 8, 8)
    careless_crossing, careless, crossing, undecided = map(_as_lanes, found)
    return Attack(
        crossing,
        undecided,
        meeting[0].transpose(0, 2, 1) & meeting[1],
        oriented[0].transpose(0, 2, 1) & oriented[1],
        kinds,
        careless | careless_crossing,
        careless_crossing,
    )
