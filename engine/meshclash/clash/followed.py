"""``Followed`` runs a test in a changing scene: it stores the engine's scene, and the known results for its pairs.

Detect uses it at every press of the button, Live whenever something changes, and the timeline at every frame; only
changed objects are tested.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from ..messages import Sentence
from ..types.steps import scale_progress
from .cloud_scene import CloudScene, Prepare
from .engine_scene import EngineScene
from .errors import DetectError
from .fasteners import Fasteners
from .frame_scene import FrameScene, Progress, for_test
from .kernel_parts import CLOUD_PARTS, LARGE_PARTS, MASSIVE_PARTS
from .options import DetectOptions
from .pair_row import PairRow
from .queries.followers import Follower, Key
from .queries.question import DetectAnswer, DetectQuestion
from .queries.registry import test_named
from .row_list import RowList
from .rows import first_of
from .statistics import RunStatistics
from .volumes import may_have_volume, volume_steps

_ROWS_AT_ONCE = 64  # that are brought up to date in one step
_LARGE = 1 << 15  # triangles from which several cores may work
_MESHES_SHARE = 0.5  # of taking up a state; scans have the rest


_KNOWN = (
    "world",
    "frame",
    "_question",
    "_subject",
    "_follower",
    "_clouds",
    "_warm",
    "_members",
    "_fasteners",
    "_volumes",
)
"""Attributes of `Followed` that contain the known results for a scene."""


class Followed:
    """The known results for a scene, kept from one state of the scene to the next.

    Args:
        engine: the meshclash module.
        prepare: function that compiles parts of the engine's warm-up in another process, and waits for them; None if
            this is not possible.
        clouds: scans that were made for an earlier question.
        device: the device that the engine may use, as the argument of `Scene.contacts`.

    Attributes:
        engine: the engine of the arguments.
        frame: the state that was taken up last.
        world: the engine's scene.
        statistics: statistics of the work; may be replaced.
    """

    def __init__(
        self, engine: ModuleType, prepare: Prepare | None = None, clouds: CloudScene | None = None, device: str = "cpu"
    ) -> None:
        self.engine, self._prepare, self._device = engine, prepare, device
        self.world = EngineScene(engine)
        self.frame = FrameScene(0)
        self.statistics = RunStatistics(1.0)
        self._question: DetectQuestion | None = None
        self._subject: tuple[Any, ...] | None = None
        self._follower: Follower | None = None
        self._clouds = clouds or CloudScene(engine)
        self._warm: set[str] = set()
        self._members: tuple[Any, ...] = ()
        self._fasteners = Fasteners()
        self._volumes: Any = None  # bounds of common volumes

    def take_over(self, known: Followed) -> None:
        """Take over the data of another instance with the same engine, which must not be used afterwards."""
        for name in _KNOWN:
            setattr(self, name, getattr(known, name))

    @property
    def built(self) -> int:
        """Number of objects that the last change added or rebuilt; the time of such an update does not predict the next
        one.
        """
        return self.world.built

    @property
    def refines(self) -> bool:
        """Whether results are probabilities that become more certain with each query."""
        return self._follower is not None and self._follower.refines

    @property
    def uncertain(self) -> int:
        """Number of pairs for which only a probability is known."""
        return 0 if self._follower is None else self._follower.uncertain

    @property
    def question(self) -> DetectQuestion:
        """The question to ask about the current state."""
        return self._following()[0]

    @property
    def clouds(self) -> CloudScene:
        """The scans of the current state."""
        return self._clouds

    def rows(self) -> list[PairRow]:
        """The rows of pairs with complete results; an unchanged row has the number of an earlier frame."""
        return list(self.pairs().values())

    def rows_when_shown(self) -> RowList:
        """The rows of all pairs as in a report, including pairs of which only a first contact is known."""
        question, follower = self._following()
        rows, firsts = list(follower.rows.values()), follower.first_contacts(question, self.frame.frame)

        def make() -> Generator[None, None, list[PairRow]]:
            return rows + (yield from firsts.row_steps())

        return RowList(len(rows) + len(firsts.found), make)

    def pairs(self) -> dict[Key, PairRow]:
        """The rows by their keys, as in `Follower`; a row is replaced when more is known about the pair."""
        return self._following()[1].rows

    def take_steps(self, frame: FrameScene, options: DetectOptions, scale: float) -> Generator[Progress, None, None]:
        """Update the engine's scene to a state of the source.

        Args:
            frame: the frame that was read.
            options: the options of the test.
            scale: metres per scene unit.
        """
        test = test_named(options.test)
        frame = for_test(frame, test.of_pairs, test.takes_massive)
        if options.ignore_fasteners:
            frame = yield from scale_progress(self._fasteners.ignored_steps(frame, scale), 0.0, 0.0)
        self.statistics.add_skipped(frame.skipped)
        self.frame = frame
        if frame.massive:
            yield from scale_progress(self._warm_up_steps(MASSIVE_PARTS), 0.0, 0.0)
        if sum(len(mesh.triangles) for mesh in frame.meshes.values()) >= _LARGE:
            yield from scale_progress(self._warm_up_steps(LARGE_PARTS), 0.0, 0.0)
        started = time.perf_counter()
        yield from scale_progress(self.world.update_steps(frame, *options.roundings(scale)), 0.0, _MESHES_SHARE)
        if options.clouds(scale) != self._clouds.asked:
            self._clouds = CloudScene(self.engine, *options.clouds(scale))
        if frame.scans:
            yield from scale_progress(self._warm_up_steps(CLOUD_PARTS), _MESHES_SHARE, _MESHES_SHARE)
        yield from scale_progress(self._clouds.update_steps(frame), _MESHES_SHARE, 1.0)
        self.world.place_scans(self._clouds.placed)
        self.statistics.add_resolutions(self.world, options.coarsest)
        self.statistics.add_time("prepare", time.perf_counter() - started)
        sets = self.world.ids(in_a=True), self.world.ids(in_a=False)
        keep = self.world.keep(options.rules)
        self._question = DetectQuestion(self.engine, self.world, options, scale, *sets, keep, self._device)
        subject = test.name, scale, self._clouds.asked, options.budget, options.fits
        if subject != self._subject:
            self._subject, self._follower = subject, test.follower(self._question)
        self.statistics.add_tested(len(self.world.objects))
        self.statistics.add_skipped((*self.world.skipped, *self._clouds.skipped))

    def ask_steps(self, first_contact: bool = False, seconds: float | None = None) -> Generator[Any, None, None]:
        """Query the engine for everything that changed.

        Args:
            first_contact: find only which pairs meet.
            seconds: maximum time for a query with a budget; None: the time in the options.

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
        except self.engine.errors.InvalidFile as error:
            raise DetectError(str(error)) from error

    def forget_answers(self) -> None:
        """Free what only a later query needs; the rows of the last query can still be written."""
        self._following()[1].forget_answers()

    def refine_steps(self, seconds: float) -> Generator[Any, None, None]:
        """Refine the last result for a given time, if the scene has not changed since."""
        question, follower = self._following()
        question = replace(question, options=replace(question.options, budget=seconds))
        self._add((yield from follower.ask_steps(question, False)))

    def write_steps(self, highlights: bool = True) -> Generator[Progress, None, None]:
        """Write the rows for the results of the last queries; with `highlights` also the geometry to draw.

        Raises:
            DetectError: a massive file is damaged, or gone.
        """
        started = time.perf_counter()
        question, follower = self._following()
        try:
            yield from follower.write_steps(question, self.frame.frame, highlights)
        except self.engine.errors.InvalidFile as error:
            raise DetectError(str(error)) from error
        self.statistics.add_time("report", time.perf_counter() - started)

    def bring_up_steps(self) -> Generator[Progress, None, None]:
        """Give unchanged rows the current frame number, and the current order of the sets."""
        rows, objects, frame = self.pairs(), self.world.objects, self.frame.frame
        members = self.world.members
        regrouped = members != self._members
        for done, (pair, row) in enumerate(rows.items()):
            turned = regrouped and row.a.name != first_of(*map(objects.named, pair[:2])).name
            if turned or row.frame != frame:
                a, b = row.sides[::-1] if turned else row.sides
                rows[pair] = replace(row, a=a, b=b, frame=frame)
            if done % _ROWS_AT_ONCE == _ROWS_AT_ONCE - 1:
                yield Progress(done / len(rows), Sentence("Frame {frame}", frame=frame))
        self._members = members

    def measured_steps(self) -> Generator[Progress, None, list[PairRow]]:
        """Return the rows of all pairs, with their common volumes if these are requested."""
        question, rows = self.question, self.pairs()
        if not question.options.overlap_volume:
            return self.rows()
        if self._volumes is None:
            from ..scene.pair_memory import PairMemory  # noqa: PLC0415 - registering needs no compiler

            self._volumes = PairMemory()
        solids = [pair[:2] for pair, row in rows.items() if may_have_volume(question, pair[:2], row)]
        for pair in self._volumes.follow(self.world.scene, solids):
            self._volumes.note(pair, (yield from volume_steps(question, pair, rows[pair])))
        known = dict(self._volumes.items())
        bounds = {pair: known.get(pair[:2]) or (None, None) for pair in rows}
        return [replace(row, volume_lower=bounds[pair][0], volume_upper=bounds[pair][1]) for pair, row in rows.items()]

    def _warm_up_steps(self, parts: Sequence[str]) -> Generator[Any, None, None]:
        """Compile or load kernels that were not needed before."""
        missing = tuple(part for part in parts if part not in self._warm)
        if missing and self._prepare is not None:
            yield from self._prepare(missing)
        if missing:
            yield from self.engine.warm_up(missing)
        self._warm.update(missing)

    def _add(self, answer: DetectAnswer) -> None:
        """Add the work of a query to the statistics."""
        self.statistics.add_answer(answer)

    def _following(self) -> tuple[DetectQuestion, Follower]:
        assert self._question is not None and self._follower is not None  # `take_steps` comes first
        return self._question, self._follower
