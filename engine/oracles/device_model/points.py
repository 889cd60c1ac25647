"""What ``measure_gpu.py`` does, on the CPU: the same arguments, the same results."""

from typing import Any

import numpy as np
from meshclash.pointcloud.deviation import distances_from_cloud, distances_from_mesh
from meshclash.pointcloud.surface import new_sums
from meshclash.pointcloud.tree import SAMPLE_COUNT, STACK_SIZE, PointTree, evaluate_many
from meshclash.traversal.forest import Forest
from meshclash.traversal.point import new_point_workspace
from meshclash.traversal.solids import Solids

_NO_WIDE = np.zeros((1, 6), np.int64)


def evaluate_points(*arguments: Any) -> None:
    """The surface at many points."""
    *cloud, at, values, directions, valid = arguments
    evaluate_many(_tree(*cloud), at, values, directions, valid)


def measure_from_cloud(*arguments: Any) -> None:
    """Distances of many points from a cloud's surface."""
    *cloud, at, out = arguments
    distances_from_cloud(_tree(*cloud), at, new_sums(), np.empty(STACK_SIZE, np.int64), out)


def measure_from_mesh(*arguments: Any) -> None:
    """Distances of many points from a mesh. The CPU is always certain of signs."""
    forest, (orientation, component) = Forest(*(*arguments[:10], _NO_WIDE)), arguments[10:12]
    pose, inverse, origins, reaches, at, signed, out, certain = arguments[12:]
    none, number = np.empty(0, np.int32), np.empty(0, np.int64)
    truths = np.empty(0, np.bool_)
    solids = Solids(truths, orientation, component, np.empty(0, np.int8), truths, none, number)
    distances_from_mesh(forest, solids, pose, inverse, origins, reaches, at, signed, new_point_workspace(), out)
    certain[:] = True


def _tree(*arrays: Any) -> PointTree:
    points, corrected, normals, origin, first, count, boxes, parameters = arrays
    none, number = np.empty(0, np.int32), np.empty(0, np.int64)
    return PointTree(
        points, corrected, normals, origin, first, count, none, boxes, number, none,
        np.empty((0, SAMPLE_COUNT), np.int32), np.empty((0, 5), np.float32), parameters,
    )  # fmt: skip
