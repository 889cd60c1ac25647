"""``signed_distance``, ``contains`` and ``winding_number``: where points lie with respect to one mesh."""

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
    """Distance of points to a mesh's surface, negative inside the solid that it bounds.

    For a closed mesh the sign is exact: it is decided by the predicates that decide contacts, however near a point is,
    and the distance is 0 for the points on the surface and for no others. Inside is where the winding number is not 0.

    An open mesh stands for the solid that it means (``solidity``): copies of faces merged, faces turned outward, inside
    where the generalised winding number is above one half. The distance is that to the faces that are there, and each
    sign has a certainty, low within holes and cracks.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        points: array-like, shape (n, 3), world coordinates [m].
        pose: of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        signed: False measures distances alone, none of them negative, of any mesh: also of terrain, and other surfaces
            that bound nothing.
        threads: most threads to use; None leaves the choice to the engine. The answer is the same.

    Raises:
        NotASolid: signs are asked for of an open mesh that bounds nothing; the message says where it is open.
        InvalidMesh, InvalidPose; UnsupportedOption: a stack of poses, points that are no finite (n, 3) numbers.

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
    """Which points lie in the solid that a mesh bounds; points on its surface do: a solid is a closed set.

    Args:
        mesh, points, pose, threads: as ``signed_distance``.

    Returns:
        (n,) bool; exact for a closed mesh, the likelier answer for an open one (``signed_distance`` says how certain).

    Raises:
        as ``signed_distance``.

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
    """How often a mesh's surface goes around points, triangles taken as they are wound; also for open meshes.

    The generalised winding number (Jacobson 2013): the solid angle of all triangles over 4 pi, 1 inside a closed mesh
    whose normals point outward and 0 outside. Of a closed mesh that is wound consistently it is the exact integer for
    every point off the surface. Of others it is summed with moments of far triangles (Barill 2018); the error is some
    thousandths, at most 0.01 in what was measured. On the surface itself it is the mean of both sides.

    Args:
        mesh, points, pose, threads: as ``signed_distance``.

    Returns:
        (n,) float64.

    Raises:
        as ``signed_distance``.

    Example:
        >>> import meshclash as mc
        >>> mc.winding_number(mc.shapes.box(1.0), [[0, 0, 0], [0, 0, 1]]).round(9).tolist()
        [1.0, 0.0]
    """
    return ask(WINDING_NUMBER, (mesh, checked_points(points)), (pose,), threads=threads)


def checked_points(points: Any) -> np.ndarray:
    """Points as (n, 3) float64; raises UnsupportedOption and names the first one that is none."""
    array = float_array("points", points, UnsupportedOption)
    if array.ndim != 2 or array.shape[1] != 3:
        raise UnsupportedOption(f"points must have shape (n, 3), not {array.shape}")
    bad = np.flatnonzero(~(np.abs(array) <= LARGEST_COORDINATE).all(axis=1))
    if len(bad):
        raise UnsupportedOption(
            f"point {bad[0]} is {array[bad[0]].tolist()} ({len(bad)} such in all): coordinates must be finite and at "
            f"most {LARGEST_COORDINATE:g} m"
        )
    return array
