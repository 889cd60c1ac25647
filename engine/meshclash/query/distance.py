"""``distance``: how far apart the surfaces of two objects are, and where."""

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
    """How far apart the surfaces of two objects are, with the nearest points: inside a solid, how far from its wall.

    ``Scene.distances`` asks about solids, which have the gap 0 where one lies inside the other. Where surfaces meet
    the distance is exactly 0, and the pair named is one of those that meet. Among pairs that are apart and equally
    near the one that sorts first is named. Source: Larsen, Gottschalk, Lin, Manocha, "Fast proximity queries with swept
    sphere volumes" (1999), for the search.

    Args:
        a, b: meshes, hierarchies made by ``build``, exact shapes (``mc.shapes.Sphere``, ``Inflated``, ...), or
            clustered meshes (``ClusteredMesh``), whose distance is found without errors and ``start``. With a
            PointCloud the result is that of ``cloud_distance``, whatever the errors, ``start``, ``volume`` and
            ``threads`` are.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) that asks k questions.
        relative_error, absolute_error: the true distance d may be overestimated, up to
            (d + absolute_error [m]) / (1 - relative_error); larger errors are found faster.
        upper_limit: the search ends [m] where nothing is within it, and the distance is infinite; infinity for none.
        lower_limit: the search may end [m] at a pair that is no farther apart: the distance is then at most this.
            ``Distance.lower_bound`` says what is known. Point clouds take no limits.
        start: the result for an earlier pose; when objects moved little its pair of triangles makes the search many
            times shorter. In a stack each pose starts from the one before.
        volume: kind of bounding volume, default "aabb".
        threads, device: as ``collide``.

    Raises:
        InvalidMesh, InvalidPose, DeviceUnavailable; UnsupportedOption: an error negative, not finite, or relative and
        not below 1; a ``start`` that is no Distance, of other meshes, or of another number of poses.

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
