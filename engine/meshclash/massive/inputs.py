"""The kinds of input of ``ClusteredMesh.build``."""

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from ..messages import a_type, shown
from ..types.mesh import TriangleMesh
from .arrays import source_of_arrays, source_of_chunks
from .npz import npz_source
from .obj import obj_source
from .ply import ply_source
from .sources import MeshSource
from .stl import stl_source


def source_of(thing: Any) -> MeshSource:
    """Return the input of ``ClusteredMesh.build`` as a source.

    Raises:
        InvalidFile: a file is missing, damaged, or of an unknown format.
        InvalidMesh: the arrays are not those of a mesh, or the input is something else.
    """
    if isinstance(thing, str | bytes | os.PathLike):
        return _source_of_file(checked_path(thing))
    if isinstance(thing, TriangleMesh):
        return source_of_arrays(*thing.arrays)
    if isinstance(thing, tuple) and len(thing) == 2:
        return source_of_arrays(*thing)
    if isinstance(thing, np.ndarray):
        return source_of_chunks(iter([thing]))
    if isinstance(thing, Iterable):
        return source_of_chunks(iter(thing))
    raise InvalidMesh(
        "a clustered mesh can be built from a path, a TriangleMesh, arrays (vertices, triangles), "
        f"corners (n, 3, 3), or an iterable of chunks, not from {a_type(thing)}"
    )


_LONGEST_NAME = 4096
"""Most characters of a path; no system opens a file with a longer one."""


def checked_path(path: Any) -> Path:
    """Return the path of a file; raise InvalidFile if the argument is not a path."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InvalidFile(f"the path of a file must be a string, bytes or a Path, not {a_type(path)}") from None
    if "\0" in name or not Path(name).name or len(name) > _LONGEST_NAME:
        raise InvalidFile(f"{shown(name)} is not a valid file name")
    return Path(name)


def _source_of_file(path: Path) -> MeshSource:
    readers: dict[str, Callable[[Path, str], MeshSource]] = {
        ".ply": ply_source, ".stl": stl_source, ".obj": obj_source, ".npz": npz_source,
    }  # fmt: skip
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InvalidFile(f"{path}: the file type is not supported; supported endings are {', '.join(readers)}")
    try:
        state = path.stat()
    except (OSError, ValueError) as error:
        raise InvalidFile(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(state.st_mode):
        raise InvalidFile(f"{path}: cannot be read: a folder, a device or a pipe is not a mesh file")
    return reader(path, f"{path.resolve()}|{state.st_size}|{state.st_mtime_ns}")
