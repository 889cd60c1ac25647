"""The detection as a generator: read, prepare, query and report, frame by frame, in slices."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, TypeVar

from .cloud_pairs import scan_steps
from .cloud_scene import CloudScene, Prepare
from .engine_scene import EngineScene
from .errors import DetectError, InputError
from .fingerprints import Seen, fingerprint_steps
from .frame_scene import FrameScene, Progress, SceneSource
from .options import DetectOptions, set_in_words
from .pair_row import PairRow
from .queries import test_named
from .queries.asked import Asked
from .report import DetectReport, now
from .statistics import RunStatistics
from .steps import within
from .volumes import has_less, volume_steps

T = TypeVar("T")

WARM_UP_SHARE = 0.1
READ_SHARE, PREPARE_SHARE = 0.2, 0.4  # of one frame; the query has the rest
MESH_SHARE = 0.6  # where the query of the meshes ends in a frame with scans


def detect_steps(
    source: SceneSource,
    options: DetectOptions,
    engine: ModuleType,
    highlights: bool = True,
    prepare: Prepare | None = None,
    remember: bool = False,
) -> Generator[Progress, None, DetectReport]:
    """Asks the test of the options about every frame.

    Args:
        source: the scene; its frame is put back at the end, after an error and when the generator is closed.
        options: the question.
        engine: the meshclash module (`addon.engine.load()`).
        highlights: whether the rows carry triangles and curves for drawing.
        prepare: as `CloudScene` takes it; whether there are scans is seen only when a frame has been read.
        remember: whether the report says what the objects of the last frame were.

    Yields:
        Progress after each slice of work.

    Returns:
        The report, worst rows first.

    Raises:
        InputError: a set is wrong, or holds nothing that can be used.
        DetectError: the engine refused something else.
    """
    statistics, created = RunStatistics(source.scale_length), now()
    world, clouds = EngineScene(engine), CloudScene(engine, options.point_budget, prepare)
    rows: list[PairRow] = []
    seen: set[str] = set()
    frames: Sequence[int | None] = (None,) if options.frames is None else options.frames
    try:
        yield from within(engine.warm_up(test_named(options.test).parts(options)), 0.0, WARM_UP_SHARE)
        for index, number in enumerate(frames):
            low, high = (WARM_UP_SHARE + (1.0 - WARM_UP_SHARE) * k / len(frames) for k in (index, index + 1))
            steps = _frame_steps(source, options, world, clouds, engine, number, highlights, statistics)
            frame, found = yield from within(steps, low, high, "" if number is None else f"Frame {number}: ")
            rows += found
            # A scan without a surface is no member: to find nothing with it would be taken for an all-clear.
            members = [*world.objects.values(), *(placed.item for placed in clouds.placed if frame.scans)]
            seen |= {letter for item in members for letter in "AB" if (item.in_a if letter == "A" else item.in_b)}
        _require_meshes(options, seen, statistics)
        rows.sort(key=lambda row: row.order)
        objects = (yield from within(fingerprint_steps(frame), 1.0, 1.0)) if remember else None
        return DetectReport(
            source.file, source.scale_length, options, rows, statistics.skipped, statistics.as_dict(),
            None if objects is None else Seen(options.set_a, options.set_b, objects), created,
        )  # fmt: skip
    except engine.errors.MeshClashError as error:
        raise DetectError(f"the engine refused: {error}") from error
    finally:
        source.restore()


def run_to_end(steps: Generator[Any, None, T], on_progress: Callable[[Any], None] | None = None) -> T:
    """Runs a generator of progress values to its end and returns its result."""
    while True:
        try:
            progress = next(steps)
        except StopIteration as done:
            return done.value
        if on_progress is not None:
            on_progress(progress)


def _frame_steps(
    source: SceneSource,
    options: DetectOptions,
    world: EngineScene,
    clouds: CloudScene,
    engine: ModuleType,
    number: int | None,
    highlights: bool,
    statistics: RunStatistics,
) -> Generator[Progress, None, tuple[FrameScene, list[PairRow]]]:
    started = time.perf_counter()
    frame = yield from within(source.read_steps(options.set_a, options.set_b, number), 0.0, READ_SHARE)
    statistics.add_frame(frame, time.perf_counter() - started)
    started = time.perf_counter()
    yield from within(world.update_steps(frame, options.coarsest / source.scale_length), READ_SHARE, PREPARE_SHARE)
    statistics.add_skipped(world.skipped)
    statistics.add_resolutions(world, options.coarsest)
    statistics.add_time("prepare", time.perf_counter() - started)
    test = test_named(options.test)
    sets = world.ids(in_a=True), world.ids(in_a=False)
    options = shared_budget(options, frame)
    asked = Asked(engine, world, options, source.scale_length, *sets, world.keep(options.rules))
    query_end = MESH_SHARE if frame.scans else 1.0
    answer = yield from within(test.ask_steps(asked), PREPARE_SHARE, query_end)
    statistics.add_answer(answer)
    started = time.perf_counter()
    rows = []
    for found in answer.found:
        written = test.row_steps(asked, found, frame.frame, highlights)
        row = yield from within(written, query_end, query_end)
        rows.append((yield from within(volume_steps(asked, found, row), query_end, query_end)))
    statistics.add_time("report", time.perf_counter() - started)
    if frame.scans:
        started = time.perf_counter()
        steps = scan_steps(engine, world, clouds, frame, options, source.scale_length, highlights)
        rows += yield from within(steps, query_end, 1.0)
        statistics.add_skipped(clouds.skipped)
        statistics.add_time("scans", time.perf_counter() - started)
    large = [row for row in rows if not has_less(row, options.min_volume / source.scale_length**3)]
    statistics.add_smaller(len(rows) - len(large))
    return frame, large


def shared_budget(options: DetectOptions, frame: FrameScene) -> DetectOptions:
    """The options with the budget that meshes among each other have, and pairs with a scan, where there are both."""
    if options.budget is None or not (frame.scans and frame.objects):
        return options
    return replace(options, budget=0.5 * options.budget)


def _require_meshes(options: DetectOptions, seen: set[str], statistics: RunStatistics) -> None:
    for letter, expression in (("A", options.set_a), ("B", options.set_b)):
        if letter not in seen:
            notes = "; ".join(f"{item.name}: {item.reason}" for item in statistics.skipped[:3])
            raise InputError(
                f"set {letter} ({set_in_words(expression)}) contains no mesh with faces and no scan that is visible"
                + (f" (left out: {notes})" if notes else "")
            )
