"""Run several named tests of one scene one after the other, and combine their results in one list."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from ..messages import Sentence
from ..types.steps import scale_progress
from .cloud_scene import Prepare
from .errors import InputError
from .followed import Followed
from .frame_scene import Progress, SceneSource
from .job import DEVICE, detect_steps
from .named_tests import NamedTest
from .pair_row import PairRow
from .report import DetectReport
from .review.revisions import pair_id_in_test
from .row_list import sorted_rows
from .statistics import largest

_SUMMED = ("smaller", "volume_tests", "primitive_tests", "exact_tests", "seconds")


def tests_steps(
    source: SceneSource,
    tests: Sequence[NamedTest],
    engine: ModuleType,
    highlights: bool = True,
    frames: range | None = None,
    prepare: Prepare | None = None,
    remember: bool = False,
    followed: Followed | None = None,
) -> Generator[Progress, None, DetectReport]:
    """Run tests that share the engine's scene.

    Args:
        source, engine, highlights, prepare, remember, followed: as `detect_steps`.
        tests: at least one.
        frames: the frames of all tests; None for the current frame.

    Returns:
        One report, worst rows first; a pair that several tests find is a row of each.

    Raises:
        InputError: as `detect_steps`; the message names the test.
        DetectError: the engine raised another error.
    """
    followed, reports = followed or Followed(engine, prepare, device=DEVICE), list[DetectReport]()
    for number, test in enumerate(tests):
        options = replace(test.options, frames=frames)
        steps = detect_steps(source, options, engine, highlights, prepare, remember, followed)
        low, high = number / len(tests), (number + 1) / len(tests)
        try:
            reports.append((yield from scale_progress(steps, low, high, prefix=f"{test.name}: ")))
        except InputError as error:
            raise InputError(Sentence("test '{name}': {why}", name=test.name, why=error)) from error
    return joined(tests, reports)


def joined(tests: Sequence[NamedTest], reports: Sequence[DetectReport]) -> DetectReport:
    """Combine the results of tests in one report.

    Args:
        tests: at least one.
        reports: report of each test.
    """
    rows = [of_test(row, test.name) for test, report in zip(tests, reports, strict=True) for row in report.rows]
    events = [
        replace(event, row=of_test(event.row, test.name))
        for test, report in zip(tests, reports, strict=True)
        for event in report.events or ()
    ]
    skipped = {item: None for report in reports for item in report.skipped}
    return replace(
        reports[0],
        rows=sorted_rows(rows),
        events=None if reports[0].events is None else sorted(events, key=lambda event: event.order),
        skipped=list(skipped),
        stats=_stats([report.stats for report in reports]),
        objects={name: told for report in reports for name, told in report.objects.items()},
        tested=sorted({name for report in reports for name in report.tested}),
        revision=list({item.id: item for report in reports for item in report.revision}.values()),
        things={name: item for report in reports for name, item in report.things.items()},
        placed={name: item for report in reports for name, item in report.placed.items()},
        tests=tuple(tests),
        seen=None,
    )


def of_test(row: PairRow, name: str) -> PairRow:
    """Return a row as part of a named test; the row's id is the same in every run of this test."""
    return replace(row, test=name, id=pair_id_in_test(row.id, name))


def _stats(several: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add up counters and times; numbers of objects are those of the test with most objects."""
    found = dict(several[0])
    for name in ("objects", "meshes", "triangles", "points", "threads", "resolution"):
        found[name] = max(stats.get(name) or 0 for stats in several)
    for name in _SUMMED:
        found[name] = sum(stats.get(name) or 0 for stats in several)
    parts = dict.fromkeys(part for stats in several for part in stats["timings"])
    found["timings"] = {part: sum(stats["timings"].get(part, 0.0) for stats in several) for part in parts}
    coarse = {item["name"]: item for stats in several for item in stats["coarse"]}
    beyond = [stats["left_out"]["beyond"] for stats in several if stats["left_out"]["beyond"] is not None]
    left_out = sum(stats["left_out"]["pairs"] for stats in several)
    return {
        **found,
        "no_geometry": largest(*(stats["no_geometry"] for stats in several)),
        "coarse": list(coarse.values()),
        "understood": list({item["name"]: item for stats in several for item in stats["understood"]}.values()),
        "left_out": {"pairs": left_out, "beyond": min(beyond, default=None)},
    }
