"""One object of a frame as the engine's mesh and pose."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from .errors import UnusableObject
from .frame_scene import FrameScene, SourceMesh, SourceObject

MASSIVE_MEMORY = 1 << 28
"""Bytes that a massive file may take while it is tested."""


SCALE_BITS = 18
"""Of a scale that is baked into a mesh: of an object that turns, single precision changes those after them from frame
to frame, and the mesh would be another one. The pose keeps what they leave out: world coordinates stay the same."""


def split_matrix(engine: ModuleType, item: SourceObject) -> tuple[Any, bytes]:
    """The pose of an object, and the part of its matrix that no rigid pose can hold, empty when there is none.

    Raises:
        UnusableObject: the matrix cannot be used.
    """
    try:
        pose, stretch = engine.split_matrix(item.matrix)
    except engine.errors.MeshClashError as error:
        raise UnusableObject(item.name, f"its matrix: {error}") from error
    if stretch is None:
        return pose, b""
    scales = np.diagonal(stretch)
    if scales.all() and np.array_equal(stretch, np.diag(scales)):  # along the object's own axes
        digits, powers = np.frexp(scales)
        scales = np.ldexp(np.rint(np.ldexp(digits, SCALE_BITS)), powers - SCALE_BITS)
        pose, stretch = engine.Pose.from_matrix(item.matrix / scales), np.diag(scales)
    return pose, np.asarray(stretch, dtype=np.float64).tobytes()


def engine_mesh(engine: ModuleType, item: SourceObject, mesh: SourceMesh, stretch: bytes) -> Any:
    """The engine's mesh of an object, with its stretch baked in; of a massive file, the file.

    Raises:
        UnusableObject: the engine refuses it, or a massive file would have to be stretched.
    """
    if mesh.file is not None and stretch:
        raise UnusableObject(item.name, "its massive file is tested as it is: the object must not be scaled or sheared")
    try:
        if mesh.file is not None:
            return engine.massive.ClusteredMesh.open(mesh.file.path, MASSIVE_MEMORY)
        made = engine.TriangleMesh(mesh.vertices, mesh.triangles, shell=item.shell)
        return made.transformed(np.frombuffer(stretch).reshape(4, 4)) if stretch else made
    except engine.errors.MeshClashError as error:
        raise UnusableObject(item.name, f"its mesh: {error}") from error


def placed_mesh(engine: ModuleType, frame: FrameScene, item: SourceObject) -> tuple[Any, Any]:
    """The engine's mesh and pose of an object in memory; raises UnusableObject."""
    if frame.meshes[item.mesh_key].file is not None:
        raise UnusableObject(item.name, "it stands for a massive file, which is not held in memory")
    pose, stretch = split_matrix(engine, item)
    return engine_mesh(engine, item, frame.meshes[item.mesh_key], stretch), pose
