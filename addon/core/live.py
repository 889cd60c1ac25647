"""Live: one generator that answers again and again, in slices, and asks only what has changed.

Whoever drives it (the modal operator, a script, a test) calls `note` for every change of the scene and `run_slice`
as often as it likes. The answer to a change is complete as long as complete answers fit into the budget; while they
do not, it is content with one contact of each pair that meets (first-contact mode), and is completed when the scene
has been quiet for a moment. An answer that states probabilities is made more certain while nothing changes, by all
the time there is.
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
from meshclash.clash.job import run_to_end
from meshclash.clash.kernel_parts import BASIC_PARTS
from meshclash.clash.options import DetectOptions
from meshclash.clash.queries.registry import test_named
from meshclash.clash.report import DetectReport
from meshclash.clash.words import counted
from meshclash.messages import Sentence, capital
from meshclash.types.slices import TimeSlice

from .changes import Changes
from .live_answers import Answers

T = TypeVar("T")

PARTS: tuple[str, ...] = (*BASIC_PARTS, "more")
"""Parts of the engine's warm-up that Live needs, whatever the test."""
BUDGET = 0.02  # seconds of the main thread for one answer, and the length of a slice
LONGEST_SLICE = 0.03
QUIET_SECONDS = 0.15  # without a change, before an incomplete answer is completed
RETRY_SECONDS = 1.0  # at least, in first-contact mode, before a complete answer is tried again while changes go on
RETRY_SHARE = 0.05  # of the time at most: where complete answers take long, they are tried less often
SHOW_SECONDS = 0.25  # between two answers that are shown while nothing changes and probabilities grow certain
SHOW_SHARE = 0.2  # of the time at most: where writing them takes long, they are shown less often
IDLE = Progress(1.0, "")

LEAST_SECONDS = 0.001  # seconds that a time-critical answer is given, however long reading took


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
        load: a generator that loads the engine and returns it; it is given the parts that are to be compiled next.
        publish: takes every answer.
        known: gives what an earlier detection by the same engine knows of the scene, or None.

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
        """Whether there is something to do, now or after a quiet moment."""
        return not self._resting or bool(self._changes) or (self.incomplete and not self.problem)

    @property
    def starting(self) -> str:
        """What is being done until there is a first answer, or another test can be asked; "" afterwards."""
        return "" if self.ready and self._answered is not None else self.text

    @property
    def pending(self) -> frozenset[str]:
        """Full names of objects whose changes are not answered yet."""
        return frozenset(self._changes.names | self._unanswered.names | self._asking.names)

    def seen(self) -> Seen | None:
        """What the objects were at the last answer; None before the first."""
        if self._answered is None:
            return None
        options, frame = self._answered
        return Seen(options.set_a, options.set_b, run_to_end(fingerprint_steps(frame)))

    @property
    def followed(self) -> Followed | None:
        """What is known of the scene, for the next detection; None before the first answer."""
        return None if self._answered is None else self._answers

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
        ready = self.ready
        piece = self._slice = TimeSlice(min(self.budget, LONGEST_SLICE) if seconds is None else seconds)
        while True:
            progress = next(self._steps)
            if piece.is_full() or progress is IDLE:
                break
        if ready:
            self.longest_slice = max(self.longest_slice, piece.spent)

    def close(self) -> None:
        """Ends for good; what was read and built is freed."""
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
        """One answer, complete or in first-contact mode; a wrong input is told and waits for the next change."""
        self._unanswered = Changes()
        try:
            effort = _Effort()
            if changes is not None:
                self._asking.add(changes)
                self._options = None
                self._options = self._source.options()
                yield from self._prepare(self._parts())
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
        """Parts of the engine's warm-up that the test of the moment needs."""
        try:
            options = self._source.options()
        except DetectError:
            wanted = PARTS
        else:
            wanted = (*PARTS, *test_named(options.test).parts(options))
        return list(dict.fromkeys(wanted))

    def _prepare(self, parts: Sequence[str]) -> Generator[Progress, None, None]:
        """Compiles or loads what was not needed before."""
        missing = [part for part in parts if part not in self._warm]
        if missing:
            self.ready = False
            yield from self._loaded(missing)

    def _loaded(self, parts: list[str]) -> Generator[Progress, None, ModuleType]:
        """The engine, with these parts compiled."""
        engine = yield from self._told(self._load(parts))
        yield from self._told(engine.warm_up(parts))
        self._warm.update(parts)
        self.ready = True
        return engine

    def _refine(self, answers: Answers) -> Generator[Progress, None, None]:
        """Makes an answer more certain for what is left of this call, and shows it now and then."""
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
        """Writes up what is new of an answer, and hands it out."""
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
        """What an incomplete answer lacks."""
        if self._uncertain:
            return Sentence("Searching on: {pairs} not certain yet", pairs=counted(self._uncertain, "pair"))
        time = f"{1000 * self.complete_cost:.0f} ms"
        return Sentence("First contacts only while things move: a complete answer takes {time}", time=time)

    def _falls_back(self) -> bool:
        return self.complete_cost > self.budget and time.perf_counter() < self._retry_at

    def _asked(self, answers: Answers, effort: _Effort, first_contact: bool) -> Generator[Progress, None, bool]:
        """Asks the engine; False when a complete answer went over the budget and something changed meanwhile."""
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
        """Shows what is being done."""
        while True:
            try:
                progress = next(steps)
            except StopIteration as done:
                return done.value
            self.text = capital(progress.text)
            yield progress


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
