"""Files of meshes and points as the source of a detection."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ..errors import MeshClashError
from ..messages import Sentence, suggestion
from ..reading.file_names import file_names
from ..reading.ifc_files import IFC_ENDINGS, Selection
from ..reading.part import MeshPart, Parts, PartShape, unique_names
from ..reading.read import MESHES, read
from .errors import InputError
from .frame_scene import FrameScene, Progress, Skipped, SourceCloud, SourceMesh, SourceObject
from .identity import identities
from .sets import Matcher, members
from .world import to_world

SELECTION = "selection"


@dataclass(frozen=True, eq=False)
class FilePart:
    """A part under the name that it has among those of all files.

    Attributes:
        name: no other part has it.
        part: as its file has it.
        file: the name of its file, which tells it from the other files; None: as the part says.
    """

    name: str
    part: MeshPart
    file: str | None = None

    @property
    def properties(self) -> dict[str, str]:
        """As `MeshPart`."""
        return dict(self.part.properties)

    @property
    def groups(self) -> Sequence[str]:
        """As `MeshPart`, with the name of the file that tells it from the others."""
        return self.part.groups if self.file is None else (self.file, *self.part.groups[1:])


class FileSource:
    """Reads some files, once; lengths are metres.

    Args:
        files: what to read; of folders the files of meshes in them.
        unit: as `read` takes it.
        named: names that some part must have.

    Attributes:
        read_files: what was read, file by file.
        parts: of all files.
    """

    scale_length = 1.0

    def __init__(self, files: Iterable[Path], unit: str | float | None = None, named: Iterable[str] = ()) -> None:
        self._named = sorted(named)
        self._files, self._unit = [file for path in files for file in _files_of(path)], unit
        self.file = ", ".join(str(path.resolve()) for path in self._files)
        self.read_files: list[Parts] = []
        self.parts: list[FilePart] = []

    def read_steps(self, set_a: str, set_b: str, frame: int | None) -> Generator[Progress, None, FrameScene]:
        """The scene of all files; as `SceneSource`.

        Raises:
            InputError: a file cannot be read, or a set means nothing.
        """
        if frame is not None:
            raise InputError("files of meshes have no frames: leave out --frames")
        if not self.read_files:
            yield from self._read_files()
        result = FrameScene(1)
        for read_file in self.read_files:
            result.skipped += [Skipped(name, why, lost=True) for name, why in read_file.left_out]
            result.no_geometry.update(read_file.no_geometry)
        in_a, in_b = (self._members(expression) for expression in (set_a, set_b))
        keys = identities([item.part for item in self.parts])
        for k, (item, identity) in enumerate(zip(self.parts, keys, strict=True)):
            if k in in_a or k in in_b:
                self._add(result, item, identity, k in in_a, k in in_b)
        return result

    def triangles(self, name: str) -> np.ndarray:
        """World triangles (t, 3, 3) of a part, or none of points [m]."""
        part = self._part_of[name]
        shape, matrix = part.shape, part.matrix
        corners = np.empty((0, 3), np.int32) if shape.triangles is None else shape.triangles
        return to_world(shape.vertices, matrix)[corners]

    @cached_property
    def _part_of(self) -> dict[str, MeshPart]:
        """The parts by their names."""
        return {item.name: item.part for item in self.parts}

    def restore(self) -> None:
        """Nothing was changed."""

    def _read_files(self) -> Generator[Progress, None, None]:
        for count, path in enumerate(self._files):
            yield Progress(count / len(self._files), Sentence("Reading {name}", name=path.name))
            try:
                self.read_files.append(read(path, self._unit))
            except MeshClashError as error:
                raise InputError(str(error)) from error
        files = self._file_names()
        parts = [(part, file) for read_file, file in zip(self.read_files, files, strict=True) for part in read_file]
        names = unique_names([part.name for part, _ in parts])
        self.parts = [FilePart(name, *item) for name, item in zip(names, parts, strict=True)]
        known = {item.name for item in self.parts} | {name for item in self.read_files for name, _ in item.left_out}
        for name in self._named:
            if name not in known:
                raise InputError(f"there is no object '{name}' in the files{suggestion(name, known)}")

    def _file_names(self) -> list[str]:
        return file_names([path.absolute() for path in self._files])

    def _members(self, expression: str) -> frozenset[int]:
        if expression == SELECTION:
            raise InputError("files of meshes have no selection: name another set")
        return members(expression, self.parts, self._select)

    @cached_property
    def _models(self) -> dict[str, Selection]:
        """The IFC files by the names that `FilePart` gives them, as selectors need them."""
        named = zip(self._file_names(), self._files, strict=True)
        return {name: Selection(path) for name, path in named if path.suffix.lower() in IFC_ENDINGS}

    def _select(self, selector: str) -> Matcher:
        """The parts of IFC files that a selector of IfcOpenShell means, each file on its own."""
        try:
            meant = {name: model.keys(selector) for name, model in self._models.items()}
        except MeshClashError as error:
            raise InputError(str(error)) from error
        return lambda item: item.properties.get("GlobalId") in meant.get(item.groups[0], ())

    def _add(self, result: FrameScene, item: FilePart, identity: str, in_a: bool, in_b: bool) -> None:
        part, key = item.part, id(item.part.shape)
        bad = np.flatnonzero(~np.isfinite(part.shape.vertices).all(axis=1))
        if len(bad):
            why = f"vertex {bad[0]} is {part.shape.vertices[bad[0]].tolist()}: coordinates must be finite"
            result.skipped.append(Skipped(item.name, why, lost=True))
            return
        made = SourceObject(
            item.name, identity, key, part.matrix, item.name, item.name, in_a, in_b,
            collections=frozenset(item.groups), properties=part.properties,
        )  # fmt: skip
        if part.shape.triangles is None:
            result.scans.append(made)
            result.clouds.setdefault(key, _cloud(part.shape))
        else:
            result.objects.append(made)
            result.meshes.setdefault(key, _mesh(part.shape))


def _mesh(shape: PartShape) -> SourceMesh:
    assert shape.triangles is not None  # else it is a cloud
    faces = np.arange(len(shape.triangles), dtype=np.int32)
    return SourceMesh(shape.vertices, shape.triangles, faces, True, shape.resolution)


def _cloud(shape: PartShape) -> SourceCloud:
    normals = None if shape.normals is None else shape.normals.astype(np.float32)
    if normals is not None and not (np.isfinite(normals).all() and normals.any(axis=1).all()):
        normals = None
    return SourceCloud(shape.vertices.astype(np.float32), normals)


def _files_of(path: Path) -> list[Path]:
    """A file, or the files of meshes in a folder by name; raises InputError where it has none."""
    if not path.is_dir():
        return [path]
    try:
        found = sorted(item for item in path.iterdir() if item.suffix.lower() in MESHES)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if not found:
        raise InputError(f"{path}: there is no file of meshes in this folder")
    return found
