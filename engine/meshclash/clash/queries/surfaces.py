"""Shared parts of the tests that find where surfaces meet: of two objects, or of one with itself."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ...types.slices import portions
from ...types.steps import scale_progress
from ..frame_scene import Progress
from ..kernel_parts import BASIC_PARTS
from ..rows import ROWS_AT_ONCE, Draft, row_steps, surfaces_draft
from ..verdicts import MEETS
from .base import DetectTest
from .followers import Follower, Key, Pair
from .question import DetectAnswer, DetectQuestion

if TYPE_CHECKING:
    from ..options import DetectOptions


class SurfaceMeeting(NamedTuple):
    """Two objects whose surfaces meet, by engine ids. Both objects are the same if a surface crosses itself;
    then `region` names the two regions, as in `PairRow`.
    """

    a: int
    b: int
    contacts: Any
    region: str = ""

    @property
    def key(self) -> Key:
        """The key of its row."""
        return (self.a, self.b, self.region) if self.region else (self.a, self.b)


class SurfaceTest(DetectTest):
    """Base of tests for surfaces that meet; `pairs` selects the pairs, and `contacts_steps` finds all contacts of a
    pair.

    Attributes:
        timing: name of the engine's seconds in the statistics.
    """

    verdicts = (MEETS,)
    apart = MEETS
    measures = ()
    timing: ClassVar[str]

    @abstractmethod
    def pairs(self, question: DetectQuestion) -> list[Pair]:
        """Return the engine ids of pairs that may meet."""

    @abstractmethod
    def contacts_steps(self, question: DetectQuestion, a: int, b: int) -> Generator[Any, None, Any]:
        """Return the contacts of a pair, in slices if possible."""

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """Implement `DetectTest.parts`."""
        return (*BASIC_PARTS, "more")

    def reach(self, options: DetectOptions) -> float:
        """Implement `DetectTest.reach`."""
        return 0.0

    def draft(self, question: DetectQuestion, found: Any, frame: int) -> Draft:
        """Implement `DetectTest.draft`."""
        return surfaces_draft(question.engine, question.world, found, MEETS, frame, region=found.region)

    def follower(self, question: DetectQuestion) -> Follower:
        """Implement `DetectTest.follower`."""
        return SurfaceFollower(self)


class SurfaceFollower(Follower):
    """Tests each pair with an object that moved or deformed, and writes its row and the geometry to draw."""

    def __init__(self, test: SurfaceTest) -> None:
        super().__init__()
        self._test = test
        self._known: Any = None  # pairs that were asked
        self._keys: dict[Pair, set[Key]] = {}  # of the rows of each pair
        self._unwritten: dict[Key, SurfaceMeeting | None] = {}

    def parts(self, question: DetectQuestion, meeting: SurfaceMeeting) -> list[SurfaceMeeting]:
        """Divide a meeting into those that have a row each."""
        return [meeting]

    def ask_steps(self, question: DetectQuestion, first_contact: bool) -> Generator[Any, None, DetectAnswer]:
        """Implement `Follower.ask_steps`; all contacts of a pair are always found."""
        started, stats = time.perf_counter(), question.engine.QueryStats()
        if self._known is None:
            from ...scene.pair_memory import PairMemory  # noqa: PLC0415 - registering needs no compiler

            self._known = PairMemory()
        pairs = self._test.pairs(question)
        due: list[Pair] = self._known.follow(question.world.scene, pairs)
        for pair in self._keys.keys() - set(pairs):
            for key in self._keys.pop(pair):
                self._unwritten.pop(key, None)
                self.rows.pop(key, None)
        for done, pair in enumerate(due):
            steps = self._test.contacts_steps(question, *pair)
            contacts = yield from scale_progress(steps, done / len(due), (done + 1) / len(due))
            stats = contacts.stats.plus(stats)
            self._known.note(pair, len(contacts))
            found = self.parts(question, SurfaceMeeting(*pair, contacts)) if len(contacts) else []
            self._unwritten |= dict.fromkeys(self._keys.pop(pair, ()))
            self._unwritten |= {part.key: part for part in found}
            self._keys[pair] = {part.key for part in found}
        return DetectAnswer(stats, {self._test.timing: time.perf_counter() - started})

    def write_steps(
        self, question: DetectQuestion, frame: int, highlights: bool = True
    ) -> Generator[Progress, None, None]:
        """Implement `Follower.write_steps`."""
        for key in [key for key, found in self._unwritten.items() if found is None]:
            self.rows.pop(key, None)
            del self._unwritten[key]
        for keys in portions(list(self._unwritten), ROWS_AT_ONCE):
            drafts = (self._test.draft(question, self._unwritten[key], frame) for key in keys)
            rows = yield from row_steps(question.engine, drafts, highlights)
            for key, row in zip(keys, rows, strict=True):
                self.rows[key] = row
                del self._unwritten[key]  # now, so that giving up in the middle loses little
