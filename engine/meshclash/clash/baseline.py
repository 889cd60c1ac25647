"""Compares a report with an earlier one: which clashes are new, known and gone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import InputError
from .json_files import is_number, read_json
from .report import SCHEMA, Review
from .verdicts import CLASH_VERDICTS


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


def read_report(path: Path) -> dict[str, Any]:
    """A JSON report as a dictionary.

    Raises:
        InputError: it cannot be read, or is none; the message names it.
    """
    report = read_json(path, "report")
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise InputError(f"'{path}' is no report of schema {SCHEMA}")
    pairs = report.get("pairs")
    if not isinstance(pairs, list) or not all(isinstance(pair, dict) and _is_pair(pair) for pair in pairs):
        raise InputError(f"'{path}' is damaged: its pairs are not those of a report")
    return report


def _is_pair(pair: dict[str, Any]) -> bool:
    named = all(isinstance(pair.get(name), str) for name in ("id", "a", "b", "verdict"))
    return named and all(pair.get(name) is None or is_number(pair[name]) for name in ("depth", "depth_upper"))


def read_baseline(path: Path) -> Baseline:
    """The baseline of a JSON report; raises InputError."""
    pairs = read_report(path)["pairs"]
    reviews = {
        pair["id"]: Review(str(pair.get("status", "open")), str(pair.get("comment", "")))
        for pair in pairs
        if pair.get("status", "open") != "open" or pair.get("comment")
    }
    return Baseline(str(path), _clashes(pairs), reviews)


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The clashing pairs of two reports: "new", "known" and "gone", each pair as the later report that has it says."""
    before, after = _clashes(old["pairs"]), _clashes(new["pairs"])
    return {
        "new": [pair for key, pair in after.items() if key not in before],
        "known": [pair for key, pair in after.items() if key in before],
        "gone": [pair for key, pair in before.items() if key not in after],
    }


def _clashes(pairs: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The worst row of each pair that shares volume."""
    found: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        if pair["verdict"] in CLASH_VERDICTS:
            found.setdefault(pair["id"], pair)
    return found
