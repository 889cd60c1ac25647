"""Read STEP files with cascadio: assemblies with names and instances; surfaces become triangles."""

import tempfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from ..errors import InvalidFile
from .gltf_files import read_gltf
from .raw_parts import RawParts

STEP_ENDINGS = (".step", ".stp")
TOLERANCE = 1e-5
"""Largest distance of a triangle from the surface it approximates [m]: a hundredth of a millimetre."""
ANGLE = 0.5
"""Largest angle between neighbouring triangles of a surface [rad]."""
MILLIMETRES = 1000.0
"""cascadio reads every unit as millimetres, and writes metres."""


def read_step(file: Path, library: ModuleType) -> RawParts:
    """Read every solid and surface of an assembly, in metres, z up.

    Raises:
        InvalidFile: cascadio cannot read the file, or creates no triangles from it.
    """
    try:
        content = library.load(file.read_bytes(), "step", tol_linear=TOLERANCE * MILLIMETRES, tol_angular=ANGLE)
    except Exception as error:  # damaged files raise any kind of error
        raise InvalidFile(f"{file}: cascadio cannot read it: {str(error) or type(error).__name__}") from error
    if not content:
        raise InvalidFile(f"{file}: cascadio cannot read it: the file is not a STEP file, is damaged, or has no solids")
    with tempfile.TemporaryDirectory(prefix="meshclash-") as folder:
        made = Path(folder) / f"{file.stem}.glb"
        made.write_bytes(content)
        try:
            found = read_gltf(made)
        except InvalidFile as error:
            raise InvalidFile(f"{file}: the output of cascadio cannot be read: {error}") from error
    if not found.parts:
        raise InvalidFile(f"{file}: cascadio cannot create triangles from the file")
    found.y_up, found.tessellation = False, TOLERANCE
    found.shapes = {
        key: replace(shape, resolution=max(TOLERANCE, shape.resolution or 0.0)) for key, shape in found.shapes.items()
    }
    return found
