"""What Live knows: the engine's scene, what a test's follower found in it, and the report that comes of both."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .changes import Changes
from .cloud_scene import CLOUD_PARTS, CloudScene
from .engine_scene import EngineScene
from .frame_scene import FrameScene, Progress
from .job import shared_budget
from .options import DetectOptions
from .queries import test_named
from .queries.asked import Answered, Asked
from .queries.followers import Follower
from .report import DetectReport, now
from .scan_follower import ScanFollower
from .statistics import RunStatistics

if TYPE_CHECKING:
    from .live import LiveScene

_ROWS_AT_ONCE = 64  # that get the number of a new frame between two chances to stop


class Answers:
    """One answer after the other to the same question about a scene that changes.

    Args:
        engine: the meshclash module.
        source: the scene.
        publish: takes every answer, and whether it is incomplete.
        prepare: compiles or loads parts of the engine's warm-up.

    Attributes:
        frame: what was read last.
    """

    def __init__(
        self,
        engine: ModuleType,
        source: LiveScene,
        publish: Callable[[DetectReport, bool], None],
        prepare: Callable[[Sequence[str]], Generator[Any, None, None]],
    ) -> None:
        self._engine = engine
        self._source, self._publish, self._prepare = source, publish, prepare
        self._world = EngineScene(engine)
        self.frame = FrameScene(0)
        self._asked: Asked | None = None
        self._question: tuple[Any, ...] | None = None
        self._follower: Follower | None = None
        self._scans: ScanFollower | None = None
        self._clouds = CloudScene(engine, 0)
        self._statistics = RunStatistics(1.0)

    @property
    def built(self) -> int:
        """Objects that the last change added or rebuilt; such an answer says nothing of the cost of the next."""
        return self._world.built

    @property
    def refines(self) -> bool:
        """Whether the answers are probabilities that grow certain from one to the next."""
        return self._follower is not None and self._follower.refines

    @property
    def uncertain(self) -> int:
        """Pairs of which only a probability is known."""
        followers = (self._follower, self._scans)
        return sum(follower.uncertain for follower in followers if follower is not None)

    @property
    def question(self) -> tuple[DetectOptions, FrameScene]:
        """What the last answer is the answer to."""
        return self._following()[0].options, self.frame

    def follow_steps(self, options: DetectOptions, changes: Changes) -> Generator[Progress, None, None]:
        """Makes the engine's scene equal to Blender's."""
        scale = self._source.scale_length
        self._statistics = RunStatistics(scale)
        started = time.perf_counter()
        self.frame = yield from self._source.read_steps(options, changes)
        self._statistics.add_frame(self.frame, time.perf_counter() - started)
        started = time.perf_counter()
        yield from self._world.update_steps(self.frame, options.coarsest / scale)
        self._statistics.add_resolutions(self._world, options.coarsest)
        self._statistics.add_time("prepare", time.perf_counter() - started)
        sets = self._world.ids(in_a=True), self._world.ids(in_a=False)
        self._asked = Asked(self._engine, self._world, options, scale, *sets, self._world.keep(options.rules))
        test = test_named(options.test)
        taken = (getattr(options, name) for name in sorted(test.takes))
        question = (test.name, scale, options.set_a, options.set_b, options.point_budget, *taken)
        if options.point_budget != self._clouds.budget:
            self._clouds = CloudScene(self._engine, options.point_budget)
        if question != self._question or self._scans is None:
            self._question = question
            self._follower, self._scans = test.follower(self._asked), ScanFollower(self._asked, self._clouds)
        if self.frame.scans:
            yield from self._prepare(CLOUD_PARTS)
        yield from self._scans.follow_steps(self._asked, self.frame)
        self._statistics.add_skipped((*self._world.skipped, *self._scans.skipped))

    def ask_steps(self, first_contact: bool, seconds: float) -> Generator[Any, None, None]:
        """Asks for what changed.

        Args:
            first_contact: be content with knowing who meets.
            seconds: most that an answer within a budget may take.
        """
        asked, follower, scans = self._following()
        options, begun = asked.options, time.perf_counter()
        if options.budget is not None:
            options = shared_budget(replace(options, budget=min(options.budget, seconds)), self.frame)
            asked = replace(asked, options=options)
        self._add((yield from follower.ask_steps(asked, first_contact)))
        left = seconds - (time.perf_counter() - begun) if options.budget is None else options.budget
        yield from scans.ask_steps(self.frame.frame, left if first_contact or self.refines else None)

    def refine_steps(self, seconds: float) -> Generator[Any, None, None]:
        """Goes on with the last answer for so long, where nothing has changed since."""
        asked, follower, scans = self._following()
        asked = replace(asked, options=replace(asked.options, budget=seconds))
        self._add((yield from follower.ask_steps(asked, False)))
        yield from scans.ask_steps(self.frame.frame, None)

    def write_steps(self) -> Generator[Progress, None, None]:
        """Writes the rows of what the last questions found."""
        started = time.perf_counter()
        asked, follower, _ = self._following()
        yield from follower.write_steps(asked, self.frame.frame)
        self._statistics.add_time("report", time.perf_counter() - started)

    def publish_steps(self, incomplete: bool) -> Generator[Progress, None, None]:
        """Hands out all rows, worst first."""
        asked, follower, scans = self._following()
        yield from _numbered(follower.rows, self.frame.frame)
        yield from _numbered(scans.rows, self.frame.frame)
        rows = sorted((*follower.rows.values(), *scans.rows.values()), key=lambda row: row.order)
        statistics = self._statistics
        report = DetectReport(
            self._source.file, asked.metres_per_unit, asked.options, rows, statistics.skipped, statistics.as_dict(),
            created=now(),
        )  # fmt: skip
        self._publish(report, incomplete)

    def _add(self, answer: Answered) -> None:
        """Counts the work of a question, and what its answer leaves out in place of what the last one did."""
        self._statistics.forget_left_out()
        self._statistics.add_answer(answer)

    def _following(self) -> tuple[Asked, Follower, ScanFollower]:
        # `follow_steps` comes first
        assert self._asked is not None and self._follower is not None and self._scans is not None
        return self._asked, self._follower, self._scans


def _numbered(rows: dict[Any, Any], frame: int) -> Generator[Progress, None, None]:
    """Gives all rows the number of the frame."""
    old = [key for key, row in rows.items() if row.frame != frame]
    for done, key in enumerate(old):
        rows[key] = replace(rows[key], frame=frame)
        if done % _ROWS_AT_ONCE == _ROWS_AT_ONCE - 1:
            yield Progress(done / len(old), f"Frame {frame}")
