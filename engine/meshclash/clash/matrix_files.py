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
        if len(content) > MOST_BYTES:
            raise InputError("the matrix file is too large")
        text = content.decode("utf-8-sig")
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), _dialect(text))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"the matrix file is not valid CSV: {error}") from error
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
        raise InputError("a matrix needs names in its first row and its first column")
    kind, *columns = rows[0]
    kind, names = kind or "model", [row[0] for row in rows[1:]]
    if kind not in KINDS:
        raise InputError(f"the first cell must be the kind of the names, such as model or discipline, not '{kind}'")
    if max(len(names), len(columns)) > MOST_NAMES:
        raise InputError(f"a matrix has at most {MOST_NAMES} rows and columns")
    found: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
    for name, row in zip(names, rows[1:], strict=True):
        for column, cell in zip(columns, row[1:], strict=False):
            if cell.lower() in NOTHING:
                continue
            place = f"row {name}, column {column}"
            asked, key = _of_cell(cell, place), (min(name, column), max(name, column))
            if found.setdefault(key, (place, asked))[1] != asked:
                raise InputError(f"{place} contains '{cell}', but {found[key][0]} contains another value")
            if not (name and column):
                raise InputError(f"{place}: the cell '{cell}' has no name in its row or column header")
    tests = []
    for (_, _), (place, asked) in found.items():
        name, column = place.removeprefix("row ").split(", column ", 1)
        title = name if name == column else f"{name}{BETWEEN}{column}"
        tests.append({"name": title, "set_a": f"{kind}:{name}", "set_b": f"{kind}:{column}", **asked})
    return tests


def _of_cell(cell: str, place: str) -> dict[str, Any]:
    test, _, length = cell.partition(" ")
    test, length = test.lower(), length.strip()
    if test in YES:
        test = "intersection"
    if test not in TESTS:
        raise InputError(f"{place}: there is no test '{test}'; available tests: {', '.join(TESTS)}")
    if not length:
        return {"kind": test}
    if test not in LENGTHS:
        raise InputError(f"{place}: the {test} test does not use a length")
    return {"kind": test, LENGTHS[test]: _metres(length, place)}


def _metres(text: str, place: str) -> float:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz").strip()
    unit = text[len(number) :].strip() or "m"
    try:
        return round(float(number.replace(",", ".")) * UNITS[unit], 12)
    except (ValueError, KeyError):
        raise InputError(f"{place}: '{text}' is not a length: write 50 mm, 5 cm or 0.05 m") from None


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
                f"test '{test.name}' cannot be written as a matrix cell: all sets must be of "
                "one kind, such as model:NAME, and the only option of a test is one length"
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
