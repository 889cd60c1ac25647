"""One question about a scene that changes: the engine's scene, and what the test's followers know of its pairs.

Live asks it again whenever something changes, the timeline at every frame; either only asks what differs.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from types import ModuleType
from typing import Any

from .cloud_scene import CLOUD_PARTS, CloudScene, Prepare
from .engine_scene import EngineScene
from .errors import DetectError
from .frame_scene import FrameScene, Progress, for_test
from .massive_file import MASSIVE_PARTS
from .options import DetectOptions
from .pair_row import PairRow
from .queries import test_named
from .queries.followers import Follower
from .queries.question import Answer, Question
from .statistics import RunStatistics


class Followed:
    """What is known of a scene, from one state of it to the next.

    Args:
        engine: the meshclash module.
        prepare: compiles or loads parts of the engine's warm-up.
        clouds: scans that were made for an earlier question.

    Attributes:
        frame: the state that was taken up last.
        world: the engine's scene.
        statistics: of the work; may be replaced.
    """

    def __init__(self, engine: ModuleType, prepare: Prepare, clouds: CloudScene | None = None) -> None:
        self._engine, self._prepare = engine, prepare
        self.world = EngineScene(engine)
        self.frame = FrameScene(0)
        self.statistics = RunStatistics(1.0)
        self._question: Question | None = None
        self._subject: tuple[Any, ...] | None = None
        self._follower: Follower | None = None
        self._clouds = clouds or CloudScene(engine, 0)
        self._reads_files = False

    @property
    def built(self) -> int:
        """Objects that the last change added or rebuilt; such an answer says nothing of the cost of the next."""
        return self.world.built

    @property
    def refines(self) -> bool:
        """Whether the answers are probabilities that grow certain from one to the next."""
        return self._follower is not None and self._follower.refines

    @property
    def uncertain(self) -> int:
        """Pairs of which only a probability is known."""
        return 0 if self._follower is None else self._follower.uncertain

    @property
    def question(self) -> Question:
        """What is asked of the state that was taken up."""
        return self._following()[0]

    @property
    def clouds(self) -> CloudScene:
        """The scans of that state."""
        return self._clouds

    def rows(self) -> list[PairRow]:
        """The rows of all pairs; one that did not change has the number of an earlier frame."""
        return list(self.pairs().values())

    def pairs(self) -> dict[tuple[int, int], PairRow]:
        """The rows by the engine's ids of their objects; to be replaced where more is found out."""
        return self._following()[1].rows

    def take_steps(self, frame: FrameScene, options: DetectOptions, scale: float) -> Generator[Progress, None, None]:
        """Makes the engine's scene equal to a state of Blender's.

        Args:
            frame: that state.
            options: what is asked.
            scale: metres per Blender unit.
        """
        test = test_named(options.test)
        frame = for_test(frame, test.of_pairs, test.takes_massive)
        self.statistics.add_skipped(frame.skipped)
        self.frame = frame
        if frame.massive and not self._reads_files:
            yield from self._prepare(MASSIVE_PARTS)
            self._reads_files = True
        started = time.perf_counter()
        yield from self.world.update_steps(frame, *options.roundings(scale))
        if options.point_budget != self._clouds.budget:
            self._clouds = CloudScene(self._engine, options.point_budget)
        if frame.scans:
            yield from self._prepare(CLOUD_PARTS)
        yield from self._clouds.update_steps(frame)
        self.world.place_scans(self._clouds.placed)
        self.statistics.add_resolutions(self.world, options.coarsest)
        self.statistics.add_time("prepare", time.perf_counter() - started)
        sets = self.world.ids(in_a=True), self.world.ids(in_a=False)
        self._question = Question(self._engine, self.world, options, scale, *sets, self.world.keep(options.rules))
        taken = (getattr(options, name) for name in sorted(test.takes))
        subject = (test.name, scale, options.set_a, options.set_b, options.point_budget, *taken)
        if subject != self._subject:
            self._subject, self._follower = subject, test.follower(self._question)
        self.statistics.add_skipped((*self.world.skipped, *self._clouds.skipped))

    def ask_steps(self, first_contact: bool = False, seconds: float | None = None) -> Generator[Any, None, None]:
        """Asks for what changed.

        Args:
            first_contact: be content with knowing who meets.
            seconds: most that an answer within a budget may take; None: what the options say.

        Raises:
            DetectError: a massive file is damaged, or gone.
        """
        question, follower = self._following()
        budget = question.options.budget
        if budget is not None:
            most = budget if seconds is None else min(budget, seconds)
            question = replace(question, options=replace(question.options, budget=most))
        try:
            self._add((yield from follower.ask_steps(question, first_contact)))
        except self._engine.errors.InvalidFile as error:
            raise DetectError(str(error)) from error

    def refine_steps(self, seconds: float) -> Generator[Any, None, None]:
        """Goes on with the last answer for so long, where nothing has changed since."""
        question, follower = self._following()
        question = replace(question, options=replace(question.options, budget=seconds))
        self._add((yield from follower.ask_steps(question, False)))

    def write_steps(self, highlights: bool = True) -> Generator[Progress, None, None]:
        """Writes the rows of what the last questions found; with `highlights` also what is drawn.

        Raises:
            DetectError: a massive file is damaged, or gone.
        """
        started = time.perf_counter()
        question, follower = self._following()
        try:
            yield from follower.write_steps(question, self.frame.frame, highlights)
        except self._engine.errors.InvalidFile as error:
            raise DetectError(str(error)) from error
        self.statistics.add_time("report", time.perf_counter() - started)

    def _add(self, answer: Answer) -> None:
        """Counts the work of a question."""
        self.statistics.add_answer(answer)

    def _following(self) -> tuple[Question, Follower]:
        assert self._question is not None and self._follower is not None  # `take_steps` comes first
        return self._question, self._follower
