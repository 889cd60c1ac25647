"""``distance``: how far apart the surfaces of two objects are, and where."""

import time
from typing import Any, overload

import numpy as np

from ..errors import UnsupportedOption
from ..gpu.device import may_answer
from ..hierarchy.build import as_hierarchies
from ..hierarchy.bvh import Hierarchy
from ..pointcloud.cloud import PointCloud
from ..pointcloud.distance import CloudDistance, cloud_distance
from ..pointcloud.query import Thing, is_for_clouds
from ..traversal.forest import plant
from ..traversal.near import NearAnswer, NearQuestion, near_steps, settled_steps
from ..traversal.near_single import nearest_at_once
from ..traversal.run import run
from ..types.mesh import TriangleMesh
from ..types.pose import PoseLike
from ..types.results import QueryStats
from ..volumes.registry import volume_named
from .device import ask_distances, mesh_of
from .options import check_device, check_length, check_served_device, check_share, check_threads, every_pose


class Distance:
    """The distance of two surfaces; for a stack of k poses every field but ``stats`` is an array with k in front.

    Attributes:
        distance: [m], float or (k,); 0 exactly when triangles meet.
        point_a: world point of a's surface nearest to b's [m], (3,) or (k, 3) float64.
        point_b: world point of b's surface nearest to a's [m].
        triangle_a: triangle of a on which ``point_a`` lies, int or (k,).
        triangle_b: triangle of b on which ``point_b`` lies.
    """

    __slots__ = ("_work", "distance", "point_a", "point_b", "triangle_a", "triangle_b")

    def __init__(
        self,
        distance: Any,
        point_a: np.ndarray,
        point_b: np.ndarray,
        triangle_a: Any,
        triangle_b: Any,
        work: QueryStats | tuple[int, int, int, float],
    ) -> None:
        self.distance = distance
        self.point_a = point_a
        self.point_b = point_b
        self.triangle_a = triangle_a
        self.triangle_b = triangle_b
        self._work = work  # what the statistics say: making them would take longer than to find the points

    @property
    def stats(self) -> QueryStats:
        """What the query did."""
        return self._work if isinstance(self._work, QueryStats) else QueryStats(*self._work)

    def __repr__(self) -> str:
        return f"Distance({self.distance!r} m, triangles {self.triangle_a!r} and {self.triangle_b!r})"


@overload
def distance(
    a: PointCloud,
    b: Thing,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = 0.0,
    absolute_error: float = 0.0,
    start: Distance | CloudDistance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> CloudDistance: ...
@overload
def distance(
    a: Thing,
    b: PointCloud,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = 0.0,
    absolute_error: float = 0.0,
    start: Distance | CloudDistance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> CloudDistance: ...
@overload
def distance(
    a: TriangleMesh | Hierarchy,
    b: TriangleMesh | Hierarchy,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = 0.0,
    absolute_error: float = 0.0,
    start: Distance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Distance: ...
def distance(
    a: Thing,
    b: Thing,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = 0.0,
    absolute_error: float = 0.0,
    start: Distance | CloudDistance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Distance | CloudDistance:
    """The smallest distance of any two triangles, with the nearest points.

    Distances are those of surfaces: of a solid inside another one, without contact, that to the wall. Where surfaces
    meet the distance is exactly 0, and the pair named is one of those that meet. Among pairs that are apart and equally
    near the one that sorts first is named. Source: Larsen, Gottschalk, Lin, Manocha, "Fast proximity queries with swept
    sphere volumes" (1999), for the search.

    Args:
        a, b: meshes, or hierarchies made by ``build``; with a PointCloud the result is that of ``cloud_distance``,
            whatever the errors, ``start``, ``volume`` and ``threads`` are.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) that asks k questions.
        relative_error, absolute_error: the true distance d may be overestimated, up to
            (d + absolute_error [m]) / (1 - relative_error); larger errors are found faster.
        start: the result for an earlier pose; when objects moved little its pair of triangles makes the search many
            times shorter. In a stack each pose starts from the one before.
        volume: kind of bounding volume, default "aabb".
        threads, device: as ``collide``.

    Raises:
        InvalidMesh, InvalidPose, DeviceUnavailable; UnsupportedOption: an error negative, not finite, or relative and
        not below 1; a ``start`` that is no Distance, of other meshes, or of another number of poses.
    """
    begin = time.perf_counter()
    check_threads(threads)
    errors = check_share("relative_error", relative_error), check_length("absolute_error", absolute_error)
    if is_for_clouds(a, b):
        check_device(device)
        volume_named(volume)
        if start is not None and not isinstance(start, Distance | CloudDistance):
            raise _no_start(start)
        return cloud_distance(a, b, pose_a, pose_b)
    device = check_served_device(device)
    if not may_answer(device, "distance_crossover"):
        nearest = _at_once(a, b, pose_a, pose_b, volume, start, errors, begin)
        if nearest is not None:
            return nearest
    meshes = mesh_of(a, volume), mesh_of(b, volume)
    rows_a, rows_b, stacked = every_pose(pose_a, pose_b)
    known = [] if start is None else _known_pairs(start, meshes, len(rows_a))
    found = ask_distances(device, meshes, volume, (rows_a, rows_b), known)
    answer = found.answer
    if answer is None:
        answer = _on_cpu(a, b, volume, (rows_a, rows_b), known, errors)
    return _result(answer, stacked, answer._replace(note=found.note).stats(time.perf_counter() - begin))


def _at_once(
    a: Any,
    b: Any,
    pose_a: Any,
    pose_b: Any,
    volume: str | None,
    start: Distance | CloudDistance | None,
    errors: tuple[float, float],
    begin: float,
) -> Distance | None:
    """The shortest way for one question; None where that does not answer, or something needs a closer look."""
    pair = None
    if start is not None:
        if type(start) is not Distance or type(start.triangle_a) is not int:
            return None
        pair = start.triangle_a, start.triangle_b
    tree_a, tree_b = as_hierarchies(a, b, volume)
    found = nearest_at_once(tree_a, tree_b, pose_a, pose_b, pair, errors)
    if found is None:
        return None
    length, points, (triangle_a, triangle_b), volume_tests, primitive_tests = found
    if length == 0.0:
        rows_a, rows_b, _ = every_pose(pose_a, pose_b)
        question = _question(tree_a, tree_b, (rows_a, rows_b), [], errors)
        known = np.array([found.pair], np.int32), np.zeros(1), points[None], np.zeros(1, np.int32)
        answer = run(settled_steps(question, NearAnswer(*known, volume_tests, primitive_tests, 0)))
        return _result(answer, False, answer.stats(time.perf_counter() - begin))
    counts = volume_tests, primitive_tests, 0, time.perf_counter() - begin
    return Distance(length, points[0], points[1], triangle_a, triangle_b, counts)


def _on_cpu(
    a: Any,
    b: Any,
    volume: str | None,
    rows: tuple[np.ndarray, np.ndarray],
    known: list[tuple[int, int]],
    errors: tuple[float, float],
) -> NearAnswer:
    """The CPU's answer, in slices."""
    tree_a, tree_b = as_hierarchies(a, b, volume)
    return run(near_steps(_question(tree_a, tree_b, rows, known, errors)))


def _question(
    tree_a: Hierarchy,
    tree_b: Hierarchy,
    rows: tuple[np.ndarray, np.ndarray],
    known: list[tuple[int, int]],
    errors: tuple[float, float],
) -> NearQuestion:
    jobs = np.zeros((len(rows[0]), 2), np.int64)
    pairs = np.full((len(jobs), 2), -1, np.int32)
    pairs[: len(known)] = np.reshape(known, (-1, 2))
    return NearQuestion(plant([tree_a]), plant([tree_b]), jobs, *rows, None, pairs, *errors)


def _result(answer: NearAnswer, stacked: bool, stats: QueryStats) -> Distance:
    points_a, points_b = answer.points[:, 0].copy(), answer.points[:, 1].copy()
    if stacked:
        return Distance(answer.distances, points_a, points_b, answer.pairs[:, 0], answer.pairs[:, 1], stats)
    pair = int(answer.pairs[0, 0]), int(answer.pairs[0, 1])
    return Distance(float(answer.distances[0]), points_a[0], points_b[0], *pair, stats)


def _no_start(start: object) -> UnsupportedOption:
    return UnsupportedOption(f"start must be the result of an earlier distance query, not a {type(start).__name__}")


def _known_pairs(
    start: Distance | CloudDistance, meshes: tuple[TriangleMesh, TriangleMesh], count: int
) -> list[tuple[int, int]]:
    """Pairs of triangles to start from, one or ``count`` of them."""
    if not isinstance(start, Distance):
        raise _no_start(start)
    if isinstance(start.triangle_a, int):
        known = [(start.triangle_a, start.triangle_b)]
    else:
        known = list(zip(start.triangle_a.tolist(), start.triangle_b.tolist(), strict=True))
    sizes = [mesh.triangle_count for mesh in meshes]
    if not all(0 <= t < sizes[0] and 0 <= u < sizes[1] for t, u in known):
        raise UnsupportedOption(f"start names triangles that meshes of {sizes[0]} and {sizes[1]} triangles do not have")
    if len(known) not in (1, count):
        raise UnsupportedOption(f"start holds {len(known)} poses, the question {count}")
    return known
