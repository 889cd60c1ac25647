"""Find simulations, which Blender can only compute frame after frame unless they are baked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from meshclash.clash.errors import InputError

CACHED = {"CLOTH": "cloth", "SOFT_BODY": "soft body", "DYNAMIC_PAINT": "dynamic paint"}
"""Names of modifiers with a point cache, by Blender's types."""


IN_TIME = {
    *CACHED, "BUILD", "COLLISION", "FLUID", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "NODES", "OCEAN", "PARTICLE_SYSTEM",
    "WAVE",
}  # fmt: skip
"""Modifiers that may change an object's shape between frames without an animation curve."""

MOST_ASKED = 5000  # largest number of objects that are checked whenever a panel is drawn


def changes_in_time(scene: bpy.types.Scene) -> bool:
    """Return whether objects of a scene may move or change shape between frames."""
    if bpy.data.actions or scene.rigidbody_world is not None or len(scene.objects) > MOST_ASKED:
        return True
    return any(_varies(item) for item in scene.objects if item is not None)


def _varies(item: bpy.types.Object) -> bool:
    data = item.animation_data
    return (data is not None and len(data.drivers) > 0) or any(found.type in IN_TIME for found in item.modifiers)


def refuse_unbaked(scene: bpy.types.Scene) -> None:
    """Check that frames can be computed in any order.

    Raises:
        InputError: a simulation of the scene is not baked, so its frames depend on previous ones.
    """
    found = next(_unbaked(scene), None)
    if found is not None:
        raise InputError(
            f"{found} is not baked: its frames must be computed one after the other; bake it, or leave out --workers"
        )


def _unbaked(scene: bpy.types.Scene) -> Iterator[str]:
    world = scene.rigidbody_world
    if world is not None and world.enabled and not world.point_cache.is_baked:
        yield "the rigid body world"
    for item in scene.objects:
        if item is None:
            continue
        for system in item.particle_systems:
            if not system.point_cache.is_baked and system.settings.physics_type != "NO":
                yield f"the particle system '{system.name}' of '{item.name_full}'"
        for modifier in item.modifiers:
            if modifier.type in CACHED and modifier.show_viewport and not _is_baked(modifier):
                yield f"the {CACHED[modifier.type]} of '{item.name_full}'"
            if modifier.type == "NODES" and _simulates(modifier.node_group) and not _bakes(modifier):
                yield f"the simulation in '{modifier.name}' of '{item.name_full}'"


def _is_baked(modifier: Any) -> bool:
    if modifier.type == "DYNAMIC_PAINT":
        canvas = modifier.canvas_settings
        return canvas is None or all(surface.point_cache.is_baked for surface in canvas.canvas_surfaces)
    return bool(modifier.point_cache.is_baked)


def _simulates(group: Any, depth: int = 0) -> bool:
    """Return whether nodes, or groups in them, contain a simulation zone."""
    if group is None or depth > 16:
        return False
    return any(
        node.bl_idname == "GeometryNodeSimulationInput"
        or (node.bl_idname == "GeometryNodeGroup" and _simulates(node.node_tree, depth + 1))
        for node in group.nodes
    )


def _bakes(modifier: Any) -> bool:
    """Return whether baked frames are stored on disk or packed; frames in memory exist in this process only."""
    return bool(modifier.bakes) and all(bake.bake_mode == "ANIMATION" for bake in modifier.bakes)
