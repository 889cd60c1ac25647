"""What is shown in this session: the page of the list, isolated and ghosted views, a hierarchy, voxels, advice.

As in `scene_results`, nothing of it refers to Blender data.
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
    from .core.voxel_boxes import ShownVoxels


@dataclass
class Listed:
    """What the result list shows.

    Attributes:
        cells: of each row of the page, so that nothing is written to Blender twice.
        order: the serial of a result and the positions in it of all rows that are listed, on whatever page, in the
            order of the list; None where nothing is listed. Read by `results.listed_order`.
        owners: full names of the objects whose pairs alone are listed, or None.
        group: ids of the pairs of the chosen group, which alone are listed, or None.
        groups: ids of the pairs of each group.
        group_reasons: why the pairs of each group belong together; a property of Blender would keep plain text only.
        reasons: why each pair is in its group, by the id of the pair.
        grouped: of which result the groups are, by its serial, by what, and after which edits; None without groups.
        group_numbers: in which group each pair is, by the id of the pair.
        group_sides: the two kinds of objects of each group.
        group_depth: the depth in whose unit those of groups are written, or None.
        columns: values of the rows of a result, by which they are sorted, with what they depend on.
        marked: ids of pairs that are selected together, by Ctrl or Shift.
        names: of the page, each once.
        typical: the depth or distance in whose unit those of the page are written, or None.
        names_of_events: of all listed events.
        accepted: how many pairs of each verdict are approved, with the serial of the result and the approved ids.
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
    """From where a 3D view looks, but for its direction: that stays the user's.

    Attributes:
        x, y, z: what it turns about [Blender units].
        distance: how far from there the eye is [Blender units].
        perspective: "PERSP", "ORTHO" or "CAMERA".
    """

    x: float
    y: float
    z: float
    distance: float
    perspective: str


class OfObjects(Protocol):
    """What is made of objects as they stand: full names of these, and whether one moved or changed since."""

    owners: frozenset[str]
    stale: bool


T = TypeVar("T", bound=OfObjects)


class Drawn(Generic[T]):
    """A thing that is drawn in one scene at a time."""

    def __init__(self) -> None:
        self._kept: tuple[int, T] | None = None  # with the session uid of its scene

    def show(self, scene_uid: int, shown: T) -> None:
        """Makes `shown` the thing that is drawn, in that scene."""
        self._kept = scene_uid, shown

    def of(self, scene_uid: int) -> T | None:
        """The thing that is drawn in a scene, or None."""
        return self._kept[1] if self._kept is not None and self._kept[0] == scene_uid else None

    def age(self, scene_uid: int, names: Iterable[str]) -> bool:
        """Notes that objects of a scene moved or changed; returns whether that is news to what is drawn."""
        shown = self.of(scene_uid)
        if shown is None or shown.stale or shown.owners.isdisjoint(names):
            return False
        shown.stale = True
        return True

    def drop(self) -> None:
        """Frees what is drawn."""
        self._kept = None


voxels: Drawn[ShownVoxels] = Drawn()
"""The voxels that two objects share."""
solid: Drawn[ShownSolid] = Drawn()
"""The common solid of two objects."""


class _State:
    """The mutable values behind this module's functions."""

    listed = Listed()
    # key of a 3D view: names of the objects its local view showed before, None where it was not in local view
    isolated: dict[int, tuple[str, ...] | None] = {}  # noqa: RUF012 - one per session on purpose
    # the same of views that are given back while a file is saved, and what is to be isolated there again
    suspended: dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]] = {}  # noqa: RUF012
    ghosted: dict[int, dict[str, object]] = {}  # noqa: RUF012 - key of a 3D view: its shading before (`ghosting`)
    heated: dict[int, tuple[str, str]] = {}  # noqa: RUF012 - key of a 3D view: shading and colours before a heat map
    suspended_ghosts: tuple[int, ...] = ()
    viewpoints: dict[int, Viewpoint] = {}  # noqa: RUF012 - key of a 3D view: from where it looked before
    suspended_viewpoints: dict[int, tuple[Viewpoint, Viewpoint]] = {}  # noqa: RUF012
    hierarchy: tuple[int, ShownHierarchy] | None = None  # with the session uid of its object
    advice: MeasuredAdvice | None = None


def listed() -> Listed:
    """What the result list shows."""
    return _State.listed


def isolated_views() -> dict[int, tuple[str, ...] | None]:
    """The 3D views that show only one pair: key of the view to what its local view showed before (see `view`)."""
    return _State.isolated


def suspend_views(
    views: dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]], points: dict[int, tuple[Viewpoint, Viewpoint]]
) -> None:
    """Remembers 3D views that show everything for a moment, and from where they looked before and just now."""
    _State.suspended, _State.suspended_viewpoints = views, points


def suspended_views() -> dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]]:
    """The 3D views to isolate again: key of the view to what `isolated_views` has, and what is to be seen."""
    return _State.suspended


def suspended_viewpoints() -> dict[int, tuple[Viewpoint, Viewpoint]]:
    """From where the 3D views looked before and are to look again: by the key of the view."""
    return _State.suspended_viewpoints


def ghosted_views() -> dict[int, dict[str, object]]:
    """The 3D views in which all but one pair is transparent: key of the view to its shading before."""
    return _State.ghosted


def heated_views() -> dict[int, tuple[str, str]]:
    """The 3D views that show the colours of a heat map: key of the view to its shading and its colours before."""
    return _State.heated


def suspend_ghosts(views: tuple[int, ...]) -> None:
    """Remembers 3D views that are as before for a moment."""
    _State.suspended_ghosts = views


def suspended_ghosts() -> tuple[int, ...]:
    """The 3D views to make transparent again."""
    return _State.suspended_ghosts


def viewpoints() -> dict[int, Viewpoint]:
    """From where 3D views looked that were moved to a pair which is isolated, or among ghosts: by the view's key."""
    return _State.viewpoints


def show_hierarchy(uid: int, shown: ShownHierarchy) -> None:
    """Makes `shown`, of the object with that session uid, the hierarchy that is drawn."""
    _State.hierarchy = uid, shown


def shown_hierarchy() -> ShownHierarchy | None:
    """The hierarchy that is drawn, or None."""
    return None if _State.hierarchy is None else _State.hierarchy[1]


def age_hierarchy(deformed: Iterable[int]) -> bool:
    """Notes that meshes of objects, named by their session uids, have changed; returns whether that is news."""
    if _State.hierarchy is None or _State.hierarchy[1].stale or _State.hierarchy[0] not in deformed:
        return False
    _State.hierarchy[1].stale = True
    return True


def drop_hierarchy() -> None:
    """Frees the hierarchy that is drawn."""
    _State.hierarchy = None


def set_advice(advice: MeasuredAdvice | None) -> None:
    """Keeps what the advisor measured last."""
    _State.advice = advice


def advice() -> MeasuredAdvice | None:
    """What the advisor measured last, or None."""
    return _State.advice


def clear() -> None:
    """Forgets everything that belongs to the open file; what the list is asked for stays."""
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
