"""Read OBJ files: the faces of each object; lines, points and curves are counted only."""

import re
from pathlib import Path

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from ..files.source import Source, integer, real
from .part import PartShape
from .polygons import triangulated
from .raw_parts import RawPart, RawParts

_FACE = re.compile(rb"^[ \t]*fo?(?=[ \t]|$)", re.MULTILINE)
_NO_FACES = {b"l": "lines", b"p": "points", b"curv": "curves", b"curv2": "curves"}
_SURFACES = {b"surf": "a free-form surface", b"bzp": "a Bezier patch", b"cdc": "a Cardinal curve", b"call": "a file"}


class _Object:
    """The elements with the same name: faces by their corners, and counts of other elements."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.corners: list[int] = []
        self.others: set[str] = set()
        self.unread: set[str] = set()
        self.is_missing: int | None = None

    @property
    def size(self) -> int:
        """Number of objects: one for the faces, and one for each type of other elements."""
        return bool(self.counts) + len(self.others) + len(self.unread)


def read_obj(file: Path) -> RawParts:
    """Read the objects named by "o" lines. Elements under the same name are one object; groups are ignored.

    Raises:
        InvalidFile: a line is damaged, or the text is UTF-16.
    """
    data = file.read_bytes()
    if data[:2] in (b"\xfe\xff", b"\xff\xfe"):
        raise InvalidFile(f"{file}: its text is UTF-16: save it as UTF-8")
    with file.open("rb") as stream:
        source = _Obj(Source(file, stream, float("inf")))
        source.read()
    expected = len(_FACE.findall(_joined(data)))
    read = sum(len(thing.counts) for thing in source.objects.values())
    if expected != read:
        raise InvalidFile(f"{file}: the file has {expected} faces, but only {read} could be read")
    return _parts(source, np.array(source.vertices, np.float64).reshape(-1, 3), file.stem)


def _joined(data: bytes) -> bytes:
    """Convert line ends to LF, and join lines that end with a backslash to the next one."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\\\n", b" ")


class _Obj:
    """State of the reader: vertices, objects by name, and the current object."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.vertices: list[tuple[float, float, float]] = []
        self.objects: dict[str, _Object] = {}
        self._name = ""
        self._now: _Object | None = None

    def read(self) -> None:
        """Read all lines of the file."""
        begun, number = b"", 0
        for first, lines in self._source.text_lines():
            for k, line in enumerate(lines):
                if line.endswith(b"\\"):
                    begun, number = begun + line[:-1] + b" ", number or first + k
                    continue
                words = (begun + line).split()
                if words:
                    self._read_line(words, number or first + k)
                begun, number = b"", 0
        if begun:
            raise self._source.error(
                "the file ends within a line: the last line ends with a backslash, but no line follows, so the file is "
                "probably incomplete",
                number,
            )

    def _read_line(self, words: list[bytes], number: int) -> None:
        verb = words[0]
        try:
            if verb == b"v":
                x, y, z = map(real, words[1:4])
                self.vertices.append((x, y, z))
            elif verb in (b"f", b"fo"):
                current, corners = self._current, [self._corner(word) for word in words[1:]]
                current.counts.append(len(corners))
                current.corners += corners
            elif verb == b"o":
                self._name, self._now = b" ".join(words[1:]).decode("utf-8", "replace"), None
            elif verb in _NO_FACES:
                self._current.others.add(_NO_FACES[verb])
            elif verb in _SURFACES:
                self._current.unread.add(_SURFACES[verb])
        except ValueError:
            raise self._source.error(
                f"the line {b' '.join(words)[:80]!r} is damaged: a vertex must be 'v' and three numbers, and a face "
                "must be 'f' and the numbers of vertices above this line",
                number,
            ) from None

    @property
    def _current(self) -> _Object:
        if self._now is None:
            self._now = self.objects.setdefault(self._name, _Object())
        return self._now

    def _corner(self, word: bytes) -> int:
        """Return the vertex index of a corner such as 3/1/2, from 0; negative indices count from the last vertex."""
        digits = word.partition(b"/")[0]
        index = int(digits) if digits.isdigit() and len(digits) < 10 else integer(digits)
        if index == 0:
            raise ValueError("vertex numbers start at 1")
        index = index - 1 if index > 0 else len(self.vertices) + index
        if index < 0:
            raise ValueError("a face refers to a vertex that is not defined before it")
        return index


def _parts(source: _Obj, vertices: np.ndarray, unnamed: str) -> RawParts:
    found = RawParts(found=sum(thing.size for thing in source.objects.values()))
    if not source.objects and len(vertices):
        found.found = 1
        found.left_out.append((unnamed, f"it has {len(vertices)} vertices, but no faces: save points as PLY or XYZ"))
    for name, thing in source.objects.items():
        found.no_geometry.update(thing.others)
        found.left_out += [(name or unnamed, f"{what} is not read") for what in sorted(thing.unread)]
        if not thing.counts:
            continue
        corners = np.array(thing.corners, np.int64)
        if corners.size and corners.max() >= len(vertices):
            found.left_out.append((name or unnamed, f"a face names vertex {corners.max() + 1} of {len(vertices)}"))
            continue
        used, places = np.unique(corners, return_inverse=True)
        if not np.isfinite(vertices[used]).all():
            found.left_out.append((name or unnamed, "a vertex of it is not finite"))
            continue
        try:
            triangles = triangulated(vertices[used], np.array(thing.counts, np.int64), places.ravel())
        except InvalidMesh as error:
            found.left_out.append((name or unnamed, str(error)))
            continue
        if not len(triangles):
            found.no_geometry["faces of less than three corners"] += 1
        else:
            found.shapes[name] = PartShape(vertices[used], triangles)
            found.parts.append(RawPart(name, name, np.eye(4)))
    return found
