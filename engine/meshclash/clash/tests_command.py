"""The command ``meshclash tests convert IN OUT``: converts named tests between JSON, a matrix (CSV) and clash sets of
IfcClash.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from ..output import OutputFile
from .command_line import DONE, Parser, run_subcommand
from .errors import InputError
from .ifc_clash import to_ifc_clash
from .matrix_files import to_matrix
from .named_tests import read_tests, to_json

FORMATS = ("ifc-clash", "meshclash", "matrix")


def main(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    return run_subcommand(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="meshclash tests", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    convert = commands.add_parser("convert", help="write tests in another format")
    convert.set_defaults(act=_convert)
    named = "named tests, a matrix of models or disciplines as CSV, or clash sets of IfcClash"
    convert.add_argument("tests", type=Path, metavar="IN", help=named)
    convert.add_argument("output", type=Path, metavar="OUT", help="a .csv file for a matrix, else .json")
    files = "the models that clash sets name, for sets that name none"
    convert.add_argument("files", nargs="*", metavar="FILE.ifc", help=files)
    default = f"what is written (default: matrix for .csv, else {FORMATS[0]})"
    convert.add_argument("--to", choices=FORMATS, help=default)
    return parser


def _convert(given: argparse.Namespace) -> int:
    tests, as_matrix = read_tests(given.tests), given.output.suffix.lower() == ".csv"
    wanted = given.to or ("matrix" if as_matrix else FORMATS[0])
    if as_matrix != (wanted == "matrix"):
        raise InputError("a matrix is written to a .csv file, and everything else to .json")
    if wanted == "meshclash":
        text = to_json(tests)
    elif as_matrix:
        text = to_matrix(tests)
    elif not given.files:
        raise InputError("IfcClash sets contain file names: list the IFC files after OUT.json")
    else:
        text = json.dumps(to_ifc_clash(tests, given.files), ensure_ascii=False, indent=1) + "\n"
    with OutputFile(given.output, "tests", (".json", ".csv"), [given.tests], InputError) as output:
        output.commit(text)
    return DONE
