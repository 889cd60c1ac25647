"""Compare a report with an earlier one: which clashes are new, known or no longer found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError
from .identity import without_number
from .json_files import Keep, is_number, read_json
from .report_formats import SCHEMA
from .review.revisions import Identity, checked_identity, key_counts, with_copies
from .reviews import NOT_REVIEWED, STATUSES, Review
from .verdicts import CLASH_VERDICTS


@dataclass(frozen=True)
class EarlierPair:
    """A pair of an earlier report.

    Attributes:
        id: id of the pair in the earlier report.
        names: names of the pair's two objects in the earlier report.
        ends: ids of the pair's objects among those of the baseline; ("", "") if the report does not contain them.
        test: the named test that found the pair, or "".
        region: for a part of a self-contact, its pair of regions; else "".
        location: [m], or None.
        is_clash: whether the two objects shared volume.
        review: the user's decision about the pair.
        row: the values that a list shows for the pair, as in the report.
    """

    id: str
    names: tuple[str, str]
    ends: tuple[str, str] = ("", "")
    test: str = ""
    location: tuple[float, ...] | None = None
    is_clash: bool = False
    review: Review = NOT_REVIEWED
    row: Mapping[str, Any] = field(default_factory=dict)
    region: str = ""

    @property
    def plain_names(self) -> list[str]:
        """Return the names of objects as they are in files: if one of several parts with the same name is missing, the
        others are renumbered.
        """
        return [without_number(name) for name in self.names]


@dataclass(frozen=True)
class Baseline:
    """The pairs and decisions of an earlier report, for comparison.

    Attributes:
        file: path of the earlier report.
        pairs: by id, the pairs that shared volume and the pairs with a decision; also decisions about pairs that the
            earlier report no longer found.
        objects: all tested objects, by their ids; empty for a scene, and for reports without models.
        away: objects of pairs that were decided before, and that the report did not have; by ids of their own.
        models: the names of the models.
        groups_of: the collections of objects, by names of the objects, used if `objects` is empty.
        questions: the options of each test, from `questions_of`.
        groups: the Guid of the topic of each group of clashes, and the ids of its pairs.
    """

    file: str
    pairs: Mapping[str, EarlierPair] = field(default_factory=dict)
    objects: Mapping[str, Identity] = field(default_factory=dict)
    away: Mapping[str, Identity] = field(default_factory=dict)
    models: Sequence[str] = ()
    groups_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    questions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    groups: Sequence[tuple[str, Sequence[str]]] = ()

    def thing(self, end: str) -> Identity | None:
        """Return an object of a pair by the id that the pair stores for it; None if the id is unknown."""
        return self.objects.get(end) or self.away.get(end)

    @property
    def clashes(self) -> frozenset[str]:
        """Ids of the pairs that shared volume."""
        return frozenset(key for key, pair in self.pairs.items() if pair.is_clash)

    @property
    def reviews(self) -> dict[str, Review]:
        """Decisions of users, by pair id."""
        return {key: pair.review for key, pair in self.pairs.items() if pair.review != NOT_REVIEWED}


KEPT = (
    "id", "a", "b", "verdict", "depth", "depth_upper", "status", "comment", "object_a", "object_b", "test",
    "location", "assignee", "region", "model_a", "model_b",
)  # fmt: skip
"""The values of each pair that a baseline stores, because faces and points would take most of the memory."""


def read_report(path: Path, keep: Keep | None = None) -> dict[str, Any]:
    """Read a JSON report as a dictionary.

    Args:
        path: path of the report.
        keep: as the argument of `read_json`.

    Raises:
        InputError: the file cannot be read, or is not a report; the message names the file.
    """
    report = read_json(path, "report", keep)
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise InputError(f"'{path}' is not a report of schema {SCHEMA}")
    pairs = report.get("pairs")
    if not isinstance(pairs, list) or not all(isinstance(pair, dict) and _is_pair(pair) for pair in pairs):
        raise InputError(f"'{path}' is damaged: its list of pairs is invalid")
    stats = report.get("stats", {})
    skipped = stats.get("skipped", []) if isinstance(stats, dict) else None
    if not isinstance(skipped, list) or not all(isinstance(item, dict) and _is_skipped(item) for item in skipped):
        raise InputError(f"'{path}' is damaged: its list of skipped objects is invalid")
    return report


def _is_skipped(item: dict[str, Any]) -> bool:
    return isinstance(item.get("name"), str) and isinstance(item.get("lost", False), bool)


def _kept(item: dict[str, Any]) -> dict[str, Any]:
    """Reduce a pair to the values that a baseline needs; other values are returned unchanged."""
    return {name: item[name] for name in KEPT if name in item} if "verdict" in item else item


def _is_pair(pair: dict[str, Any]) -> bool:
    named = all(isinstance(pair.get(name), str) for name in ("id", "a", "b", "verdict"))
    measured = all(pair.get(name) is None or is_number(pair[name]) for name in ("depth", "depth_upper"))
    return named and measured and pair.get("status", "open") in STATUSES and isinstance(pair.get("comment", ""), str)


def read_baseline(path: Path) -> Baseline:
    """Read a JSON report as a baseline; raises InputError."""
    report = read_report(path, _kept)
    try:
        return baseline_of(str(path), report)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"'{path}' is damaged: its list of objects is invalid") from error


def baseline_of(file: str, report: dict[str, Any]) -> Baseline:
    """Convert a report whose pairs have been checked to a baseline."""
    tested = [identity_of(item) for item in report.get("tested", ())]
    objects = {item.id: item for item in with_copies(tested, key_counts(tested))}
    pairs: dict[str, EarlierPair] = {}
    for pair in report["pairs"]:
        if pair["id"] not in pairs and (pair["verdict"] in CLASH_VERDICTS or review_in(pair) != NOT_REVIEWED):
            pairs[pair["id"]] = _earlier(pair, pair["verdict"] in CLASH_VERDICTS)
    away: dict[str, Identity] = {}
    for item in report.get("undecided", ()):  # what was decided, and waits for its objects
        ends = [_kept_end(identity_of(thing), objects, away) for thing in item["objects"]]
        kept = {**item, "object_a": ends[0], "object_b": ends[1]} if len(ends) == 2 else item
        pairs.setdefault(item["id"], _earlier(kept, False))
    groups = {item["name"]: str(item.get("collection", "")).split(", ") for item in report.get("objects", ())}
    models = [item["name"] for item in report.get("models", ())]
    topics = [(item["topic"], item["pairs"]) for item in report.get("groups", ()) if item.get("topic")]
    return Baseline(file, pairs, objects, away, models, groups, questions_of(report), topics)


def _is_equal(one: Identity, other: Identity) -> bool:
    return one.models == other.models and one.stands_as(other)


def _kept_end(thing: Identity, objects: Mapping[str, Identity], away: dict[str, Identity]) -> str:
    """Return the baseline id of an object of a pair that could not be matched; an object that is missing is added."""
    if thing.id in objects and _is_equal(objects[thing.id], thing):
        return thing.id
    number = 0
    while (key := f"{thing.id} {number}") in away and not _is_equal(away[key], thing):
        number += 1
    away.setdefault(key, thing._replace(id=key))
    return key


def review_in(pair: Mapping[str, Any]) -> Review:
    """Return the user's decision on a pair of a report."""
    return Review(pair.get("status", "open"), pair.get("comment", ""), pair.get("assignee") or "")


def _earlier(pair: Mapping[str, Any], is_clash: bool) -> EarlierPair:
    ends = pair.get("object_a") or "", pair.get("object_b") or ""
    place = None if pair.get("location") is None else tuple(map(float, pair["location"]))
    names = pair["a"], pair["b"]
    return EarlierPair(
        pair["id"], names, ends, pair.get("test") or "", place, is_clash, review_in(pair), pair,
        pair.get("region") or "",
    )  # fmt: skip


def identity_of(item: Mapping[str, Any]) -> Identity:
    """Return the identity of an object of a report."""
    box = np.array(item["box"], np.float64).reshape(2, 3)
    made = Identity(
        item["object"], item["own_name"], box, int(item["triangles"]), float(item["area"]), item.get("GlobalId") or "",
        tuple(item["models"]), tuple(item.get("copied_in", ())),
    )  # fmt: skip
    return checked_identity(made)


def lost_names(report: Mapping[str, Any]) -> set[str]:
    """Return the names, as in files, of the objects that a report lists as not tested; reports of earlier versions
    contain no such list.
    """
    skipped = report.get("stats", {}).get("skipped", ())
    return {without_number(item["name"]) for item in skipped if item.get("lost")}


def questions_of(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the options of each named test of a report, or under "" those of a single test; an empty dictionary if
    they are unknown.
    """
    tests = {item["name"]: item for item in report.get("tests") or ()}
    return tests or ({"": report["options"]} if report.get("options") else {})
