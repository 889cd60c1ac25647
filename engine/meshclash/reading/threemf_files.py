"""Read 3MF files: every object in the build, with nested components and models in other files of the package."""

import posixpath
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import InvalidFile
from .part import PartShape
from .raw_parts import RawPart, RawParts

METRES = {"micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048, "meter": 1.0}
_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_KINDS = "http://schemas.microsoft.com/3dmanufacturing/"
_BEAMS, _SLICES = _KINDS + "beamlattice/2017/02", _KINDS + "slice/2015/07"
_READ = {
    _CORE, _BEAMS, _SLICES, _KINDS + "production/2015/06", _KINDS + "material/2015/02", _KINDS + "trianglesets/2021/07",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
}  # fmt: skip
"""Extensions that a file may require: their geometry is read or listed as left out, or they change appearance only."""
_START = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
MOST_PLACED = 1_000_000
"""Largest number of objects that a file may place; nested components multiply."""

Key = tuple[str, str]
"""Key of an object: its file in the package, and its id."""


class _Wrong(ValueError):
    """Raised for an invalid object; the text explains why."""


@dataclass(eq=False)
class _Object:
    """An object of a model file.

    Attributes:
        name: name of the object; "" if it has no name.
        shape: triangles of the object.
        lost: the problem of its triangles; "" if the triangles are valid.
        unread: unsupported kinds of geometry, such as "12 beams".
        components: the components of the object: keys, matrices, and problems of the matrices.
    """

    name: str
    shape: PartShape | None = None
    lost: str = ""
    unread: list[str] = field(default_factory=list)
    components: list["_Placed"] = field(default_factory=list)

    @property
    def own(self) -> int:
        """Number of objects without components: one for triangles, and one for each unsupported kind."""
        return (self.shape is not None or bool(self.lost)) + len(self.unread)


@dataclass(frozen=True, eq=False)
class _Placed:
    key: Key
    matrix: np.ndarray
    wrong: str
    name: str = ""


def read_3mf(file: Path, etree: ModuleType) -> RawParts:
    """Read every object that the build places.

    Raises:
        InvalidFile: the file is not a 3MF file, cannot be read at all, or requires an unknown extension.
    """
    try:
        with zipfile.ZipFile(file) as package:
            return _Reader(file, package, etree).read()
    except (zipfile.BadZipFile, _Wrong, RuntimeError, NotImplementedError, EOFError, OSError, zlib.error) as error:
        raise InvalidFile(f"{file}: the file is damaged or not a 3MF file: {error or type(error).__name__}") from None


class _Reader:
    """Reads one package."""

    def __init__(self, file: Path, package: zipfile.ZipFile, etree: ModuleType) -> None:
        self._file, self._package, self._etree = file, package, etree
        self._names = {name.strip("/").lower(): name for name in package.namelist()}
        self._objects: dict[Key, _Object] = {}
        self._build: list[_Placed] = []
        self._unit = "millimeter"

    def read(self) -> RawParts:
        """Read all placed objects; count the objects that are not placed."""
        start = self._start()
        waiting, seen = [start], {start}
        while waiting:
            path = waiting.pop()
            self._read_model(path, is_start=path == start)
            wanted = {item.key[0] for item in self._build}
            wanted |= {item.key[0] for thing in self._objects.values() for item in thing.components}
            waiting += sorted(wanted - seen)
            seen |= wanted
        counts = self._counts()
        found = RawParts(metres=self._metres())
        placed = sum(counts.get(item.key, 1) for item in self._build)
        if placed > MOST_PLACED:
            raise InvalidFile(
                f"{self._file}: the components contain {placed} objects, more than the limit of {MOST_PLACED}"
            )
        unplaced = self._unplaced()
        found.found = placed + unplaced
        if unplaced:
            found.no_geometry["object that is not placed"] += unplaced
        self._place(found)
        return found

    def _metres(self) -> float:
        if self._unit not in METRES:
            raise InvalidFile(
                f"{self._file}: the unit {self._unit!r:.40} is not supported; expected one of {', '.join(METRES)}"
            )
        return METRES[self._unit]

    def _start(self) -> str:
        """Return the path of the package's start model."""
        relations = self._names.get("_rels/.rels")
        if relations is not None:
            with self._package.open(relations) as stream:
                for _, item in self._parsed(stream, "{*}Relationship"):
                    if item.get("Type") == _START:
                        return _path(str(item.get("Target")))
        model = next((name for name in self._names if name.endswith("3d/3dmodel.model")), None)
        if model is None:
            raise InvalidFile(f"{self._file}: the file is not a 3MF file: it has no model")
        return model

    def _parsed(self, stream: Any, *tags: str) -> Any:
        options = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True}
        try:
            yield from self._etree.iterparse(stream, events=("end",), tag=tags, **options)
        except self._etree.LxmlError as error:
            raise _Wrong(f"the XML is damaged: {error!s:.120}") from None

    def _read_model(self, path: str, is_start: bool) -> None:
        """Read the objects of a model, and the build of the start model."""
        if path not in self._names:
            return  # objects that refer to it are listed as left out
        with self._package.open(self._names[path]) as stream:
            root = None
            for _, item in self._parsed(stream, f"{{{_CORE}}}object", f"{{{_CORE}}}item", f"{{{_CORE}}}build"):
                if root is None:
                    root = item.getroottree().getroot()
                    self._check_extensions(root)
                tag = self._etree.QName(item).localname
                if tag == "object":
                    self._objects[path, str(item.get("id"))] = self._object(item, path)
                    item.clear()
                elif tag == "item" and is_start:
                    self._build.append(self._placed(item, path, str(item.get("partnumber") or "")))
            if root is None:
                raise _Wrong(f"{path} has neither objects nor a build")
            if is_start:
                self._unit = str(root.get("unit", "millimeter"))

    def _check_extensions(self, root: Any) -> None:
        for prefix in str(root.get("requiredextensions", "")).split():
            name = root.nsmap.get(prefix, prefix)
            if name not in _READ:
                raise InvalidFile(
                    f"{self._file}: the file requires the extension {name!r:.120}, which MeshClash "
                    "does not support: export the file without this extension"
                )

    def _object(self, item: Any, path: str) -> _Object:
        found = _Object(str(item.get("name") or ""))
        for child in item:
            if not isinstance(child.tag, str):
                continue  # a comment
            tag = child.tag
            if tag == f"{{{_CORE}}}mesh":
                self._read_mesh(child, found)
            elif tag == f"{{{_CORE}}}components":
                found.components += [self._placed(one, path) for one in child.iterfind(f"{{{_CORE}}}component")]
            elif tag != f"{{{_CORE}}}metadatagroup":
                found.unread.append(f"the {self._etree.QName(child).localname} is not supported")
        if found.shape is not None and item.get(f"{{{_SLICES}}}meshresolution") == "lowres":
            found.shape, found.lost = None, "the mesh only replaces slices, which are not supported"
        return found

    def _read_mesh(self, mesh: Any, found: _Object) -> None:
        """Read the triangles of a mesh; note its unsupported geometry."""
        beams = sum(1 for _ in mesh.iter(f"{{{_BEAMS}}}beam"))
        if beams:
            found.unread.append(f"the {beams} beams are not supported")
        rows = mesh.find(f"{{{_CORE}}}triangles")
        if beams and (rows is None or not len(rows)):
            return
        try:
            found.shape = _shape(mesh.find(f"{{{_CORE}}}vertices"), rows)
        except _Wrong as error:
            found.lost = str(error)

    def _placed(self, item: Any, path: str, name: str = "") -> _Placed:
        """Return the object that an item or a component places."""
        elsewhere = next((value for key, value in item.items() if self._etree.QName(key).localname == "path"), None)
        key = (path if elsewhere is None else _path(elsewhere)), str(item.get("objectid"))
        try:
            return _Placed(key, _matrix(item.get("transform")), "", name)
        except _Wrong as error:
            return _Placed(key, np.eye(4), str(error), name)

    def _counts(self) -> dict[Key, int]:
        """Return the number of objects that each object places: itself and its components. A missing object counts as
        one.
        """
        counts: dict[Key, int] = {}
        for start in self._objects:
            waiting, open_keys = [start], set[Key]()
            while waiting:
                key = waiting[-1]
                parts = [item.key for item in self._objects[key].components if item.key in self._objects]
                missing = [part for part in parts if part not in counts]
                if key in counts or not missing:
                    if key not in counts:
                        thing = self._objects[key]
                        counts[key] = thing.own + sum(counts.get(item.key, 1) for item in thing.components)
                        counts[key] = max(counts[key], 1)
                    open_keys.discard(key)
                    waiting.pop()
                    continue
                if key in open_keys and any(part in open_keys for part in missing):
                    raise _Wrong(f"object {key[1]} contains itself")
                open_keys.add(key)
                waiting.append(missing[0])
        return counts

    def _unplaced(self) -> int:
        """Return the number of objects with geometry of their own that are never placed."""
        reached = set[Key]()
        waiting = [item.key for item in self._build]
        while waiting:
            key = waiting.pop()
            if key in self._objects and key not in reached:
                reached.add(key)
                waiting += [item.key for item in self._objects[key].components]
        return sum(thing.own for key, thing in self._objects.items() if key not in reached)

    def _place(self, found: RawParts) -> None:
        """Add every placed object, in the order of the build."""
        waiting = [(item, item.matrix, item.wrong) for item in reversed(self._build)]
        while waiting:
            item, matrix, wrong = waiting.pop()
            thing = self._objects.get(item.key)
            name = item.name or (thing.name if thing is not None else "") or item.key[1]
            if thing is None:
                found.left_out.append((name, f"{item.key[0]} has no object {item.key[1]}"))
                continue
            self._place_own(found, thing, item.key, name, matrix, wrong)
            waiting += [(part, matrix @ part.matrix, wrong or part.wrong) for part in reversed(thing.components)]

    def _place_own(self, found: RawParts, thing: _Object, key: Key, name: str, matrix: np.ndarray, wrong: str) -> None:
        """Add the triangles of an object; record its unsupported geometry as left out."""
        if thing.own == 0 and not thing.components:
            found.no_geometry["empty object"] += 1
        found.left_out += [(name, wrong or why) for why in thing.unread]
        if thing.lost or (wrong and thing.shape is not None):
            found.left_out.append((name, wrong or thing.lost))
        elif thing.shape is not None and not len(thing.shape.vertices):
            found.no_geometry["mesh without faces"] += 1
        elif thing.shape is not None:
            text = "\n".join(key)
            found.shapes[text] = thing.shape
            found.parts.append(RawPart(name, text, matrix))


def _path(target: str) -> str:
    """Return a path in the package in the form used for lookups."""
    return posixpath.normpath("/" + target).strip("/").lower()


def _matrix(text: str | None) -> np.ndarray:
    """Return a matrix (4, 4) from twelve numbers, which 3MF defines for points as row vectors."""
    matrix = np.eye(4)
    if text is not None:
        numbers = _numbers(text.split())
        if len(numbers) != 12 or not np.isfinite(numbers).all():
            raise _Wrong(f"a transform must have twelve finite numbers, not {text!r:.80}")
        matrix[:3] = numbers.reshape(4, 3).T
    return matrix


def _shape(corners: Any, rows: Any) -> PartShape:
    """Return the mesh of an object; raises _Wrong."""
    vertices = [] if corners is None else [one for one in corners if isinstance(one.tag, str)]
    triangles = [] if rows is None else [one for one in rows if isinstance(one.tag, str)]
    points = _numbers([one.get(axis) for one in vertices for axis in "xyz"]).reshape(-1, 3)
    faces = _numbers([one.get(corner) for one in triangles for corner in ("v1", "v2", "v3")]).reshape(-1, 3)
    bad = ~np.isfinite(points).all(axis=1)
    if bad.any():
        raise _Wrong(f"vertex {int(bad.argmax())} is {points[bad.argmax()].tolist()}: coordinates must be finite")
    wrong = ~((faces >= 0) & (faces < len(points)) & (faces == np.floor(faces))).all(axis=1)
    if wrong.any():
        raise _Wrong(
            f"triangle {int(wrong.argmax())} has the indices {faces[wrong.argmax()].tolist()}, but there "
            f"are only {len(points)} vertices"
        )
    if not len(faces):
        return PartShape(np.empty((0, 3)), np.empty((0, 3), np.int32))
    return PartShape(points, faces.astype(np.int32))


def _numbers(texts: list[Any]) -> np.ndarray:
    try:
        return np.array([float(text) for text in texts], np.float64)
    except (TypeError, ValueError) as error:
        raise _Wrong(f"a value is missing or not a number: {error}") from None
