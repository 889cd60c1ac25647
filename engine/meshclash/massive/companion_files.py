"""Files next to the file of a clustered mesh, with levels or progressive meshes: open such files, and keep them
open.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFile
from .file import PartFile
from .layout import HEADER_BYTES
from .level_layout import FileKind, LevelHeader, decode_level_header, header_for
from .mesh import ClusteredMesh

Decode = Callable[[Path, LevelHeader, bytes], np.ndarray]
"""Function that decodes and checks the rows of a table."""


def companion_path(mesh: ClusteredMesh, kind: FileKind) -> Path:
    """Return the path of a file of this kind, whether or not it exists."""
    return mesh.path.with_name(mesh.path.name + kind.ending)


def open_companion(mesh: ClusteredMesh, kind: FileKind, decode: Decode) -> tuple[PartFile, np.ndarray]:
    """Open the companion file of the given kind beside a mesh; return the file and its table. Raise InvalidFile if it
    is invalid.
    """
    file = PartFile(companion_path(mesh, kind), f"the {kind.name} were closed")
    try:
        raw = file.read(0, min(file.size, HEADER_BYTES))
        header = decode_level_header(file.path, raw, file.size, header_for(mesh.pages.header), kind)
        table = decode(file.path, header, file.read(header.table_at, file.size - header.table_at))
    except InvalidFile:
        file.close()
        raise
    return file, table


def kept_companion(mesh: ClusteredMesh, kind: FileKind, opened: Callable[[ClusteredMesh], Any]) -> Any:
    """Return a mesh's companion file of this kind, opened on first use; None if there is no such file."""
    if kind.ending not in mesh.beside:
        if not companion_path(mesh, kind).exists():
            return None
        mesh.beside[kind.ending] = opened(mesh)
    return mesh.beside[kind.ending]


def drop_companion(mesh: ClusteredMesh, kind: FileKind) -> None:
    """Close the open companion of this kind of a mesh, because another file has replaced it."""
    if kind.ending in mesh.beside:
        mesh.beside.pop(kind.ending).close()
