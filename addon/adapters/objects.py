"""Resolve sets to the objects of a scene, and find the collections and armatures of objects."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import bpy
from meshclash.clash.errors import InputError
from meshclash.clash.report import DetectReport
from meshclash.clash.sets import is_made_of_terms, members
from meshclash.messages import Sentence, suggestion

from .ifc_properties import DescribedObject, described, select, told

ALL, SELECTION = "all", "selection"
SHAPELESS = frozenset(("ARMATURE", "CAMERA", "EMPTY", "LATTICE", "LIGHT", "LIGHT_PROBE", "SPEAKER"))
PATTERN = frozenset("*?")
COLLECTION_PREFIX, OBJECT_PREFIX = "collection:", "object:"


def resolve_set(expression: str, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> frozenset[str] | None:
    """Return the full names of the objects in a set expression.

    Args:
        expression: "all", "selection", "collection:NAME" (with its child collections), "object:NAME", a NAME, or
            terms and patterns such as "class:IfcPipe* & not material:Zinc" (`meshclash.clash.sets`).
        scene: the scene to search.
        view_layer: layer whose selection and visibility count.

    Returns:
        Names of objects; their instances are in the set, too. None stands for all objects.

    Raises:
        InputError: the object or collection does not exist in the scene, or nothing is selected.
    """
    if expression == ALL:
        return None
    if expression == SELECTION:
        return _selection(view_layer)
    kind, _, name = expression.partition(":")
    named = kind == "collection" and name in _collections(scene)
    known = _known(expression, scene) or _known(expression.removeprefix(OBJECT_PREFIX), scene)
    if known is None and not named and (is_made_of_terms(expression) or not PATTERN.isdisjoint(expression)):
        return _by_terms(expression, scene)
    if expression.startswith(COLLECTION_PREFIX):
        return _collection(name, scene)
    return _object(expression.removeprefix(OBJECT_PREFIX), scene, view_layer)


def has_shape(item: bpy.types.Object) -> bool:
    """Return whether an object may yield a mesh or points, by itself or through instances."""
    return item.type not in SHAPELESS or item.instance_type != "NONE"


def require_objects(names: Iterable[str]) -> None:
    """Check that the names in excluded pairs exist.

    The name of an instance is `Instancer/Object[position]`. Positions may differ between frames, so only the two
    objects of the pair are looked up.

    Raises:
        InputError: the file has no such object.
    """
    known = {item.name_full for item in bpy.data.objects}
    for name in names:
        instance = re.fullmatch(r"(.+)/(.+)\[[\d.-]+\]'*", name, re.DOTALL)
        if name not in known and not (instance and known.issuperset(instance.groups())):
            raise InputError(Sentence("there is no object '{name}' in the file", name=name) + suggestion(name, known))


def collections_of_objects(scene: bpy.types.Scene) -> dict[str, frozenset[str]]:
    """Return, for the full name of each object, the full names of its collections in the scene, without the root."""
    found: dict[str, set[str]] = {}
    for collection in scene.collection.children_recursive:
        for item in collection.objects:
            found.setdefault(item.name_full, set()).add(collection.name_full)
    return {name: frozenset(collections) for name, collections in found.items()}


def told_of(scene: bpy.types.Scene, report: DetectReport) -> dict[str, dict[str, str]]:
    """Return the current properties of a report's objects, as `SourceObject.told_properties`, by name in the report."""
    collections, known = collections_of_objects(scene), {item.name_full: item for item in bpy.data.objects}
    wanted = {name: (name, name) for name in report.tested}
    wanted |= {side.name: (side.source, side.owner) for row in report.rows for side in row.sides}
    found = {}
    for name, (source, owner) in wanted.items():
        item = known.get(source)
        if item is not None:
            parent = item.parent if name == source else known.get(owner)
            within = ", ".join(sorted(collections.get(owner, ())))
            above = "" if parent is None else parent.name_full
            texts = {"collection": within, "assembly": above, **described(item)}
            found[name] = {meaning: text for meaning, text in texts.items() if text}
    return found


def armatures_of(item: bpy.types.Object) -> frozenset[str]:
    """Return the full names of the armatures that deform an object or are its parents."""
    names = {
        modifier.object.name_full
        for modifier in item.modifiers
        if modifier.type == "ARMATURE" and modifier.object is not None
    }
    if item.parent is not None and item.parent.type == "ARMATURE":
        names.add(item.parent.name_full)
    return frozenset(names)


def _by_terms(expression: str, scene: bpy.types.Scene) -> frozenset[str]:
    within: dict[str, list[str]] = {}
    for name, collection in _collections(scene).items():
        for item in collection.all_objects:
            within.setdefault(item.name_full, []).append(name)
    things = []
    for item in scene.objects:
        if has_shape(item):
            groups = within.get(item.name_full, ())
            models = {"model": ", ".join(groups)} if groups else {}  # collections count as models in a scene
            things.append(DescribedObject(item.name_full, {**models, **told(item)}, groups))
    return frozenset(things[k].name for k in members(expression, things, select))


def _selection(view_layer: bpy.types.ViewLayer) -> frozenset[str]:
    names = frozenset(item.name_full for item in view_layer.objects if item.select_get(view_layer=view_layer))
    if not names:
        raise InputError("nothing is selected: select objects, or choose another set")
    return names


def _collections(scene: bpy.types.Scene) -> dict[str, bpy.types.Collection]:
    """Return the scene's collections by full name; the root has the name that Blender shows."""
    collections = {item.name_full: item for item in scene.collection.children_recursive}
    collections.setdefault(scene.collection.name, scene.collection)
    return collections


def _collection(name: str, scene: bpy.types.Scene) -> frozenset[str]:
    collections = _collections(scene)
    if name not in collections:
        raise InputError(
            Sentence("there is no collection '{name}' in scene '{scene}'", name=name, scene=scene.name)
            + suggestion(name, collections)
        )
    return frozenset(item.name_full for item in collections[name].all_objects)


def _known(name: str, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """Return an object of the scene by its full name, which includes its library, or else by its plain name."""
    item = scene.objects.get(name)
    exact = item is not None and item.name_full == name
    return item if exact else next((other for other in scene.objects if other.name_full == name), item)


def _object(name: str, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> frozenset[str]:
    item = _known(name, scene)
    if item is None:
        names = [other.name_full for other in scene.objects]
        raise InputError(
            Sentence("there is no object '{name}' in scene '{scene}'", name=name, scene=scene.name)
            + suggestion(name, names)
        )
    with outside_of_views():
        visible = item.visible_get(view_layer=view_layer)
    if not visible:
        raise InputError(
            Sentence("object '{name}' is hidden in the viewport: unhide it, or choose another set", name=name)
        )
    return frozenset((item.name_full,))


def outside_of_views() -> Any:
    """Make visibility refer to the view layer inside the block; in a 3D view, Blender uses its local view."""
    return bpy.context.temp_override(area=None, region=None)
