"""Files that lie beside that of a clustered mesh, levels or progressive meshes: opened, and kept open, alike."""

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
"""What gives the rows of a table, checked, from its bytes."""


def companion_path(mesh: ClusteredMesh, kind: FileKind) -> Path:
    """Where a file of a kind lies, or would."""
    return mesh.path.with_name(mesh.path.name + kind.ending)


def open_companion(mesh: ClusteredMesh, kind: FileKind, decode: Decode) -> tuple[PartFile, np.ndarray]:
    """The file of a kind that lies beside a mesh, open, and its table; raises InvalidFile."""
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
    """What a mesh keeps open of a kind, opened where it was not; None where no file lies beside it."""
    if kind.ending not in mesh.beside:
        if not companion_path(mesh, kind).exists():
            return None
        mesh.beside[kind.ending] = opened(mesh)
    return mesh.beside[kind.ending]


def drop_companion(mesh: ClusteredMesh, kind: FileKind) -> None:
    """Close what a mesh keeps open of a kind, because another file has taken its place."""
    if kind.ending in mesh.beside:
        mesh.beside.pop(kind.ending).close()
