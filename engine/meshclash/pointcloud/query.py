"""Queries with clouds: whether two objects collide, within a time budget too, and where. One of them may be a mesh."""

import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..types.numbers import real_number
from ..types.pose import PoseLike, pose_stack
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices, scaled, steps
from .cloud import PointCloud
from .collision import PaperTest, cloud_search, finer_radius, mesh_search
from .contacts import CloudContacts
from .pair_search import CommonPoints, PairSearch, limit_resolution

Thing = PointCloud | MeshLike
MODES = ("root", "paper")
TEST_POINTS = 50
"""Test points of a pair of leaves in mode "paper", unless a PaperControl says otherwise."""
ENOUGH_IN_RADII = 0.3
"""d_eps of mode "paper", in sampling radii of the finer cloud."""


@dataclass(frozen=True, eq=False)
class CloudCollision:
    """The answer of ``cloud_collision``."""

    colliding: bool
    """The answer; the best one that the time allowed, where it is not complete."""
    probability: float
    """How likely a collision is: 1 where one was found, 0 where none is left possible, between them otherwise."""
    complete: bool
    """Whether the traversal came to its end: more time would change nothing."""
    point: np.ndarray | None
    """(3,) [m], world: a point on both surfaces, if one was found."""
    stats: QueryStats
    """Pairs of nodes (``volume_tests``), pairs of leaves (``primitive_tests``), evaluations (``exact_tests``)."""


class PaperControl:
    """Keeps queries of mode "paper" near a time budget, as Klein and Zachmann (2004, section 5.4) do.

    After each query the number of test points is multiplied by sqrt(budget / time), within a half and two, and the
    distance at which leaves count as colliding is divided by it, both within bounds.

    Args:
        budget: processor time that a query should take [s].
    """

    def __init__(self, budget: float) -> None:
        self.budget = _checked_positive("budget", budget, "seconds")
        self.test_points = float(TEST_POINTS)
        self.enough = ENOUGH_IN_RADII

    def after(self, seconds: float) -> None:
        """Take the time of the last query into account."""
        factor = min(2.0, max(0.5, (self.budget / max(seconds, 1e-9)) ** 0.5))
        self.test_points = min(1000.0, max(5.0, self.test_points * factor))
        self.enough = min(1.0, max(0.05, self.enough / factor))


def is_for_clouds(a: Any, b: Any) -> bool:
    """Whether a query is about a cloud, so that this module answers it.

    Raises:
        InvalidMesh: the other object is neither a cloud nor a mesh.
    """
    if not (isinstance(a, PointCloud) or isinstance(b, PointCloud)):
        return False
    for thing in (a, b):
        if not isinstance(thing, Thing):
            name = type(thing).__name__
            raise InvalidMesh(
                f"a PointCloud is compared with a PointCloud, TriangleMesh or Hierarchy, not with a {name}"
            )
    return True


def _checked_positive(name: str, value: Any, unit: str) -> float:
    number = real_number(value)
    if not 0.0 < number < np.inf:
        raise UnsupportedOption(f"{name} must be a finite number of {unit} above 0, not {value!r:.80}")
    return number


def prepared(thing: Thing) -> PointCloud | Hierarchy:
    """A cloud, or the box hierarchy of a mesh."""
    if isinstance(thing, PointCloud):
        return thing
    hierarchy = as_hierarchy(thing)
    return hierarchy if hierarchy.volume == "aabb" else as_hierarchy(hierarchy.mesh)


def build_now(thing: Thing) -> None:
    """Build what a query will need, if it is not built yet."""
    ready = prepared(thing)
    if isinstance(ready, PointCloud):
        _ = ready.built


def search_for(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, first_only: bool, paper: PaperTest | None = None
) -> tuple[PairSearch, bool]:
    """The traversal of two posed objects (3, 4), one of them a cloud, and whether it sees b as its first.

    ``paper`` is for two clouds.
    """
    first, second = prepared(a), prepared(b)
    if isinstance(first, PointCloud):
        if isinstance(second, PointCloud):
            if comes_second(first, second, rows_a, rows_b):
                return cloud_search(second, first, rows_b, rows_a, first_only, paper), True
            return cloud_search(first, second, rows_a, rows_b, first_only, paper), False
        return mesh_search(first, second, rows_a, rows_b, first_only), False
    assert isinstance(second, PointCloud)
    return mesh_search(second, first, rows_b, rows_a, first_only), True


def comes_second(a: PointCloud, b: PointCloud, rows_a: np.ndarray, rows_b: np.ndarray) -> bool:
    """Whether b is to be seen as the first of two posed clouds.

    That does not depend on which of them is named first, so that no answer does: a search from one side may find a
    grazing contact, or a nearest point, that one from the other side does not.
    """
    if a.point_count != b.point_count:
        return b.point_count < a.point_count
    return _place(b, rows_b) < _place(a, rows_a)


def _place(cloud: PointCloud, rows: np.ndarray) -> tuple[list[list[float]], float, list[list[float]]]:
    """What tells posed clouds with as many points from each other: bounds, how far they were moved, the whole pose."""
    numbers = rows.tolist()
    return cloud.bounds.tolist(), sum(abs(row[3]) for row in numbers), numbers


def pose_pairs(pose_a: Any, pose_b: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Rows (k, 3, 4) for both, and whether a stack was asked about."""
    rows_a, stacked_a = pose_stack(pose_a)
    rows_b, stacked_b = pose_stack(pose_b)
    count = max(len(rows_a), len(rows_b))
    if (stacked_a and len(rows_a) != count) or (stacked_b and len(rows_b) != count):
        raise UnsupportedOption(f"stacks of {len(rows_a)} and {len(rows_b)} poses do not match")
    return _repeated(rows_a, count), _repeated(rows_b, count), stacked_a or stacked_b


def _repeated(rows: np.ndarray, count: int) -> np.ndarray:
    """Rows (k, 3, 4) as they are, or a single pose so many times."""
    return rows if len(rows) == count else np.broadcast_to(rows, (count, 3, 4))


def one_pose(pose_a: Any, pose_b: Any, query: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows (3, 4) of both poses; raises UnsupportedOption for a stack and names the query."""
    rows_a, rows_b, stacked = pose_pairs(pose_a, pose_b)
    if stacked:
        raise UnsupportedOption(f"{query} takes one pose for each object, not a stack, when one of them is a cloud")
    return rows_a[0], rows_b[0]


def collides_clouds(a: Thing, b: Thing, pose_a: PoseLike = None, pose_b: PoseLike = None) -> bool | np.ndarray:
    """``collides`` where a or b is a PointCloud: whether a point lies on both surfaces."""
    rows_a, rows_b, stacked = pose_pairs(pose_a, pose_b)
    hits = [search_for(a, b, p, q, True)[0].finish().hit for p, q in zip(rows_a, rows_b, strict=True)]
    return np.array(hits, np.bool_) if stacked else hits[0]


@in_slices
def collide_clouds(
    a: Thing, b: Thing, pose_a: PoseLike = None, pose_b: PoseLike = None
) -> Generator[Progress, None, CloudContacts]:
    """``collide`` where a or b is a PointCloud: all regions in which the surfaces meet.

    Args:
        a, b: PointClouds, or one of them a TriangleMesh or its hierarchy.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) that asks k questions.

    Yields:
        Progress.

    Raises:
        InvalidMesh, InvalidPointCloud, InvalidPose, UnsupportedOption.
    """
    if not is_for_clouds(a, b):
        raise UnsupportedOption("collide_clouds needs a PointCloud")
    return (yield from common_points_steps(a, b, pose_a, pose_b, first_only=False))


def common_points_steps(
    a: Thing, b: Thing, pose_a: PoseLike, pose_b: PoseLike, first_only: bool
) -> Generator[Progress, None, CloudContacts]:
    """As ``collide_clouds`` of things that are known to have a cloud; all contacts of each pose, or one."""
    start = time.perf_counter()
    rows_a, rows_b, _ = pose_pairs(pose_a, pose_b)
    for thing, low in ((a, 0.0), (b, 0.25)):
        if isinstance(thing, PointCloud):
            yield from scaled(steps(thing.build), low, low + 0.25)
    found, stats = [], QueryStats()
    for k in range(len(rows_a)):
        search, swapped = search_for(a, b, rows_a[k], rows_b[k], first_only)
        yield from scaled(steps(search.finish), 0.5 + 0.5 * k / len(rows_a), 0.5 + 0.5 * (k + 1) / len(rows_a))
        found.append(_as_named(search.found(), swapped))
        stats = stats.plus(search.stats(0.0))
    stats = replace(stats, seconds=time.perf_counter() - start)
    pose = np.repeat(np.arange(len(found), dtype=np.int32), [len(one.points) for one in found])
    whole = CommonPoints(
        *map(np.concatenate, zip(*((one.pairs, one.points, one.regions) for one in found), strict=True))
    )
    return CloudContacts(whole, (a, b), (rows_a, rows_b), stats, pose)


def _as_named(found: CommonPoints, swapped: bool) -> CommonPoints:
    """The same with the pairs in the order in which the objects were named."""
    return replace(found, pairs=found.pairs[:, ::-1]) if swapped else found


def cloud_collision(
    a: Thing,
    b: Thing,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    budget: float | None = None,
    resolution: float | None = None,
    mode: str = "root",
    control: PaperControl | None = None,
) -> CloudCollision:
    """Whether two objects collide, one of them at least a cloud, by a deadline or down to a resolution.

    Args:
        a, b: PointClouds, or one of them a TriangleMesh or its hierarchy.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        budget: processor time [s] after which the best answer so far is given; building a hierarchy is not counted.
        resolution: length [m] below which nothing is resolved: parts of both no larger than this, whose
            boxes and sphere coverings overlap, count as contact. Never misses one, and finds some that are not there.
        mode: "root" searches pairs of leaves for a point on both surfaces; "paper" takes the priority and the random
            test points of Klein and Zachmann (2004), for clouds only.
        control: number of test points and distance of mode "paper", adapted after each query.

    Returns:
        CloudCollision.

    Raises:
        InvalidMesh, InvalidPointCloud, InvalidPose, UnsupportedOption.
    """
    if not is_for_clouds(a, b):
        raise UnsupportedOption("cloud_collision needs a PointCloud; for two meshes there is collides")
    for thing in (a, b):
        build_now(thing)
    begun = time.thread_time()
    rows_a, rows_b = one_pose(pose_a, pose_b, "cloud_collision")
    search, _ = search_for(a, b, rows_a, rows_b, True, _paper_test(a, b, mode, control))
    if resolution is not None:
        limit_resolution(search, _checked_positive("resolution", resolution, "metres"))
    if budget is None:
        search.finish()
    else:
        search.spend(_checked_positive("budget", budget, "seconds"), begun)
    seconds = time.thread_time() - begun
    if control is not None:
        control.after(seconds)
    probability = 1.0 if search.hit else search.probability()
    point = search.found().points[0] if search.hit else None
    return CloudCollision(probability >= 0.5, probability, search.complete, point, search.stats(seconds))


def _paper_test(a: Thing, b: Thing, mode: str, control: PaperControl | None) -> PaperTest | None:
    """What mode "paper" asks for; None for the other."""
    if not isinstance(mode, str) or mode not in MODES:
        raise UnsupportedOption(f"mode {mode!r:.80} is not known; known are {', '.join(MODES)}")
    if control is not None and not isinstance(control, PaperControl):
        raise UnsupportedOption(f"control must be a PaperControl, not a {type(control).__name__}")
    if mode == "root":
        if control is not None:
            raise UnsupportedOption('a PaperControl belongs to mode "paper"')
        return None
    if not (isinstance(a, PointCloud) and isinstance(b, PointCloud)):
        raise UnsupportedOption('mode "paper" needs two clouds')
    test_points = TEST_POINTS if control is None else round(control.test_points)
    enough = ENOUGH_IN_RADII if control is None else control.enough
    return PaperTest(test_points, enough * finer_radius(a, b))
