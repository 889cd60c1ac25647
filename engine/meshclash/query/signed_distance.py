"""``signed_distance``, ``contains`` and ``winding_number`` compute whether points are inside a mesh, and their distance
from the mesh.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..hierarchy.bvh import MeshLike
from ..types.foreign_meshes import ForeignMesh
from ..types.numbers import float_array, truth
from ..types.pose import LARGEST_COORDINATE, PoseLike
from ..types.results import Progress
from .results import SignedDistance
from .table import CONTAINS, SIGNED_DISTANCE, WINDING_NUMBER, answers, ask


@answers(SIGNED_DISTANCE)
def signed_distance(
    mesh: MeshLike | ForeignMesh,
    points: Any,
    pose: PoseLike = None,
    *,
    signed: bool = True,
    threads: int | None = None,
) -> Generator[Progress, None, SignedDistance]:
    """Return the distance of points from the surface of a mesh, negative inside its solid.

    For a closed mesh the sign is exact: it is decided by the same predicates as contacts, however near a point is. The
    distance is 0 exactly for points on the surface. A point is inside if its winding number is not 0.

    An open mesh is treated as the solid that it approximates (``solidity``): duplicate faces are merged, and faces are
    turned outward. A point is inside if its generalised winding number is above one half. The distance is measured to
    the existing faces. Each sign has a certainty, which is low in holes and cracks.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        points: array-like, shape (n, 3), world coordinates [m].
        pose: pose of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        signed: False computes distances without signs. This option works for every mesh, also for terrain and other
            surfaces that do not bound a solid.
        threads: maximum number of threads; None uses all cores. The number of threads does not change the result.

    Raises:
        NotASolid: ``signed`` for an open mesh that does not bound a solid; the message says where the mesh is open.
        InvalidMesh, InvalidPose; UnsupportedOption: a stack of poses, or points that are not a finite (n, 3) array.

    Example:
        >>> import meshclash as mc
        >>> mc.signed_distance(mc.shapes.box(2.0), [[0, 0, 0.5], [0, 0, 4]]).distance
        array([-0.5,  3. ])
    """
    detail = truth("signed", signed)
    return ask(SIGNED_DISTANCE, (mesh, checked_points(points)), (pose,), threads=threads, detail=detail)


@answers(CONTAINS)
def contains(
    mesh: MeshLike | ForeignMesh, points: Any, pose: PoseLike = None, *, threads: int | None = None
) -> Generator[Progress, None, np.ndarray]:
    """Return which points lie inside the solid that a mesh bounds, or on its surface.

    Args:
        mesh, points, pose, threads: as for ``signed_distance``.

    Returns:
        (n,) bool. The result is exact for a closed mesh. For an open mesh it is the more likely result, whose certainty
        ``signed_distance`` returns.

    Raises:
        as for ``signed_distance``.

    Example:
        >>> import meshclash as mc
        >>> mc.contains(mc.shapes.box(1.0), [[0, 0, 0], [0, 0, 0.5], [0, 0, 1]])
        array([ True,  True, False])
    """
    return ask(CONTAINS, (mesh, checked_points(points)), (pose,), threads=threads)


@answers(WINDING_NUMBER)
def winding_number(
    mesh: MeshLike | ForeignMesh, points: Any, pose: PoseLike = None, *, threads: int | None = None
) -> Generator[Progress, None, np.ndarray]:
    """Return the winding number of points: how often the surface of a mesh encloses each. Works for open meshes too.

    The function computes the generalised winding number (Jacobson 2013): the signed solid angle of all triangles
    divided by 4 pi. The winding of the triangles is not changed. Inside a closed mesh with outward normals the winding
    number is 1, outside it is 0. For a closed, consistently wound mesh, the winding number is the exact integer at
    every point off the surface. For other meshes, far triangles are summed through their moments (Barill 2018). The
    error is some thousandths, and was at most 0.01 in measurements. On the surface itself, the winding number is the
    mean of both sides.

    Args:
        mesh, points, pose, threads: as for ``signed_distance``.

    Returns:
        (n,) float64.

    Raises:
        as for ``signed_distance``.

    Example:
        >>> import meshclash as mc
        >>> mc.winding_number(mc.shapes.box(1.0), [[0, 0, 0], [0, 0, 1]]).round(9).tolist()
        [1.0, 0.0]
    """
    return ask(WINDING_NUMBER, (mesh, checked_points(points)), (pose,), threads=threads)


def checked_points(points: Any) -> np.ndarray:
    """Return checked points as (n, 3) float64; raise UnsupportedOption, which names the first invalid point."""
    array = float_array("points", points, UnsupportedOption)
    if array.ndim != 2 or array.shape[1] != 3:
        raise UnsupportedOption(f"points must have shape (n, 3), not {array.shape}")
    bad = np.flatnonzero(~(np.abs(array) <= LARGEST_COORDINATE).all(axis=1))
    if len(bad):
        raise UnsupportedOption(
            f"point {bad[0]} is {array[bad[0]].tolist()} ({len(bad)} in total): coordinates must be finite and at "
            f"most {LARGEST_COORDINATE:g} m"
        )
    return array
