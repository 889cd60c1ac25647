"""``collide``, ``collides`` and ``self_collide``: which triangles of two objects, or of one, meet."""

import time
from collections.abc import Generator
from typing import Any, overload

import numpy as np

from ..answering.answer import answer_steps
from ..answering.at_once import contacts_at_once
from ..answering.devices import device_serves, may_answer
from ..hierarchy.bvh import MeshLike
from ..massive.contacts import ContactOptions
from ..massive.mesh import ClusteredMesh
from ..pointcloud.cloud import PointCloud
from ..pointcloud.contacts import CloudContacts
from ..pointcloud.query import Thing, collide_clouds, collides_clouds, is_for_clouds
from ..traversal.contacts import Contacts
from ..traversal.packed import packed_of
from ..traversal.question import Answer, Question
from ..traversal.single import meets_at_once
from ..types.foreign import ForeignMesh, as_own
from ..types.numbers import truth
from ..types.pose import Pose, PoseLike, matched_poses
from ..types.results import Progress
from ..types.steps import in_slices, in_slices_unless, scaled, steps
from ..volumes.registry import volume_named
from .clustered import clustered_contacts, clustered_meet
from .engines import AUTO, VOXELS, checked_engine, quick_contacts, require_hierarchies, voxel_contacts
from .options import check_device, check_served_device, check_threads
from .sides import Meshes, packed_sides, question_about


def _contacts_at_once(
    a: Any, b: Any, pose_a: Any = None, pose_b: Any = None, *, touching: Any = True, device: Any = AUTO, **others: Any
) -> Contacts | None:
    """``collide`` of prepared small meshes by the shortest way; None where that does not answer."""
    if others or device is not AUTO or may_answer(AUTO):
        return None
    start, touching = time.perf_counter(), truth("touching", touching)
    side_a, side_b = packed_of(a), packed_of(b)
    if side_a is None or side_b is None:
        return None
    found = contacts_at_once(side_a, side_b, pose_a, pose_b, not touching, check_threads(None))
    return found and _contacts((side_a.parts.mesh, side_b.parts.mesh), found[1], found[0], start)


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
@in_slices_unless(_contacts_at_once)
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
            hierarchies, where these would take longer to build (``engines.py``). ``stats.engine`` says which it was.

    Returns:
        Contacts: pairs sorted by (pose, i, j), the same for every volume, builder, thread count, device and engine.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption, DeviceUnavailable.
    """
    a, b = as_own(a), as_own(b)
    start = time.perf_counter()
    threads, touching, engine = check_threads(threads), truth("touching", touching), checked_engine(engine)
    if isinstance(a, ClusteredMesh) or isinstance(b, ClusteredMesh):
        options_of_clusters = ContactOptions(crossing_only=not touching, threads=threads)
        asked = clustered_contacts((a, b), (pose_a, pose_b), options_of_clusters, volume, device, engine)
        return (yield from asked)
    if is_for_clouds(a, b):
        check_device(device)
        volume_named(volume)
        require_hierarchies(engine, "point clouds")
        return (yield from steps(collide_clouds, a, b, pose_a, pose_b))
    if engine == VOXELS:
        return voxel_contacts(a, b, volume, pose_a, pose_b, touching, threads, device)
    device = check_served_device(device)
    rows_a, rows_b, stacked = matched_poses(pose_a, pose_b)
    options = {"crossing_only": not touching, "threads": threads, "device": device}
    question, meshes = question_about(a, b, (rows_a, rows_b), volume, **options)
    if engine == AUTO and not device_serves(question):
        contacts = quick_contacts(a, b, volume, pose_a, pose_b, touching, threads)
        if contacts is not None:
            return contacts
    if not stacked and not may_answer(device):
        sides = packed_sides(a, b, volume)
        found = sides and contacts_at_once(*sides, Pose(rows_a[0]), Pose(rows_b[0]), not touching, threads)
        if found:
            return _contacts(meshes, found[1], found[0], start)
    return _contacts(meshes, question, (yield from scaled(answer_steps(question), 0.0, 1.0)), start)


def _met_at_once(
    a: Any, b: Any, pose_a: Any = None, pose_b: Any = None, *, touching: Any = True, device: Any = AUTO, **others: Any
) -> bool | None:
    """``collides`` of prepared small meshes by the shortest way; None where that does not answer."""
    if others or touching is not True or device is not AUTO or may_answer(AUTO):
        return None
    side_a, side_b = packed_of(a), packed_of(b)
    return None if side_a is None or side_b is None else meets_at_once(side_a, side_b, pose_a, pose_b, True)


@in_slices_unless(_met_at_once)
def collides(
    a: Thing | ForeignMesh | ClusteredMesh,
    b: Thing | ForeignMesh | ClusteredMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, bool | np.ndarray]:
    """Whether the surfaces of two objects meet: False for one that lies inside the other without contact.

    ``Scene.collides`` asks about solids, and counts such a pair; ``verdict`` says CONTAINED. It stops at the first
    contact. Arguments and errors as ``collide``.

    Returns:
        bool; for a stack of k poses an array (k,) bool.
    """
    a, b = as_own(a), as_own(b)
    threads, touching = check_threads(threads), truth("touching", touching)
    if isinstance(a, ClusteredMesh) or isinstance(b, ClusteredMesh):
        options_of_clusters = ContactOptions(crossing_only=not touching, first_only=True, threads=threads)
        return (yield from clustered_meet((a, b), (pose_a, pose_b), options_of_clusters, volume, device))
    if is_for_clouds(a, b):
        check_device(device)
        volume_named(volume)
        return collides_clouds(as_own(a), as_own(b), pose_a, pose_b)
    device = check_served_device(device)
    rows_a, rows_b, stacked = matched_poses(pose_a, pose_b)
    if not stacked and not may_answer(device):
        sides = packed_sides(a, b, volume)
        met = sides and meets_at_once(*sides, Pose(rows_a[0]), Pose(rows_b[0]), touching)
        if met is not None:
            return met
    options = {"crossing_only": not touching, "first_only": True, "threads": threads, "device": device}
    question, _ = question_about(a, b, (rows_a, rows_b), volume, **options)
    answer = yield from scaled(answer_steps(question), 0.0, 1.0)
    hit = np.zeros(len(question.jobs), np.bool_)
    hit[answer.jobs] = True
    return hit if stacked else bool(hit[0])


@in_slices
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
    """
    a = as_own(a)
    start = time.perf_counter()
    threads, touching = check_threads(threads), truth("touching", touching)
    if isinstance(a, ClusteredMesh):
        options_of_clusters = ContactOptions(crossing_only=not touching, with_itself=True, threads=threads)
        return (yield from clustered_contacts((a, a), (pose, pose), options_of_clusters, volume, device))
    rows_a, rows_b, _ = matched_poses(pose, pose)
    options = {"crossing_only": not touching, "threads": threads, "device": check_served_device(device)}
    question, meshes = question_about(a, a, (rows_a, rows_b), volume, with_itself=True, **options)
    return _contacts(meshes, question, (yield from scaled(answer_steps(question), 0.0, 1.0)), start)


def _contacts(meshes: Meshes, question: Question, answer: Answer, start: float) -> Contacts:
    """The answer to a question that was asked at ``start`` of the performance counter."""
    stats = answer.stats(time.perf_counter() - start)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, (question.rows_a, question.rows_b))
