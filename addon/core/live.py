"""Live: one generator that answers again and again, in slices, and asks only what has changed.

Whoever drives it (the modal operator, a script, a test) calls `note` for every change of the scene and `run_slice`
as often as it likes. The answer to a change is complete as long as complete answers fit into the budget; while they
do not, it is content with one contact of each pair that meets (first-contact mode), and is completed when the scene
has been quiet for a moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from operator import itemgetter
from types import ModuleType
from typing import Any, Protocol, TypeVar

import numpy as np

from .changes import Changes
from .engine_scene import EngineScene
from .errors import DetectError
from .frame_scene import FrameScene, Progress
from .options import DetectOptions
from .pair_row import PairRow
from .queries.base import BASIC_PARTS, Asked
from .queries.time_critical import Chance, TimeCritical
from .report import DetectReport
from .rows import make_contact_row, make_row
from .statistics import RunStatistics

T = TypeVar("T")

PARTS = (*BASIC_PARTS, "gaps", "more", "chances")
"""Parts of the engine's warm-up that Live needs."""
BUDGET = 0.02  # seconds of the main thread for one answer, and the length of a slice
LONGEST_SLICE = 0.03
QUIET_SECONDS = 0.15  # without a change, before an incomplete answer is completed
RETRY_SECONDS = 1.0  # in first-contact mode, before a complete answer is tried again while changes go on
IDLE = Progress(1.0, "")

LEAST_BUDGET = 0.001  # seconds that a time-critical answer is given, however long reading took

Pair = tuple[int, int]


class LiveScene(Protocol):
    """Where the scene comes from; `addon.adapters.live_source.LiveSource` in Blender."""

    @property
    def file(self) -> str:
        """Path of the file."""
        ...

    @property
    def scale_length(self) -> float:
        """Metres per Blender unit."""
        ...

    def options(self) -> DetectOptions:
        """What is asked for at this moment; raises InputError."""
        ...

    def read_steps(self, options: DetectOptions, changes: Changes) -> Generator[Progress, None, FrameScene]:
        """Reads what may differ since the last call that ended; raises InputError."""
        ...


class Live:
    """Follows a scene.

    Args:
        source: the scene.
        load: a generator that loads the engine and returns it.
        publish: takes every answer.

    Attributes:
        budget: seconds of the main thread that an answer may take before Live falls back to first-contact mode.
        complete_cost: seconds that the last complete answer took, reading included; 0.0 while unknown.
        incomplete: whether the last answer was given in first-contact mode, or is not certain everywhere.
        problem: why there is no answer at present ("": there is).
        text: what is being done.
        ready: whether the engine is loaded and compiled.
        longest_slice: the longest time the main thread was held, in seconds, without loading and compiling the engine.
    """

    def __init__(
        self,
        source: LiveScene,
        load: Callable[[], Generator[Progress, None, ModuleType]],
        publish: Callable[[DetectReport, bool], None],
    ) -> None:
        self.budget = BUDGET
        self.complete_cost = 0.0
        self.incomplete = False
        self.problem = ""
        self.text = "Starting"
        self.longest_slice = 0.0
        self._source, self._load, self._publish = source, load, publish
        self._changes = Changes(everything=True)
        self._unanswered = Changes()
        self._changed_at = self._retry_at = -QUIET_SECONDS
        self._reading_cost = 0.0
        self._options: DetectOptions | None = None
        self.ready = self._resting = False
        self._uncertain = 0
        self._steps = self._forever()

    @property
    def busy(self) -> bool:
        """Whether there is something to do, now or after a quiet moment."""
        return not self._resting or bool(self._changes) or (self.incomplete and not self.problem)

    @property
    def pending(self) -> frozenset[str]:
        """Full names of objects whose changes are not answered yet."""
        return frozenset(self._changes.names | self._unanswered.names)

    def note(self, changes: Changes) -> None:
        """Takes note of changes; nothing is read or computed here."""
        if changes:
            self._changes.add(changes)
            self._changed_at = time.perf_counter()

    def look_at_options(self) -> None:
        """Notices changed settings, which no handler reports."""
        try:
            options = self._source.options()
        except DetectError:
            options = None
        if self.ready and options != self._options:
            self.note(Changes(visible=True))

    def run_slice(self, seconds: float | None = None) -> None:
        """Works for `seconds` (None: the budget, at most `LONGEST_SLICE`), or less when there is nothing to do.

        Raises:
            Whatever loading the engine raises; faults of ours pass through, too.
        """
        limit = min(self.budget, LONGEST_SLICE) if seconds is None else seconds
        ready = self.ready
        started = before = time.perf_counter()
        while True:
            progress = next(self._steps)
            now = time.perf_counter()
            if progress is IDLE or (now - started) + (now - before) > limit:
                break
            before = now
        if ready:
            self.longest_slice = max(self.longest_slice, now - started)

    def close(self) -> None:
        """Ends for good; what was read and built is freed."""
        self._steps.close()

    def _forever(self) -> Generator[Progress, None, None]:
        engine = yield from self._told(self._load())
        yield from self._told(engine.warm_up(PARTS))
        answerer = _Answerer(engine, self._source, self._publish)
        self.ready = True
        while True:
            changes, self._changes = self._changes, Changes()
            if changes:
                changes.add(self._unanswered)
                yield from self._answer(answerer, changes)
            elif self.incomplete and not self.problem and (answerer.estimates or self._is_quiet()):
                yield from self._answer(answerer, None)
            else:
                self._resting = True
                yield IDLE
                self._resting = False

    def _answer(self, answerer: _Answerer, changes: Changes | None) -> Generator[Progress, None, None]:
        """One answer, complete or in first-contact mode; a wrong input is told and waits for the next change."""
        self._unanswered = Changes()
        try:
            self._options = None
            self._options = self._source.options()
            first_contact = changes is not None and not _estimates(self._options) and self._falls_back()
            effort = _Effort()
            if changes is not None:
                yield from self._told(effort.spent_on(answerer.follow_steps(self._options, changes)))
                self._reading_cost = effort.seconds
            else:
                effort.seconds = self._reading_cost
            finished = yield from self._told(self._asked(answerer, effort, first_contact))
            if finished:
                self._uncertain = answerer.uncertain
                self.incomplete = first_contact or self._uncertain > 0
                self.problem = ""
                answerer.publish(self._options, self.incomplete)
        except DetectError as error:
            self.problem = str(error)
            self._unanswered = changes or Changes(everything=True)

    def _is_quiet(self) -> bool:
        return time.perf_counter() - self._changed_at >= QUIET_SECONDS

    @property
    def shortfall(self) -> str:
        """What an incomplete answer lacks."""
        if self._uncertain:
            return f"Searching on: {self._uncertain} pair{'' if self._uncertain == 1 else 's'} not certain yet"
        return f"First contacts only while things move: a complete answer takes {1000 * self.complete_cost:.0f} ms"

    def _falls_back(self) -> bool:
        return self.complete_cost > self.budget and time.perf_counter() < self._retry_at

    def _asked(self, answerer: _Answerer, effort: _Effort, first_contact: bool) -> Generator[Progress, None, bool]:
        """Asks the engine; False when a complete answer went over the budget and something changed meanwhile."""
        may_give_up = not first_contact and not answerer.estimates
        steps = effort.spent_on(answerer.ask_steps(first_contact, max(self.budget - effort.seconds, LEAST_BUDGET)))
        for progress in steps:
            if may_give_up and self._changes and effort.seconds > self.budget:
                steps.close()
                self._remember_cost(effort.seconds)
                self.incomplete = True
                return False
            yield progress
        if may_give_up and not answerer.built:
            self._remember_cost(effort.seconds)
        return True

    def _remember_cost(self, seconds: float) -> None:
        self.complete_cost = seconds
        self._retry_at = time.perf_counter() + RETRY_SECONDS

    def _told(self, steps: Generator[Any, None, T]) -> Generator[Progress, None, T]:
        """Shows what is being done."""
        while True:
            try:
                progress = next(steps)
            except StopIteration as done:
                return done.value
            self.text = progress.text[:1].upper() + progress.text[1:]
            yield progress


def _estimates(options: DetectOptions) -> bool:
    return options.test == TimeCritical.name


class _Effort:
    """Seconds spent inside generators, without what happens between their steps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def spent_on(self, steps: Generator[Any, None, T]) -> Generator[Any, None, T]:
        """The same steps, timed."""
        try:
            while True:
                started = time.perf_counter()
                try:
                    progress = next(steps)
                except StopIteration as done:
                    return done.value
                finally:
                    self.seconds += time.perf_counter() - started
                yield progress
        finally:
            steps.close()


class _Answerer:
    """The engine's scene, the watch over it, and the rows that come of it."""

    def __init__(self, engine: ModuleType, source: LiveScene, publish: Callable[[DetectReport, bool], None]) -> None:
        self._engine, self._source, self._publish = engine, source, publish
        self._world = EngineScene(engine)
        self._frame = FrameScene(0)
        self._options: DetectOptions | None = None
        self._limits: tuple[bool, float, float] | None = None
        self._watch: Any = None
        self._chances: dict[Pair, tuple[Chance, list[int]]] = {}  # written up, with their objects' revisions
        self._keep: Any = None
        self._rows: dict[Pair, tuple[tuple[Any, ...], PairRow]] = {}  # with what they are sorted by
        self._unwritten: dict[Pair, Any] = {}
        self._statistics = RunStatistics(1.0)

    @property
    def built(self) -> int:
        """Objects that the last change added or rebuilt; such an answer says nothing of the cost of the next."""
        return self._world.built

    def follow_steps(self, options: DetectOptions, changes: Changes) -> Generator[Progress, None, None]:
        """Makes the engine's scene equal to Blender's."""
        self._statistics = RunStatistics(self._source.scale_length)
        started = time.perf_counter()
        self._frame = yield from self._source.read_steps(options, changes)
        self._statistics.add_frame(self._frame, time.perf_counter() - started)
        started = time.perf_counter()
        yield from self._world.update_steps(self._frame)
        self._statistics.add_time("prepare", time.perf_counter() - started)
        self._keep = self._world.keep(options.rules)
        scale = self._source.scale_length
        self._options = options
        limits = (self.estimates, options.permitted_overlap / scale, options.touch_tolerance / scale)
        if limits != self._limits:
            self._limits = limits
            self._watch = self._engine.Watch(self._world.scene, *limits[1:])
            self._chances.clear()
            self._rows.clear()
            self._unwritten.clear()

    @property
    def estimates(self) -> bool:
        """Whether the answers are probabilities that grow certain from one to the next."""
        return self._options is not None and _estimates(self._options)

    @property
    def uncertain(self) -> int:
        """Pairs of which only a probability is known."""
        return sum(not chance.complete for chance, _ in self._chances.values())

    def ask_steps(self, first_contact: bool, seconds: float) -> Generator[Progress, None, None]:
        """Asks for pairs that changed and writes their rows; a time-critical answer takes so many seconds at most."""
        return self._estimate_steps(seconds) if self.estimates else self._watch_steps(first_contact)

    def _estimate_steps(self, seconds: float) -> Generator[Progress, None, None]:
        """Goes on with the time-critical answer."""
        options, test = self._options, TimeCritical()
        assert options is not None and options.budget is not None
        asked = Asked(
            self._engine, self._world, replace(options, budget=min(options.budget, seconds)),
            self._source.scale_length, self._world.ids(in_a=True), self._world.ids(in_a=False), self._keep,
        )  # fmt: skip
        answer = yield from test.ask_steps(asked)
        self._statistics.add_work(answer.stats)
        found = {(chance.a, chance.b): chance for chance in answer.found}
        for pair in self._chances.keys() - found.keys():
            del self._chances[pair], self._rows[pair]
        for pair, chance in found.items():
            revisions = self._world.scene.revisions(np.array(pair)).tolist()
            known, at = self._chances.get(pair, (None, None))
            if at != revisions or not chance.same_as(known):
                row = test.row(asked, chance, self._frame.frame, highlights=True)
                self._rows[pair] = row.order, row
                self._chances[pair] = chance, revisions
                yield Progress(1.0, f"Writing up {row.a} and {row.b}")

    def _watch_steps(self, first_contact: bool) -> Generator[Progress, None, None]:
        """Brings the watch up to date."""
        sets = self._world.ids(in_a=True), self._world.ids(in_a=False)
        stats = yield from self._watch.update_steps(*sets, self._keep, first_contact)
        self._statistics.add_work(stats)
        changes = self._watch.take_changes()
        for pair in changes.gone:
            self._rows.pop(pair, None)
            self._unwritten.pop(pair, None)
        self._unwritten |= changes.found
        self._unwritten |= changes.meeting
        started = time.perf_counter()
        for pair in list(self._unwritten):
            row = self._row(self._unwritten.pop(pair))
            self._rows[pair] = row.order, row
            yield Progress(1.0, f"Writing up {row.a} and {row.b}")
        self._statistics.add_time("report", time.perf_counter() - started)

    def publish(self, options: DetectOptions, first_contact: bool) -> None:
        """Hands out all rows, worst first."""
        number = self._frame.frame
        for pair, (_, row) in self._rows.items():
            if row.frame != number:
                row = replace(row, frame=number)  # noqa: PLW2901
                self._rows[pair] = row.order, row
        rows = [row for _, row in sorted(self._rows.values(), key=itemgetter(0))]
        statistics = self._statistics
        report = DetectReport(
            self._source.file, self._source.scale_length, options, rows, statistics.skipped, statistics.as_dict()
        )
        self._publish(report, first_contact)

    def _row(self, found: Any) -> PairRow:
        if isinstance(found, self._engine.FirstContact):
            return make_contact_row(self._engine, self._world, found, self._frame.frame)
        return make_row(self._engine, self._world, found, self._frame.frame, highlights=True)
