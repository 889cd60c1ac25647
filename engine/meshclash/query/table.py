"""The table of solvers defines which solver computes which query for which types of objects. This file is the best
starting point for readers of the code.

A public function (``collide.py``, ``distance.py``, ...) documents its arguments and calls ``ask``. Every query then
goes through the same steps:

1. The fast path for prepared small meshes, if the query has one (``Query.at_once``).
2. Options are checked by name (``options.py``), poses and objects once.
3. ``TABLE`` names the solver, a function in a file of ``solvers/``, by the query and the kinds of its sides, in either
   order. If an entry names several solvers, they are tried in order: a solver that returns ``UNANSWERED`` passes the
   query on. None is a valid result.
4. The solver runs in slices: ``steps(question, ...)`` performs the same steps except step 1.

To add a query: a ``Query`` and its lines of ``TABLE`` here, a public function, a function in ``solvers/`` for each kind
of object. To add a kind of object: an entry of ``Kind`` and of ``KINDS``, its lines of ``TABLE``, a file of its
solvers.
"""

import importlib
import time
from collections.abc import Callable, Generator
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from ..answering.devices import may_answer
from ..convex.exact_shapes import ExactShape
from ..errors import InvalidMesh, UnsupportedOption
from ..hierarchy.bvh import Hierarchy
from ..massive.mesh import ClusteredMesh
from ..messages import a_type
from ..pointcloud.cloud import PointCloud
from ..traversal.question import Answer
from ..traversal.ray_casting import Rays
from ..types.foreign_meshes import as_own
from ..types.mesh import TriangleMesh, no_mesh
from ..types.pose import Pose, matched_poses, pose_of
from ..types.results import Progress, QueryStats
from ..types.steps import UNANSWERED, in_slices, in_slices_unless, scale_progress
from .options import AUTO, Options, checked_options
from .shortcuts.prepared_collides import meeting_of_records
from .shortcuts.prepared_contacts import contacts_of_records
from .shortcuts.prepared_distance import distance_of_records
from .shortcuts.prepared_penetration import penetration_of_records
from .shortcuts.prepared_verdict import verdict_of_records
from .shortcuts.record import record_of

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Kind(Enum):
    """Kind of a side of a query; the value is its name in messages."""

    MESH = "meshes"
    CLOUD = "point clouds"
    CLUSTERED = "clustered meshes"
    POINTS = "points"
    SHAPE = "exact shapes"
    RAYS = "rays"


MESH, CLOUD, CLUSTERED, POINTS, SHAPE, RAYS = Kind
KINDS: dict[type, Kind] = {
    TriangleMesh: MESH, Hierarchy: MESH, PointCloud: CLOUD, ClusteredMesh: CLUSTERED, np.ndarray: POINTS,
    ExactShape: SHAPE, Rays: RAYS,
}  # fmt: skip
"""Kinds by type; an object with vertices and faces has already been converted to a ``TriangleMesh``."""
SceneThing = TriangleMesh | Hierarchy | PointCloud | ClusteredMesh | ExactShape
"""Objects that a scene accepts: they have a verdict, a distance and, in their own coordinates, ``bounds``."""


class Query(NamedTuple):
    """Properties of a query."""

    name: str
    """Name of the public function, for messages."""
    sides: int = 2
    served: bool = False
    """Whether a GPU can compute the query for meshes in memory."""
    crossover: str | None = None
    """Setting of the size from which on a GPU is used (``configure_device``); None: only if requested."""
    stacks: bool = True
    """Whether a stack of poses is accepted."""
    at_once: Callable[..., Any] | None = None
    """Fast path for two prepared meshes: a function of their records, poses and options that may return
    ``UNANSWERED``."""


COLLIDE = Query("collide", served=True, crossover="crossover", at_once=contacts_of_records)
COLLIDES = Query("collides", served=True, crossover="crossover", at_once=meeting_of_records)
SELF_COLLIDE = Query("self_collide", 1, served=True, crossover="crossover")
DISTANCE = Query("distance", served=True, crossover="distance_crossover", at_once=distance_of_records)
CLEARANCE = Query("clearance", served=True, crossover="clearance_crossover")
VERDICT = Query("verdict", stacks=False, at_once=verdict_of_records)
PENETRATION = Query("penetration", at_once=penetration_of_records)
SIGNED_DISTANCE = Query("signed_distance", stacks=False)
CONTAINS = Query("contains", stacks=False)
WINDING_NUMBER = Query("winding_number", stacks=False)
NEAREST = Query("nearest", stacks=False)
RAY_FIRST = Query("ray_first", stacks=False)
RAY_ANY = Query("ray_any", stacks=False)
RAY_COUNT = Query("ray_count", stacks=False)
RAY_ALL = Query("ray_all", stacks=False)
VOXEL_COLLIDE = Query("voxel_collide", served=True, stacks=False)
MASSIVE_COLLIDE = Query("massive_collide", stacks=False)


TABLE: dict[tuple[Any, ...], tuple[str, ...]] = {
    (COLLIDE, MESH, MESH): ("voxels.find_contacts", "meshes.find_prepared", "meshes.find_contacts"),
    (COLLIDE, CLOUD, MESH): ("clouds.find_contacts",),
    (COLLIDE, CLOUD, CLOUD): ("clouds.find_contacts",),
    (COLLIDE, CLUSTERED, MESH): ("clustered_meshes.find_contacts",),
    (COLLIDE, CLUSTERED, CLUSTERED): ("clustered_meshes.find_contacts",),
    (COLLIDES, MESH, MESH): ("meshes.find_prepared", "meshes.find_collision"),
    (COLLIDES, CLOUD, MESH): ("clouds.find_collision",),
    (COLLIDES, CLOUD, CLOUD): ("clouds.find_collision",),
    (COLLIDES, CLUSTERED, MESH): ("clustered_meshes.find_collision",),
    (COLLIDES, CLUSTERED, CLUSTERED): ("clustered_meshes.find_collision",),
    (COLLIDES, SHAPE, MESH): ("shapes.find_collision",),
    (COLLIDES, SHAPE, SHAPE): ("shapes.find_collision",),
    (SELF_COLLIDE, MESH): ("meshes.find_contacts",),
    (SELF_COLLIDE, CLUSTERED): ("clustered_meshes.find_contacts",),
    (DISTANCE, MESH, MESH): ("meshes.find_prepared", "meshes.find_distance"),
    (DISTANCE, CLOUD, MESH): ("clouds.find_distance",),
    (DISTANCE, CLOUD, CLOUD): ("clouds.find_distance",),
    (DISTANCE, CLUSTERED, MESH): ("clustered_meshes.find_distance",),
    (DISTANCE, CLUSTERED, CLUSTERED): ("clustered_meshes.find_distance",),
    (DISTANCE, SHAPE, MESH): ("shapes.find_distance",),
    (DISTANCE, SHAPE, SHAPE): ("shapes.find_distance",),
    (CLEARANCE, MESH, MESH): ("meshes.find_clearances",),
    (CLEARANCE, CLUSTERED, MESH): ("clustered_meshes.find_clearances",),
    (CLEARANCE, CLUSTERED, CLUSTERED): ("clustered_meshes.find_clearances",),
    (CLEARANCE, SHAPE, MESH): ("shapes.find_clearances",),
    (CLEARANCE, SHAPE, SHAPE): ("shapes.find_clearances",),
    (VERDICT, MESH, MESH): ("meshes.find_verdict",),
    (VERDICT, CLOUD, MESH): ("clouds.find_verdict",),
    (VERDICT, CLOUD, CLOUD): ("clouds.find_verdict",),
    (VERDICT, CLUSTERED, MESH): ("clustered_meshes.find_verdict",),
    (VERDICT, CLUSTERED, CLUSTERED): ("clustered_meshes.find_verdict",),
    (VERDICT, SHAPE, MESH): ("shapes.find_verdict",),
    (VERDICT, SHAPE, SHAPE): ("shapes.find_verdict",),
    (PENETRATION, MESH, MESH): ("meshes.find_prepared", "solids.find_convex_penetration", "solids.find_penetration"),
    (SIGNED_DISTANCE, MESH, POINTS): ("points.find_signed_distances",),
    (CONTAINS, MESH, POINTS): ("points.find_contained",),
    (WINDING_NUMBER, MESH, POINTS): ("points.find_winding_numbers",),
    (NEAREST, MESH, POINTS): ("points.find_nearest",),
    (RAY_FIRST, MESH, RAYS): ("rays.find_first",),
    (RAY_ANY, MESH, RAYS): ("rays.find_any",),
    (RAY_COUNT, MESH, RAYS): ("rays.find_counts",),
    (RAY_ALL, MESH, RAYS): ("rays.find_all",),
    (VOXEL_COLLIDE, MESH, MESH): ("voxels.find_common_voxels",),
    (MASSIVE_COLLIDE, MESH, MESH): ("levels_of_detail.find_close_runs",),
    (MASSIVE_COLLIDE, CLUSTERED, MESH): ("levels_of_detail.find_close_runs",),
    (MASSIVE_COLLIDE, CLUSTERED, CLUSTERED): ("levels_of_detail.find_close_runs",),
}
"""Solvers by query and types, "file.function" in ``solvers/``: a generator that takes a ``Request``.

The return value of the solver is the result, which may be None; ``UNANSWERED`` passes the query to the next solver."""


class Request(NamedTuple):
    """A query for a solver: everything is checked."""

    query: Query
    things: tuple[Any, Any]
    """Both objects; the same object twice if the query has one object."""
    rows: tuple[np.ndarray, np.ndarray]
    """Poses of both objects, (k, 3, 4) or (1, 3, 4) for all; the same poses twice if the query has one object."""
    stacked: bool
    """Whether a stack of poses was given, so that the result has one entry per pose."""
    options: Options
    start: float
    """Start time, by the performance counter [s]."""

    @property
    def every_row(self) -> tuple[np.ndarray, np.ndarray]:
        """Poses with one row for each pose of the query on both sides, (k, 3, 4)."""
        count = max(map(len, self.rows))
        a, b = (rows if len(rows) == count else np.repeat(rows, count, axis=0) for rows in self.rows)
        return a, b

    @property
    def poses(self) -> tuple[Pose, Pose]:
        """The first pose of each side."""
        return pose_of(self.rows[0][0]), pose_of(self.rows[1][0])

    @property
    def may_use_device(self) -> bool:
        """Whether a GPU may compute the result instead of the CPU."""
        return self.query.crossover is not None and may_answer(self.options.device, self.query.crossover)

    def met(self, poses: np.ndarray) -> bool | np.ndarray:
        """Return a yes-or-no result that is True for some poses (n,): (k,) bool for a stack of k poses, else bool."""
        met = np.zeros(max(map(len, self.rows)), np.bool_)
        met[poses] = True
        return met if self.stacked else bool(met[0])

    def stats(self, answer: Answer) -> QueryStats:
        """Return the statistics of a result, with the time until now."""
        return answer.stats(time.perf_counter() - self.start)


def answers(query: Query) -> Callable[[Callable[_P, Generator[Any, None, _T]]], Callable[_P, _T]]:
    """Decorate the generator of a query: make its public function."""
    return in_slices if query.at_once is None else in_slices_unless(_of_prepared(query, query.at_once))


def ask(query: Query, things: tuple[Any, ...], poses: tuple[Any, ...], **given: Any) -> Generator[Progress, None, Any]:
    """Compute a query in slices.

    Args:
        query: the query.
        things: the objects of the query.
        poses: poses of each object, in a form that the public functions accept.
        given: options by name, not checked.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption, DeviceUnavailable.
    """
    start = time.perf_counter()
    things = tuple([thing if type(thing) in KINDS else as_own(thing) for thing in things])
    kinds = tuple(map(kind_of, things))
    others = next((kind.value for kind in kinds if kind not in (MESH, POINTS, RAYS, None)), None)
    options = checked_options(given, CLUSTERED in kinds, others, query.served)
    names = _solvers_for(query, things, kinds)
    rows_a, rows_b, stacked = matched_poses(poses[0], poses[-1])
    if stacked and not query.stacks:
        raise UnsupportedOption(f"{query.name} takes one pose for each object, not a stack")
    request = Request(query, (things[0], things[-1]), (rows_a, rows_b), stacked, options, start)
    for name in names:
        answer = yield from scale_progress(_solver(name)(request), 0.0, 1.0)
        if answer is not UNANSWERED:
            return answer
    raise AssertionError(f"no solver supports {query.name}")


def _of_prepared(query: Query, tell: Callable[..., Any]) -> Callable[..., Any]:
    """Return the fast path of a query, for prepared small meshes and the default device."""
    crossover = query.crossover

    def at_once(
        a: Any = None, b: Any = None, pose_a: Any = None, pose_b: Any = None, *more: Any, device: Any = AUTO,
        **options: Any,
    ) -> Any:  # fmt: skip
        if more or device is not AUTO or (crossover is not None and may_answer(AUTO, crossover)):
            return UNANSWERED
        side_a, side_b = record_of(a), record_of(b)
        if side_a is None or side_b is None:
            return UNANSWERED
        if options:
            return tell(side_a, side_b, pose_a, pose_b, **options)
        return tell(side_a, side_b, pose_a, pose_b)

    return at_once


@cache
def _solver(name: str) -> Callable[[Request], Generator[Any, None, Any]]:
    """Return a solver by "file.function"; files are imported on first use."""
    file, function = name.split(".")
    solver: Callable[[Request], Generator[Any, None, Any]]
    solver = getattr(importlib.import_module(f".solvers.{file}", __package__), function)
    return solver


def kind_of(thing: Any) -> Kind | None:
    """Return the kind of an object; None if the table does not know the object's class."""
    return KINDS.get(type(thing)) or next((kind for of, kind in KINDS.items() if isinstance(thing, of)), None)


def is_answered(query: Query, things: tuple[Any, ...]) -> bool:
    """Return whether there is a solver for objects of these kinds."""
    return _listed(query, tuple(map(kind_of, things))) is not None


def _listed(query: Query, kinds: tuple[Kind | None, ...]) -> tuple[str, ...] | None:
    """Return the names of the solvers for kinds in either order; None if the table has no entry."""
    return TABLE.get((query, *kinds)) or TABLE.get((query, *reversed(kinds)))


def _solvers_for(query: Query, things: tuple[Any, ...], kinds: tuple[Kind | None, ...]) -> tuple[str, ...]:
    """Return the names of the solvers; raise InvalidMesh if the table has no entry."""
    names = _listed(query, kinds)
    if names is not None:
        return names
    usable = {kind for row in TABLE if row[0] is query for kind in row[1:]}
    assert usable, f"TABLE has no line for {query.name}"
    wanted = " or ".join(f"a {of.__name__}" for of, kind in KINDS.items() if kind in usable)
    for name, thing, kind in zip("ab", things, kinds, strict=False):
        if kind not in usable:
            raise InvalidMesh(f"{name}: {no_mesh(thing, wanted)}")
    raise InvalidMesh(f"{query.name} does not compare {' with '.join(map(a_type, things))}")
