"""``collide``, ``collides`` and ``self_collide``: which triangles of two objects, or of one, meet."""

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
    """Every pair of triangles with a common point, decided exactly.

    A contact is defined on the float64 world coordinates that the poses give (``Pose.apply``); there is no epsilon.

    Args:
        a, b: meshes, hierarchies made by ``build``, or clustered meshes (``ClusteredMesh``), which have boxes only and
            answer on the CPU. A PointCloud gives CloudContacts, whatever ``touching``, ``volume`` and ``threads`` are:
            its surface is smoothed, so touching is no kind of its own.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) that asks k questions.
        touching: False keeps only contacts of kind CROSSING.
        volume: kind of bounding volume, default "aabb".
        threads: most threads to use; None leaves the choice to the engine.
        device: "cpu"; "cuda", a GPU; or "auto", which takes a GPU for enough triangles (``configure_device``). When a
            GPU fails in the middle, the CPU answers with a warning, and ``stats.note`` says so.
        engine: "hierarchies", which are built when first asked for and kept with the mesh; "voxels", which need no
            preparation; or "auto", which takes voxels for the first question about large meshes that have no
            hierarchies, where these would take longer to build. ``stats.engine`` says which it was.

    Returns:
        Contacts: pairs sorted by (pose, i, j), the same for every volume, builder, thread count, device and engine.

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
    """Whether the surfaces of two objects meet: False for one that lies inside the other without contact.

    Exact shapes (``mc.shapes.Sphere``, ``Inflated``) are filled, except for an inflated mesh.
    ``Scene.collides`` asks about solids, and counts such a pair; ``verdict`` says CONTAINED. It stops at the first
    contact. Arguments and errors as ``collide``.

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
    """Pairs (i < j) of triangles of one object that meet in more than what they share as neighbours.

    Left out are exactly the pairs that share one or two vertex indices and whose common points are that vertex, or that
    edge, and nothing else. What crosses, overlaps (a fold, a doubled face) or touches beyond it (an edge along another
    triangle, a T-junction) is reported. Vertices at one position under several indices are not shared: weld them
    (``TriangleMesh(..., weld=True)``), or every edge of a soup is reported. Arguments and errors as ``collide``.

    Example:
        >>> import meshclash as mc
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.5, 0.5, -1], [0.5, 0.5, 1], [3, 3, 0]]
        >>> mesh = mc.TriangleMesh(corners, [[0, 1, 2], [3, 4, 5]])
        >>> mc.self_collide(mesh).pairs
        array([[0, 1]], dtype=int32)
    """
    return ask(SELF_COLLIDE, (a,), (pose,), touching=touching, volume=volume, threads=threads, device=device)
