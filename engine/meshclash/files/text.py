"""Read points from text: XYZ, PTS and CSV files.

Each line is a point, with columns separated by white space, commas or semicolons. A header line may name the columns;
in this case columns other than coordinates and normals may contain any text. Without a header line, every column
contains numbers, and the first three columns are x, y and z. The next three are normals if they have unit length in
every line; otherwise they are ignored, as colours. A first line with a single number is the number of points (PTS).
Lines beginning with # or // are comments. Names of columns may be quoted, and the file may begin with the byte order
mark of UTF-8.
"""

from collections.abc import Generator, Iterator

import numpy as np

from .source import RawPoints, Source, whole_number
from .table import Layout, find_columns, is_number, parse_rows

_MARK = b"\xef\xbb\xbf"
_COMMENTS = (b"#", b"//")
_SEPARATORS = (b",", b";")
_LEAST_ROW = 5  # bytes of the shortest point in a text
_BLOCK = 1 << 20  # bytes of rows that are parsed together
_UNIT = 1e-2  # largest deviation of a normal's length from 1


def _content(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are neither empty nor comments, with their numbers."""
    for first, lines in source.text_lines():
        for number, line in enumerate(lines, first):
            text = (line.removeprefix(_MARK) if number == 1 else line).strip()
            if text and not text.startswith(_COMMENTS):
                yield number, text


def _separator(line: bytes) -> bytes | None:
    return next((s for s in _SEPARATORS if s in line), None)


def _split(line: bytes, separator: bytes | None) -> list[str]:
    text = line.decode("utf-8", "replace")
    return text.split() if separator is None else [f.strip() for f in text.split(separator.decode())]


def read_text(source: Source) -> Generator[float, None, RawPoints]:
    """Read the points of a text file; yields the share read."""
    content = _content(source)
    number, line = next(content, (0, b""))
    if not line:
        raise source.error("the file contains no points", 1)
    announced = None if source.path.suffix.lower() == ".csv" else whole_number(line.decode("ascii", "replace"))
    if announced is not None:
        source.check_count(announced)
        if announced * _LEAST_ROW > source.size:
            raise source.error(f"the file says {announced:,} points, but has only {source.size:,} bytes", number)
        number, line = next(content, (number + 1, b""))
        if not line and announced:
            raise source.error(f"the file ends after 0 of {announced:,} points", number)
    separator = _separator(line)
    fields = _split(line, separator)
    wanted = [0, 1, 2, 3, 4, 5][: 6 if len(fields) >= 6 else 3]
    numeric = list(range(len(fields)))
    rows = [(number, line)]
    if not all(map(is_number, fields)):
        found, normals_at = find_columns([field.strip("\"'") for field in fields])
        if found is None:
            raise source.error(
                f"the header line {line.decode('utf-8', 'replace')[:80]!r} does not name the columns x, y and z", number
            )
        wanted = numeric = [*found, *(normals_at or ())]
        rows = []
    elif len(fields) < 3:
        raise source.error(f"the row has {len(fields)} columns, but a point needs three", number)
    layout = Layout(len(fields), separator, numeric)
    table = yield from _read_table(source, content, rows, layout, len(wanted))
    if announced is not None and len(table) != announced:
        raise source.error(f"the file says {announced:,} points, but contains {len(table):,}", 1)
    has_normals = len(wanted) == 6 and (not rows or _are_unit(table[:, 3:]))
    return RawPoints(table[:, :3], table[:, 3:] if has_normals else None, 0)


def _read_table(
    source: Source,
    content: Iterator[tuple[int, bytes]],
    rows: list[tuple[int, bytes]],
    layout: Layout,
    kept: int,
) -> Generator[float, None, np.ndarray]:
    """Read all rows; return the first ``kept`` numeric columns, (n, kept) float64."""
    blocks: list[np.ndarray] = []
    total = 0
    finished = False
    pending = list(rows)
    while not finished:
        finished, size = True, 0
        for row in content:
            pending.append(row)
            size += len(row[1])
            if len(pending) >= 1 << 15 or size >= _BLOCK:
                finished = False
                break
        if pending:
            blocks.append(np.array(_parse(source, pending, layout)[:, :kept]))
            total += len(pending)
            pending = []
        source.check_count(total)
        yield min(1.0, source.position / max(1, source.size))
    return np.concatenate(blocks) if blocks else np.empty((0, kept))


def _parse(source: Source, rows: list[tuple[int, bytes]], layout: Layout) -> np.ndarray:
    """Parse numbered rows. If a row is invalid, the rows are parsed singly, because comments between rows shift the
    line numbers.
    """
    try:
        return parse_rows(source, [line for _, line in rows], rows[0][0], layout)
    except ValueError:
        for number, line in rows:
            parse_rows(source, [line], number, layout)
        raise


def _are_unit(candidates: np.ndarray) -> bool:
    length = np.sqrt((candidates * candidates).sum(axis=1))
    return bool(len(length)) and bool((np.abs(length - 1.0) <= _UNIT).all())
