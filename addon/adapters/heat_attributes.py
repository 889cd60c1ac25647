"""Write how often and how deep faces clash to mesh attributes, for geometry nodes, materials and the viewport."""

from __future__ import annotations

import bpy
import numpy as np
from meshclash.clash.errors import DetectError
from meshclash.messages import Sentence
from numpy.typing import NDArray

OFTEN, DEPTH, COLOUR = "meshclash_often", "meshclash_depth", "meshclash_heat"
"""Names of attributes: share of the frames, 0 to 1, and depth [Blender units] of faces; colours of corners."""
FREE = (0.35, 0.35, 0.38)
SCALE = np.array([(0.1, 0.25, 0.9), (0.1, 0.8, 0.8), (0.95, 0.85, 0.1), (0.95, 0.1, 0.05)], np.float32)
"""The colour scale, from lowest to highest."""


def write_heat(
    mesh: bpy.types.Mesh, often: NDArray[np.float32], depth: NDArray[np.float32], warmth: NDArray[np.float32]
) -> None:
    """Write the attributes of a mesh; faces beyond the end of the arrays get 0.

    Args:
        mesh: the mesh, in Object Mode.
        often: share of the frames in which each face clashes.
        depth: greatest depth of the clashes of each face [Blender units].
        warmth: position on the colour scale, 0 to 1, of faces that clash.

    Raises:
        DetectError: the mesh has fewer faces than before, or has another type of attribute with one of these names.
    """
    count = len(mesh.polygons)
    if max(len(often), len(depth)) > count:
        raise DetectError(Sentence("'{name}' has fewer faces than when it was scanned: scan again", name=mesh.name))
    for name, values in ((OFTEN, often), (DEPTH, depth)):
        attribute = _attribute(mesh, name, "FLOAT", "FACE")
        attribute.data.foreach_set("value", _filled(values, count))
    colours = np.tile(np.array([*FREE, 1.0], np.float32), (count, 1))
    hot = np.flatnonzero(often)
    colours[hot, :3] = _colours(warmth[hot])
    corners = np.empty(count, np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    _attribute(mesh, COLOUR, "FLOAT_COLOR", "CORNER")
    mesh.color_attributes[COLOUR].data.foreach_set("color", np.repeat(colours, corners, axis=0).ravel())
    mesh.color_attributes.active_color = mesh.color_attributes[COLOUR]
    mesh.update()


def remove_heat(mesh: bpy.types.Mesh) -> bool:
    """Remove the attributes; return whether there were any."""
    found = [mesh.attributes[name] for name in (OFTEN, DEPTH, COLOUR) if name in mesh.attributes]
    for name in [attribute.name for attribute in found]:
        mesh.attributes.remove(mesh.attributes[name])
    if found:
        mesh.update()
    return bool(found)


def _attribute(mesh: bpy.types.Mesh, name: str, kind: str, domain: str) -> bpy.types.Attribute:
    known = mesh.attributes.get(name)
    if known is None:
        return mesh.attributes.new(name, kind, domain)
    if known.data_type != kind or known.domain != domain:
        raise DetectError(
            Sentence(
                "'{mesh}' already has an attribute called '{name}' with other data: rename that attribute",
                mesh=mesh.name,
                name=name,
            )
        )
    return known


def _filled(values: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    found = np.zeros(count, np.float32)
    found[: len(values)] = values
    return found


def _colours(warmth: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the colours (n, 3) float32 for positions (n,) on the colour scale."""
    places = np.linspace(0.0, 1.0, len(SCALE))
    return np.stack([np.interp(warmth, places, SCALE[:, k]) for k in range(3)], axis=1).astype(np.float32)
