"""``BVHTree`` replaces Blender's ``mathutils.bvhtree.BVHTree`` with exact results, for scripts.

``from bl_ext.user_default.meshclash.bvhtree import BVHTree`` replaces Blender's import. Results contain Blender's
vectors. The first import of this module loads the engine.
"""

from __future__ import annotations

from typing import Any, Self

import bmesh
import bpy
import numpy as np
from mathutils import Vector

from . import engine
from .adapters.mesh_reader import corner_vertices, positions

engine.load()

from meshclash.compat import bvhtree  # noqa: E402 - needs the engine
from meshclash.errors import UnsupportedOption  # noqa: E402


class BVHTree(bvhtree.BVHTree):
    """The engine's ``compat.bvhtree.BVHTree`` for Blender's objects, too, with vectors instead of tuples."""

    @classmethod
    def FromObject(
        cls,
        object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        deform: bool = True,
        render: bool = False,
        cage: bool = False,
        epsilon: float = 0.0,
    ) -> Self:
        """Return a tree over the faces of an object, with all modifiers, in the coordinates of the object.

        Args:
            object: object of a type that has a mesh.
            depsgraph: evaluates the object, with its own settings for viewport or rendering.
            deform: must be True: modifiers cannot be applied in part.
            render: has no effect.
            cage: must be False; see ``deform``.
            epsilon: has no effect.

        Raises:
            UnsupportedOption, a ValueError: the object has no mesh, or other modifier settings are requested.
        """
        if cage or not deform:
            raise UnsupportedOption("BVHTree.FromObject always applies all modifiers: use deform=True and cage=False")
        evaluated = object.evaluated_get(depsgraph)
        try:
            mesh = evaluated.to_mesh()
        except RuntimeError as error:
            raise UnsupportedOption(f"BVHTree.FromObject: {error}") from None
        try:
            starts = np.empty(len(mesh.polygons), np.int32)
            mesh.polygons.foreach_get("loop_start", starts)
            faces = np.split(corner_vertices(mesh), starts[1:]) if len(starts) else []
            return cls.FromPolygons(positions(mesh), faces)
        finally:
            evaluated.to_mesh_clear()

    @classmethod
    def FromBMesh(cls, bmesh: bmesh.types.BMesh, epsilon: float = 0.0) -> Self:
        """Return a tree over the faces of a BMesh.

        Args:
            bmesh: the mesh; the function does not change it.
            epsilon: has no effect.
        """
        place = {vertex: k for k, vertex in enumerate(bmesh.verts)}
        faces = [[place[vertex] for vertex in face.verts] for face in bmesh.faces]
        return cls.FromPolygons([tuple(vertex.co) for vertex in bmesh.verts], faces)

    def _vector(self, numbers: np.ndarray) -> Any:
        return Vector(numbers.tolist())
