"""The result of a detection, and the files that it can write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import report_formats
from .baseline import EarlierPair
from .carry import UNCERTAIN, Again, again_as_dict, carried, former_rows, is_certain, thing_as_dict
from .column_table import JSON, Notes
from .events import ClashEvent
from .files import page
from .files.glb import to_glb
from .files.nearby import nearby
from .fingerprints import Seen
from .frame_scene import Skipped
from .gone import NOT_TESTED, Present, gone_as_dict, gone_pairs
from .grouping import EarlierGroup, PlacedShape, grouped, parts_of, same_topics
from .identity import without_number
from .named_tests import NamedTest
from .options import DetectOptions
from .pair_row import PairRow
from .queries.registry import test_named
from .report_formats import SCHEMA
from .review.groups import Part
from .review.history import TEST, region_question, whole_question
from .review.revisions import Identity
from .reviews import APPROVED, NOT_REVIEWED, Review
from .sent_paths import sent_path, without_folders
from .verdicts import CLASH_VERDICTS

if TYPE_CHECKING:
    from .baseline import Baseline

Asked = Callable[[Sequence[str], Mapping[str, Review]], Mapping[str, tuple[Review, tuple[float, ...] | None]]]
FILE_KEYS = ("path", "metres_per_unit", "names_unit")


def now() -> str:
    """Return the current time in the format of `DetectReport.created`."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


@dataclass(frozen=True, eq=False)
class DetectReport:
    """The result of a detection.

    Attributes:
        file: path of the .blend file, "" if the file was never saved; or the files that were read, joined by ", ".
            What is written contains all paths as `sent_path` returns them.
        scale_length: metres per scene unit.
        options: the options of the test.
        rows: worst first.
        skipped: objects that could not be tested.
        allow_lost: whether the user accepts lost objects.
        stats: counters and times, ready for JSON.
        seen: state of the objects, to find out later whether they have changed; None if this is not needed.
        created: time at which the objects were read, ISO 8601 with the offset from UTC; "" if unknown.
        missing: None, or for a list saved with a file, which has no faces, the number of rows that were not saved.
        reviews: decisions of the user by pair ids; a pair without an entry is open.
        outdated: ids of pairs of which an object may have changed since the test.
        events: events of a range of frames, worst first; None for a single frame.
        objects: properties of objects in their files, by name.
        tested: names of all objects that took part.
        revision: identities of the objects for a later detection; empty if they are not needed.
        group_by: the grouping of clashes, one of `grouping.GROUPINGS`.
        files: (path, metres of its unit, whether the file states the unit) of the files that the command line read.
        baseline: the earlier report with which this report is compared, and the ids of its clashes; None without one.
        things: identities of the objects in every run, by name; only for files.
        models: the files as models, in the form of reports.
        shared: objects that several models share, in the form of reports.
        warnings: warnings about the models together.
        gone: clashes of the baseline that no longer exist, with the reason and details.
        again: decisions of the baseline that belong to no pair for certain, as `carry.Again`.
        version: version of MeshClash.
        pictures: PNG images by pair ids, for files that contain pictures.
        triangles: world triangles (t, 3, 3) [m] of an object by its name, for files that contain shapes; None if not
            available.
        topics: the unit of a BCF topic, one of `topics.TOPICS`.
        earlier_groups: groups of the baseline, with their topics, and the current ids of their pairs.
        group_names: names that users gave to groups, by their keys.
        journal: name of the file in which decisions are kept, without its folders; "" without a journal.
        placed: shapes and poses of the objects that share a shape with others, by name; only for a single frame.
        tests: the tests that were run together; `options` are the options of the first test. None for a single test.
    """

    file: str
    scale_length: float
    options: DetectOptions
    rows: MutableSequence[PairRow]
    skipped: list[Skipped] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    seen: Seen | None = None
    created: str = ""
    missing: int | None = None
    reviews: Mapping[str, Review] = field(default_factory=dict)
    outdated: frozenset[str] = frozenset()
    events: list[ClashEvent] | None = None
    objects: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tested: Sequence[str] = ()
    revision: Sequence[Identity] = ()
    group_by: str = "cause"
    files: Sequence[tuple[str, float, bool]] = ()
    baseline: tuple[str, frozenset[str]] | None = None
    things: Mapping[str, Identity] = field(default_factory=dict)
    models: Sequence[Mapping[str, Any]] = ()
    shared: Sequence[Mapping[str, Any]] = ()
    warnings: Sequence[str] = ()
    again: Sequence[Again] = ()
    gone: Sequence[tuple[EarlierPair, str, str]] = ()
    version: str = ""
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    triangles: Callable[[str], np.ndarray] | None = None
    tests: Sequence[NamedTest] = ()
    allow_lost: bool = False
    topics: str = "pair"
    earlier_groups: Sequence[EarlierGroup] = ()
    group_names: Mapping[str, str] = field(default_factory=dict)
    journal: str = ""
    placed: Mapping[str, PlacedShape] = field(default_factory=dict)

    @property
    def lost(self) -> list[Skipped]:
        """The objects that should have been tested but could not be read."""
        return [item for item in self.skipped if item.lost]

    @property
    def asked_all(self) -> list[DetectOptions]:
        """The options of each test, or of the single test."""
        return [test.options for test in self.tests] or [self.options]

    def asked(self, row: PairRow) -> DetectOptions:
        """Return the options with which a row was found."""
        return next((test.options for test in self.tests if test.name == row.test), self.options)

    @property
    def measures(self) -> tuple[str, ...]:
        """Fields for sorting rows, as `DetectOptions.measures`, for all tests."""
        return tuple(dict.fromkeys(name for options in self.asked_all for name in options.measures))

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts that the rows may have, for all tests."""
        return tuple(dict.fromkeys(name for options in self.asked_all for name in test_named(options.test).verdicts))

    def question_of(self, row: PairRow) -> str:
        """Return the history key of the question that found a row."""
        whole = f"{TEST}{row.test}" if row.test else self.options.question(row.verdict)
        return region_question(whole, row.region)

    def answers(self, question: str) -> bool:
        """Return whether this report contains all pairs that `question` would find."""
        question = whole_question(question)
        if not self.tests:
            return self.options.answers(question)
        return any(
            question == f"{TEST}{test.name}" and test.options.answers(test.options.question("")) for test in self.tests
        )

    @property
    def clashes(self) -> list[PairRow]:
        """The rows that share volume: clash, contained and duplicate."""
        return [row for row in self.rows if row.verdict in CLASH_VERDICTS]

    @property
    def new(self) -> list[PairRow]:
        """The clashes that are not in the baseline, without approved clashes and clashes that must be decided again."""
        again = self.to_decide_again
        return [
            row for row in self.clashes
            if self._review(row).status != APPROVED and (self._is_new(row) or again.get(row.id) == APPROVED)
        ]  # fmt: skip

    @property
    def not_tested(self) -> list[str]:
        """Ids of baseline clashes that are missing because their objects were not tested."""
        return [pair.id for pair, why, _ in self.gone if why in NOT_TESTED]

    @cached_property
    def to_decide_again(self) -> dict[str, str]:
        """Statuses, by pair id, of baseline pairs that may be the same as a current pair but cannot be distinguished
        from others.
        """
        return {
            key: item.pair.review.status for item in self.again for key in item.candidates
            if self.reviews.get(key, NOT_REVIEWED) == NOT_REVIEWED
        }  # fmt: skip

    def compared_with(self, baseline: Baseline | None, former: Mapping[str, str] | None = None) -> DetectReport:
        """Return this report compared with an earlier one, whose reviews apply to pairs without a review.

        Args:
            baseline: the earlier report.
            former: the former identities from `FileSource`.
        """
        if baseline is None:
            return self
        found = carried(baseline, self.rows, self.things, former or {})
        reviews = {**found.reviews, **self.reviews}
        told = [
            f"model '{new}' may be '{old}' of the baseline: {share:.0%} of its objects agree. If so, name it: "
            f"--model '{old}=FILE'"
            for new, old, share in found.renames
        ]
        told += [
            f"model '{name}' has new GlobalIds: its objects are recognised by name and position only"
            for name in sorted(found.renewed)
        ]
        clashes = {row.id for row in self.clashes}
        had = (found.ids.get(key, "") for key in baseline.clashes)
        gone = gone_pairs(baseline, self._present, clashes, found)
        return replace(
            self, reviews=reviews, baseline=(baseline.file, frozenset(had) & clashes), again=found.again, gone=gone,
            earlier_groups=[(topic, {found.ids.get(key, key) for key in pairs}) for topic, pairs in baseline.groups],
            warnings=[*self.warnings, *told],
        )  # fmt: skip

    @property
    def all_reviews(self) -> dict[str, Review]:
        """Decisions of users by pair id, also about clashes that are gone."""
        return {**{pair.id: pair.review for pair, _, _ in self.gone}, **self.reviews}

    def told_by(self, ask: Asked, former: Mapping[str, str]) -> DetectReport:
        """Return this report with the statuses and comments that a file contains for pair ids.

        Args:
            ask: function that gets ids and the current reviews of pairs; returns a review and a location [m] for some
                of the ids.
            former: the former identities from `FileSource`.
        """
        rows, now = {row.id: row for row in self.rows}, former_rows(self.rows, former)
        reviews, again = {**self.reviews}, [*self.again]
        gone = {pair.id: pair.review for pair, _, _ in self.gone}
        for key, (review, place) in ask([*now, *rows, *gone], self.all_reviews).items():
            if key not in rows and key not in now:
                gone[key] = review
                continue
            row = rows.get(key) or now[key]
            if not self.things or is_certain(row, place, self.things, None if key in rows else former):
                reviews[row.id] = review
            else:
                pair = EarlierPair(key, row.names, location=place, review=review, region=row.region)
                again.append(Again(pair, (), (row.id,), UNCERTAIN))
        told = [(replace(pair, review=gone[pair.id]), why, detail) for pair, why, detail in self.gone]
        return replace(self, reviews=reviews, again=again, gone=told)

    @property
    def _present(self) -> Present:
        """This report in the form that is used to explain why earlier clashes are missing."""
        verdicts = {row.id: row.verdict for row in self.rows}
        lost, models = {without_number(item.name) for item in self.lost}, [item["name"] for item in self.models]
        questions = {test.name: test.options.as_dict() for test in self.tests} or {"": self.options.as_dict()}
        return Present(verdicts, {item.id: item for item in self.things.values()}, models, lost, questions)

    def groups(self, way: str | None = None, parts: Sequence[Part] | None = None) -> list[dict[str, Any]]:
        """Return the groups of clashes, by ``group_by`` or another grouping, largest first.

        Each group has "key", "reason" in words, "sides", the two kinds of objects or [], "depths", smallest and
        greatest [m] or None, and "pairs", the ids.

        Args:
            way: the grouping.
            parts: the result of ``parts``, if it is known.
        """
        parts = self.parts() if parts is None else parts
        found = grouped(self.clashes, parts, self.scale_length, way or self.group_by, self.placed)
        return [
            {
                "key": group.key,
                "reason": group.reason,
                "sides": list(group.sides),
                "depths": None if group.depths is None else list(group.depths),
                "pairs": pairs,
            }
            for group, pairs in found
        ]

    def parts(self) -> list[Part]:
        """All objects that were tested, as input for grouping."""
        clashes = self.clashes
        named = dict.fromkeys((*self.tested, *(row.a.name for row in clashes), *(row.b.name for row in clashes)))
        return parts_of([*named], self.objects, self.placed)

    @cached_property
    def _own_groups(self) -> list[dict[str, Any]]:
        """The groups for all files, computed once, with the GUIDs of their BCF topics and the names that users gave."""
        groups = self.groups()
        topics = same_topics(groups, self.earlier_groups)
        named = ({"name": name} if (name := self.group_names.get(group["key"])) else {} for group in groups)
        return [{**group, "topic": topic, **name} for group, topic, name in zip(groups, topics, named, strict=True)]

    def _is_new(self, row: PairRow) -> bool | None:
        return None if self.baseline is None else row.id not in self.baseline[1]

    def _review(self, row: PairRow) -> Review:
        return self.reviews.get(row.id, NOT_REVIEWED)

    def count(self, *verdicts: str) -> int:
        """Return the number of rows with one of the verdicts."""
        return sum(row.verdict in verdicts for row in self.rows)

    def as_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return the report as a dictionary of schema `meshclash.report/1` (docs/report-format.md); lengths in
        metres.

        Args:
            most: maximum number of pairs; the worst are included. None: all pairs.
        """
        summary = self.as_summary()
        stats = summary.pop("stats")
        events = None if self.events is None else [self._event(event) for event in self.events]
        named = dict.fromkeys(name for row in self.rows for name in (row.a.name, row.b.name) if self.objects.get(name))
        summary["objects"] = [{"name": name, **self.objects[name]} for name in named]
        groups = self._own_groups
        number = {pair: k + 1 for k, group in enumerate(groups) for pair in group["pairs"]}
        pairs = [self._pair(row, number.get(row.id)) for row in self.rows[:most]]
        return {
            **summary,
            "tested": [thing_as_dict(item, name) for name, item in self.things.items()],
            "gone": [gone_as_dict(*item) for item in self.gone],
            "undecided": [again_as_dict(item) for item in self.again],
            "group_by": self.group_by,
            "groups": groups,
            "events": events,
            "pairs": pairs,
            "stats": stats,
        }

    def _sent(self, skipped: Skipped) -> dict[str, Any]:
        """Return an object that was not tested as a dictionary, without the folders of files in its reason."""
        paths = [self.file, *(path for path, *_ in self.files)]
        return {**asdict(skipped), "reason": without_folders(skipped.reason, paths)}

    def counts(self) -> Counter[str]:
        """Return the number of pairs of each verdict, and of approved pairs."""
        return report_formats.counts((row.verdict, self._review(row).status) for row in self.rows)

    def as_summary(self) -> dict[str, Any]:
        """Return the report as a dictionary without the pairs."""
        return {
            "schema": SCHEMA,
            "version": self.version,
            "file": sent_path(self.file),
            "created": self.created or None,
            "saved_list": None if self.missing is None else {"missing": self.missing},
            "unit": "m",
            "files": [dict(zip(FILE_KEYS, (sent_path(path), *unit), strict=True)) for path, *unit in self.files],
            "models": [dict(item) for item in self.models],
            "shared": [dict(item) for item in self.shared],
            "warnings": list(self.warnings),
            "baseline": None if self.baseline is None else sent_path(self.baseline[0]),
            "journal": self.journal or None,
            "options": self.options.as_dict(),
            "tests": [{"name": test.name, **test.options.as_dict()} for test in self.tests],
            "allow_lost": self.allow_lost,
            "stats": {"no_geometry": {}, **self.stats, "skipped": [self._sent(item) for item in self.skipped]},
        }

    def _event(self, event: ClashEvent) -> dict[str, Any]:
        review = self.reviews.get(event.row.id, NOT_REVIEWED)
        return {**event.as_dict(self.scale_length), "status": review.status, "comment": review.comment}

    def _pair(self, row: PairRow, group: int | None = None) -> dict[str, Any]:
        review = self._review(row)
        new = self._is_new(row) if row.verdict in CLASH_VERDICTS else None
        (model_a, model_b), (object_a, object_b) = map(self._model, row.names), map(self._object, row.names)
        notes = Notes(
            review.status, review.comment, row.id in self.outdated, new, group, review.assignee,
            row.id in self.to_decide_again, model_a, model_b, object_a, object_b,
        )  # fmt: skip
        return {column.name: column.json_value(row, notes, self.scale_length) for column in JSON}

    def _model(self, name: str) -> str | None:
        return ", ".join(self.things[name].models) if name in self.things else None

    def _object(self, name: str) -> str | None:
        return self.things[name].id if name in self.things else None

    def to_json(self) -> str:
        """Write strict JSON (without NaN) of schema `meshclash.report/1`."""
        return report_formats.to_json(self.as_dict())

    def to_csv(self) -> str:
        """Write CSV with one line per row, with the same columns as the JSON pairs."""
        return report_formats.to_csv(self.as_dict())

    def to_html(self) -> str:
        """Write a self-contained page, with a picture of each of the largest groups if their triangles are
        available.
        """
        return page.to_html(self.as_dict(), {**self.group_pictures(), **self.pictures}, self.shapes())

    def group_pictures(self) -> dict[str, bytes]:
        """Return PNG images of the worst clash of each of the largest groups, by pair id."""
        if self.triangles is None or not self._own_groups:
            return {}
        from .files.pictures import MOST_OF_GROUPS, pictures  # noqa: PLC0415 - it imports Numba

        rows = [row for row in self._worst_of_groups() if row.id not in self.pictures]
        return pictures(map(self._pair, rows), self.triangles, self.tested, MOST_OF_GROUPS)

    def shapes(self, most: int = 500, most_bytes: int = 36_000_000) -> dict[str, bytes]:
        """Return binary glTF of both objects near each clash, by pair id, if their triangles are available.

        Args:
            most: maximum number of clashes; the worst clash of each group comes first, then the worst remaining ones.
            most_bytes: maximum size of all shapes before compression.
        """
        found: dict[str, bytes] = {}
        if self.triangles is None:
            return found
        for row in (*self._worst_of_groups(), *self.clashes):
            if row.id not in found and len(found) < most:
                shown = nearby(self._pair(row), self.triangles)
                content = b"" if shown is None else to_glb(shown)
                most_bytes -= len(content)
                if most_bytes < 0:
                    break
                if content:
                    found[row.id] = content
        return found

    def _worst_of_groups(self) -> list[PairRow]:
        """Return the first row of each group, in the order of the groups."""
        first = {row.id: row for row in reversed(self.clashes)}
        return [first[group["pairs"][0]] for group in self._own_groups]

    def to_table(self) -> str:
        """Write aligned text for a terminal."""
        return report_formats.to_table(self.as_dict())
