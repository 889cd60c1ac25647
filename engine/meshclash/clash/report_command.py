"""``meshclash report diff OLD NEW``: what is new, known, gone and not tested between two JSON reports."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .baseline import difference, read_report
from .command_line import CLASHES_FOUND, DONE, Parser, guarded
from .report_formats import clash_line, to_json
from .terminal import say

MARKS = {"new": "+", "gone": "-", "not_tested": "?", "known": " "}
ALWAYS = ("new", "known", "gone")
"""What is counted also where there is none."""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns the exit code."""
    return guarded(lambda _: _diff(_parser().parse_args(arguments)), lambda: [f"Python {platform.python_version()}"])


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="meshclash report", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    diff = commands.add_parser("diff", help="what is new (+), gone (-), not tested (?) and known between two reports")
    diff.add_argument("old", type=Path, metavar="OLD.json")
    diff.add_argument("new", type=Path, metavar="NEW.json")
    diff.add_argument("--json", action="store_true", help="print JSON")
    diff.add_argument("--fail-on", choices=("new",), help="exit with 1 when there is a new clash")
    return parser


def _diff(given: argparse.Namespace) -> int:
    found = difference(read_report(given.old), read_report(given.new))
    if given.json:
        say(sys.stdout, *to_json(dict(found)).splitlines())
    else:
        lines = [_line(kind, pair) for kind in ("new", "gone", "not_tested") for pair in found[kind]]
        counts = (f"{len(pairs)} {kind.replace('_', ' ')}" for kind, pairs in found.items() if pairs or kind in ALWAYS)
        say(sys.stdout, *lines, ", ".join(counts))
    return CLASHES_FOUND if given.fail_on and found["new"] else DONE


def _line(kind: str, pair: dict[str, Any]) -> str:
    return f"{MARKS[kind]} {clash_line({'depth': None, 'depth_upper': None, **pair})}"
