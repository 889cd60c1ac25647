"""``Scene.step``: find frame by frame which pairs begin to touch, still touch, and no longer touch.

The following data is kept between steps. The data only saves work and never changes the result: the sorted ends of all
boxes (``broadphase/incremental.py``), and earlier results of pairs (``pair_memory.py``).
"""

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from ..broadphase.incremental import SweepAndPrune
from ..types.copying import Copyable
from ..types.pair_keys import no_pairs, pairs_of
from ..types.results import Progress, QueryStats
from ..types.steps import scale_progress
from .asked_pairs import AskedPairs, special_meetings_steps
from .collisions import meeting_steps
from .members import Keep, Members
from .pair_memory import PairMemory


@dataclass(frozen=True, eq=False)
class SceneStep:
    """The result of a step of a scene. Pairs of ids are (k, 2) int64. The pairs are sorted, and each pair starts with
    the lower id.

    Attributes:
        begun: Pairs that touch now and did not touch in the previous step.
        persisting: Pairs that touch now and touched in the previous step.
        ended: Pairs that touched before and do not touch now: apart, no longer compared, or an object was removed.
        pairs: All pairs that touch: their surfaces have a common point, or one object lies inside the other.
        triangles: Pairs of triangles in contact, (n, 2) int32: one or all of each pair; there are none for an object
            that lies inside another one without contact, and for pairs with a cloud.
        kinds: (n,) uint8, see ``ContactKind``; for single contacts, the kind of the contact that was found.
        pair_of: The index in ``pairs`` for each row of ``triangles``, (n,) int64, ascending.
        near: Number of compared pairs whose boxes overlap.
        asleep: Number of pairs that were not tested, because they have not moved enough to touch.
        swaps: Number of swaps in the sorted ends of boxes; 0 if the ends were sorted from scratch.
        measured: Number of pairs whose distance was measured, so that they may sleep.
        unanswered: Near pairs of a point cloud and a clustered mesh, which cannot be compared. If a pair cannot be
            compared, it is not in any of the other lists.
    """

    begun: np.ndarray
    persisting: np.ndarray
    ended: np.ndarray
    pairs: np.ndarray
    triangles: np.ndarray
    kinds: np.ndarray
    pair_of: np.ndarray
    near: int
    asleep: int
    swaps: int
    sorted_anew: bool
    measured: int
    stats: QueryStats
    unanswered: np.ndarray = field(default_factory=no_pairs)

    def __bool__(self) -> bool:
        return len(self.pairs) > 0


class Stepper(Copyable):
    """The state that a scene keeps between steps."""

    def __init__(self) -> None:
        self._sweep = SweepAndPrune()
        self._memory = PairMemory[bool](np.bool_)
        """For each pair, whether its objects touch."""
        self._contacts = _NO_CONTACTS
        self._first_only = True
        self._touching = np.empty(0, np.int64)  # keys of the pairs of the last finished step

    def steps(self, scene: Members, keep: Keep | None, first_only: bool) -> Generator[Progress, None, SceneStep]:
        """Run one step in slices; the point clouds are prepared."""
        memory = self._memory
        pairs, unanswered = self._near_pairs(scene, keep)
        memory.take_up(scene.pairs_now(pairs))
        if first_only != self._first_only:
            memory.doubt(np.arange(len(pairs)))
            self._first_only = first_only
        known, asleep = memory.held, memory.asleep()
        asleep &= ~known
        memory.answers[asleep] = False
        memory.hold(asleep)
        yield Progress(0.1, "comparing objects")
        asked = np.flatnonzero(~(known | asleep))
        apart = memory.apart_by_extents(scene.look(), asked)
        memory.answers[asked[apart]] = False
        memory.hold(asked[apart])
        asked = asked[~apart]
        special = scene.with_special(pairs[asked])
        yield from scale_progress(special_meetings_steps(scene, memory, asked[special]), 0.1, 0.2)
        contacts, measured, stats = _NO_CONTACTS, 0, QueryStats()
        asked = asked[~special]
        if len(asked):
            steps = self._meet_steps(scene, asked, first_only)
            meet, contacts, measured, stats = yield from scale_progress(steps, 0.2, 1.0)
            memory.answers[asked] = meet  # not before: an answer belongs to its contacts, also if the step is closed
            memory.hold(asked)
        touching, before = memory.keys[memory.answers], self._touching
        self._contacts = self._contacts.without(memory.keys[asked]).of(touching).joined(contacts)
        self._touching = touching
        return SceneStep(
            pairs_of(np.setdiff1d(touching, before, assume_unique=True)),
            pairs_of(np.intersect1d(touching, before, assume_unique=True)),
            pairs_of(np.setdiff1d(before, touching, assume_unique=True)),
            pairs_of(touching), self._contacts.triangles, self._contacts.kinds,
            np.searchsorted(touching, self._contacts.keys), len(pairs),
            int(asleep.sum()), self._sweep.swaps, self._sweep.sorted_anew, measured, stats, unanswered,
        )  # fmt: skip

    def _near_pairs(self, scene: Members, keep: Keep | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of ids (k, 2) to compare: pairs whose boxes overlap and that ``keep`` accepts.

        The second array has the pairs among them that cannot be compared.
        """
        self._sweep.update(*scene.tight_boxes())
        pairs = self._sweep.pairs
        if keep is not None and len(pairs):
            pairs = pairs[keep(pairs)]
        if not scene.has_special:
            return pairs, no_pairs()
        everybody = np.ones(len(scene), np.bool_)
        told = scene.comparable(everybody, everybody).told(scene.ids(), scene.places_of(pairs))
        return pairs[told], pairs[~told]

    def _meet_steps(
        self, scene: Members, asked: np.ndarray, first_only: bool
    ) -> Generator[Progress, None, "tuple[np.ndarray, _StepContacts, int, QueryStats]"]:
        """Find which pairs of meshes (indices in the memory) touch, their contacts, the number measured, the work."""
        memory = self._memory
        meeting = AskedPairs(scene, memory, asked)
        packed_trees = yield from meeting.pack_steps()
        found = meeting_steps(packed_trees, meeting.trees, meeting.rows, meeting.boxes, first_only)
        answer, meet = yield from scale_progress(found, 0.0, 0.8)
        contacts = _StepContacts(memory.keys[asked[answer.jobs]], answer.pairs, answer.kinds)
        measuring = memory.measure_steps(asked, ~meet, packed_trees, scene.poses, meeting.trees)
        measured = yield from scale_progress(measuring, 0.8, 1.0)
        stats = answer.stats() if measured is None else answer.stats().plus(measured.stats())
        return meet, contacts, 0 if measured is None else len(measured.distances), stats


@dataclass(frozen=True, eq=False)
class _StepContacts(Copyable):
    """Contacts of pairs of objects, sorted by pairs."""

    keys: np.ndarray
    """The pair of each contact, (n,) int64."""
    triangles: np.ndarray
    """Pairs of triangles that meet, (n, 2) int32."""
    kinds: np.ndarray
    """Kinds of the contacts, (n,) uint8."""

    def of(self, keys: np.ndarray) -> "_StepContacts":
        """Return the contacts of the given pairs."""
        return self._chosen(np.isin(self.keys, keys))

    def without(self, keys: np.ndarray) -> "_StepContacts":
        """Return the contacts of all but the given pairs."""
        return self._chosen(~np.isin(self.keys, keys))

    def joined(self, others: "_StepContacts") -> "_StepContacts":
        """Join these contacts with others into one list, sorted by pairs."""
        keys = np.concatenate([self.keys, others.keys])
        order = np.argsort(keys, kind="stable")
        triangles, kinds = (
            np.concatenate([self.triangles, others.triangles]),
            np.concatenate([self.kinds, others.kinds]),
        )
        return _StepContacts(keys[order], triangles[order], kinds[order])

    def _chosen(self, chosen: np.ndarray) -> "_StepContacts":
        return self if chosen.all() else _StepContacts(self.keys[chosen], self.triangles[chosen], self.kinds[chosen])


_NO_CONTACTS = _StepContacts(np.empty(0, np.int64), np.empty((0, 2), np.int32), np.empty(0, np.uint8))
