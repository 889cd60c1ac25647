"""``LiveContacts`` keeps the contacts of a scene up to date while objects move, deform, are added and removed.

Every pair of objects whose boxes overlap is in a ``PairMemory``. An update compares only pairs with an object that has
changed since and that may have come near enough to meet, and commits the results portion by portion. An update can be
cancelled at any time: committed results stay, and the next update continues with the remaining pairs.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..jit import is_compiled
from ..messages import counting
from ..query.limits import checked_limits
from ..query.options import check_device
from ..solid.case import Case
from ..solid.pair_verdict import PairVerdict
from ..traversal.near_wide import traverse_near
from ..traversal.question import Answer
from ..types.copying import Changeable
from ..types.numbers import truth
from ..types.pair_keys import different_pairs, no_pairs, pair_keys, pairs_of
from ..types.results import Progress, QueryStats
from ..types.slices import Slice
from ..types.steps import hold_progress, in_slices, scale_progress
from ..types.verdict import APART, TOUCHING
from .alike_pairs import AlikePairs
from .asked_pairs import AskedPairs, prove_special_steps
from .clock import Clock
from .collisions import meeting_steps
from .members import Keep, Keys, members_of_scene
from .object_pair import ObjectPair
from .pair_memory import PairMemory, PairsNow
from .results import FirstContact
from .verdict_stage import alike_portions, case_findings, first_contacts, first_contacts_of, stays

if TYPE_CHECKING:
    from .scene import Scene

_BATCH = 256
"""Number of different pairs that are traversed together: few enough for frequent commits, enough to be worth a kernel
call."""

_FIRST_BATCH = 16 * _BATCH
"""Pairs whose first contacts are found together: some milliseconds of work."""
_ONE_BY_ONE = "comparing pairs with a point cloud or a massive mesh"
Pair = tuple[int, int]
Sets = tuple[Keys, Keys, Keep | None]
"""``set_a``, ``set_b`` and ``keep`` of a query."""


@dataclass
class LiveChanges:
    """The changes since the last call of ``take_changes``. Each pair occurs in at most one of the three lists."""

    found: dict[Pair, Any] = field(default_factory=dict)
    """New and changed pairs. ``LiveContacts`` gives complete ``PairVerdict`` objects. ``LiveGaps`` gives ``PairGap``
    objects, which in first-contact mode lack the triangles within the tolerance."""
    meeting: dict[Pair, FirstContact] = field(default_factory=dict)
    """Pairs that meet, compared in first-contact mode."""
    gone: set[Pair] = field(default_factory=set)
    """Pairs reported earlier that are not listed any more: now apart, or an object was removed or excluded."""


class LivePairs(Changeable, ABC):
    """Base class of ``LiveContacts`` and ``LiveGaps``: a list of pairs of a scene, reported as changes per update.

    Args:
        scene: the scene to watch; LiveContacts and LiveGaps do not change the scene.

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
        """The number of pairs for which only the first contact is known, in first-contact mode."""

    @abstractmethod
    def take_changes(self) -> LiveChanges:
        """Return the changes since you last called this method."""

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

        If the update runs in slices, do not change the scene before the last slice. You may call ``take_changes``
        between slices.

        Args:
            set_a, set_b, keep: as ``Scene.contacts``.
            first_contact: True: find only one contact of each pair whose surfaces meet. Pairs whose surfaces do not
                meet are still judged or measured completely. False: also complete the pairs that an earlier update left
                incomplete.
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
    """Keeps a list of all pairs in a scene that are not apart, and returns how the list changes when objects move.

    Args:
        scene: the scene to watch; LiveContacts does not change the scene.
        permitted_overlap, touch_tolerance: see ``verdict``.

    Raises:
        UnsupportedOption: a length is negative or not finite.
    """

    def __init__(self, scene: "Scene", permitted_overlap: float | str = 0.0, touch_tolerance: float = 0.0) -> None:
        super().__init__(scene)
        self._limits = checked_limits(permitted_overlap, touch_tolerance)
        self._memory = PairMemory[PairVerdict | FirstContact]()
        """For each pair, its verdict or first contact; None if the pair is apart."""
        self._reported: set[Pair] = set()
        self._changes = LiveChanges()

    def change_limits(self, permitted_overlap: float | str = 0.0, touch_tolerance: float = 0.0) -> None:
        """Change the limits. Only pairs whose result may change are tested again.

        Args:
            permitted_overlap, touch_tolerance: see ``verdict``.

        Raises:
            UnsupportedOption: a length is negative or not finite.
        """
        old, self._limits = self._limits, checked_limits(permitted_overlap, touch_tolerance)
        if self._limits == old:
            return
        other_reach = old.touch_tolerance != self._limits.touch_tolerance
        memory = self._memory
        if other_reach:  # pairs that sleep are farther apart than the old tolerance
            memory.doubt(~_are_found(memory.answers))
        pairs, found = memory.pairs, np.flatnonzero(_are_found(memory.answers))
        special, rounding = self._scene.with_special(pairs[found]), self._scene.rounding_of(pairs[found])
        for place, alone, length in zip(found.tolist(), special.tolist(), rounding.tolist(), strict=True):
            pair = memory.answers[place]
            if not isinstance(pair, PairVerdict):
                continue  # a first contact stays one
            if alone or (other_reach and pair.verdict is TOUCHING) or not stays(pair, self._limits, length):
                memory.doubt(np.array([place]))

    @property
    def incomplete(self) -> int:
        """The number of pairs for which only the first contact is known, in first-contact mode."""
        memory = self._memory
        return int(np.count_nonzero(~memory.complete & (memory.revisions[:, 0] >= 0)))

    def _steps(self, sets: Sets, first_contact: bool, device: str) -> Generator[Progress, None, QueryStats]:
        clock, scene, memory, limits = Clock(), self._scene, self._memory, self._limits
        yield from scene.prepare_steps()
        unanswered: list[np.ndarray] = []
        notes: list[str] = []
        pairs = scene.candidates(*sets, limits, device, notes, unanswered, follow=True)
        self.unanswered = different_pairs(unanswered)
        work = QueryStats(note="; ".join(notes))
        self._follow(scene.pairs_now(pairs))
        known = memory.held
        asked = np.flatnonzero(~known | ~(memory.complete | first_contact))
        asleep = memory.asleep(limits.touch_tolerance)[asked]
        asleep[~asleep] = memory.apart_by_extents(scene.poses, asked[~asleep], limits.touch_tolerance)
        self._commit(asked[asleep], {})
        asked = asked[~asleep]
        clock.stop("broad phase")
        yield Progress(0.0, "comparing bounding boxes")
        special = scene.with_special(pairs[asked])
        for place in asked[special].tolist():
            pair = ObjectPair.of(scene, *pairs[place].tolist())
            judging = pair.verdict_steps(limits, first_contact)
            item, taken = yield from scale_progress(judging, 0.0, 0.0, _ONE_BY_ONE)
            one = np.array([place])
            apart = not isinstance(item, FirstContact) and item.verdict is APART
            if isinstance(item, FirstContact):
                self._commit_meeting(one, [item])
            else:
                self._commit(one, {} if apart else {place: item})
            work = work.plus(taken)
            yield from scale_progress(prove_special_steps(pair, memory, one, apart), 0.0, 0.0, _ONE_BY_ONE)
        asked = asked[~special]
        if first_contact and device == "cpu" and len(asked):
            asked, taken = yield from scale_progress(self._meet_steps(asked), 0.0, 0.5)
            work = work.plus(taken)
            clock.stop("first contacts")
        alike = yield from scene.alike_steps(pairs[asked])
        together = _BATCH if device == "cpu" else max(len(alike.first), 1)
        done, total, piece = 0, len(alike.pairs), Slice()
        for begin in range(0, len(alike.first), together):
            some = alike.chosen(begin, begin + together)
            finding = scene.case_steps(some.first, limits, clock, first_contact, device)
            share, text = done / total, counting("comparing object pair", done + 1, total)
            case, near = yield from scale_progress(finding, share, share, text)
            text = counting("judging object pair", done, total)
            work = work.plus(case.answer.stats())
            is_near = np.isin(pair_keys(some.first), pair_keys(near), assume_unique=True)
            self._commit(memory.places(some.masked(~is_near).pairs), {})  # their tight boxes are apart
            done += len(some.pairs)
            some = some.masked(is_near)
            if first_contact:
                case, some = self._commit_first_contacts(case, some)
            done -= len(some.pairs)
            for judged, found in alike_portions(case, some, limits, scene.names):
                if len(judged):
                    here = np.array([(item.a, item.b) for item in found], np.int64).reshape(-1, 2)
                    self._commit(memory.places(judged), dict(zip(memory.places(here).tolist(), found, strict=True)))
                done += len(judged)
                if piece.over or done == total:  # texts of all portions took 4 % of a first test
                    text, piece = counting("judging object pair", done, total), Slice()
                yield Progress(done / total, text)
            clock.stop("verdicts")
            places = memory.places(some.pairs)
            if len(places) and is_compiled(traverse_near):
                measured = yield from self._measure_steps(places, ~_are_found(memory.answers[places]))
                work = work if measured is None else work.plus(measured.stats())
                clock.stop("distances")
        return replace(work, seconds=clock.total, timings=clock.timings)

    def _meet_steps(self, asked: np.ndarray) -> Generator[float, None, tuple[np.ndarray, QueryStats]]:
        """Store the first contacts of pairs (indices) whose surfaces meet, and which pairs are apart.

        Returns:
            Return the indices of the remaining pairs, which need a verdict, and the work.
        """
        scene, memory, work, left = self._scene, self._memory, QueryStats(), []
        for begin in range(0, len(asked), _FIRST_BATCH):
            some = asked[begin : begin + _FIRST_BATCH]
            meeting = AskedPairs(scene, memory, some)
            packed_trees = yield from hold_progress(meeting.pack_steps(), begin / len(asked))
            finding = meeting_steps(packed_trees, meeting.trees, meeting.rows, meeting.boxes, True)
            answer, collide = yield from hold_progress(finding, begin / len(asked))
            meet = np.zeros(len(some), np.bool_)
            meet[answer.jobs] = True
            apart = ~collide if self._limits.touch_tolerance == 0.0 else np.zeros(len(some), np.bool_)
            found = meeting.found(answer, scene.names)
            first = first_contacts(found, np.flatnonzero(meet), memory.pairs[some[meet]])
            self._commit_meeting(some[meet], first)
            self._commit(some[apart], {})
            left.append(some[~(meet | apart)])
            work = work.plus(answer.stats())
            told = apart | meet
            measuring = memory.measure_steps(some[told], apart[told], packed_trees, scene.poses, meeting.trees[told])
            if is_compiled(traverse_near):  # a frame does not wait for the compiler
                measured = yield from hold_progress(measuring, begin / len(asked))
                work = work if measured is None else work.plus(measured.stats())
        return np.concatenate(left), work

    def _measure_steps(self, places: np.ndarray, apart: np.ndarray) -> Generator[Progress, None, Answer | None]:
        """Measure pairs (indices) that were often found apart, so that later updates can skip them."""
        asked = AskedPairs(self._scene, self._memory, places)
        packed_trees = yield from asked.pack_steps()
        steps = self._memory.measure_steps(places, apart, packed_trees, self._scene.poses, asked.trees)
        return (yield from scale_progress(steps, 1.0, 1.0, "measuring distances"))

    def take_changes(self) -> LiveChanges:
        """Return the changes since you last called this method."""
        changes, self._changes = self._changes, LiveChanges()
        self._reported -= changes.gone
        self._reported |= changes.found.keys() | changes.meeting.keys()
        return changes

    def _follow(self, now: PairsNow) -> None:
        """Follow the candidates of an update. Pairs that are no candidates any more are apart or gone."""
        memory = self._memory
        old, answers = memory.keys, memory.answers
        stays = memory.take_up(now)[1]
        gone = np.flatnonzero(~stays & _are_found(answers)) if not stays.all() else ()
        for pair in map(tuple, pairs_of(old[gone]).tolist()) if len(gone) else ():
            self._drop(pair)

    def _commit_first_contacts(self, case: Case, alike: AlikePairs) -> tuple[Case, AlikePairs]:
        """Store the pairs whose surfaces meet, and return the remaining pairs, which still need a verdict."""
        meet = np.zeros(len(case.jobs), np.bool_)
        meet[case.answer.jobs] = True
        found = first_contacts_of(case_findings(case, self._scene.names), meet, alike)
        self._commit_meeting(self._memory.places(alike.masked(meet).pairs), found)
        return case.chosen(~meet), alike.masked(~meet)

    def _commit_meeting(self, places: np.ndarray, found: list[FirstContact]) -> None:
        """Store pairs (indices) that meet, with only their first contacts known."""
        memory, changes = self._memory, self._changes
        memory.answers[places] = _column(found)
        memory.complete[places] = False
        memory.hold(places)
        pairs = memory.pairs[places]
        meeting = dict(zip(zip(pairs[:, 0].tolist(), pairs[:, 1].tolist(), strict=True), found, strict=True))
        for pair in changes.found.keys() & meeting.keys() if changes.found else ():
            del changes.found[pair]
        changes.gone -= meeting.keys()
        changes.meeting.update(meeting)

    def _commit(self, places: np.ndarray, found: Mapping[int, PairVerdict]) -> None:
        """Store complete results: the pairs that were compared, and by index the verdicts of the pairs that are not
        apart.
        """
        memory = self._memory
        before = places[_are_found(memory.answers[places])]
        memory.answers[places] = None
        memory.complete[places] = True
        memory.hold(places)
        if len(before):
            for place, pair in zip(before.tolist(), map(tuple, memory.pairs[before].tolist()), strict=True):
                if place not in found:
                    self._drop(pair)
        for place, item in found.items():
            self._forget((item.a, item.b))
            self._changes.found[item.a, item.b] = item
            memory.answers[place] = item

    def _forget(self, pair: Pair) -> None:
        """Remove a pair from the pending changes, before a new change of the pair is recorded."""
        self._changes.found.pop(pair, None)
        self._changes.meeting.pop(pair, None)
        self._changes.gone.discard(pair)

    def _drop(self, pair: Pair) -> None:
        """Record that a pair is apart or removed; only a pair that was reported before is reported as gone."""
        self._forget(pair)
        if pair in self._reported:
            self._changes.gone.add(pair)


def _are_found(answers: np.ndarray) -> np.ndarray:
    """Return which results (n,) are not None, (n,) bool."""
    found: np.ndarray = answers.astype(np.bool_)  # verdicts and contacts are true
    return found


def _column(items: Sequence[object]) -> np.ndarray:
    """Return items as an array (n,) of objects."""
    return np.fromiter(items, np.object_, len(items))
