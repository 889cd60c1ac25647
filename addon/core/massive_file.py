"""Read the header of clustered mesh files, without the engine."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from meshclash.clash.errors import UnusableObject
from meshclash.clash.frame_scene import MassiveFile, SourceMesh

ENDING = ".mcl"
_MAGIC = b"\x89MESHCLU"
_HEADER_BYTES = 256
_TRIANGLES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
     (1, 5, 7), (1, 7, 3)], np.int32,
)  # fmt: skip


def read_massive(path: str, name: str) -> SourceMesh:
    """Return the bounding box of a clustered mesh as a mesh of its object; the engine checks the file itself.

    Args:
        path: path of the file.
        name: name of the object, for messages.

    Raises:
        UnusableObject: the file is missing, or is not a clustered mesh.
    """
    try:
        with Path(path).open("rb") as stream:
            header = stream.read(_HEADER_BYTES)
    except OSError as error:
        raise UnusableObject(name, f"its massive file {path} cannot be read: {error.strerror or error}") from error
    if len(header) != _HEADER_BYTES or not header.startswith(_MAGIC):
        raise UnusableObject(name, f"its massive file {path} is not a clustered mesh: build it again")
    (triangles,) = struct.unpack_from("<Q", header, 16)
    bounds = np.frombuffer(header, "<f8", 6, 72).reshape(2, 3)
    with np.errstate(over="ignore"):
        corners = bounds[[[i, j, k] for i in range(2) for j in range(2) for k in range(2)], range(3)].astype(np.float32)
    if not np.isfinite(corners).all():
        raise UnusableObject(name, f"its massive file {path} has coordinates that are too large for Blender")
    file = MassiveFile(path, header, int(triangles))
    return SourceMesh(corners, _TRIANGLES, np.arange(12, dtype=np.int32), file=file)
