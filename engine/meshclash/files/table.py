"""Parse text with one point per line; errors name the line."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np

from .source import Source, real

COORDINATES = ("x", "y", "z")
NORMALS = (("nx", "ny", "nz"), ("normal_x", "normal_y", "normal_z"))


class Layout(NamedTuple):
    """The format of a table's rows."""

    columns: int
    separator: bytes | None
    """None means white space."""
    numeric: Sequence[int]
    """Indices of the columns that must contain numbers; other columns may contain any text."""


def find_columns(names: Sequence[str]) -> tuple[list[int] | None, list[int] | None]:
    """Return the indices of the columns with coordinates and with normals; None for missing columns."""
    lower = [name.lower() for name in names]
    at = [lower.index(c) for c in COORDINATES] if all(c in lower for c in COORDINATES) else None
    for group in NORMALS:
        if all(c in lower for c in group):
            return at, [lower.index(c) for c in group]
    return at, None


def parse_rows(source: Source, lines: list[bytes], first_line: int, layout: Layout) -> np.ndarray:
    """Parse the numeric columns of lines, (k, len(numeric)) float64. Raises InvalidFile with the line."""
    columns, separator, numeric = layout
    text = b" ".join(lines)
    if separator is not None:
        text = text.replace(separator, b" ")
    try:
        flat = np.array([] if b"_" in text else text.split(), dtype=np.float64)  # only Python accepts 1_000 as a number
    except ValueError:
        flat = np.empty(0)
    if len(flat) != columns * len(lines) or not _rows_fit(lines, columns, separator):
        return _parse_fields(source, lines, first_line, layout)
    return flat.reshape(len(lines), columns)[:, numeric]


def is_number(text: str) -> bool:
    """Return whether a field of a table is a number."""
    try:
        real(text.encode())
    except ValueError:
        return False
    return True


def _fields(line: bytes, separator: bytes | None) -> list[bytes]:
    return line.split() if separator is None else [field.strip() for field in line.strip().split(separator)]


def _rows_fit(lines: list[bytes], columns: int, separator: bytes | None) -> bool:
    if separator is None:
        return all(len(line.split()) == columns for line in lines)
    return all(line.count(separator) == columns - 1 for line in lines)


def _parse_fields(source: Source, lines: list[bytes], first_line: int, layout: Layout) -> np.ndarray:
    """Like ``parse_rows``, field by field, so that the error can name the field that is not a number."""
    columns, separator, numeric = layout
    rows = np.empty((len(lines), len(numeric)))
    for k, line in enumerate(lines):
        fields = _fields(line, separator)
        if len(fields) != columns:
            raise source.error(f"the row has {len(fields)} columns, but {columns} are expected", first_line + k)
        for column, i in enumerate(numeric):
            field = fields[i].decode("utf-8", "replace")
            if not is_number(field):
                raise source.error(f"{field[:80]!r} is not a number", first_line + k)
            rows[k, column] = float(field)
    return rows


def read_counted_rows(
    source: Source, count: int, columns: int, wanted: list[int], what: str
) -> Generator[float, None, np.ndarray]:
    """Read ``count`` lines of ``columns`` numbers; yields the share read. More lines may follow.

    Numbers are separated by white space.

    Returns:
        The wanted columns, (count, len(wanted)) float64.
    """
    result = np.empty((count, len(wanted)))
    layout = Layout(columns, None, range(columns))
    done = 0
    while done < count:
        first_line, lines = source.next_lines(count - done)
        if not lines:
            raise source.error(f"the file ends after {done:,} of {count:,} {what}", first_line)
        result[done : done + len(lines)] = parse_rows(source, lines, first_line, layout)[:, wanted]
        done += len(lines)
        yield done / count
    return result
