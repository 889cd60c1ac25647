"""Files of meshes and points as the source of a detection."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ..errors import MeshClashError
from ..messages import Sentence, suggestion
from ..reading.ifc_files import IFC_ENDINGS, Selection
from ..reading.part import MeshPart, Parts, PartShape, unique_names
from ..reading.read import MESHES, read
from ..types.steps import scale_progress, steps
from .errors import InputError
from .frame_scene import FrameScene, Progress, Skipped, SourceCloud, SourceMesh, SourceObject
from .identity import former_identities, identities, without_number
from .models import Model, Shared, models_of, one_thing_each, warnings
from .sent_paths import sent_path
from .sets import Described, Matcher, members
from .world import to_world

SELECTION = "selection"


@dataclass(frozen=True, eq=False)
class FilePart:
    """A part with its name, which is unique among all files.

    Attributes:
        name: unique name of the part.
        part: the part as read from its file.
        models: names of the models that contain the part; empty: the models of the part itself.
    """

    name: str
    part: MeshPart
    models: tuple[Model, ...] = ()

    @cached_property
    def properties(self) -> dict[str, str]:
        """Implement `MeshPart.properties`, with the names, files and disciplines of its models added."""
        found = dict(self.part.properties)
        if self.models:
            found["model"] = ", ".join(self.model_names)
            found["file"] = ", ".join(dict.fromkeys(model.path.name for model in self.models))
        disciplines = dict.fromkeys(model.discipline for model in self.models if model.discipline)
        return found | ({"discipline": ", ".join(disciplines)} if disciplines else {})

    @property
    def model_names(self) -> tuple[str, ...]:
        """Names of the models that contain the part."""
        return tuple(model.name for model in self.models)

    @property
    def groups(self) -> Sequence[str]:
        """Implement `MeshPart.groups`, with model names instead of the file name."""
        return (*self.model_names, *self.part.groups[1:]) if self.models else self.part.groups


class FileSource:
    """Reads files once as a scene for the detection; lengths are in metres.

    Args:
        files: the files to read; a folder stands for the mesh files in it.
        unit: as the argument of `read`.
        named: names that some part must have.
        models: files with names chosen by the user, as the argument of `models_of`, in addition to `files`.
        disciplines, revisions: the user's disciplines and revisions of models, by model name.

    Attributes:
        models: models of all files.
        read_files: the files that were read.
        parts: the parts of all files; a part that several models share is included once.
        former: by part name, the identity that versions without models gave to each part that belongs to one model.
    """

    scale_length = 1.0

    def __init__(
        self,
        files: Iterable[Path],
        unit: str | float | None = None,
        named: Iterable[str] = (),
        models: Sequence[tuple[str, str]] = (),
        disciplines: Sequence[tuple[str, str]] = (),
        revisions: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._named, self._unit = sorted(named), unit
        plain = [file for path in files for file in _files_of(path)]
        self.models = models_of(plain, models, disciplines, revisions)
        self.file = ", ".join(sent_path(str(model.path)) for model in self.models)
        self.read_files: list[Parts] = []
        self.parts: list[FilePart] = []
        self.former: dict[str, str] = {}

    def read_steps(self, set_a: str, set_b: str, frame: int | None) -> Generator[Progress, None, FrameScene]:
        """Read the scene of all files; implements `SceneSource.read_steps`.

        Raises:
            InputError: a file cannot be read, or a set matches no object.
        """
        if frame is not None:
            raise InputError("mesh files have no frames: leave out --frames")
        if not self.read_files:
            yield from self._read_files()
        objects, scans = list[SourceObject](), list[SourceObject]()
        result = FrameScene(1, objects, scans=scans)
        for read_file in self.read_files:
            result.skipped += [Skipped(name, why, lost=True) for name, why in read_file.left_out]
            result.no_geometry.update(read_file.no_geometry)
        in_a, in_b = (self._members(expression) for expression in (set_a, set_b))
        for k, (item, identity) in enumerate(zip(self.parts, self.identities, strict=True)):
            if k in in_a or k in in_b:
                self._add(result, objects, scans, item, identity, k in in_a, k in in_b)
        return result

    def triangles(self, name: str) -> np.ndarray:
        """Return the world triangles (t, 3, 3) of a part [m]; an empty array for points."""
        part = self._part_of[name]
        shape, matrix = part.shape, part.matrix
        corners = np.empty((0, 3), np.int32) if shape.triangles is None else shape.triangles
        return to_world(shape.vertices, matrix)[corners]

    @cached_property
    def _part_of(self) -> dict[str, MeshPart]:
        """Return the parts by name."""
        return {item.name: item.part for item in self.parts}

    def restore(self) -> None:
        """Do nothing, since reading files changes nothing."""

    @cached_property
    def identities(self) -> list[str]:
        """Return the identities of all parts, whether they are in a set or not."""
        return identities([item.part for item in self.parts], [item.model_names for item in self.parts])

    @property
    def shared(self) -> list[Shared]:
        """Return the objects that several models have in common."""
        return [
            Shared(item.name, item.part.properties["GlobalId"], item.model_names)
            for item in self.parts if len(item.models) > 1
        ]  # fmt: skip

    @property
    def tolerances(self) -> dict[str, float]:
        """Return how far triangles may be from the true surfaces of parts [m], by part name."""
        pairs = zip(self.models, self.read_files, strict=True)
        off = {model.name: read_file.tessellation for model, read_file in pairs if read_file.tessellation}
        return {
            item.name: max(off[name] for name in item.model_names if name in off)
            for item in self.parts if {*item.model_names} & off.keys()
        }  # fmt: skip

    def warnings(self) -> list[str]:
        """Return warnings about models that do not match, such as different units or origins."""
        boxes: dict[str, np.ndarray] = {}
        for model, read_file in zip(self.models, self.read_files, strict=True):
            box = read_file.box
            if box is not None:
                boxes[model.name] = box
        return warnings(boxes)

    def _read_files(self) -> Generator[Progress, None, None]:
        for count, model in enumerate(self.models):
            low, high = count / len(self.models), (count + 1) / len(self.models)
            prefix = Sentence("{name}: ", name=model.path.name)
            try:
                reading = scale_progress(steps(read, model.path, self._unit), low, high, prefix=prefix)
                self.read_files.append((yield from reading))
            except MeshClashError as error:
                raise InputError(str(error)) from error
        pairs = zip(self.read_files, self.models, strict=True)
        parts = [(part, model) for read_file, model in pairs for part in read_file]
        things = one_thing_each(parts)
        names = unique_names([part.name for part, _ in things])
        self.parts = [FilePart(name, *item) for name, item in zip(names, things, strict=True)]
        former = former_identities([part for part, _ in parts])
        by_part = {id(part): text for (part, _), text in zip(parts, former, strict=True)}
        self.former = {item.name: by_part[id(item.part)] for item in self.parts if len(item.models) == 1}
        known = {item.name for item in self.parts} | {name for item in self.read_files for name, _ in item.left_out}
        for name in self._named:
            if name not in known:
                raise InputError(f"there is no object '{name}' in the files{suggestion(name, known)}")

    def _members(self, expression: str) -> frozenset[int]:
        if expression == SELECTION:
            raise InputError("mesh files have no selection: choose another set")
        return members(expression, self.parts, self._select)

    @cached_property
    def _selections(self) -> dict[str, Selection]:
        """Return the IFC files by model name, for selectors."""
        return {model.name: Selection(model.path) for model in self.models if model.path.suffix.lower() in IFC_ENDINGS}

    def _select(self, selector: str) -> Matcher:
        """Return the parts of IFC files that an IfcOpenShell selector selects, evaluated for each file separately."""
        try:
            meant = {name: model.keys(selector) for name, model in self._selections.items()}
        except MeshClashError as error:
            raise InputError(str(error)) from error

        def matches(item: Described) -> bool:
            names = item.model_names if isinstance(item, FilePart) else ()
            return any(item.properties.get("GlobalId") in meant.get(name, ()) for name in names)

        return matches

    def _add(
        self, result: FrameScene, objects: list[SourceObject], scans: list[SourceObject],
        item: FilePart, identity: str, in_a: bool, in_b: bool,
    ) -> None:  # fmt: skip
        part, key = item.part, id(item.part.shape)
        bad = np.flatnonzero(~np.isfinite(part.shape.vertices).all(axis=1))
        if len(bad):
            why = f"vertex {bad[0]} is {part.shape.vertices[bad[0]].tolist()}: coordinates must be finite"
            result.skipped.append(Skipped(item.name, why, lost=True))
            return
        made = SourceObject(
            item.name, identity, key, part.matrix, item.name, item.name, in_a, in_b,
            collections=frozenset(item.groups), properties=item.properties, models=item.model_names,
            own_name=without_number(part.name),
        )  # fmt: skip
        if part.shape.triangles is None:
            scans.append(made)
            result.clouds.setdefault(key, _cloud(part.shape))
        else:
            objects.append(made)
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
    """Return a file, or the mesh files in a folder sorted by name; raises InputError if the folder contains no mesh
    files.
    """
    if not path.is_dir():
        return [path]
    try:
        found = sorted(item for item in path.iterdir() if item.suffix.lower() in MESHES)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if not found:
        raise InputError(f"{path}: there is no file of meshes in this folder")
    return found
