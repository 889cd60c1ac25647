"""Live is a generator that updates the results continuously, in slices, and queries only objects that have changed.

The driver (the modal operator, a script or a test) calls `note` for every change of the scene, and `run_slice` at any
time. Results are complete as long as a complete update fits into the budget. Otherwise results contain only one contact
of each pair in contact (first-contact mode), and are completed when the scene has not changed for a moment. Results
with probabilities are refined further while nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from types import ModuleType
from typing import Any, Protocol, TypeVar

from meshclash.clash.errors import DetectError
from meshclash.clash.fingerprints import Seen, fingerprint_steps
from meshclash.clash.followed import Followed
from meshclash.clash.frame_scene import FrameScene, Progress
from meshclash.clash.kernel_parts import BASIC_PARTS
from meshclash.clash.options import DetectOptions
from meshclash.clash.queries.registry import test_named
from meshclash.clash.report import DetectReport
from meshclash.clash.words import counted
from meshclash.messages import Sentence, capital
from meshclash.types.slices import TimeSlice
from meshclash.types.steps import run_to_end

from .changes import Changes
from .live_answers import Answers

T = TypeVar("T")

PARTS: tuple[str, ...] = (*BASIC_PARTS, "more")
"""Parts of the engine's warm-up that Live needs for every test."""
BUDGET = 0.02  # seconds of the main thread for one answer, and the length of a slice
LONGEST_SLICE = 0.03
QUIET_SECONDS = 0.15  # time without changes before an incomplete answer is completed
RETRY_SECONDS = 1.0  # least time in first-contact mode before a complete answer is tried again during changes
RETRY_SHARE = 0.05  # largest share of time for such tries: slow complete answers are tried less often
SHOW_SECONDS = 0.25  # time between shown answers while nothing changes and probabilities are refined
SHOW_SHARE = 0.2  # largest share of time for showing them: if writing is slow, they are shown less often
IDLE = Progress(1.0, "")

LEAST_SECONDS = 0.001  # least time for a time-critical answer, however long reading took


class LiveScene(Protocol):
    """Source of the scene; `addon.adapters.live_source.LiveSource` in Blender."""

    @property
    def file(self) -> str:
        """Path of the file."""
        ...

    @property
    def scale_length(self) -> float:
        """Metres per Blender unit."""
        ...

    def options(self) -> DetectOptions:
        """Return the current options; raises InputError."""
        ...

    def evaluate(self) -> None:
        """Evaluate the scene, so that handlers note all changes before it is read; raises InputError."""
        ...

    def read_steps(self, options: DetectOptions, changes: Changes) -> Generator[Progress, None, FrameScene]:
        """Read objects that may have changed since the last completed call; raises InputError."""
        ...


class Live:
    """Follows a scene.

    Args:
        source: the scene.
        load: generator function that loads the engine and returns it; its argument are the parts to compile next.
        publish: function that receives every result.
        known: function that returns the results of an earlier detection by the same engine for the scene, or None.

    Attributes:
        budget: seconds of the main thread for one update before Live falls back to first-contact mode.
        complete_cost: seconds that the last complete update took, including reading; 0.0 if unknown.
        incomplete: whether the last result was computed in first-contact mode, or its probabilities are not yet final.
        problem: why there is currently no result; "" if there is a result.
        text: description of the current work.
        ready: whether the engine is loaded and compiled.
        longest_slice: longest time the main thread was blocked, in seconds, without loading and compiling the engine.
    """

    def __init__(
        self,
        source: LiveScene,
        load: Callable[[Sequence[str]], Generator[Progress, None, ModuleType]],
        publish: Callable[[DetectReport, bool], None],
        known: Callable[[ModuleType], Followed | None] = lambda _engine: None,
    ) -> None:
        self.budget = BUDGET
        self.complete_cost = 0.0
        self.incomplete = False
        self.problem = ""
        self.text = "Starting"
        self.longest_slice = 0.0
        self._source, self._load, self._publish, self._known = source, load, publish, known
        self._answers: Answers | None = None
        self._changes = Changes(everything=True)
        self._unanswered, self._asking = Changes(), Changes()
        self._changed_at = self._retry_at = -QUIET_SECONDS
        self._reading_cost = 0.0
        self._options: DetectOptions | None = None
        self.ready = self._resting = False
        self._warm: set[str] = set()
        self._uncertain = 0
        self._slice = TimeSlice(0.0)
        self._show_at = 0.0
        self._answered: tuple[DetectOptions, FrameScene] | None = None
        self._steps = self._forever()

    @property
    def busy(self) -> bool:
        """Whether work remains, now or after a moment without changes."""
        return not self._resting or bool(self._changes) or (self.incomplete and not self.problem)

    @property
    def starting(self) -> str:
        """Description of the work before the first result, or before another test can run; "" afterwards."""
        return "" if self.ready and self._answered is not None else self.text

    @property
    def pending(self) -> frozenset[str]:
        """Full names of objects whose changes are not yet in the result."""
        return frozenset(self._changes.names | self._unanswered.names | self._asking.names)

    def seen(self) -> Seen | None:
        """State of the objects at the last result; None before the first result."""
        if self._answered is None:
            return None
        options, frame = self._answered
        return Seen(options.set_a, options.set_b, run_to_end(fingerprint_steps(frame)))

    @property
    def followed(self) -> Followed | None:
        """Data about the scene for the next detection; None before the first result."""
        return None if self._answered is None else self._answers

    def note(self, changes: Changes) -> None:
        """Record changes, without reading or computing anything."""
        if changes:
            self._changes.add(changes)
            self._changed_at = time.perf_counter()

    def look_at_options(self) -> None:
        """Check for changed settings, which no handler reports."""
        try:
            options = self._source.options()
        except DetectError:
            options = None
        if self.ready and options != self._options:
            self.note(Changes(visible=True))

    def run_slice(self, seconds: float | None = None) -> None:
        """Work for `seconds` (None: the budget, at most `LONGEST_SLICE`), or less if no work remains.

        Raises:
            All errors of loading the engine, and programming errors, pass through.
        """
        ready = self.ready
        piece = self._slice = TimeSlice(min(self.budget, LONGEST_SLICE) if seconds is None else seconds)
        while True:
            progress = next(self._steps)
            if piece.is_full() or progress is IDLE:
                break
        if ready:
            self.longest_slice = max(self.longest_slice, piece.spent)

    def close(self) -> None:
        """End Live, and free all data."""
        self._steps.close()
        self._answered = self._answers = None

    def _forever(self) -> Generator[Progress, None, None]:
        engine = yield from self._loaded(self._parts())
        answers = self._answers = Answers(engine, self._source, self._publish, self._prepare)
        known = self._known(engine)
        if known is not None:
            answers.take_over(known)
        while True:
            changes, self._changes = self._changes, Changes()
            if changes:
                changes.add(self._unanswered)
                yield from self._answer(answers, changes)
            elif self.incomplete and not self.problem and answers.refines:
                yield from self._refine(answers)
            elif self.incomplete and not self.problem and self._is_quiet():
                yield from self._answer(answers, None)
            else:
                self._resting = True
                yield IDLE
                self._resting = False

    def _answer(self, answers: Answers, changes: Changes | None) -> Generator[Progress, None, None]:
        """Compute one result, complete or in first-contact mode. Invalid input is reported until the next change."""
        self._unanswered = Changes()
        try:
            effort = _Effort()
            if changes is not None:
                self._asking.add(changes)
                self._options = None
                self._options = self._source.options()
                yield from self._prepare(self._parts())
                self._source.evaluate()
                late, self._changes = self._changes, Changes()
                changes.add(late)
                self._asking.add(late)
                yield from self._told(effort.spent_on(answers.follow_steps(self._options, changes)))
                self._reading_cost = effort.seconds
            else:
                effort.seconds = self._reading_cost
            first_contact = changes is not None and not answers.refines and self._falls_back()
            finished = yield from self._told(self._asked(answers, effort, first_contact))
            if finished:
                yield from self._told(self._show(answers, first_contact))
        except DetectError as error:
            self.problem = str(error)
            self._unanswered = changes or Changes(everything=True)

    def _parts(self) -> list[str]:
        """Return the parts of the engine's warm-up that the current test needs."""
        try:
            options = self._source.options()
        except DetectError:
            wanted = PARTS
        else:
            wanted = (*PARTS, *test_named(options.test).parts(options))
        return list(dict.fromkeys(wanted))

    def _prepare(self, parts: Sequence[str]) -> Generator[Progress, None, None]:
        """Compile or load parts that were not needed before."""
        missing = [part for part in parts if part not in self._warm]
        if missing:
            self.ready = False
            yield from self._loaded(missing)

    def _loaded(self, parts: list[str]) -> Generator[Progress, None, ModuleType]:
        """Return the engine with the given parts compiled."""
        engine = yield from self._told(self._load(parts))
        yield from self._told(engine.warm_up(parts))
        self._warm.update(parts)
        self.ready = True
        return engine

    def _refine(self, answers: Answers) -> Generator[Progress, None, None]:
        """Refine probabilities for the rest of this call, and show the intermediate results from time to time."""
        left = self._slice.end - time.perf_counter()
        steps = answers.refine_steps(max(left, LEAST_SECONDS))
        for progress in self._told(steps):
            yield progress
            if self._changes:
                steps.close()
                return
        if time.perf_counter() >= self._show_at or not answers.uncertain:
            yield from self._told(self._show(answers, False))
        else:
            yield Progress(1.0, self.text)

    def _show(self, answers: Answers, first_contact: bool) -> Generator[Progress, None, None]:
        """Update the report with the changes of a result, and publish it."""
        effort = _Effort()
        yield from effort.spent_on(answers.write_steps())
        self._uncertain = answers.uncertain
        self.incomplete = first_contact or self._uncertain > 0
        self.problem = ""
        yield from effort.spent_on(answers.publish_steps(self.incomplete))
        self._answered, self._asking = answers.taken_up, Changes()
        self._show_at = time.perf_counter() + max(SHOW_SECONDS, effort.seconds / SHOW_SHARE)

    def _is_quiet(self) -> bool:
        return time.perf_counter() - self._changed_at >= QUIET_SECONDS

    @property
    def shortfall(self) -> str:
        """Return as text what is missing in an incomplete result."""
        if self._uncertain:
            return Sentence("Still searching: {pairs} not certain yet", pairs=counted(self._uncertain, "pair"))
        time = f"{1000 * self.complete_cost:.0f} ms"
        return Sentence("While objects move, only first contacts are found: a complete update takes {time}", time=time)

    def _falls_back(self) -> bool:
        return self.complete_cost > self.budget and time.perf_counter() < self._retry_at

    def _asked(self, answers: Answers, effort: _Effort, first_contact: bool) -> Generator[Progress, None, bool]:
        """Query the engine; return False if a complete result took longer than the budget and the scene has changed."""
        may_give_up = not first_contact and not answers.refines
        left = max(self.budget - effort.seconds, LEAST_SECONDS)
        steps = effort.spent_on(answers.ask_steps(first_contact, left))
        for progress in steps:
            if may_give_up and self._changes and effort.seconds > self.budget:
                steps.close()
                self._remember_cost(effort.seconds)
                self.incomplete = True
                return False
            yield progress
        if may_give_up and not answers.built:
            self._remember_cost(effort.seconds)
        return True

    def _remember_cost(self, seconds: float) -> None:
        self.complete_cost = seconds
        self._retry_at = time.perf_counter() + max(RETRY_SECONDS, seconds / RETRY_SHARE)

    def _told(self, steps: Generator[Any, None, T]) -> Generator[Progress, None, T]:
        """Run a generator of steps, and show the description of each."""
        while True:
            try:
                progress = next(steps)
            except StopIteration as done:
                return done.value
            self.text = capital(progress.text)
            yield progress


class _Effort:
    """Measures the seconds spent inside generators, without the time between their steps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def spent_on(self, steps: Generator[Any, None, T]) -> Generator[Any, None, T]:
        """Run a generator of steps, and measure their time."""
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
