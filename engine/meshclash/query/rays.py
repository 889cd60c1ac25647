"""``ray_first``, ``ray_any``, ``ray_count`` and ``ray_all``: the crossings of rays with the surface of a mesh."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.bvh import MeshLike
from ..traversal.ray_casting import Rays
from ..types.foreign_meshes import ForeignMesh
from ..types.numbers import float_array
from ..types.pose import LARGEST_COORDINATE, PoseLike
from ..types.results import Progress
from .ray_hits import RayHits
from .table import RAY_ALL, RAY_ANY, RAY_COUNT, RAY_FIRST, answers, ask


@answers(RAY_FIRST)
def ray_first(
    mesh: MeshLike | ForeignMesh,
    origins: Any,
    directions: Any,
    lengths: Any = None,
    pose: PoseLike = None,
    *,
    threads: int | None = None,
) -> Generator[Progress, None, RayHits]:
    """For each of n rays, return the first crossing with the surface of a mesh.

    MeshClash decides exactly, for the given numbers, whether a ray crosses a triangle. The surface has no gaps at edges
    and vertices. A ray through an edge or a vertex has as many crossings as a ray infinitely close to it. If a ray ends
    outside a closed mesh, the number of its crossings is even if the ray starts outside, and odd if it starts inside.
    If a ray grazes an edge, it crosses either both triangles at this edge or neither of them. A ray never crosses a
    triangle that it sees edge-on, or a triangle without area. If a ray starts on a triangle, it crosses this triangle
    at distance 0.

    Distances are rounded to float64. The first crossing is the one with the smallest rounded distance. If several
    crossings have the same distance, the triangle with the lowest index comes first.

    Args:
        mesh: a mesh, open or closed, or a hierarchy made by ``build``.
        origins: array-like, shape (n, 3), world coordinates [m]; or (3,), the same origin for all rays.
        directions: array-like, shape (n, 3), of any length except 0; or (3,), the same direction for all rays.
        lengths: lengths of the rays [m], (n,) or one number; None for infinitely long rays.
        pose: pose of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        threads: maximum number of threads, which does not change the result; None uses all cores.

    Raises:
        InvalidMesh, InvalidPose: the mesh or the pose is invalid.
        UnsupportedOption: a stack of poses, arrays of the wrong shape, numbers that are not finite, a direction that is
            zero, or a negative length.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(2.0)
        >>> hits = mc.ray_first(box, [[0, 0, 5], [3, 0, 5]], [0, 0, -1])
        >>> hits.distance
        array([ 4., inf])
    """
    return ask(RAY_FIRST, (mesh, checked_rays(origins, directions, lengths)), (pose,), threads=threads)


@answers(RAY_ANY)
def ray_any(
    mesh: MeshLike | ForeignMesh,
    origins: Any,
    directions: Any,
    lengths: Any = None,
    pose: PoseLike = None,
    *,
    threads: int | None = None,
) -> Generator[Progress, None, np.ndarray]:
    """For each of n rays, return whether it crosses the surface of a mesh, (n,) bool. You can use this function to find
    out whether an object is hidden, or whether a line of sight is free.

    Args:
        mesh, origins, directions, lengths, pose, threads: as for ``ray_first``.

    Raises:
        as for ``ray_first``.

    Example:
        >>> import meshclash as mc
        >>> mc.ray_any(mc.shapes.box(2.0), [[0, 0, 5], [3, 0, 5]], [0, 0, -1])
        array([ True, False])
    """
    return ask(RAY_ANY, (mesh, checked_rays(origins, directions, lengths)), (pose,), threads=threads)


@answers(RAY_COUNT)
def ray_count(
    mesh: MeshLike | ForeignMesh,
    origins: Any,
    directions: Any,
    lengths: Any = None,
    pose: PoseLike = None,
    *,
    threads: int | None = None,
) -> Generator[Progress, None, np.ndarray]:
    """For each of n rays, return how often it crosses the surface of a mesh, (n,) int32.

    Args:
        mesh, origins, directions, lengths, pose, threads: as for ``ray_first``.

    Raises:
        as for ``ray_first``.

    Example:
        >>> import meshclash as mc
        >>> mc.ray_count(mc.shapes.box(2.0), [[0, 0, 5], [0, 0, 0]], [0, 0, -1]).tolist()
        [2, 1]
    """
    return ask(RAY_COUNT, (mesh, checked_rays(origins, directions, lengths)), (pose,), threads=threads)


@answers(RAY_ALL)
def ray_all(
    mesh: MeshLike | ForeignMesh,
    origins: Any,
    directions: Any,
    lengths: Any = None,
    pose: PoseLike = None,
    *,
    threads: int | None = None,
) -> Generator[Progress, None, RayHits]:
    """Return all crossings of n rays with the surface of a mesh, sorted by ray and then by distance.

    Args:
        mesh, origins, directions, lengths, pose, threads: as for ``ray_first``.

    Raises:
        as for ``ray_first``.

    Example:
        >>> import meshclash as mc
        >>> mc.ray_all(mc.shapes.box(2.0), [[0, 0, 5]], [0, 0, -1]).distance
        array([4., 6.])
    """
    return ask(RAY_ALL, (mesh, checked_rays(origins, directions, lengths)), (pose,), threads=threads)


def checked_rays(origins: Any, directions: Any, lengths: Any = None) -> Rays:
    """Return checked rays as arrays; raise UnsupportedOption, which names the first invalid ray."""
    starts, ways = _rows("origins", origins), _rows("directions", directions)
    count = max(len(starts), len(ways))
    if starts.shape[0] != ways.shape[0]:
        if 1 not in (starts.shape[0], ways.shape[0]):
            raise UnsupportedOption(f"there are {len(starts)} origins, but {len(ways)} directions")
        count = len(starts) if len(ways) == 1 else len(ways)
        starts, ways = (np.repeat(part, count, axis=0) if len(part) != count else part for part in (starts, ways))
    if not (ways[:, 0] != 0.0).all() and len(zero := np.flatnonzero(~ways.any(axis=1))):
        raise UnsupportedOption(f"direction {zero[0]} is zero ({len(zero)} in total)")
    return Rays(starts, ways, _checked_lengths(lengths, count))


def _rows(name: str, values: Any) -> np.ndarray:
    """Return rows of three finite numbers, (n, 3) float64."""
    array = float_array(name, values, UnsupportedOption)
    if array.ndim == 1 and array.shape == (3,):
        array = array[None]
    if array.ndim != 2 or array.shape[1] != 3:
        raise UnsupportedOption(f"{name} must have shape (n, 3) or (3,), not {array.shape}")
    if len(array) and not -LARGEST_COORDINATE <= array.min() <= array.max() <= LARGEST_COORDINATE:
        bad = np.flatnonzero(~(np.abs(array) <= LARGEST_COORDINATE).all(axis=1))
        raise UnsupportedOption(
            f"row {bad[0]} of {name} is {array[bad[0]].tolist()} ({len(bad)} in total): numbers must "
            f"be finite and at most {LARGEST_COORDINATE:g}"
        )
    return array


def _checked_lengths(lengths: Any, count: int) -> np.ndarray:
    if lengths is None:
        return np.full(count, np.inf)
    array = float_array("lengths", lengths, UnsupportedOption)
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise UnsupportedOption(f"lengths must be one number or have shape ({count},), not {array.shape}")
    bad = np.flatnonzero(~(array >= 0.0))
    if len(bad):
        raise UnsupportedOption(f"length {bad[0]} is {array[bad[0]]} ({len(bad)} in total): it must not be negative")
    return array
