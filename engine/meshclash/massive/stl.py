"""STL files as soups: binary, whose coordinates are float32, and ascii, whose numbers are read as float64."""

import os
import re
from collections.abc import Generator
from functools import partial
from pathlib import Path

import numpy as np

from ..errors import InvalidFile
from ..files.source import Source, real
from .sources import NO_TRIANGLES, MeshSource, SourcePiece, opened

_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84
_VERTEX = re.compile(rb"^\s*vertex\s+(.*)$")


def stl_source(path: Path, fingerprint: str) -> MeshSource:
    """Return an STL file as a source.

    A file is binary if its size matches the number of facets in its header, even if it begins with 'solid'.
    """
    try:
        with path.open("rb") as stream:
            head, size = stream.read(_HEADER), os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from None
    count = int.from_bytes(head[80:84], "little")
    if len(head) == _HEADER and size == _HEADER + _FACET.itemsize * count:
        return MeshSource(str(path), 4, True, partial(opened, path, _binary), fingerprint)
    if head.lstrip().startswith(b"solid"):
        return MeshSource(str(path), 8, True, partial(opened, path, _ascii), fingerprint)
    raise InvalidFile(
        f"{path}: this is not an STL file: it does not begin with 'solid', and {size} bytes do not fit {count} facets"
    )


def _binary(source: Source) -> Generator[SourcePiece, None, None]:
    source.seek(_HEADER)
    total = (source.size - _HEADER) // _FACET.itemsize
    for facets in source.records(total, _FACET, "the facets"):
        yield SourcePiece(source.position / source.size, facets["corners"].reshape(-1, 3), NO_TRIANGLES)


def _ascii(source: Source) -> Generator[SourcePiece, None, None]:
    left: list[tuple[int, bytes]] = []
    ended = False
    for first, lines in source.text_lines():
        for k, line in enumerate(lines):
            found = _VERTEX.match(line)
            if found:
                left.append((first + k, found[1]))
            elif line.strip() == b"endloop" and len(left) % 3:
                raise source.error(
                    "a facet must have three vertices: write exactly three 'vertex' lines for each facet", first + k
                )
            ended = line.strip().startswith(b"endsolid") or (ended and not line.strip())
        whole = len(left) - len(left) % 3
        if whole:
            yield SourcePiece(source.position / max(source.size, 1), _numbers(source, left[:whole]), NO_TRIANGLES)
            del left[:whole]
    if left or not ended:
        raise source.error(
            "the file ends within a solid: a vertex or the line 'endsolid' is missing; export the file again",
            source.line_number,
        )


def _numbers(source: Source, rows: list[tuple[int, bytes]]) -> np.ndarray:
    values = np.empty((len(rows), 3))
    for k, (number, text) in enumerate(rows):
        try:
            values[k, 0], values[k, 1], values[k, 2] = map(real, text.split())
        except ValueError:
            raise source.error(f"expected three numbers after 'vertex', but found {text[:80]!r}", number) from None
    return values
