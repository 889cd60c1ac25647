"""Convert one object of a frame to a mesh and a pose of the engine."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ..errors import InvalidPose
from ..messages import Sentence
from .errors import UnusableObject
from .frame_scene import FrameScene, SourceMesh, SourceObject

MASSIVE_MEMORY = 1 << 28
"""Maximum memory for a massive file during a test, in bytes."""


SCALE_BITS = 18
"""Number of bits of a scale that is applied to a mesh. For an object that rotates, single precision changes the lower
bits from frame to frame, so the mesh would differ in each frame. The pose contains the rest of the scale, so world
coordinates stay the same."""


def split_matrices(matrices: np.ndarray) -> tuple[np.ndarray, list[bytes]]:
    """Return the poses (k, 4, 4) of objects, and the parts of their matrices that a rigid pose cannot represent.

    Args:
        matrices: (k, 4, 4) float64.

    Returns:
        Return the poses, and the stretch of each object, which is empty for a rigid matrix.

    Raises:
        InvalidPose: one of the matrices cannot be used.
    """
    from ..types import affine  # noqa: PLC0415 - registering needs no compiler

    rows, stretches, stretched = affine.split_matrices(matrices)
    scales, still = np.diagonal(stretches, axis1=1, axis2=2), np.eye(4)
    along = stretched & scales.all(axis=1) & (stretches == scales[:, None] * still).all(axis=(1, 2))  # the own axes
    digits, powers = np.frexp(scales[along])
    rounded = np.ldexp(np.rint(np.ldexp(digits, SCALE_BITS)), powers - SCALE_BITS)
    poses = np.concatenate([rows, np.broadcast_to(still[3:], (len(rows), 1, 4))], axis=1)
    poses[along], stretches[along] = matrices[along] / rounded[:, None], rounded[:, None] * still
    return poses, [stretches[k].tobytes() if other else b"" for k, other in enumerate(stretched.tolist())]


def split_matrix(item: SourceObject) -> tuple[np.ndarray, bytes]:
    """Return the result of `split_matrices` for one object.

    Raises:
        UnusableObject: the matrix cannot be used.
    """
    try:
        poses, stretches = split_matrices(item.matrix[None])
    except InvalidPose as error:
        raise UnusableObject(item.name, Sentence("transformation matrix: {why}", why=error)) from error
    return poses[0], stretches[0]


def engine_mesh(engine: ModuleType, item: SourceObject, mesh: SourceMesh, stretch: bytes) -> Any:
    """Return the engine's mesh of an object, with its stretch applied; for a massive file, the open file.

    Raises:
        UnusableObject: the engine raises an error for the mesh, or a massive file would have to be stretched.
    """
    if mesh.file is not None and stretch:
        raise UnusableObject(item.name, "an object that shows a massive file must not be scaled or sheared")
    from ..types.resolution import float32_resolution  # noqa: PLC0415 - registering needs no compiler

    try:
        if mesh.file is not None:
            return engine.massive.ClusteredMesh.open(mesh.file.path, MASSIVE_MEMORY)
        made = engine.TriangleMesh(mesh.vertices, mesh.triangles, shell=item.shell)
        made.resolution = float32_resolution(mesh.largest) if mesh.resolution is None else mesh.resolution
        return made.transformed(np.frombuffer(stretch).reshape(4, 4)) if stretch else made
    except engine.errors.MeshClashError as error:
        raise UnusableObject(item.name, Sentence("mesh: {why}", why=error)) from error


def drawn(thing: Any) -> Any:
    """Return the closed mesh that a repaired mesh or hierarchy represents; the argument itself if it was not
    repaired.
    """
    from ..solid.boundary_mesh import find_boundary_mesh  # noqa: PLC0415 - needs the compiler

    mesh = getattr(thing, "mesh", thing)
    found = find_boundary_mesh(mesh).mesh
    return thing if found is mesh else found


def placed_mesh(engine: ModuleType, frame: FrameScene, item: SourceObject) -> tuple[Any, Any]:
    """Return the engine's repaired mesh of an object in memory, and its pose; raises UnusableObject."""
    if frame.meshes[item.mesh_key].file is not None:
        raise UnusableObject(item.name, "the object shows a massive file, which is not in memory")
    pose, stretch = split_matrix(item)
    return drawn(engine_mesh(engine, item, frame.meshes[item.mesh_key], stretch)), pose
