"""Find objects with wrong geometry: with data of a missing library, or with modifiers that fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import bpy
from meshclash.clash.frame_scene import Skipped
from meshclash.messages import Sentence

KINDS = ("objects", "meshes", "curves", "metaballs", "hair_curves", "pointclouds", "collections", "node_groups",
         "armatures", "lattices", "shape_keys", "cache_files")  # fmt: skip
"""Kinds of data that the geometry or position of an object may depend on."""
MISSING = "it is missing from the library {library}: relink the library or reload it"
NEEDS_MISSING = "it needs '{name}', which is missing from the library {library}: relink the library or reload it"
FAILED = "its modifier '{modifier}' failed: {why}"
NO_FILE = "there is no file '{path}'"


def objects_with_missing_data() -> dict[str, str]:
    """Return the full names of objects that are missing from a library or use missing data, with reasons."""
    missing = _missing()
    if not missing:
        return {}
    found: dict[str, str] = {}
    for item, users in bpy.data.user_map(subset=missing, value_types={"OBJECT"}).items():
        told = {"name": item.name, "library": _library(item)}
        found.update(dict.fromkeys((user.name_full for user in users), Sentence(NEEDS_MISSING, **told)))
    return found | {
        item.name_full: Sentence(MISSING, library=_library(item))
        for item in missing
        if isinstance(item, bpy.types.Object)
    }


def missing_collections(scene: bpy.types.Scene) -> list[Skipped]:
    """Return the collections of a scene that are missing from a library, so that their content is unknown."""
    if not len(bpy.data.libraries):
        return []
    lost = (item for item in scene.collection.children_recursive if item.is_missing)
    return [Skipped(item.name_full, Sentence(MISSING, library=_library(item)), lost=True) for item in lost]


def failed_modifier(item: bpy.types.Object) -> str:
    """Return why a modifier of an object failed; "" if none failed.

    Args:
        item: the original object, where Blender stores the warnings of its nodes.
    """
    for modifier in item.modifiers:
        if modifier.show_viewport:
            for why in _failures(modifier):
                return FAILED.format(modifier=modifier.name, why=why)
    return ""


def _failures(modifier: Any) -> Iterator[str]:
    if modifier.type == "NODES":
        warnings: Iterable[Any] = getattr(modifier, "node_warnings", ())  # from Blender 4.3 on
        yield from (warning.message for warning in warnings if warning.type == "ERROR")
    elif modifier.type == "MESH_CACHE":
        yield from _no_file(modifier.filepath, modifier.id_data.library)
    elif modifier.type == "MESH_SEQUENCE_CACHE" and modifier.cache_file is not None:
        yield from _no_file(modifier.cache_file.filepath, modifier.cache_file.library)


def _no_file(path: str, library: bpy.types.Library | None) -> Iterator[str]:
    found = bpy.path.abspath(path, library=library)
    if path and not Path(found).exists():
        yield NO_FILE.format(path=found)


def _missing() -> list[bpy.types.ID]:
    if not len(bpy.data.libraries):
        return []
    return [item for kind in KINDS for item in getattr(bpy.data, kind, ()) if item.is_missing]


def _library(item: bpy.types.ID) -> str:
    return "" if item.library is None else item.library.filepath
