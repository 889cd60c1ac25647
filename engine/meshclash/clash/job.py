"""Run a detection as a generator, in slices: read, prepare, query and report one frame or a range of frames."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from types import ModuleType

from ..messages import Sentence
from ..types.steps import hold_progress, scale_progress
from .cloud_scene import Prepare
from .errors import DetectError, InputError
from .fingerprints import Seen, fingerprint_steps
from .followed import Followed
from .frame_scene import FrameScene, Progress, SceneSource, Skipped
from .grouping import placed_steps
from .options import DetectOptions, set_in_words
from .queries.registry import test_named
from .report import DetectReport, now
from .revision import identity_steps
from .row_list import sort_steps, sorted_rows
from .statistics import RunStatistics
from .tasks import TaskAnswer, ThisProcess, Workers
from .timeline import Timeline, letters_of, tasks_of
from .volumes import listed_rows

WARM_UP_SHARE = 0.1
READ_SHARE, PREPARE_SHARE = 0.2, 0.4  # of one frame; the query has the rest
DEVICE = "auto"
"""For a frame that is tested as a whole, a GPU may be faster."""


def detect_steps(
    source: SceneSource,
    options: DetectOptions,
    engine: ModuleType,
    highlights: bool = True,
    prepare: Prepare | None = None,
    remember: bool = False,
    followed: Followed | None = None,
) -> Generator[Progress, None, DetectReport]:
    """Run the test of the options in every frame.

    Args:
        source: the scene; its frame is put back at the end, after an error and when the generator is closed.
        options: the question.
        engine: the meshclash module.
        highlights: whether the rows carry triangles and curves for drawing.
        prepare: as in `Followed`; whether there are scans is known only when a frame has been read.
        remember: whether the report stores the state of the objects in the last frame.
        followed: results for the current frame from an earlier run with the same engine. All objects are read again and
            compared with these results; only changed objects are tested.

    Yields:
        Progress after each slice of work.

    Returns:
        The report, worst rows first.

    Raises:
        InputError: a set is wrong, or contains no usable object.
        DetectError: the engine raised another error.
    """
    created = now()
    try:
        yield from scale_progress(engine.warm_up(test_named(options.test).parts(options)), 0.0, WARM_UP_SHARE)
        if options.frames is not None:
            workers = ThisProcess(source, options, engine, highlights, prepare)
            asking = range_steps(workers, options.frames, source.scale_length)
            found = yield from scale_progress(asking, WARM_UP_SHARE, 1.0)
            return range_report(source, options, *found, created)
        once, followed = followed is None, followed or Followed(engine, prepare, device=DEVICE)
        report = yield from scale_progress(
            _now_steps(source, options, followed, highlights, remember, once), WARM_UP_SHARE, 1.0
        )
        return replace(report, version=str(getattr(engine, "__version__", "")))
    except engine.errors.MeshClashError as error:
        raise DetectError(Sentence("the engine reported an error: {why}", why=error)) from error
    finally:
        source.restore()


def range_steps(
    workers: Workers, frames: range, scale_length: float, keeps_rows: bool = True
) -> Generator[Progress, None, tuple[Timeline, RunStatistics]]:
    """Run a detection over a range of frames.

    Args:
        workers: the processes that run the tasks.
        frames: the range.
        scale_length: metres per scene unit.
        keeps_rows: whether the rows of all frames are stored.
    """
    timeline, statistics = Timeline(frames, keeps_rows), RunStatistics(scale_length)

    def take(answer: TaskAnswer) -> None:
        statistics.add(answer.statistics)
        for found in answer.frames:
            timeline.take(found)

    yield from workers.run_steps(tasks_of(frames), len(frames), take)
    return timeline, statistics


def range_report(
    source: SceneSource, options: DetectOptions, timeline: Timeline, statistics: RunStatistics, created: str
) -> DetectReport:
    """Return the report of a timeline after all frames are done.

    Raises:
        InputError: no frame contains a usable object in a set.
    """
    require_members(options, timeline.sets, timeline.skipped)
    rows = sorted_rows(timeline.rows)
    return DetectReport(
        source.file, source.scale_length, options, rows, timeline.skipped, statistics.as_dict(), created=created,
        events=timeline.events,
    )  # fmt: skip


def workers_steps(
    source: SceneSource, options: DetectOptions, workers: Workers
) -> Generator[Progress, None, DetectReport]:
    """Run `detect_steps` over a range of frames in other processes; this process needs no engine.

    Raises:
        InputError: as `detect_steps`.
        DetectError: a part of the range cannot be processed; the message names it.
    """
    assert options.frames is not None
    created = now()
    found = yield from range_steps(workers, options.frames, source.scale_length)
    return range_report(source, options, *found, created)


def _now_steps(
    source: SceneSource,
    options: DetectOptions,
    followed: Followed,
    highlights: bool,
    remember: bool,
    once: bool,
) -> Generator[Progress, None, DetectReport]:
    """Return the report of the current frame; `once` means that nobody asks `followed` again."""
    statistics, created = RunStatistics(source.scale_length), now()
    followed.statistics = statistics
    started = time.perf_counter()
    frame = yield from scale_progress(source.read_steps(options.set_a, options.set_b, None), 0.0, READ_SHARE)
    statistics.add_frame(frame, time.perf_counter() - started)
    yield from scale_progress(followed.take_steps(frame, options, source.scale_length), READ_SHARE, PREPARE_SHARE)
    yield from scale_progress(followed.ask_steps(), PREPARE_SHARE, 1.0)
    if once:
        followed.forget_answers()
    yield from scale_progress(followed.write_steps(highlights), 1.0, 1.0)
    yield from scale_progress(followed.bring_up_steps(), 1.0, 1.0)
    rows = yield from scale_progress(followed.measured_steps(), 1.0, 1.0)
    large = listed_rows(rows, options, source.scale_length)
    large = yield from hold_progress(sort_steps(large), Progress(1.0, "Listing the pairs"))
    statistics.add_smaller(len(rows) - len(large))
    statistics.add_understood(followed.world)
    # A scan without a surface is no member: to find nothing with it would be taken for an all-clear.
    require_members(options, letters_of(followed.world.objects.values()), statistics.skipped)
    objects = (yield from scale_progress(fingerprint_steps(followed.frame), 1.0, 1.0)) if remember else None
    seen = None if objects is None else Seen(options.set_a, options.set_b, objects)
    taken = _taken(followed)
    remember = remember or any(item.models for item in (*taken.objects, *taken.scans))
    revision = (yield from scale_progress(identity_steps(taken, source.scale_length), 1.0, 1.0)) if remember else []
    placed = yield from scale_progress(placed_steps(taken), 1.0, 1.0)
    tested = [item.name for item in (*taken.objects, *taken.scans)]
    told = {item.name: item.told_properties for item in (*frame.objects, *frame.scans) if item.told_properties}
    return DetectReport(
        source.file, source.scale_length, options, large, statistics.skipped, statistics.as_dict(), seen, created,
        objects=told, tested=tested, revision=revision, things=dict(zip(tested, revision, strict=bool(revision))),
        placed=placed,
    )  # fmt: skip


def _taken(followed: Followed) -> FrameScene:
    """Return the current frame without the objects that the engine could not use."""
    taken = {item.identity for item in followed.world.objects.values()}
    frame = followed.frame
    objects, scans = ([item for item in some if item.identity in taken] for some in (frame.objects, frame.scans))
    return replace(frame, objects=objects, scans=scans)


def require_members(options: DetectOptions, letters: str, skipped: Sequence[Skipped]) -> None:
    """Check that both sets contain objects.

    Args:
        options: the question.
        letters: letters of the sets that contain objects.
        skipped: the objects that were left out.

    Raises:
        InputError: a set is empty; the message gives the reason.
    """
    for letter, expression in (("A", options.set_a), ("B", options.set_b)):
        if letter not in letters:
            values = {"letter": letter, "set": set_in_words(expression)}
            if skipped:
                parts = (Sentence("{name}: {why}", name=item.name, why=item.reason) for item in skipped[:3])
                text = Sentence(
                    "set {letter} ({set}) contains no visible mesh with faces and no visible scan (left out: {notes})",
                    notes=Sentence.joined("; ", parts), **values,
                )  # fmt: skip
            else:
                text = Sentence(
                    "set {letter} ({set}) contains no visible mesh with faces and no visible scan: show hidden "
                    "objects, or choose another set", **values,
                )  # fmt: skip
            raise InputError(text)
