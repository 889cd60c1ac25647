"""``ObjectPair``: two objects of a scene that are compared separately, because one of them is not a mesh in memory.

The query table (``query/table.py``) selects the solver, so that a scene supports every kind of object with a verdict.
"""

import math
from collections.abc import Generator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..pointcloud.cloud import PointCloud
from ..pointcloud.cloud_distance import CloudDistance
from ..query.found_pair import NO_POINTS, FoundPair, PairOfScene
from ..query.shape_pairs import contained_steps
from ..query.table import CLEARANCE, COLLIDES, DISTANCE, SHAPE, VERDICT, Query, SceneThing, ask, is_answered, kind_of
from ..solid.case import Limits
from ..solid.pair_verdict import PairVerdict
from ..traversal.solids import solid_of
from ..types.mesh import TriangleMesh
from ..types.pose import Pose, pose_of
from ..types.results import Progress, QueryStats
from ..types.steps import hold_progress, scale_progress
from ..types.verdict import APART
from .members import Members
from .results import NO_NAMES, FirstContact, PairGap, gap_of_meeting

_ROUNDING = 2.0**-40
"""Generous bound of the relative rounding error of a distance."""
_MEASURED = Progress(1.0, "")
_VERDICT_END, _NEAREST_END = 0.5, 0.7  # progress of ``gap_steps`` after its stages


class ObjectPair(NamedTuple):
    """Two objects of a scene with their poses."""

    ids: tuple[int, int]
    things: tuple[SceneThing, SceneThing]
    poses: tuple[Pose, Pose]
    names: Mapping[int, str] = NO_NAMES
    """Names of objects by id."""

    @classmethod
    def of(cls, scene: Members, a: int, b: int) -> "ObjectPair":
        """Return the pair of the objects with two ids."""
        members = scene.member(a), scene.member(b)
        return cls(
            (a, b),
            (members[0].thing, members[1].thing),
            (pose_of(members[0].rows), pose_of(members[1].rows)),
            scene.names,
        )

    def verdict_steps(
        self, limits: Limits, first_contact: bool = False
    ) -> Generator[Progress, None, tuple[PairVerdict | FirstContact, QueryStats]]:
        """Find the verdict of the pair, and the work.

        With ``first_contact``, the result for a pair that meets is one contact without a verdict.
        """
        found = yield from self._ask(VERDICT, limits=limits, detail=PairOfScene(self.ids, self.names, first_contact))
        if isinstance(found, PairVerdict):
            return found, found.contacts.stats
        return FirstContact(*self.ids, FoundPair(found, None, self.names)), found.stats

    def meets_steps(self) -> Generator[Progress, None, bool]:
        """Return whether the two objects are not apart, in slices; a gap within a cloud's resolution counts as not
        apart.
        """
        if SHAPE in map(kind_of, self.things):
            row_a, row_b = (pose.rows[None] for pose in self.poses)
            return bool((yield from meets_of_each_steps(self.ids, self.things, (row_a, row_b)))[0])
        found, _ = yield from self.verdict_steps(Limits(), first_contact=True)
        return found.verdict is not APART and not _is_small_gap(found)

    def proved_gap_steps(self) -> Generator[Progress, None, float]:
        """Return a lower bound [m] of how far two separate objects can move before they meet.

        The surface of a cloud lies within its margin of its points. The bound is minus infinity if one of the two is an
        open mesh, because the other object may enter it through a hole without contact; and if one is an exact shape.
        """
        for thing in self.things:
            mesh = thing.mesh if isinstance(thing, Hierarchy) else thing
            if kind_of(thing) is SHAPE or (isinstance(mesh, TriangleMesh) and not solid_of(mesh).closed):
                return -math.inf
        gap = yield from self._ask(DISTANCE)
        if isinstance(gap, CloudDistance):
            margins = [thing.lengths.margin for thing in self.things if isinstance(thing, PointCloud)]
            return (1.0 - _ROUNDING) * float(gap.sample_distance) - (1.0 + _ROUNDING) * sum(margins)
        return (1.0 - _ROUNDING) * float(gap.distance)

    def gap_steps(
        self, limits: Limits, tolerance: float | None, first_contact: bool = False
    ) -> Generator[Progress, None, tuple[PairGap | FirstContact | None, QueryStats]]:
        """Measure the gap between the two objects; return the gap and the work. The gap is None if it exceeds the
        tolerance [m].
        """
        judging = self.verdict_steps(limits._replace(touch_tolerance=0.0), first_contact)
        found, work = yield from scale_progress(judging, 0.0, _VERDICT_END)
        if isinstance(found, FirstContact):
            return found, work
        if found.verdict is not APART and not _is_small_gap(found):
            return gap_of_meeting(found), work
        gap = yield from scale_progress(self._ask(DISTANCE), _VERDICT_END, _NEAREST_END)
        work = work.plus(gap.stats)
        if gap.distance > (math.inf if tolerance is None else tolerance):
            return None, work
        if isinstance(gap, CloudDistance):
            nearest = int(gap.index_a), int(gap.index_b)
            near = np.array(nearest[:1], np.int32), np.array(nearest[1:], np.int32)
        else:
            nearest, near = (gap.triangle_a, gap.triangle_b), (NO_POINTS, NO_POINTS)
            if tolerance is not None and is_answered(CLEARANCE, self.things):
                within = yield from scale_progress(self._ask(CLEARANCE, tolerance=tolerance), _NEAREST_END, 1.0)
                first, second = (np.unique(triangles[triangles >= 0]) for triangles in within.pairs.T)
                near = first, second
        points = np.stack([gap.point_a, gap.point_b])
        nothing = FoundPair(found.contacts, points.mean(axis=0), self.names)
        measured = PairGap(*self.ids, float(gap.distance), points, nearest, *near, nothing)
        measured.undecided = found.undecided
        return measured, work

    def _ask(self, query: Query, **options: Any) -> Generator[Progress, None, Any]:
        return ask(query, self.things, self.poses, **options)


def comparing(ids: tuple[int, int]) -> str:
    """Return the text of the progress of a pair."""
    return f"comparing object {ids[0]} and object {ids[1]}"


def meets_of_each_steps(
    ids: tuple[int, int], things: tuple[SceneThing, SceneThing], rows: tuple[np.ndarray, np.ndarray]
) -> Generator[Progress, None, np.ndarray]:
    """Return in which poses (k, 3, 4) two objects are not apart, (k,) bool, as ``ObjectPair.meets_steps`` does."""
    if SHAPE in map(kind_of, things):
        met: np.ndarray = yield from ask(COLLIDES, things, rows)
        apart = np.flatnonzero(~met)
        if len(apart):
            met[apart] = yield from hold_progress(contained_steps(things, rows[0][apart], rows[1][apart]), _MEASURED)
        return met
    pairs = [ObjectPair(ids, things, (pose_of(row_a), pose_of(row_b))) for row_a, row_b in zip(*rows, strict=True)]
    found = []
    for k, pair in enumerate(pairs):
        found.append((yield from scale_progress(pair.meets_steps(), k / len(pairs), (k + 1) / len(pairs))))
    return np.array(found, np.bool_)


def _is_small_gap(found: PairVerdict | FirstContact) -> bool:
    """Return whether two objects have no common point, but come within a cloud's resolution of each other."""
    return isinstance(found, PairVerdict) and found.undecided and not (len(found.contacts) or len(found.inside))
