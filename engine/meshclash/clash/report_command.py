"""The command ``meshclash report diff OLD NEW``: compares two JSON reports."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .baseline import Baseline, baseline_of, lost_names, questions_of, read_report
from .carry import Carried, found_again, id_of_now
from .command_line import CLASHES_FOUND, DONE, Parser, run_subcommand
from .gone import NOT_TESTED, Present, gone_as_dict, gone_pairs, in_words
from .report_formats import clash_line, to_json
from .review.revisions import Identity, pair_id, renewed_models
from .terminal import say

MARKS = {"new": "+", "gone": "-", "not_tested": "?", "known": " "}
FAIL_ON = ("new", "not-tested")
ALWAYS = ("new", "known", "gone")
"""Entries that are counted even if their number is 0."""


def main(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    return run_subcommand(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="meshclash report", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    diff = commands.add_parser("diff", help="what is new (+), gone (-), not tested (?) and known between two reports")
    diff.set_defaults(act=_diff)
    diff.add_argument("old", type=Path, metavar="OLD.json")
    diff.add_argument("new", type=Path, metavar="NEW.json")
    diff.add_argument("--json", action="store_true", help="print JSON")
    fail = "exit with 1 when there is a new clash; not-tested: or one of before that was not tested"
    diff.add_argument("--fail-on", choices=FAIL_ON, help=fail)
    return parser


def _diff(given: argparse.Namespace) -> int:
    found = difference(read_report(given.old), read_report(given.new))
    failing = found["new"] + (found["not_tested"] if given.fail_on == "not-tested" else [])
    if given.json:
        say(sys.stdout, *to_json(dict(found)).splitlines())
    else:
        lines = [_line(kind, pair) for kind in ("new", "gone", "not_tested") for pair in found[kind]]
        counts = (f"{len(pairs)} {kind.replace('_', ' ')}" for kind, pairs in found.items() if pairs or kind in ALWAYS)
        say(sys.stdout, *lines, ", ".join(counts))
    return CLASHES_FOUND if given.fail_on and failing else DONE


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the clashing pairs of two reports that are "new", "known", "gone" or "not_tested".

    Pairs that only the old report contains have a reason "why"; for pairs that were not tested it is unknown whether
    they still exist.
    """
    before, after = baseline_of("", old), baseline_of("", new)
    same = _carried(before, after)
    clashes = {key: pair for key, pair in after.pairs.items() if pair.is_clash}
    known = {same.ids.get(key) for key, pair in before.pairs.items() if pair.is_clash}
    found: dict[str, list[dict[str, Any]]] = {"new": [], "known": [], "gone": [], "not_tested": []}
    for key, pair in clashes.items():
        found["known" if key in known else "new"].append({**pair.row})
    verdicts = {pair["id"]: pair["verdict"] for pair in new["pairs"]}
    now = Present(verdicts, after.objects, after.models, lost_names(new), questions_of(new))
    for item in gone_pairs(before, now, clashes.keys(), same):
        found["not_tested" if item[1] in NOT_TESTED else "gone"].append(gone_as_dict(*item))
    return found


def _carried(before: Baseline, after: Baseline) -> Carried:
    """Match the pairs and objects of two reports."""
    if before.objects and after.objects:
        found = found_again(before, [*after.objects.values()])
        ids = {key: id_of_now(pair, found) or key for key, pair in before.pairs.items()}
        renewed = renewed_models([*before.objects.values()], [*after.objects.values()])
        return Carried({}, ids, found, renewed=renewed)
    ids = {key: key for key in before.pairs}
    if after.objects:  # reports without models tell objects by GlobalId alone
        former = {_former(pair.row, after.objects): key for key, pair in after.pairs.items() if pair.is_clash}
        ids |= {key: former[key] for key in before.pairs if key in former}
    return Carried({}, ids)


def _former(row: Mapping[str, Any], objects: Mapping[str, Identity]) -> str:
    """Return the id that a pair had in versions without models."""
    ends = [objects[row[f"object_{side}"]].key or row[side] for side in "ab"]
    return pair_id(ends[0], ends[1], row.get("test") or "", row.get("region") or "")


def _line(kind: str, pair: dict[str, Any]) -> str:
    reason = f" ({in_words(pair['why'], pair['detail'])})" if "why" in pair else ""
    return f"{MARKS[kind]} {clash_line({'depth': None, 'depth_upper': None, **pair})}{reason}"
