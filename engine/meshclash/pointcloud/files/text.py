"""Points as text: XYZ, PTS and CSV files.

One point a line, columns separated by blanks, commas, semicolons or tabs. A heading names the columns; without one the
first three are x, y and z, and the next three are normals if they have unit length in every line (else colours or the
like, passed over). A first line with a single number is the number of points (PTS). Lines beginning with # or // are
comments.
"""

from collections.abc import Generator, Iterator

import numpy as np

from .source import RawPoints, Source
from .table import find_columns, parse_rows

_COMMENTS = (b"#", b"//")
_SEPARATORS = (b",", b";")
_LEAST_ROW = 5  # bytes of a point in a text
_UNIT = 1e-2  # by how much the length of normals may deviate from 1


def _content(source: Source) -> Iterator[tuple[int, bytes]]:
    """Lines that are neither empty nor a comment, with their numbers; a comment's text may name columns."""
    number = 0
    for lines in source.text_lines():
        for line in lines:
            number += 1
            text = line.strip()
            if text and not text.startswith(_COMMENTS):
                yield number, text


def _separator(line: bytes) -> bytes | None:
    return next((s for s in _SEPARATORS if s in line), None)


def _split(line: bytes, separator: bytes | None) -> list[str]:
    text = line.decode("utf-8", "replace")
    return text.split() if separator is None else [f.strip() for f in text.split(separator.decode())]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_text(source: Source) -> Generator[float, None, RawPoints]:
    """The points of a text file; yields the share read."""
    content = _content(source)
    number, line = next(content, (0, b""))
    if not line:
        raise source.error("the file holds no points", 1)
    announced: int | None = None
    if line.isdigit() and source.path.suffix.lower() not in (".csv",):
        announced = int(line)
        source.check_count(announced)
        if announced * _LEAST_ROW > source.size:
            raise source.error(
                f"{announced:,} points are announced, but the file has {source.size:,} bytes only", number
            )
        number, line = next(content, (number + 1, b""))
        if not line and announced:
            raise source.error(f"the file ends after 0 of {announced:,} points", number)
    separator = _separator(line)
    fields = _split(line, separator)
    at, normals_at = [0, 1, 2], None
    rows = [(number, line)]
    if not all(map(_is_number, fields)):
        found, normals_at = find_columns(fields)
        if found is None:
            raise source.error(f"no columns x, y and z in {line.decode('utf-8', 'replace')[:80]!r}", number)
        at, rows = found, []
    elif len(fields) < 3:
        raise source.error(f"{len(fields)} columns, but a point needs three", number)
    table = yield from _read_table(source, content, rows, len(fields), separator)
    if announced is not None and len(table) != announced:
        raise source.error(f"the file announces {announced:,} points and holds {len(table):,}", 1)
    if normals_at is None and fields and rows and len(fields) >= 6 and _are_unit(table[:, 3:6]):
        normals_at = [3, 4, 5]
    return RawPoints(table[:, at], table[:, normals_at] if normals_at else None, 0)


def _read_table(
    source: Source, content: Iterator[tuple[int, bytes]], rows: list[tuple[int, bytes]], columns: int, separator
) -> Generator[float, None, np.ndarray]:
    """All rows, (n, columns) float64."""
    blocks: list[np.ndarray] = []
    total = 0
    finished = False
    pending = list(rows)
    while not finished:
        finished = True
        for row in content:
            pending.append(row)
            if len(pending) >= 1 << 15:
                finished = False
                break
        if pending:
            blocks.append(_parse(source, pending, columns, separator))
            total += len(pending)
            pending = []
        source.check_count(total)
        yield min(1.0, source.position / max(1, source.size))
    return np.concatenate(blocks) if blocks else np.empty((0, columns))


def _parse(source: Source, rows: list[tuple[int, bytes]], columns: int, separator: bytes | None) -> np.ndarray:
    """Rows with their own line numbers: comments between them shift the count, so a wrong row is parsed again alone."""
    try:
        return parse_rows(source, [line for _, line in rows], rows[0][0], columns, separator)
    except ValueError:
        for number, line in rows:
            parse_rows(source, [line], number, columns, separator)
        raise


def _are_unit(candidates: np.ndarray) -> bool:
    length = np.sqrt((candidates * candidates).sum(axis=1))
    return bool(len(length)) and bool((np.abs(length - 1.0) <= _UNIT).all())
