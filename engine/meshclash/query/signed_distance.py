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
    """Return the distance of points from the surface of a mesh. For points inside the solid, the distance is negative.

    For a closed mesh, the sign is exact, however near a point is to the surface. MeshClash decides this sign with the
    same exact predicates as contacts. The distance is 0 if and only if the point lies on the surface. A point is inside
    a closed mesh if its winding number is not 0.

    An open mesh is treated as the solid that it approximates (``solidity``). MeshClash merges duplicate faces and turns
    faces outward. A point counts as inside an open mesh if its generalised winding number is above one half. The
    distance is measured to the faces that exist, even near a hole. Each sign has a certainty. The certainty is low for
    points in holes and cracks.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        points: array-like, shape (n, 3), world coordinates [m].
        pose: pose of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        signed: False computes distances without signs, which works for every mesh, even for terrain and other surfaces
            that do not bound a solid.
        threads: maximum number of threads, which does not change the result; None uses all cores.

    Raises:
        NotASolid: ``signed`` for an open mesh that does not bound a solid; the message says where the mesh is open.
        InvalidMesh, InvalidPose: the mesh or the pose is invalid.
        UnsupportedOption: a stack of poses, or points that are not a finite (n, 3) array.

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
    """Return for each point whether it lies inside the solid that a mesh bounds. Points on the surface count as inside.

    Args:
        mesh, points, pose, threads: as for ``signed_distance``.

    Returns:
        (n,) bool. The result is exact for a closed mesh. For an open mesh, the function returns the more likely result.
        The function ``signed_distance`` also returns how certain this result is.

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
    """Return the winding number of points: how often the surface of a mesh encloses each point. The mesh may be open.

    The function computes the generalised winding number (Jacobson 2013), which is the sum of the signed solid angles of
    all triangles, divided by 4 pi. The function uses the triangles as they are, and does not turn any of them. If a
    mesh is closed and its normals point outward, the winding number is 1 inside the mesh and 0 outside. If a mesh is
    closed and consistently wound, the winding number is exact at every point that does not lie on the surface. For
    other meshes, the function sums up distant triangles through their moments (Barill 2018). The error of this sum is
    some thousandths. The largest error that we measured was 0.01. At a point on the surface, the winding number is the
    mean of the values on both sides.

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
    """Check points, and return them as (n, 3) float64. If a point is invalid, raise UnsupportedOption, which names the
    first invalid point.
    """
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
