"""``cloud_collision``: whether two objects collide by a deadline, down to a size of nodes, or as in the paper."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ...errors import UnsupportedOption
from ...messages import a_type
from ...pointcloud.cloud import PointCloud
from ...pointcloud.collision import finer_radius
from ...pointcloud.pair_search import PairSearch, limit_resolution
from ...pointcloud.searches import (
    Thing,
    build_now,
    checked_positive,
    comes_second,
    is_for_clouds,
    one_pose,
    search_for,
)  # fmt: skip
from ...query.options import check_length
from ...types.arguments import one_of
from ...types.pose import PoseLike
from ...types.results import QueryStats
from .covering import covering_radii
from .paper_test import PaperTest, paper_search

METHODS = ("root", "paper")
TEST_POINTS = 50
"""Number of test points of a pair of leaves in method "paper", unless a PaperControl sets another number."""
ENOUGH_IN_RADII = 0.3
"""d_eps of method "paper", in sampling radii of the finer cloud."""


@dataclass(frozen=True, eq=False)
class CloudCollision:
    """The result that ``cloud_collision`` returns."""

    colliding: bool
    """The result; if it is not complete, the most likely result within the time."""
    probability: float
    """Probability that the complete search finds a collision: 1 if a collision was found, 0 if no collision is possible
    any more, otherwise the fraction of similar searches that found one."""
    complete: bool
    """Whether the traversal is complete, so that more time would not change the result."""
    point: np.ndarray | None
    """(3,) [m], world: a point on both surfaces, if one was found."""
    stats: QueryStats
    """Pairs of nodes (``volume_tests``), pairs of leaves (``primitive_tests``), evaluations (``exact_tests``)."""


class PaperControl:
    """Keeps queries with the method "paper" within a time budget. The rules are nearly those of Klein and Zachmann
    (2004, section 5.4).

    The rules adapt each query to the time that the previous query took. If the objects have moved a lot since then,
    this time is a poor guide. A query therefore also ends when its budget is spent, and returns the most likely result
    so far. After each query, the rules multiply the number of test points by the factor sqrt(budget / time), which is
    kept between one half and two. The distance at which leaves count as colliding is divided by the same factor. The
    number of test points and this distance stay within fixed limits.

    Args:
        budget: target processor time of a query [s].
    """

    def __init__(self, budget: float) -> None:
        self.budget = checked_positive("budget", budget, "seconds")
        self.test_points = float(TEST_POINTS)
        self.enough = ENOUGH_IN_RADII

    def after(self, seconds: float) -> None:
        """Adjust the parameters to the time that the last query took. If the argument is not a time, the method raises
        UnsupportedOption.
        """
        seconds = check_length("seconds", seconds)
        factor = min(2.0, max(0.5, (self.budget / max(seconds, 1e-9)) ** 0.5))
        self.test_points = min(1000.0, max(5.0, self.test_points * factor))
        self.enough = min(1.0, max(0.05, self.enough / factor))


def cloud_collision(
    a: Thing,
    b: Thing,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    budget: float | None = None,
    node_size: float | None = None,
    method: str = "root",
    control: PaperControl | None = None,
) -> CloudCollision:
    """Decide whether a point cloud collides with a mesh or another cloud. The search ends when a time budget is spent
    or a node size is reached.

    Args:
        a, b: PointClouds, or one PointCloud and a TriangleMesh or its hierarchy.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        budget: processor time [s] after which the most likely result so far is returned, None for the budget of
            ``control``; building a hierarchy is not counted.
        node_size: size [m] at which the search stops subdividing; two parts that are no larger than this and whose
            boxes overlap count as a contact, so the search misses no contact, but may find some that do not exist.
        method: "root" searches pairs of leaves for a point on both surfaces; "paper" uses the priority and the random
            test points of Klein and Zachmann (2004), for clouds only.
        control: number of test points and distance of method "paper", adapted after each query.

    Returns:
        CloudCollision.

    Raises:
        InvalidMesh, InvalidPointCloud, InvalidPose, UnsupportedOption.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> x, y = np.meshgrid(np.linspace(-1, 1, 40), np.linspace(-1, 1, 40))
        >>> cloud = mc.clouds.PointCloud(np.stack([x.ravel(), y.ravel(), np.zeros(1600)], axis=1))
        >>> mc.lab.cloud_collision(cloud, mc.shapes.sphere(0.5)).colliding
        True
    """
    if not is_for_clouds(a, b):
        raise UnsupportedOption("cloud_collision needs a PointCloud; use collides for two meshes")
    for thing in (a, b):
        build_now(thing)
    paper = _paper_test(a, b, method, control)
    begun = time.thread_time()
    rows_a, rows_b = one_pose(pose_a, pose_b, "cloud_collision")
    search = search_for(a, b, rows_a, rows_b, True)[0] if paper is None else _as_paper(a, b, rows_a, rows_b, paper)
    if node_size is not None:
        limit_resolution(search, checked_positive("node_size", node_size, "metres"))
    if budget is None and control is not None:
        budget = control.budget
    if budget is None:
        search.finish()
    else:
        search.spend(checked_positive("budget", budget, "seconds"), begun)
    seconds = time.thread_time() - begun
    if control is not None:
        control.after(seconds)
    probability = 1.0 if search.hit else search.probability()
    point = search.found().points[0] if search.hit else None
    return CloudCollision(probability >= 0.5, probability, search.complete, point, search.stats(seconds))


def _paper_test(a: Thing, b: Thing, method: str, control: PaperControl | None) -> PaperTest | None:
    """Return the test of method "paper"; None for the other method."""
    one_of("method", method, METHODS)
    if control is not None and not isinstance(control, PaperControl):
        raise UnsupportedOption(f"control must be a PaperControl, not {a_type(control)}")
    if method == "root":
        if control is not None:
            raise UnsupportedOption('a PaperControl can be used only with method "paper"')
        return None
    if not (isinstance(a, PointCloud) and isinstance(b, PointCloud)):
        raise UnsupportedOption('method "paper" needs two clouds')
    for cloud in (a, b):
        covering_radii(cloud)  # a part of building
    test_points = TEST_POINTS if control is None else round(control.test_points)
    enough = ENOUGH_IN_RADII if control is None else control.enough
    return PaperTest(test_points, enough * finer_radius(a, b))


def _as_paper(a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, test: PaperTest) -> PairSearch:
    """Run the traversal of two clouds in an order that does not depend on which one is passed first."""
    assert isinstance(a, PointCloud) and isinstance(b, PointCloud)
    if comes_second(a, b, rows_a, rows_b):
        return paper_search(b, a, rows_b, rows_a, test)
    return paper_search(a, b, rows_a, rows_b, test)
