"""Parts as a reader returns them, in the file's unit and axes, and their conversion to metres with z up."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import InvalidFile
from .part import MeshPart, Parts, PartShape, unique_names
from .stored_precision import stored_resolution

Y_UP = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""Matrix from a frame with y up to a frame with z up; the conversion causes no rounding errors."""


@dataclass(eq=False)
class RawPart:
    """A part in the unit and axes of its file.

    Attributes:
        name: name in the file; "" if the part has no name.
        key: key of its shape in ``RawParts.shapes``.
        matrix: (4, 4) from its frame to the file's world.
        properties, groups: as in ``MeshPart``; the name of the file is added to ``groups`` later.
    """

    name: str
    key: str
    matrix: np.ndarray
    properties: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()


@dataclass(eq=False)
class RawParts:
    """The content of a file.

    Attributes:
        shapes: shapes by key; lengths in the file's unit.
        parts: parts in the order of the file.
        metres: length of the file's unit in metres; None if the file does not state it.
        converted: whether the reader has already converted lengths to metres.
        y_up: whether y points up, as in glTF, instead of z.
        left_out, no_geometry: as in ``Parts``.
        found: number of objects in the file, counted before they are read. Each must become a part or be counted in
            ``left_out`` or ``no_geometry``.
        tessellation: as in ``Parts``.
    """

    shapes: dict[str, PartShape] = field(default_factory=dict)
    parts: list[RawPart] = field(default_factory=list)
    metres: float | None = None
    converted: bool = False
    y_up: bool = False
    left_out: list[tuple[str, str]] = field(default_factory=list)
    no_geometry: Counter[str] = field(default_factory=Counter)
    found: int = 0
    tessellation: float = 0.0

    def made(self, file: Path, assumed: float) -> Parts:
        """Convert the parts to metres, z up.

        Args:
            file: the file that they come from.
            assumed: length of the unit in metres, used if the file states none.

        Raises:
            InvalidFile: the file has no triangles or points, or its unit is invalid, or an object is not accounted for.
        """
        accounted = len(self.parts) + len(self.left_out) + self.no_geometry.total()
        if accounted != self.found:
            raise InvalidFile(f"{file}: the file has {self.found} objects, but only {accounted} were processed")
        if not self.parts:
            first = f"{self.left_out[0][0]}: {self.left_out[0][1]}" if self.left_out else ""
            why = f" ({len(self.left_out)} left out, such as {first})" if first else ""
            raise InvalidFile(f"{file}: the file contains neither meshes nor points{why}")
        metres = assumed if self.metres is None else self.metres
        if not (math.isfinite(metres) and metres > 0.0):
            raise InvalidFile(f"{file}: a unit of {metres} m is not supported")
        factor = 1.0 if self.converted else metres
        shapes = {key: _in_metres(shape, factor) for key, shape in self.shapes.items()}
        up = Y_UP if self.y_up else np.eye(4)
        names = unique_names([part.name or file.stem for part in self.parts])
        items = []
        for part, name in zip(self.parts, names, strict=True):
            matrix = np.array(part.matrix, np.float64)
            matrix[:3, 3] *= factor
            items.append(
                MeshPart(name, shapes[part.key], up @ matrix, dict(part.properties), (file.stem, *part.groups))
            )
        return Parts(
            file,
            metres,
            self.metres is not None,
            tuple(items),
            tuple(self.left_out),
            dict(self.no_geometry),
            self.tessellation,
        )


def _in_metres(shape: PartShape, metres: float) -> PartShape:
    resolution = shape.resolution
    if resolution is None and shape.triangles is not None:
        resolution = stored_resolution(shape.vertices)
    if metres == 1.0 and resolution == shape.resolution:
        return shape
    scaled = None if resolution is None else metres * resolution
    return PartShape(metres * shape.vertices, shape.triangles, shape.normals, scaled)
