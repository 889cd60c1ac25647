"""``meshclash tests convert IN OUT``: named tests as clash sets of IfcClash, and clash sets as named tests."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from pathlib import Path

from ..output import OutputFile
from .command_line import DONE, Parser, guarded
from .errors import InputError
from .ifc_clash import to_ifc_clash
from .named_tests import read_tests, to_json

FORMATS = ("ifc-clash", "meshclash")


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns the exit code."""
    return guarded(lambda _: _convert(_parser().parse_args(arguments)), lambda: [f"Python {platform.python_version()}"])


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="meshclash tests", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    convert = commands.add_parser("convert", help="write tests in another format")
    convert.add_argument("tests", type=Path, metavar="IN.json", help="named tests, or clash sets of IfcClash")
    convert.add_argument("output", type=Path, metavar="OUT.json")
    files = "the models that clash sets name, for sets that name none"
    convert.add_argument("files", nargs="*", metavar="FILE.ifc", help=files)
    convert.add_argument("--to", choices=FORMATS, default=FORMATS[0], help="what is written (default: %(default)s)")
    return parser


def _convert(given: argparse.Namespace) -> int:
    tests = read_tests(given.tests)
    if given.to == "meshclash":
        text = to_json(tests)
    elif not given.files:
        raise InputError("clash sets of IfcClash name their models: give the IFC files after OUT.json")
    else:
        text = json.dumps(to_ifc_clash(tests, given.files), ensure_ascii=False, indent=1) + "\n"
    with OutputFile(given.output, "tests", (".json",), [given.tests], InputError) as output:
        output.commit(text)
    return DONE
