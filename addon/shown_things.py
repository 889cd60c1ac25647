"""State of the display in this session: page of the list, isolated and ghosted views, drawn hierarchy and voxels,
advice.

As in `scene_results`, the state contains no references to Blender data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from .core.table import Positions

if TYPE_CHECKING:
    from .core.advisor import MeasuredAdvice
    from .core.common_solid import ShownSolid
    from .core.levels import ShownHierarchy
    from .core.methods import MethodRun
    from .core.voxel_boxes import ShownVoxels


@dataclass
class Listed:
    """The content of the result list.

    Attributes:
        cells: values of each row of the page, so that only changes are written to Blender.
        order: the serial number of a result, and the positions in it of all listed rows, on all pages, in the order of
            the list; None if the list is empty. Read by `results.listed_order`.
        owners: full names of the objects whose pairs are listed; None for all objects.
        group: ids of the pairs of the chosen group, which are listed; None for all pairs.
        groups: ids of the pairs of each group.
        group_reasons: why the pairs of each group belong together; Blender's properties can store plain text only.
        reasons: why each pair is in its group, by pair id.
        grouped: serial of the result that is grouped, kind of grouping, and edits; None without groups.
        group_numbers: group of each pair, by pair id.
        group_sides: the two kinds of objects of each group.
        group_depth: depth that determines the unit for depths of groups, or None.
        columns: cached values to sort the rows of a result by, with their sources.
        marked: ids of pairs that are selected together, with Ctrl or Shift.
        names: names on the page, each once.
        typical: depth or distance that determines the unit of the values on the page, or None.
        names_of_events: names of all listed events.
        accepted: numbers of approved pairs by verdict, with the serial of the result and the approved ids.
    """

    cells: list[dict[str, object]] = field(default_factory=list)
    order: tuple[int, Positions] | None = None
    owners: frozenset[str] | None = None
    group: frozenset[str] | None = None
    groups: list[frozenset[str]] = field(default_factory=list)
    group_reasons: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    grouped: tuple[int, str, int] | None = None
    group_numbers: dict[str, int] = field(default_factory=dict)
    group_depth: float | None = None
    group_sides: list[tuple[str, str]] = field(default_factory=list)
    columns: dict[str, tuple[tuple[int, object], np.ndarray]] = field(default_factory=dict)
    marked: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    names_of_events: tuple[str, ...] = ()
    typical: float | None = None
    accepted: tuple[int, frozenset[str], Counter[str]] | None = None


class Viewpoint(NamedTuple):
    """Position of a 3D view, without its direction, which only the user changes.

    Attributes:
        x, y, z: centre of rotation [Blender units].
        distance: distance of the eye from the centre [Blender units].
        perspective: "PERSP", "ORTHO" or "CAMERA".
    """

    x: float
    y: float
    z: float
    distance: float
    perspective: str


class OfObjects(Protocol):
    """Data computed from objects: the full names of the objects, and whether one of them has moved or changed since."""

    owners: frozenset[str]
    stale: bool


T = TypeVar("T", bound=OfObjects)


class Drawn(Generic[T]):
    """An item, such as a hierarchy or voxels, that is drawn in one scene at a time."""

    def __init__(self) -> None:
        self._kept: tuple[int, T] | None = None  # and the session uid of its scene

    def show(self, scene_uid: int, shown: T) -> None:
        """Draw `shown` in a scene."""
        self._kept = scene_uid, shown

    def of(self, scene_uid: int) -> T | None:
        """Return the item that is drawn in a scene, or None."""
        return self._kept[1] if self._kept is not None and self._kept[0] == scene_uid else None

    def age(self, scene_uid: int, names: Iterable[str]) -> bool:
        """Record that objects of a scene moved or changed; return whether the drawn item becomes stale."""
        shown = self.of(scene_uid)
        if shown is None or shown.stale or shown.owners.isdisjoint(names):
            return False
        shown.stale = True
        return True

    def drop(self) -> None:
        """Free the item that is drawn."""
        self._kept = None


voxels: Drawn[ShownVoxels] = Drawn()
"""The voxels that two objects share."""
solid: Drawn[ShownSolid] = Drawn()
"""The common solid of two objects."""


class _State:
    """The mutable state of this module."""

    listed = Listed()
    # by key of a 3D view: names of the objects in its former local view; None if it was not in local view
    isolated: dict[int, tuple[str, ...] | None] = {}  # noqa: RUF012 - one per session on purpose
    # the same for views that are restored while a file is saved, and the objects to isolate again
    suspended: dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]] = {}  # noqa: RUF012
    ghosted: dict[int, dict[str, object]] = {}  # noqa: RUF012 - key of a 3D view: its shading before (`ghosting`)
    heated: dict[int, tuple[str, str]] = {}  # noqa: RUF012 - key of a 3D view: shading and colours before a heat map
    suspended_ghosts: tuple[int, ...] = ()
    viewpoints: dict[int, Viewpoint] = {}  # noqa: RUF012 - former viewpoint by key of a 3D view
    suspended_viewpoints: dict[int, tuple[Viewpoint, Viewpoint]] = {}  # noqa: RUF012
    hierarchy: tuple[int, ShownHierarchy] | None = None  # with the session uid of its object
    advice: MeasuredAdvice | None = None
    method_run: MethodRun | None = None


def listed() -> Listed:
    """Return the content of the result list."""
    return _State.listed


def isolated_views() -> dict[int, tuple[str, ...] | None]:
    """Return the 3D views that show only one pair: former local view by key of the view (see `view`)."""
    return _State.isolated


def suspend_views(
    views: dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]], points: dict[int, tuple[Viewpoint, Viewpoint]]
) -> None:
    """Store 3D views that temporarily show everything, and their former and current viewpoints."""
    _State.suspended, _State.suspended_viewpoints = views, points


def suspended_views() -> dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]]:
    """Return the 3D views to isolate again, by key: their value in `isolated_views`, and the objects to show."""
    return _State.suspended


def suspended_viewpoints() -> dict[int, tuple[Viewpoint, Viewpoint]]:
    """Return the former viewpoints of 3D views, and those to restore, by key of the view."""
    return _State.suspended_viewpoints


def ghosted_views() -> dict[int, dict[str, object]]:
    """Return the 3D views in which all but one pair is transparent: former shading by key of the view."""
    return _State.ghosted


def heated_views() -> dict[int, tuple[str, str]]:
    """Return the 3D views with the colours of a heat map: former shading and colours by key of the view."""
    return _State.heated


def suspend_ghosts(views: tuple[int, ...]) -> None:
    """Store 3D views whose ghosts are temporarily removed."""
    _State.suspended_ghosts = views


def suspended_ghosts() -> tuple[int, ...]:
    """Return the 3D views to make transparent again."""
    return _State.suspended_ghosts


def viewpoints() -> dict[int, Viewpoint]:
    """Return the former viewpoints of 3D views that were moved to an isolated or ghosted pair, by key of the view."""
    return _State.viewpoints


def show_hierarchy(uid: int, shown: ShownHierarchy) -> None:
    """Draw a hierarchy of the object with a session uid."""
    _State.hierarchy = uid, shown


def shown_hierarchy() -> ShownHierarchy | None:
    """Return the hierarchy that is drawn, or None."""
    return None if _State.hierarchy is None else _State.hierarchy[1]


def age_hierarchy(deformed: Iterable[int]) -> bool:
    """Record that meshes of objects, given by session uid, have changed; return whether the drawn hierarchy becomes
    stale.
    """
    if _State.hierarchy is None or _State.hierarchy[1].stale or _State.hierarchy[0] not in deformed:
        return False
    _State.hierarchy[1].stale = True
    return True


def drop_hierarchy() -> None:
    """Free the hierarchy that is drawn."""
    _State.hierarchy = None


def set_advice(advice: MeasuredAdvice | None) -> None:
    """Store the last results of the advisor."""
    _State.advice = advice


def advice() -> MeasuredAdvice | None:
    """Return the last results of the advisor, or None."""
    return _State.advice


def set_method_run(found: MethodRun | None) -> None:
    """Store the last result of a method from research papers."""
    _State.method_run = found


def method_run() -> MethodRun | None:
    """Return the last result of a method from research papers, or None."""
    return _State.method_run


def clear() -> None:
    """Discard all state of the open file; filters of the list are kept."""
    for views in (
        _State.isolated,
        _State.suspended,
        _State.ghosted,
        _State.viewpoints,
        _State.suspended_viewpoints,
    ):
        views.clear()
    _State.suspended_ghosts = ()
    drop_hierarchy()
    voxels.drop()
    solid.drop()
    set_advice(None)
    set_method_run(None)
