"""Levels of massive models in the view: the viewer's position, and contacts on the faces that are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.clash.regions import cut_rows

from .adapters.massive_objects import massive_path

MOST_ASKED = 20_000
"""Largest number of contacting triangles for which the shown face is searched: more lie on the same faces."""
_NO_FACES = np.empty(0, np.int64)


class _State:
    version = 0
    trees: dict[int, BVHTree] = {}  # noqa: RUF012 - by the uid of a mesh; emptied by `forget`


def forget() -> None:
    """Clear the cache, because another level is shown, or no level."""
    _State.version += 1
    _State.trees.clear()


def version() -> int:
    """Return a number that grows when another level is shown."""
    return _State.version


def eye_of(view: bpy.types.RegionView3D | None, matrix: Matrix) -> tuple[float, float, float] | None:
    """Return the viewer's position in the frame of an object with a matrix; None without a perspective view."""
    if view is None or not view.is_perspective:
        return None
    x, y, z = matrix.inverted_safe() @ view.view_matrix.inverted_safe().translation
    return x, y, z


def on_levels(context: bpy.types.Context, rows: Iterable[PairRow]) -> list[PairRow]:
    """Return rows for drawing: for massive models, with the shown faces on which the contacts lie."""
    massive = {item.name_full: item for item in context.scene.objects if item is not None and _shows_level(item)}
    return [_on_levels(massive, row) for row in rows] if massive else list(rows)


def _shows_level(item: bpy.types.Object) -> bool:
    return item.type == "MESH" and bool(massive_path(item))


def _on_levels(massive: dict[str, bpy.types.Object], row: PairRow) -> PairRow:
    if not any(side.owner in massive and len(side.highlight) for side in row.sides):
        return row
    (row,) = cut_rows([row])
    a, b = (_on_level(massive[side.owner], side) if side.owner in massive else side for side in row.sides)
    return replace(row, a=a, b=b)


def _on_level(item: bpy.types.Object, side: PairSide) -> PairSide:
    """Return one object of a row with the triangles of the file and the shown faces next to them."""
    mesh = item.data
    if not len(mesh.polygons) or not len(side.highlight):
        return side
    tree = _State.trees.get(mesh.session_uid)
    if tree is None:
        tree = _State.trees[mesh.session_uid] = _tree_of(mesh)
    world, back = item.matrix_world, item.matrix_world.inverted_safe()
    middles = side.highlight.mean(axis=1)
    middles = middles[:: max(1, len(middles) // MOST_ASKED)]
    faces = {tree.find_nearest(back @ Vector(middle))[2] for middle in middles.tolist()} - {None}
    corners = [world @ mesh.vertices[v].co for face in sorted(faces) for v in mesh.polygons[face].vertices]
    shown = np.array(corners, np.float32).reshape(-1, 3, 3)
    return replace(side, highlight=np.concatenate([side.highlight, shown]), whole=_NO_FACES)


def _tree_of(mesh: bpy.types.Mesh) -> BVHTree:
    points = np.empty(3 * len(mesh.vertices), np.float32)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loops.foreach_get("vertex_index", corners)
    return BVHTree.FromPolygons(points.reshape(-1, 3).tolist(), corners.reshape(-1, 3).tolist())
