"""Draw the two objects of the selected pair as solid bodies, while all other objects are transparent (ghosts)."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from . import shaders

KIND = shaders.Kind(
    "bodies",
    (("VEC4", "towards_eye"), ("VEC4", "colour")),
    (("VEC3", "normal"),),
    (("smooth", "FLOAT", "facing"),),
    "gl_Position = to_clip * vec4(pos, 1.0); facing = dot(towards_eye.xyz, normal);",
    "seen = vec4(colour.rgb * (0.35 + 0.65 * abs(facing)), 1.0);",
)
PALE = 0.55  # share of white in a body's colour; its contact has the full colour


class _State:
    """The bodies drawn last, and the objects they were made from."""

    bodies: tuple[object, list[Any]] | None = None


def forget() -> None:
    """Discard the drawn bodies, because an object has changed; they are read again when they are next drawn."""
    _State.bodies = None


def draw(view: Any, items: list[bpy.types.Object], colours: list[Any], matrices: list[Matrix]) -> None:
    """Draw objects in a `RegionView3D`, in front of everything, each with a matrix from the world to the eye."""
    import gpu

    gpu.state.active_framebuffer_get().clear(depth=1.0)  # ghosts have written depths
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(True)
    for batch, colour, matrix in zip(_bodies(items), colours, matrices, strict=True):
        if batch is not None:
            with gpu.matrix.push_pop():
                gpu.matrix.load_matrix(matrix)
                shader = shaders.bind(KIND, view)
                shader.uniform_float("towards_eye", (*matrix[2].xyz.normalized(), 0.0))
                pale = [PALE + (1.0 - PALE) * part for part in colour[:3]]
                shader.uniform_float("colour", shaders.linear([*pale, 1.0]).tolist())
                batch.draw(shader)
    gpu.state.depth_mask_set(False)


def flat_triangles(item: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """Return the world corners (3 t, 3) of an evaluated object, and unit normals, float32; empty without faces."""
    shown = item.evaluated_get(depsgraph)
    try:
        mesh = shown.to_mesh()
    except RuntimeError:  # objects of this type have no faces
        mesh = None
    if mesh is None:
        return np.empty((0, 3), np.float32), np.empty((0, 3), np.float32)
    mesh.calc_loop_triangles()
    points, index = np.empty(3 * len(mesh.vertices), np.float32), np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loop_triangles.foreach_get("vertices", index)
    shown.to_mesh_clear()
    matrix = np.array(shown.matrix_world)
    world = np.einsum("ij,kj->ki", matrix[:3, :3], points.reshape(-1, 3).astype(np.float64)) + matrix[:3, 3]
    corners = world[index].reshape(-1, 3, 3)
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(crossed, axis=1, keepdims=True)
    normals = crossed / np.where(length > 0.0, length, 1.0)
    return corners.reshape(-1, 3).astype(np.float32), np.repeat(normals, 3, axis=0).astype(np.float32)


def _bodies(items: list[bpy.types.Object]) -> list[Any]:
    """Return a batch for each object, None for objects without faces; cached until objects change or move."""
    wanted = tuple((item.session_uid, tuple(map(tuple, item.matrix_world))) for item in items)
    if _State.bodies is None or _State.bodies[0] != wanted:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shapes = [flat_triangles(item, depsgraph) for item in items]
        _State.bodies = wanted, [shaders.batch(KIND, "TRIS", corners, normal=normals) for corners, normals in shapes]
    return _State.bodies[1]
