"""``distance``: how far apart the surfaces of two objects are, and where."""

import time
from collections.abc import Generator
from typing import Any, Protocol, overload

import numpy as np

from ..answering.answer import answer_steps
from ..answering.devices import may_answer
from ..errors import UnsupportedOption
from ..hierarchy.build import as_hierarchies
from ..hierarchy.bvh import MeshLike
from ..massive.mesh import ClusteredMesh
from ..pointcloud.cloud import PointCloud
from ..pointcloud.distance import CloudDistance, cloud_distance
from ..pointcloud.query import Thing, is_for_clouds
from ..traversal.packed import Packed, pack, packed_of
from ..traversal.question import Answer, Goal, Question
from ..traversal.single import nearest_at_once
from ..types.foreign import ForeignMesh, as_own
from ..types.pose import PoseLike, every_pose
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices_unless, scaled, steps
from ..volumes.registry import volume_named
from .clustered import clustered_distances
from .engines import AUTO
from .options import check_device, check_length, check_served_device, check_share, check_threads
from .sides import mesh_of, question_about

EXACT = 0.0
_NO_ERRORS = (EXACT, EXACT)


class _Counted(Protocol):
    """A mesh, of which only the number of triangles matters."""

    @property
    def triangle_count(self) -> int: ...


class Distance:
    """The distance of two surfaces; for a stack of k poses every field but ``stats`` is an array with k in front.

    Attributes:
        distance: [m], float or (k,); 0 exactly when triangles meet.
        triangle_a: triangle of a on which ``point_a`` lies, int or (k,).
        triangle_b: triangle of b on which ``point_b`` lies.
    """

    __slots__ = ("_points", "_work", "distance", "triangle_a", "triangle_b")

    def __init__(
        self,
        distance: Any,
        points: np.ndarray,
        triangle_a: Any,
        triangle_b: Any,
        work: QueryStats | tuple[int, int, int, float],
    ) -> None:
        self.distance = distance
        self._points = points
        self.triangle_a = triangle_a
        self.triangle_b = triangle_b
        self._work = work  # what the statistics say: making them would take longer than to find the points

    @property
    def point_a(self) -> np.ndarray:
        """World point of a's surface nearest to b's [m], (3,) or (k, 3) float64."""
        return self._points[..., 0, :]

    @property
    def point_b(self) -> np.ndarray:
        """World point of b's surface nearest to a's [m]."""
        return self._points[..., 1, :]

    @property
    def stats(self) -> QueryStats:
        """What the query did."""
        return self._work if isinstance(self._work, QueryStats) else QueryStats(*self._work)

    def __repr__(self) -> str:
        return f"Distance({self.distance!r} m, triangles {self.triangle_a!r} and {self.triangle_b!r})"


def _distance_at_once(
    a: Any, b: Any, pose_a: Any = None, pose_b: Any = None, *, start: Any = None, device: Any = AUTO, **others: Any
) -> Distance | None:
    """``distance`` of prepared small meshes by the shortest way; None where that does not answer."""
    if others or device is not AUTO or may_answer(AUTO, "distance_crossover"):
        return None
    return _at_once(packed_of(a), packed_of(b), pose_a, pose_b, start, _NO_ERRORS, time.perf_counter())


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
    a: MeshLike | ForeignMesh | ClusteredMesh,
    b: MeshLike | ForeignMesh | ClusteredMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = EXACT,
    absolute_error: float = EXACT,
    start: Distance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Distance: ...
@in_slices_unless(_distance_at_once)
def distance(
    a: Any,
    b: Any,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    relative_error: float = EXACT,
    absolute_error: float = EXACT,
    start: Distance | CloudDistance | None = None,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, Distance | CloudDistance]:
    """How far apart the surfaces of two objects are, with the nearest points: inside a solid, how far from its wall.

    ``Scene.distances`` asks about solids, which are at distance 0 where one lies inside the other. Where surfaces meet
    the distance is exactly 0, and the pair named is one of those that meet. Among pairs that are apart and equally
    near the one that sorts first is named. Source: Larsen, Gottschalk, Lin, Manocha, "Fast proximity queries with swept
    sphere volumes" (1999), for the search.

    Args:
        a, b: meshes, hierarchies made by ``build``, or clustered meshes (``ClusteredMesh``), whose distance is found
            without errors and ``start``; with a PointCloud the result is that of ``cloud_distance``,
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
    a, b = as_own(a), as_own(b)
    begin = time.perf_counter()
    check_threads(threads)
    errors = check_share("relative_error", relative_error), check_length("absolute_error", absolute_error)
    if isinstance(a, ClusteredMesh) or isinstance(b, ClusteredMesh):
        rows_a, rows_b, stacked = every_pose(pose_a, pose_b)
        apart, things = yield from clustered_distances((a, b), (rows_a, rows_b), volume, device)
        if start is not None:
            _known_pairs(start, things, len(rows_a))
        return _result(apart, stacked, apart.stats(time.perf_counter() - begin))
    if is_for_clouds(a, b):
        check_device(device)
        volume_named(volume)
        if start is not None and not isinstance(start, Distance | CloudDistance):
            raise _no_start(start)
        return (yield from steps(cloud_distance, a, b, pose_a, pose_b))
    device = check_served_device(device)
    if not may_answer(device, "distance_crossover"):
        tree_a, tree_b = as_hierarchies(a, b, volume)
        nearest = _at_once(pack(a, tree_a), pack(b, tree_b), pose_a, pose_b, start, errors, begin)
        if nearest is not None:
            return nearest
    meshes = mesh_of(a, volume), mesh_of(b, volume)
    rows_a, rows_b, stacked = every_pose(pose_a, pose_b)
    known = [] if start is None else _known_pairs(start, meshes, len(rows_a))
    question = _question(a, b, volume, (rows_a, rows_b), known, errors, device)
    answer = yield from scaled(answer_steps(question), 0.0, 1.0)
    return _result(answer, stacked, answer.stats(time.perf_counter() - begin))


def _at_once(
    a: Packed | None,
    b: Packed | None,
    pose_a: Any,
    pose_b: Any,
    start: Distance | CloudDistance | None,
    errors: tuple[float, float],
    begin: float,
) -> Distance | None:
    """The shortest way for one question; None where that does not answer, or something needs a closer look."""
    if a is None or b is None:
        return None
    pair = None
    if start is not None:
        if type(start) is not Distance or type(start.triangle_a) is not int:
            return None
        pair = start.triangle_a, start.triangle_b
    found = nearest_at_once(a, b, pose_a, pose_b, pair, errors)
    if found is None:
        return None
    length, points, (triangle_a, triangle_b), counts = found
    return Distance(length, points, triangle_a, triangle_b, (*counts, time.perf_counter() - begin))


def _question(
    a: Any,
    b: Any,
    volume: str | None,
    rows: tuple[np.ndarray, np.ndarray],
    known: list[tuple[int, int]],
    errors: tuple[float, float],
    device: str = "cpu",
) -> Question:
    start = np.full((len(rows[0]), 2), -1, np.int32)
    start[: len(known)] = np.reshape(known, (-1, 2))
    relative, absolute = errors
    options = {"start": start, "relative_error": relative, "absolute_error": absolute, "device": device}
    return question_about(a, b, rows, volume, goal=Goal.NEAREST, **options)[0]


def _result(answer: Answer, stacked: bool, stats: QueryStats) -> Distance:
    if stacked:
        return Distance(answer.distances, answer.points, answer.pairs[:, 0], answer.pairs[:, 1], stats)
    pair = int(answer.pairs[0, 0]), int(answer.pairs[0, 1])
    return Distance(float(answer.distances[0]), answer.points[0], *pair, stats)


def _no_start(start: object) -> UnsupportedOption:
    return UnsupportedOption(f"start must be the result of an earlier distance query, not a {type(start).__name__}")


def _known_pairs(
    start: Distance | CloudDistance, meshes: tuple[_Counted, _Counted], count: int
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
