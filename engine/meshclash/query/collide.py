"""``collide``, ``collides`` and ``self_collide``: the triangles of two objects, or of one, that have common points."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, overload

from ..convex.exact_shapes import ExactShape
from ..hierarchy.bvh import MeshLike
from ..massive.mesh import ClusteredMesh
from ..pointcloud.cloud import PointCloud
from ..pointcloud.cloud_contacts import CloudContacts
from ..pointcloud.query import Thing
from ..traversal.contacts import Contacts
from ..types.foreign_meshes import ForeignMesh
from ..types.pose import PoseLike
from ..types.results import Progress
from .table import COLLIDE, COLLIDES, SELF_COLLIDE, answers, ask


@overload
def collide(
    a: PointCloud,
    b: Thing | ForeignMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
    engine: str = "auto",
) -> CloudContacts: ...
@overload
def collide(
    a: Thing | ForeignMesh,
    b: PointCloud,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
    engine: str = "auto",
) -> CloudContacts: ...
@overload
def collide(
    a: MeshLike | ForeignMesh | ClusteredMesh,
    b: MeshLike | ForeignMesh | ClusteredMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
    engine: str = "auto",
) -> Contacts: ...
@answers(COLLIDE)
def collide(
    a: Any,
    b: Any,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
    engine: str = "auto",
) -> Generator[Progress, None, Contacts | CloudContacts]:
    """Return all pairs of triangles that have a common point. The result is exact.

    The function first computes the world coordinates of all vertices in float64 (``Pose.apply``). Exact arithmetic
    without an epsilon then decides whether triangles with these coordinates have a common point.

    Args:
        a, b: meshes, hierarchies made by ``build``, or clustered meshes (``ClusteredMesh``). For clustered meshes, the
            only bounding volumes are boxes, and the query runs on the CPU. If one object is a PointCloud, the result is
            a CloudContacts. With a PointCloud, ``touching``, ``volume`` and ``threads`` have no effect. The surface of
            a cloud is smoothed, so touching is not a separate kind of contact.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) for k queries at once.
        touching: False keeps only contacts of kind CROSSING.
        volume: kind of bounding volume, default "aabb".
        threads: maximum number of threads, which does not change the result; None uses all cores.
        device: "cpu"; "cuda" for a GPU; or "auto", which uses a GPU if there are enough triangles
            (``configure_device``); if the GPU fails during the query, MeshClash issues a warning, and the CPU computes
            the result; ``stats.note`` contains the reason.
        engine: "hierarchies" builds bounding volume hierarchies on first use and caches them with the mesh. "voxels"
            needs no preparation. "auto" uses voxels for the first query of large meshes without hierarchies, if
            building the hierarchies would take longer. ``stats.engine`` contains the engine that was used.

    Returns:
        Contacts: pairs sorted by (pose, i, j). The contacts do not depend on the volume, the builder, the number of
            threads, the device or the engine.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption, DeviceUnavailable.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[:3, 3] = 0.5, 0.0, 0.25
        >>> contacts = mc.collide(box, box, pose_b=pose)
        >>> len(contacts), contacts.pairs[0].tolist(), mc.ContactKind(contacts.kinds[0]).name
        (28, [2, 6], 'TOUCHING')
    """
    options = {"touching": touching, "volume": volume, "threads": threads, "device": device, "engine": engine}
    return ask(COLLIDE, (a, b), (pose_a, pose_b), **options)


@answers(COLLIDES)
def collides(
    a: Thing | ForeignMesh | ClusteredMesh | ExactShape,
    b: Thing | ForeignMesh | ClusteredMesh | ExactShape,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, Any]:
    """Return whether the surfaces of two objects have a common point. The search stops at the first contact.

    If an object lies inside another one without touching its surface, the result is False. To find such objects, use
    ``Scene.collides``, which compares solids, or ``verdict``, which returns CONTAINED. Exact shapes such as
    ``mc.shapes.Sphere`` count as solids, except for an ``Inflated`` mesh. The arguments and errors are the same as for
    ``collide``.

    Returns:
        bool; for a stack of k poses an array (k,) bool.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> poses = np.repeat(np.eye(4)[None], 3, axis=0)
        >>> poses[:, 0, 3] = 0.5, 1.0, 1.5
        >>> mc.collides(box, box, pose_b=poses)
        array([ True,  True, False])
        >>> mc.collides(box, box, pose_b=poses, touching=False)
        array([False, False, False])
    """
    return ask(COLLIDES, (a, b), (pose_a, pose_b), touching=touching, volume=volume, threads=threads, device=device)


@answers(SELF_COLLIDE)
def self_collide(
    a: MeshLike | ForeignMesh | ClusteredMesh,
    pose: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, Contacts]:
    """Return the pairs (i < j) of triangles of one object that touch or cross each other, apart from the vertex or edge
    that they share.

    If two triangles share one or two vertex indices, and have no common points except this vertex or edge, their pair
    is left out. All other contacts are reported. Triangles may cross each other, overlap in a fold or a doubled face,
    or touch elsewhere, as at a T-junction. Two vertices with different indices do not count as shared, even if they are
    at the same position. If your triangles do not share vertices, weld them with ``TriangleMesh(..., weld=True)``. If
    vertices are not welded, the function reports every edge. The arguments and errors are the same as for ``collide``.

    Example:
        >>> import meshclash as mc
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.5, 0.5, -1], [0.5, 0.5, 1], [3, 3, 0]]
        >>> mesh = mc.TriangleMesh(corners, [[0, 1, 2], [3, 4, 5]])
        >>> mc.self_collide(mesh).pairs
        array([[0, 1]], dtype=int32)
    """
    return ask(SELF_COLLIDE, (a,), (pose,), touching=touching, volume=volume, threads=threads, device=device)
