"""``collide``, ``collides`` and ``self_collide``: which triangles of two objects, or of one, meet."""

import time
from typing import Any, overload

import numpy as np

from ..hierarchy.build import as_hierarchies, as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..pointcloud.cloud import PointCloud
from ..pointcloud.contacts import CloudContacts
from ..pointcloud.query import Thing, collide_clouds, collides_clouds, is_for_clouds
from ..traversal.contacts import Contacts
from ..traversal.forest import plant
from ..traversal.leaf_tests import contact
from ..traversal.question import Answer, Question, uses_lanes
from ..traversal.run import answer_steps, run
from ..traversal.wide_engine import meet_at_once
from ..types.mesh import TriangleMesh
from ..types.numbers import truth
from ..types.pose import PoseLike
from ..volumes.registry import volume_named
from .device import ask_device
from .engines import AUTO, VOXELS, checked_engine, quick_contacts, require_hierarchies, voxel_contacts
from .options import check_device, check_served_device, check_threads, matched_poses

Meshes = tuple[TriangleMesh, TriangleMesh]


@overload
def collide(
    a: PointCloud,
    b: Thing,
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
    a: Thing,
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
    a: TriangleMesh | Hierarchy,
    b: TriangleMesh | Hierarchy,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
    engine: str = "auto",
) -> Contacts: ...
def collide(
    a: Thing,
    b: Thing,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
    engine: str = "auto",
) -> Contacts | CloudContacts:
    """Every pair of triangles with a common point, decided exactly.

    A contact is defined on the float64 world coordinates that the poses give (``Pose.apply``); there is no epsilon.

    Args:
        a, b: meshes, or hierarchies made by ``build``; a PointCloud gives CloudContacts, whatever ``touching``,
            ``volume`` and ``threads`` are: its surface is smoothed, so touching is no kind of its own.
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
    start = time.perf_counter()
    threads, touching, engine = check_threads(threads), truth("touching", touching), checked_engine(engine)
    if is_for_clouds(a, b):
        check_device(device)
        volume_named(volume)
        require_hierarchies(engine, "point clouds")
        return collide_clouds(a, b, pose_a, pose_b)
    if engine == VOXELS:
        return voxel_contacts(a, b, volume, pose_a, pose_b, touching, threads, device)
    found = ask_device(check_served_device(device), (a, b), volume, (pose_a, pose_b), crossing_only=not touching)
    if found.answer is not None:
        return _contacts_of(found.answer, found.meshes, found.rows, start)
    if engine == AUTO:
        contacts = quick_contacts(a, b, volume, pose_a, pose_b, touching, threads, found.note)
        if contacts is not None:
            return contacts
    tree_a, tree_b = as_hierarchies(a, b, volume)
    question, _ = contact_question(tree_a, tree_b, pose_a, pose_b, crossing_only=not touching, threads=threads)
    return _contacts((tree_a.mesh, tree_b.mesh), question, start, found.note)


def collides(
    a: Thing,
    b: Thing,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> bool | np.ndarray:
    """Whether any two triangles meet; stops at the first contact. Arguments and errors as ``collide``.

    Returns:
        bool; for a stack of k poses an array (k,) bool.
    """
    threads, touching = check_threads(threads), truth("touching", touching)
    if is_for_clouds(a, b):
        check_device(device)
        volume_named(volume)
        return collides_clouds(a, b, pose_a, pose_b)
    found = ask_device(check_served_device(device), (a, b), volume, (pose_a, pose_b), crossing_only=not touching)
    if found.answer is not None:
        met = np.zeros(len(found.asked.jobs), np.bool_)
        met[found.answer.jobs] = True
        return met if found.stacked else bool(met[0])
    tree_a, tree_b = as_hierarchies(a, b, volume)
    question, stacked = contact_question(
        tree_a, tree_b, pose_a, pose_b, crossing_only=not touching, first_only=True, threads=threads
    )
    if not stacked and uses_lanes(question):
        meeting = meet_at_once(tree_a, tree_b, question.rows_a, question.rows_b, not touching)
        if meeting is not None:
            return meeting
    answer = run(answer_steps(question))
    hit = np.zeros(len(question.jobs), np.bool_)
    hit[answer.jobs] = True
    return hit if stacked else bool(hit[0])


def self_collide(
    a: TriangleMesh | Hierarchy,
    pose: PoseLike = None,
    *,
    touching: bool = True,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Contacts:
    """Pairs (i < j) of triangles of one object that meet in more than what they share as neighbours.

    Left out are exactly the pairs that share one or two vertex indices and whose common points are that vertex, or that
    edge, and nothing else. What crosses, overlaps (a fold, a doubled face) or touches beyond it (an edge along another
    triangle, a T-junction) is reported. Vertices at one position under several indices are not shared: weld them
    (``TriangleMesh(..., weld=True)``), or every edge of a soup is reported. Arguments and errors as ``collide``.
    """
    start = time.perf_counter()
    threads, touching = check_threads(threads), truth("touching", touching)
    found = ask_device(
        check_served_device(device), (a, a), volume, (pose, pose), crossing_only=not touching, with_itself=True
    )
    if found.answer is not None:
        return _contacts_of(found.answer, found.meshes, found.rows, start)
    tree = as_hierarchy(a, volume)
    question, _ = contact_question(
        tree, tree, pose, pose, crossing_only=not touching, with_itself=True, threads=threads
    )
    return _contacts((tree.mesh, tree.mesh), question, start, found.note)


def contact_question(a: Hierarchy, b: Hierarchy, pose_a: Any, pose_b: Any, **flags: Any) -> tuple[Question, bool]:
    """What to ask about the contacts of two objects, and whether of a stack of poses; ``flags``: those of Question."""
    rows_a, rows_b, stacked = matched_poses(pose_a, pose_b)
    count = max(len(rows_a), len(rows_b))
    question = Question(plant([a]), plant([b]), np.zeros((count, 2), np.int64), rows_a, rows_b, contact, **flags)
    return question, stacked


def _contacts(meshes: Meshes, question: Question, start: float, note: str) -> Contacts:
    """The CPU's answer to a question asked at ``start`` of the performance counter."""
    answer = run(answer_steps(question))._replace(note=note)
    return _contacts_of(answer, meshes, (question.rows_a, question.rows_b), start)


def _contacts_of(answer: Answer, meshes: Meshes, rows: tuple[np.ndarray, np.ndarray], start: float) -> Contacts:
    stats = answer.stats(time.perf_counter() - start)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, rows)
