"""Read and write a matrix of models or disciplines as CSV: each cell is the test between its row and column.

The first cell names the type of the names in rows and columns: ``model``, ``discipline``, ``class``, ``collection`` or
another type of set. An empty cell means no test. Other cells contain a test and a length: ``intersection``,
``intersection 5 mm`` (permitted overlap), ``clearance 50 mm``, ``distance``. The matrix is symmetric: one of two
mirrored cells is enough.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..messages import Sentence
from .errors import InputError
from .queries.registry import TESTS
from .sets import KINDS

if TYPE_CHECKING:
    from .named_tests import NamedTest

UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254, "ft": 0.3048}
LENGTHS = {"intersection": "permitted_overlap", "clearance": "tolerance"}
"""The option to which the length of a cell refers, by test."""
NOTHING = ("", "-")
YES = ("x", "yes")
"""Cells that ask for the default test."""
MOST_NAMES, MOST_BYTES = 500, 1 << 22
BETWEEN = " × "


def read_matrix(path: Path) -> list[dict[str, Any]]:
    """Return the tests of a matrix in the form of JSON.

    Raises:
        InputError: the file cannot be read, or a cell is wrong; the message names the cell.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(Sentence("the matrix file cannot be read: {why}", why=error.strerror or error)) from error
    if len(content) > MOST_BYTES:
        raise InputError(Sentence("the matrix file is too large"))
    try:
        text = content.decode("utf-8-sig")
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), _dialect(text))]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(Sentence("the matrix file is not valid CSV: {why}", why=error)) from error
    return of_table([row for row in rows if any(row)])


def _dialect(text: str) -> type[csv.Dialect]:
    """Return the CSV dialect, because spreadsheets use semicolons or tabs in some countries."""
    first = text.partition("\n")[0]

    class Dialect(csv.excel):
        delimiter = max(",;\t", key=first.count)

    return Dialect


def of_table(rows: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Return the tests in the cells of a matrix; raises InputError."""
    if not rows or len(rows[0]) < 2:
        raise InputError(Sentence("a matrix needs names in its first row and its first column"))
    kind, *columns = rows[0]
    kind, names = kind or "model", [row[0] for row in rows[1:]]
    if kind not in KINDS:
        raise InputError(
            Sentence(
                "the first cell must be the kind of the names, such as model or discipline, not '{kind}'", kind=kind
            )
        )
    if max(len(names), len(columns)) > MOST_NAMES:
        raise InputError(Sentence("a matrix has at most {count} rows and columns", count=MOST_NAMES))
    found: dict[tuple[str, str], tuple[tuple[str, str], dict[str, Any]]] = {}
    for name, row in zip(names, rows[1:], strict=True):
        for column, cell in zip(columns, row[1:], strict=False):
            if cell.lower() in NOTHING:
                continue
            place = _place(name, column)
            asked, key = _of_cell(cell, place), (min(name, column), max(name, column))
            known, told = found.setdefault(key, ((name, column), asked))
            if told != asked:
                raise InputError(
                    Sentence(
                        "{place} contains '{cell}', but {other} contains another value",
                        place=place, cell=cell, other=_place(*known),
                    )
                )  # fmt: skip
            if not (name and column):
                raise InputError(
                    Sentence(
                        "{place}: the cell '{cell}' has no name in its row or column header", place=place, cell=cell
                    )
                )
    tests = []
    for (name, column), asked in found.values():
        title = name if name == column else f"{name}{BETWEEN}{column}"
        tests.append({"name": title, "set_a": f"{kind}:{name}", "set_b": f"{kind}:{column}", **asked})
    return tests


def _place(name: str, column: str) -> Sentence:
    return Sentence("row {name}, column {column}", name=name, column=column)


def _of_cell(cell: str, place: Sentence) -> dict[str, Any]:
    test, _, length = cell.partition(" ")
    test, length = test.lower(), length.strip()
    if test in YES:
        test = "intersection"
    if test not in TESTS:
        raise InputError(
            Sentence(
                "{place}: there is no test '{test}'; available tests: {tests}",
                place=place, test=test, tests=", ".join(TESTS),
            )
        )  # fmt: skip
    if not length:
        return {"kind": test}
    if test not in LENGTHS:
        raise InputError(Sentence("{place}: the {test} test does not use a length", place=place, test=test))
    return {"kind": test, LENGTHS[test]: _metres(length, place)}


def _metres(text: str, place: Sentence) -> float:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz").strip()
    unit = text[len(number) :].strip() or "m"
    try:
        return round(float(number.replace(",", ".")) * UNITS[unit], 12)
    except (ValueError, KeyError):
        raise InputError(
            Sentence("{place}: '{text}' is not a length: write 50 mm, 5 cm or 0.05 m", place=place, text=text)
        ) from None


def to_matrix(tests: Sequence[NamedTest]) -> str:
    """Write tests as a matrix.

    Raises:
        InputError: a test cannot be written as a cell of a matrix; the message names it.
    """
    cells: dict[tuple[str, str], str] = {}
    kinds, names = set[str](), dict[str, None]()
    for test in tests:
        sides = [test.options.set_a.partition(":"), test.options.set_b.partition(":")]
        known = {name: value for name, value in test.as_dict().items() if name not in ("name", "set_a", "set_b")}
        kinds |= {kind for kind, _, _ in sides}
        a, b = (name for _, _, name in sides)
        cell = _cell(known)
        if len(kinds) > 1 or not kinds <= {*KINDS} or not cell or cells.get((a, b), cell) != cell:
            raise InputError(
                Sentence(
                    "test '{name}' cannot be written as a matrix cell: all sets must be of one kind, such as "
                    "model:NAME, and the only option of a test is one length",
                    name=test.name,
                )
            )
        names |= {a: None, b: None}
        cells[a, b] = cell
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*kinds, *names])
    for a in names:
        writer.writerow([a, *(cells.get((a, b)) or cells.get((b, a), "") for b in names)])
    return text.getvalue()


def _cell(known: Mapping[str, Any]) -> str:
    """Return a test as the text of a cell; "" if a cell cannot express it."""
    test = known["kind"]
    length = known.get(LENGTHS.get(test, ""))
    if {*known} - {"kind", LENGTHS.get(test, "kind")} or isinstance(length, str):
        return ""
    return f"{test} {1000.0 * length:.9g} mm" if length is not None else str(test)
