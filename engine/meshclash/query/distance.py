"""``distance``: the distance of the surfaces of two objects, and the nearest points."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, overload

from ..convex.exact_shapes import ExactShape
from ..hierarchy.bvh import MeshLike
from ..massive.mesh import ClusteredMesh
from ..pointcloud.cloud import PointCloud
from ..pointcloud.cloud_distance import CloudDistance
from ..pointcloud.query import Thing
from ..types.foreign_meshes import ForeignMesh
from ..types.pose import PoseLike
from ..types.results import Progress
from .results import Distance
from .table import DISTANCE, answers, ask

EXACT = 0.0


@overload
def distance(
    a: PointCloud,
    b: Thing | ForeignMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = EXACT,
    absolute_error: float = EXACT,
    start: Distance | CloudDistance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> CloudDistance: ...
@overload
def distance(
    a: Thing | ForeignMesh,
    b: PointCloud,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = EXACT,
    absolute_error: float = EXACT,
    start: Distance | CloudDistance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> CloudDistance: ...
@overload
def distance(
    a: MeshLike | ForeignMesh | ClusteredMesh | ExactShape,
    b: MeshLike | ForeignMesh | ClusteredMesh | ExactShape,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = EXACT,
    absolute_error: float = EXACT,
    upper_limit: float = math.inf,
    lower_limit: float = EXACT,
    start: Distance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Distance: ...
@answers(DISTANCE)
def distance(
    a: Any,
    b: Any,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = EXACT,
    absolute_error: float = EXACT,
    upper_limit: float = math.inf,
    lower_limit: float = EXACT,
    start: Distance | CloudDistance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, Distance | CloudDistance]:
    """Return the distance between the surfaces of two objects, and the nearest points.

    If an object lies inside a solid, its distance is measured to the surface of the solid. In contrast,
    ``Scene.distances`` compares solids, and its gap is 0 if one solid lies inside the other. If the surfaces have a
    common point, the distance is exactly 0, and the result contains one pair of triangles that touch or cross each
    other. If several pairs of triangles have the same smallest distance, the result contains the first pair in sorted
    order. Source of the search: Larsen, Gottschalk, Lin, Manocha, "Fast proximity queries with swept sphere volumes"
    (1999).

    Args:
        a, b: meshes, hierarchies made by ``build``, exact shapes (``mc.shapes.Sphere``, ``Inflated``, ...), or
            clustered meshes (``ClusteredMesh``), for which the permitted errors and ``start`` are ignored. With a
            PointCloud, the result is that of ``cloud_distance``. The permitted errors, ``start``, ``volume`` and
            ``threads`` then have no effect, and ``upper_limit`` and ``lower_limit`` are not supported.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) for k queries at once.
        relative_error, absolute_error: the result may exceed the true distance d, but is at most (d + absolute_error
            [m]) / (1 - relative_error); larger errors make the search faster.
        upper_limit: stop if no pair is within this distance [m]; the distance is then infinite. Infinity: no limit.
        lower_limit: stop at any pair within this distance [m]; the true distance is then at most the result, and
            ``Distance.lower_bound`` contains the proved lower bound.
        start: the result for an earlier pose, from whose pair of triangles the search starts. If the objects moved only
            a little, this makes the search many times faster; in a stack, the search for each pose starts from the
            result for the previous pose, but afresh after every 32 to 512 poses.
        volume: kind of bounding volume, default "aabb".
        threads, device: as for ``collide``.

    Raises:
        InvalidMesh, InvalidPose, DeviceUnavailable: as for ``collide``.
        UnsupportedOption: an error that is negative or not finite, a relative error of 1 or more, or a ``start`` that
            is not a Distance or belongs to other meshes or to another number of poses.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[2, 3] = 3.0
        >>> found = mc.distance(box, box, pose_b=pose)
        >>> found.distance, found.normal.tolist()
        (2.0, [0.0, 0.0, 1.0])
    """
    errors = {"relative_error": relative_error, "absolute_error": absolute_error}
    limits = {"upper_limit": upper_limit, "lower_limit": lower_limit}
    options = {"start": start, "volume": volume, "threads": threads, "device": device}
    return ask(DISTANCE, (a, b), (pose_a, pose_b), **errors, **limits, **options)
