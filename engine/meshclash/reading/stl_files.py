"""Read STL files: a binary file is one object, an ascii file has an object for each solid."""

import re
from pathlib import Path

import numpy as np

from ..errors import InvalidFile
from ..files.source import Source, real
from .part import PartShape
from .raw_parts import RawPart, RawParts

_HEAD = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(file: Path) -> RawParts:
    """Read the facets, each with three vertices of its own.

    Raises:
        InvalidFile: the file is not an STL file, or is truncated.
    """
    data = file.read_bytes()
    count = int.from_bytes(data[80:_HEAD], "little")
    if len(data) >= _HEAD and len(data) == _HEAD + _FACET.itemsize * count:
        facets = np.frombuffer(data, _FACET, count, _HEAD)
        return _parts(file, [("", facets["corners"].astype(np.float64))])
    if not data.lstrip().startswith(b"solid"):
        raise InvalidFile(
            f"{file}: this is not a complete STL file: it does not begin with 'solid', and "
            f"{len(data)} bytes do not fit {count} facets"
        )
    return _parts(file, _solids(file, len(re.findall(rb"(?:^|[\r\n])[ \t]*endfacet\b", data, re.IGNORECASE))))


def _solids(file: Path, expected: int) -> list[tuple[str, np.ndarray]]:
    """Return the solids of an ascii file: names, and corners (m, 3, 3)."""
    found, rows, name, is_open = list[tuple[str, np.ndarray]](), list[list[float]](), "", False
    with file.open("rb") as stream:
        source = Source(file, stream, float("inf"))
        for first, lines in source.text_lines():
            for k, line in enumerate(lines):
                words = line.split()
                verb = words[0].lower() if words else b""
                if verb == b"vertex":
                    rows.append(_vertex(source, words, first + k))
                elif verb in (b"endloop", b"endsolid") and len(rows) % 3:
                    raise source.error(
                        "a facet must have three vertices: write exactly three 'vertex' lines for each facet", first + k
                    )
                elif verb == b"solid" and (is_open or rows):
                    raise source.error(
                        "expected 'endsolid' before this 'solid': each solid must end before the next one begins",
                        first + k,
                    )
                elif verb == b"solid":
                    name, is_open = b" ".join(words[1:]).decode("utf-8", "replace"), True
                elif verb == b"endsolid":
                    found.append((name, np.array(rows, np.float64).reshape(-1, 3, 3)))
                    rows, is_open = [], False
        if is_open or rows:
            raise source.error(
                "the file ends within a solid: a vertex or the line 'endsolid' is missing; export the file again",
                source.line_number,
            )
    read = sum(len(corners) for _, corners in found)
    if read != expected:
        raise InvalidFile(f"{file}: the file has {expected} facets, but only {read} could be read")
    return found


def _vertex(source: Source, words: list[bytes], number: int) -> list[float]:
    try:
        x, y, z = map(real, words[1:])
    except ValueError:
        raise source.error(
            f"{b' '.join(words)[:80]!r} is not a valid vertex: expected 'vertex' and three numbers", number
        ) from None
    return [x, y, z]


def _parts(file: Path, solids: list[tuple[str, np.ndarray]]) -> RawParts:
    found = RawParts(found=len(solids))
    for number, (name, corners) in enumerate(solids):
        vertices = corners.reshape(-1, 3)
        if not len(vertices):
            found.no_geometry["solid without facets"] += 1
        elif not np.isfinite(vertices).all():
            found.left_out.append((name or file.stem, "a vertex of it is not finite"))
        else:
            triangles = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
            found.shapes[str(number)] = PartShape(vertices, triangles)
            found.parts.append(RawPart(name, str(number), np.eye(4)))
    return found
