"""``LiveContacts``: the contacts of a scene, kept up to date while objects move, deform, are added and removed.

Every pair of objects whose boxes overlap is stored with the revisions of its two objects. An update compares only
pairs with an object that has changed since, and commits the results portion by portion. It can be cancelled at any
time: committed results stay, and the next update continues with the rest.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..query.limits import checked_limits
from ..query.options import check_device
from ..solid.case import Case
from ..solid.pair_verdict import PairVerdict
from ..types.copying import Changeable
from ..types.numbers import truth
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices, scale_progress
from ..types.verdict import APART, TOUCHING
from .alike_pairs import AlikePairs
from .clock import Clock
from .members import Keep, Keys, members_of_scene
from .object_pair import ObjectPair
from .pair_keys import different_pairs, no_pairs, pair_keys
from .results import FirstContact
from .verdict_stage import alike_portions, first_contacts_of, stays

if TYPE_CHECKING:
    from .scene import Scene

_BATCH = 256
"""Different pairs that are traversed together: few enough for frequent commits, enough to be worth a kernel call."""

_ONE_BY_ONE = "comparing pairs with a point cloud or a massive mesh"
Pair = tuple[int, int]
Sets = tuple[Keys, Keys, Keep | None]
"""``set_a``, ``set_b`` and ``keep`` of a query."""


@dataclass
class LiveChanges:
    """The changes since the last call of ``take_changes``; a pair is in at most one of the three lists."""

    found: dict[Pair, Any] = field(default_factory=dict)
    """New and changed pairs. ``LiveContacts`` gives complete ``PairVerdict`` objects. ``LiveGaps`` gives ``PairGap``
    objects, which in first-contact mode lack the triangles within the tolerance."""
    meeting: dict[Pair, FirstContact] = field(default_factory=dict)
    """Pairs that meet, compared in first-contact mode."""
    gone: set[Pair] = field(default_factory=set)
    """Pairs reported earlier that are not listed any more: now apart, or an object was removed or excluded."""


class _Known(NamedTuple):
    """The state of n pairs, sorted by their ids."""

    pairs: np.ndarray
    """Ids, (n, 2) int64."""
    revisions: np.ndarray
    """Revisions of the two objects when the pair was last compared, (n, 2) int64; -1 if never."""
    complete: np.ndarray
    """Whether the result is complete, not just a first contact, (n,) bool."""
    current: np.ndarray
    """Revisions of the objects in this update, (n, 2) int64."""
    keys: np.ndarray
    """One number for each pair, (n,) int64, ascending."""


class LivePairs(Changeable, ABC):
    """Base class of ``LiveContacts`` and ``LiveGaps``: a list of pairs of a scene, reported as changes per update.

    Args:
        scene: the scene to watch; it is not changed.

    Attributes:
        unanswered: ids (k, 2) int64 of the pairs of the last update that cannot be compared: a point cloud and a
            clustered mesh.
        stats: QueryStats, the work of the last update.
    """

    def __init__(self, scene: "Scene") -> None:
        self._scene = members_of_scene(scene)
        self.unanswered = no_pairs()
        self.stats = QueryStats()

    def _shared_things(self) -> Iterable[object]:
        return (self._scene, *self._scene.things)

    @property
    @abstractmethod
    def incomplete(self) -> int:
        """Number of pairs with an incomplete result from first-contact mode."""

    @abstractmethod
    def take_changes(self) -> LiveChanges:
        """Return the changes since the last call."""

    @abstractmethod
    def _steps(self, sets: Sets, first_contact: bool, device: str) -> Generator[Progress, None, QueryStats]:
        """Run an update in slices and return its work."""

    @in_slices
    def update(
        self,
        *,
        set_a: Keys = None,
        set_b: Keys = None,
        keep: Keep | None = None,
        first_contact: bool = False,
        device: str = "cpu",
    ) -> Generator[Progress, None, LiveChanges]:
        """Compare the pairs that changed, and return the changes as ``take_changes`` does.

        If this runs in slices, do not change the scene before the last slice. You may call ``take_changes`` between
        slices.

        Args:
            set_a, set_b, keep: as ``Scene.contacts``.
            first_contact: True: find only one contact of each pair whose surfaces meet. Pairs whose surfaces do not
                meet are judged or measured completely all the same. False: also complete the pairs that an earlier
                update left incomplete.
            device: as ``Scene.contacts``. With a device other than "cpu", the contacts of all pairs are found in one
                query. They are lost if the update is cancelled before their verdicts are computed.

        Raises:
            UnknownObject, UnsupportedOption, DeviceUnavailable, SceneChanged: as ``Scene.contacts``. Results found
            before the scene changed are kept, and the next update continues with the rest.
        """
        asked = truth("first_contact", first_contact), check_device(device, served=True)
        self.stats = yield from self._scene.unedited(self._steps((set_a, set_b, keep), *asked))
        return self.take_changes()


class LiveContacts(LivePairs):
    """Keeps the pairs of a scene that are not apart up to date, and returns the changes.

    Args:
        scene: the scene to watch; it is not changed.
        permitted_overlap, touch_tolerance: see ``verdict``.

    Raises:
        UnsupportedOption: a length is negative or not finite.
    """

    def __init__(self, scene: "Scene", permitted_overlap: float | str = 0.0, touch_tolerance: float = 0.0) -> None:
        super().__init__(scene)
        self._limits = checked_limits(permitted_overlap, touch_tolerance)
        self._known = _nothing_known(np.empty((0, 2), np.int64), np.empty((0, 2), np.int64))
        self._listed: dict[Pair, PairVerdict] = {}  # pairs with a complete result that are not apart
        self._reported: set[Pair] = set()
        self._changes = LiveChanges()

    def change_limits(self, permitted_overlap: float | str = 0.0, touch_tolerance: float = 0.0) -> None:
        """Change the limits; only pairs whose result may change are queried again.

        Args:
            permitted_overlap, touch_tolerance: see ``verdict``.

        Raises:
            UnsupportedOption: a length is negative or not finite.
        """
        old, self._limits = self._limits, checked_limits(permitted_overlap, touch_tolerance)
        if self._limits == old:
            return
        other_reach = old.touch_tolerance != self._limits.touch_tolerance
        pairs = self._known.pairs
        special, rounding = self._scene.with_special(pairs).tolist(), self._scene.rounding_of(pairs)
        for place, (a, b) in enumerate(pairs.tolist()):
            pair = self._listed.get((a, b))
            doubted = pair is not None and (special[place] or not stays(pair, self._limits, rounding[place]))
            if doubted or (other_reach and (pair is None or pair.verdict is TOUCHING)):
                self._known.revisions[place] = -1

    @property
    def incomplete(self) -> int:
        """Number of pairs with an incomplete result from first-contact mode."""
        return int(np.count_nonzero(~self._known.complete & (self._known.revisions[:, 0] >= 0)))

    def _steps(self, sets: Sets, first_contact: bool, device: str) -> Generator[Progress, None, QueryStats]:
        clock = Clock()
        yield from self._scene.cloud_steps()
        unanswered: list[np.ndarray] = []
        notes: list[str] = []
        pairs = self._scene.candidates(*sets, self._limits, device, notes, unanswered, follow=True)
        self.unanswered = different_pairs(unanswered)
        work = QueryStats(note="; ".join(notes))
        asked = self._pairs_to_ask(pairs, first_contact)
        clock.stop("broad phase")
        yield Progress(0.0, "comparing bounding boxes")
        clouds = self._scene.with_special(asked)
        for a, b in asked[clouds].tolist():
            judging = ObjectPair.of(self._scene, a, b).verdict_steps(self._limits, first_contact)
            item, taken = yield from scale_progress(judging, 0.0, 0.0, _ONE_BY_ONE)
            if isinstance(item, FirstContact):
                self._now_known(np.array([[a, b]]), complete=False)
                self._meets(item)
            else:
                self._commit(np.array([[a, b]]), {} if item.verdict is APART else {(a, b): item})
            work = work.plus(taken)
        alike = yield from self._scene.alike_steps(asked[~clouds])
        if len(alike.first):
            apart = yield from self._scene.round_apart_steps(alike.first, self._limits.touch_tolerance)
            self._commit(alike.masked(apart).pairs, {})
            alike = alike.masked(~apart)
        together = _BATCH if device == "cpu" else max(len(alike.first), 1)
        done, total = 0, len(alike.pairs)
        for begin in range(0, len(alike.first), together):
            some = alike.chosen(begin, begin + together)
            finding = self._scene.case_steps(some.first, self._limits, clock, first_contact, device)
            share, text = done / total, f"comparing object pair {done + 1} of {total}"
            case, near = yield from scale_progress(finding, share, share, text)
            work = work.plus(case.answer.stats())
            is_near = np.isin(pair_keys(some.first), pair_keys(near), assume_unique=True)
            self._commit(some.masked(~is_near).pairs, {})  # their tight boxes are apart
            done += len(some.pairs)
            some = some.masked(is_near)
            if first_contact:
                case, some = self._commit_first_contacts(case, some)
            done -= len(some.pairs)
            for pairs, found in alike_portions(case, some, self._limits, self._scene.names):
                if len(pairs):
                    self._commit(pairs, {(item.a, item.b): item for item in found})
                done += len(pairs)
                yield Progress(done / total, f"judging object pair {done} of {total}")
            clock.stop("verdicts")
        return replace(work, seconds=clock.total, timings=clock.timings)

    def take_changes(self) -> LiveChanges:
        """Return the changes since the last call."""
        changes, self._changes = self._changes, LiveChanges()
        self._reported -= changes.gone
        self._reported |= changes.found.keys() | changes.meeting.keys()
        return changes

    def _pairs_to_ask(self, pairs: np.ndarray, first_contact: bool) -> np.ndarray:
        """Return the candidates that are new, changed or to be completed; drops pairs that are no longer candidates."""
        old, new = self._known, _nothing_known(pairs, self._scene.revisions(pairs))
        keys, old_keys = new.keys, old.keys
        place = np.searchsorted(old_keys, keys)
        kept = place < len(old_keys)
        kept[kept] = old_keys[place[kept]] == keys[kept]
        new.revisions[kept] = old.revisions[place[kept]]
        new.complete[kept] = old.complete[place[kept]]
        self._known = new
        for a, b in old.pairs[~np.isin(old_keys, keys, assume_unique=True)].tolist():
            self._drop((a, b))
        fresh = (new.revisions == new.current).all(axis=1)
        return pairs[~fresh | ~(new.complete | first_contact)]

    def _now_known(self, pairs: np.ndarray, complete: bool) -> None:
        known = self._known
        place = np.searchsorted(known.keys, pair_keys(pairs))
        known.revisions[place] = known.current[place]
        known.complete[place] = complete

    def _commit_first_contacts(self, case: Case, alike: AlikePairs) -> tuple[Case, AlikePairs]:
        """Commit the pairs whose surfaces meet, and return the others, which still need a verdict."""
        meet = np.zeros(len(case.jobs), np.bool_)
        meet[case.answer.jobs] = True
        self._now_known(alike.masked(meet).pairs, complete=False)
        for found in first_contacts_of(case, np.flatnonzero(meet), alike):
            self._meets(found)
        return case.chosen(~meet), alike.masked(~meet)

    def _meets(self, found: FirstContact) -> None:
        """Record a pair that meets, with only its first contact known."""
        self._forget((found.a, found.b))
        self._listed.pop((found.a, found.b), None)
        self._changes.meeting[found.a, found.b] = found

    def _commit(self, pairs: np.ndarray, found: Mapping[Pair, PairVerdict]) -> None:
        """Record complete results: the pairs (n, 2) that were compared, and the verdicts of those not apart."""
        self._now_known(pairs, complete=True)
        for a, b in pairs.tolist():
            if (a, b) in found:
                self._forget((a, b))
                self._changes.found[a, b] = found[a, b]
                self._listed[a, b] = found[a, b]
            elif (a, b) in self._reported or (a, b) in self._listed or (a, b) in self._changes.meeting:
                self._drop((a, b))

    def _forget(self, pair: Pair) -> None:
        """Remove a pair from the pending changes, before a new change of it is recorded."""
        self._changes.found.pop(pair, None)
        self._changes.meeting.pop(pair, None)
        self._changes.gone.discard(pair)

    def _drop(self, pair: Pair) -> None:
        """Record that a pair is apart or gone; it is reported as gone only if it was reported before."""
        self._forget(pair)
        self._listed.pop(pair, None)
        if pair in self._reported:
            self._changes.gone.add(pair)


def _nothing_known(pairs: np.ndarray, current: np.ndarray) -> _Known:
    return _Known(pairs, np.full(pairs.shape, -1), np.zeros(len(pairs), np.bool_), current, pair_keys(pairs))
