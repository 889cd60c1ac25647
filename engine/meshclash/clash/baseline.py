"""Compares a report with an earlier one: which clashes are new, known and gone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .column_table import STATUSES
from .errors import InputError
from .json_files import Keep, is_number, read_json
from .report import SCHEMA, Review
from .verdicts import CLASH_VERDICTS

NUMBERED = re.compile(r" \(\d+\)$")
"""What `unique_names` adds."""


@dataclass(frozen=True)
class Baseline:
    """What an earlier report says of pairs, by their ids.

    Attributes:
        file: where it was read.
        clashes: pairs that shared volume, with their rows.
        reviews: what a user said.
    """

    file: str
    clashes: dict[str, dict[str, Any]] = field(default_factory=dict)
    reviews: dict[str, Review] = field(default_factory=dict)


KEPT = ("id", "a", "b", "verdict", "depth", "depth_upper", "status", "comment")
"""What a baseline keeps of each pair: its faces and points take most of the memory."""


def read_report(path: Path, keep: Keep | None = None) -> dict[str, Any]:
    """A JSON report as a dictionary.

    Args:
        path: of the report.
        keep: as ``read_json`` takes it.

    Raises:
        InputError: it cannot be read, or is none; the message names it.
    """
    report = read_json(path, "report", keep)
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise InputError(f"'{path}' is no report of schema {SCHEMA}")
    pairs = report.get("pairs")
    if not isinstance(pairs, list) or not all(isinstance(pair, dict) and _is_pair(pair) for pair in pairs):
        raise InputError(f"'{path}' is damaged: its pairs are not those of a report")
    stats = report.get("stats", {})
    skipped = stats.get("skipped", []) if isinstance(stats, dict) else None
    if not isinstance(skipped, list) or not all(isinstance(item, dict) and _is_skipped(item) for item in skipped):
        raise InputError(f"'{path}' is damaged: its skipped objects are not those of a report")
    return report


def _is_skipped(item: dict[str, Any]) -> bool:
    return isinstance(item.get("name"), str) and isinstance(item.get("lost", False), bool)


def _kept(item: dict[str, Any]) -> dict[str, Any]:
    """Of a pair what a baseline needs; other objects are kept as they are."""
    return {name: item[name] for name in KEPT if name in item} if "verdict" in item else item


def _is_pair(pair: dict[str, Any]) -> bool:
    named = all(isinstance(pair.get(name), str) for name in ("id", "a", "b", "verdict"))
    measured = all(pair.get(name) is None or is_number(pair[name]) for name in ("depth", "depth_upper"))
    return named and measured and pair.get("status", "open") in STATUSES and isinstance(pair.get("comment", ""), str)


def read_baseline(path: Path) -> Baseline:
    """The baseline of a JSON report; raises InputError."""
    pairs = read_report(path, _kept)["pairs"]
    reviews = {
        pair["id"]: Review(pair.get("status", "open"), pair.get("comment", ""))
        for pair in pairs
        if pair.get("status", "open") != "open" or pair.get("comment")
    }
    return Baseline(str(path), _clashes(pairs), reviews)


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The clashing pairs of two reports, each pair as the later report that has it says.

    Returns:
        The "new", "known", "gone" and "not_tested" ones. Not tested are those that only the old report has, and of
        which an object is lost in the new one.
    """
    before, after = _clashes(old["pairs"]), _clashes(new["pairs"])
    found: dict[str, list[dict[str, Any]]] = {"new": [], "known": [], "gone": [], "not_tested": []}
    for key, pair in after.items():
        found["known" if key in before else "new"].append(pair)
    lost = {_without_number(name) for name in _lost_names(new)}
    for key, pair in before.items():
        if key not in after:
            untested = any(_without_number(pair[name]) in lost for name in ("a", "b"))
            found["not_tested" if untested else "gone"].append(pair)
    return found


def _lost_names(report: dict[str, Any]) -> list[str]:
    """Names of the objects that a report calls lost; reports of earlier versions call none so."""
    return [item["name"] for item in report.get("stats", {}).get("skipped", ()) if item.get("lost")]


def _without_number(name: str) -> str:
    """The name that a file has: parts that share it are numbered, and where one is lost, others get its number."""
    return NUMBERED.sub("", name)


def _clashes(pairs: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The worst row of each pair that shares volume."""
    found: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        if pair["verdict"] in CLASH_VERDICTS:
            found.setdefault(pair["id"], pair)
    return found
