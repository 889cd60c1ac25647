"""Kernels that evaluate a cloud's surface, or measure distances to a cloud or mesh, with one thread per point.

The threads run the same functions as the CPU, compiled for the device, except that the device has no memory for
expansions. So the kernel marks points that are so close to a mesh's surface that float64 cannot determine their side.
"""

from typing import NamedTuple

import numpy as np

from ..gpu.cuda_gpu import cuda, kernel
from ..traversal.forest import Forest
from ..traversal.frames import make_frame
from ..traversal.point import STACK_SIZE as MESH_STACK_SIZE
from ..traversal.point import PointWorkspace
from .deviation import from_solid_by_nodes, from_surface
from .surface import SUMS_LENGTH, solve
from .tree import STACK_SIZE, sum_around

_CLOUD = (
    "float64[:,::1], float64[:,::1], float32[:,::1], float64[::1], int32[::1], int32[::1], float32[:,::1], float64[::1]"
)
_FOREST = (
    "int32[::1], int32[::1], float32[:,::1], int32[::1], int32[:,::1], float64[:,::1], int64[::1], int64[::1], "
    "int64[::1], int64[::1]"
)


class _Cloud(NamedTuple):
    """The arrays of a PointTree that these kernels read."""

    points: np.ndarray
    corrected: np.ndarray
    normals: np.ndarray
    origin: np.ndarray
    first: np.ndarray
    count: np.ndarray  # type: ignore[assignment]  # tuple.count is not needed
    boxes: np.ndarray
    parameters: np.ndarray


class _Solid(NamedTuple):
    """The arrays of Solids that these kernels read."""

    orientation: np.ndarray
    component: np.ndarray


@kernel(f"void({_CLOUD}, float64[:,::1], float64[::1], float64[:,::1], boolean[::1])")
def evaluate_points(points, corrected, normals, origin, first, count, boxes, parameters, at, values, directions, valid):
    """Evaluate the surface at points ``at`` (k, 3) in the cloud's coordinates, like ``tree.evaluate_many``."""
    tree = _Cloud(points, corrected, normals, origin, first, count, boxes, parameters)
    sums = cuda.local.array(SUMS_LENGTH, np.float64)
    stack = cuda.local.array(STACK_SIZE, np.int32)
    for k in range(cuda.grid(1), at.shape[0], cuda.gridsize(1)):
        sum_around(tree, (at[k, 0], at[k, 1], at[k, 2]), stack, sums)
        f, n, there = solve(sums, parameters)
        values[k] = f
        directions[k, 0] = n[0]
        directions[k, 1] = n[1]
        directions[k, 2] = n[2]
        valid[k] = there


@kernel(f"void({_CLOUD}, float64[:,::1], float64[::1])")
def measure_from_cloud(points, corrected, normals, origin, first, count, boxes, parameters, at, out):
    """Write the distances [m] from points ``at`` (k, 3), in the cloud's coordinates, to its surface into ``out``."""
    tree = _Cloud(points, corrected, normals, origin, first, count, boxes, parameters)
    sums = cuda.local.array(SUMS_LENGTH, np.float64)
    stack = cuda.local.array(STACK_SIZE, np.int32)
    for k in range(cuda.grid(1), at.shape[0], cuda.gridsize(1)):
        out[k] = from_surface(tree, (at[k, 0], at[k, 1], at[k, 2]), stack, sums)


@kernel(
    f"void({_FOREST}, int8[::1], int32[::1], float64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1], "
    "float64[:,::1], boolean, float64[::1], boolean[::1])"
)
def measure_from_mesh(
    first,
    count,
    volumes,
    order,
    triangles,
    vertices,
    node_start,
    triangle_start,
    triangle_end,
    vertex_start,
    orientation,
    component,
    pose,
    inverse,
    origins,
    reaches,
    at,
    signed,
    out,
    certain,
):
    """Write the distances [m] from world points ``at`` (k, 3) to a mesh into ``out``.

    ``certain`` receives whether their signs are certain.
    """
    forest = Forest(
        first, count, volumes, order, triangles, vertices, node_start, triangle_start, triangle_end, vertex_start, None
    )
    solid = _Solid(orientation, component)
    stack = cuda.local.array(MESH_STACK_SIZE, np.int32)
    gaps = cuda.local.array(MESH_STACK_SIZE, np.float64)
    work = PointWorkspace(stack, gaps, None, None)
    frame = make_frame(0, pose, inverse, origins, reaches)
    for k in range(cuda.grid(1), at.shape[0], cuda.gridsize(1)):
        distance, clear = from_solid_by_nodes(forest, solid, frame, (at[k, 0], at[k, 1], at[k, 2]), signed, work)
        out[k] = distance
        certain[k] = clear
