"""``read``: read a file of meshes or points as parts, in metres, z up."""

import importlib
import os
import stat
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType

import numpy as np

from ..errors import InvalidFile
from ..messages import shown
from ..pointcloud.read import FORMATS as POINT_FORMATS
from ..pointcloud.read import metres_of, read_points
from ..types.results import Progress
from ..types.steps import in_slices, run, steps
from .dae_files import read_dae
from .gltf_files import read_gltf
from .ifc_files import IFC_ENDINGS, read_ifc
from .obj_files import read_obj
from .off_files import read_off
from .part import Parts, PartShape
from .ply_files import has_surface, read_ply
from .raw_parts import RawPart, RawParts
from .step_files import STEP_ENDINGS, read_step
from .stl_files import read_stl
from .threemf_files import read_3mf
from .usd_files import read_usd

Reader = Callable[[Path], RawParts]
LibraryReader = Callable[[Path, ModuleType], RawParts]

READERS: dict[str, Reader] = {
    ".stl": read_stl, ".obj": read_obj, ".ply": read_ply, ".off": read_off, ".glb": read_gltf, ".gltf": read_gltf,
}  # fmt: skip
"""Readers that need no library, by file extension."""
LIBRARIES: dict[str, tuple[str, str, LibraryReader]] = {
    ".3mf": ("lxml.etree", "mesh", read_3mf),
    ".dae": ("collada", "mesh", read_dae),
    **dict.fromkeys(IFC_ENDINGS, ("ifcopenshell", "ifc", read_ifc)),
    **dict.fromkeys(STEP_ENDINGS, ("cascadio", "step", read_step)),
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), ("pxr", "usd", read_usd)),
}
"""For each file extension: the library that reads it, the extra that installs the library, and the reader."""
MESHES = (*READERS, *LIBRARIES)
"""File extensions of meshes."""
ZIPPED = (".3mf", ".ifczip", ".usdz")
"""File extensions of formats that are zip archives."""
MOST_UNPACKED = 4 << 30
"""Largest unpacked size of an archive in bytes."""
NEEDED = {"pxr": "usd-core", "lxml.etree": "lxml", "collada": "pycollada"}
"""Package names for modules whose package has another name."""


@in_slices
def read(path: str | os.PathLike[str], unit: str | float | None = None) -> Generator[Progress, None, Parts]:
    """Read the parts of a file, with their names, instances, placements and properties. Coordinates are in metres, and
    z points up.

    MeshClash uses other libraries to read some formats: pycollada for COLLADA (DAE), ifcopenshell for IFC, cascadio for
    STEP, and usd-core for USD. In an IFC file, each building element becomes a part. Openings are cut out of the walls
    and do not become parts. The surfaces of a STEP file are triangulated with a tolerance of 0.01 mm. MeshClash itself
    reads STL, OBJ, PLY, OFF, GLB, glTF, 3MF and point files (PLY without faces, PCD, LAS, LAZ, XYZ, PTS, CSV, TXT,
    ASC). If an instance is scaled, it gets its own mesh, and the scale is applied to the vertices of this mesh.

    Args:
        path: the file.
        unit: unit of a file that does not state one: "m", "mm", "cm", "km", "in", "ft", "us-ft" or a number of metres;
            None means metres. If the file states its unit, this argument is ignored.

    Raises:
        InvalidFile: the file is missing, damaged, of an unknown format, or changed while it was read, or the library
            that reads it is not installed; the message says what to do.
        UnsupportedOption: the unit is unknown.

    Example:
        >>> import meshclash as mc
        >>> import tempfile
        >>> from pathlib import Path
        >>> path = Path(tempfile.mkdtemp()) / "corner.obj"
        >>> _ = path.write_text("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n")
        >>> parts = mc.read(path)
        >>> len(parts), parts[0].mesh.triangle_count
        (1, 1)
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise InvalidFile(f"path must be the path of a file, not {shown(path)}")
    file = Path(os.fsdecode(path))
    metres = 1.0 if unit is None else metres_of(unit)
    return (yield from steps(raw_parts, file)).made(file, metres)


@in_slices
def raw_parts(file: Path) -> Generator[Progress, None, RawParts]:
    """Read the parts of a file, in its own unit and axes; raises InvalidFile as ``read`` does."""
    before = _state(file)
    ending = file.suffix.lower()
    if ending not in MESHES and ending not in POINT_FORMATS:
        known = ", ".join(sorted({*MESHES, *POINT_FORMATS}))
        raise InvalidFile(f"{file}: files ending in {file.suffix!r} are not supported; expected one of {known}")
    _refuse_bomb(file)
    yield Progress(0.0, "reading")
    found = yield from _read_steps(file, ending)
    if _state(file) != before:
        raise InvalidFile(f"{file}: the file changed while it was read: read it again when it is complete")
    return found


def _state(file: Path) -> tuple[int, int, int]:
    """Return numbers that change when a file is changed; raises InvalidFile."""
    try:
        state = file.stat()
    except OSError as error:
        raise InvalidFile(f"{file!s:.500}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InvalidFile(f"{shown(str(file))} is not a valid file name: {error}") from None
    if not stat.S_ISREG(state.st_mode):
        raise InvalidFile(f"{file}: cannot be read: a folder, a device or a pipe is not a mesh file")
    return state.st_size, state.st_mtime_ns, state.st_ino


def _refuse_bomb(file: Path) -> None:
    """Raise InvalidFile if a zip archive would unpack to more than ``MOST_UNPACKED`` bytes."""
    if file.suffix.lower() not in ZIPPED:
        return
    if not zipfile.is_zipfile(file):
        return  # its reader reports the error
    try:
        with zipfile.ZipFile(file) as archive:
            unpacked = sum(info.file_size for info in archive.infolist())
    except Exception as error:  # a damaged archive raises any kind of error
        raise InvalidFile(f"{file}: the file is damaged: {error or type(error).__name__}") from error
    if unpacked > MOST_UNPACKED:
        raise InvalidFile(
            f"{file}: the file decompresses to {unpacked >> 30} GiB, more than the limit of {MOST_UNPACKED >> 30} GiB"
        )


def _read_steps(file: Path, ending: str) -> Generator[Progress, None, RawParts]:
    if ending in LIBRARIES:
        library, reader = _library(file, ending)
        return (yield from steps(read_ifc, file, library)) if reader is read_ifc else reader(file, library)
    if ending not in READERS or (ending == ".ply" and not has_surface(file)):
        return _points(file)
    return READERS[ending](file)


def _points(file: Path) -> RawParts:
    raw = run(read_points(file))
    shape = PartShape(np.asarray(raw.points, np.float64), None, raw.normals)
    return RawParts({"": shape}, [RawPart("", "", np.eye(4))], found=1)


def _library(file: Path, ending: str) -> tuple[ModuleType, LibraryReader]:
    """Return the library of a format and the reader that uses it; raises InvalidFile."""
    module, extra, reader = LIBRARIES[ending]
    try:
        library = importlib.import_module(module)
    except ImportError as error:
        name = NEEDED.get(module, module)
        raise InvalidFile(
            f"{file}: {ending} files are read by {name}, which cannot be imported ({error}): "
            f"pip install 'meshclash[{extra}]'"
        ) from error
    return library, reader
