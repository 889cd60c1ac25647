"""Read what IFC importers store in objects: GlobalId, class, type, storey, system, in custom properties or names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
from meshclash.clash.errors import InputError
from meshclash.clash.sets import Matcher
from meshclash.messages import Sentence

NAMES = {
    "GlobalId": ("GlobalId", "global_id", "ifc_guid", "IfcGUID", "guid"),
    "class": ("class", "ifc_class", "IfcClass", "IfcEntity"),
    "type": ("type", "ifc_type", "IfcType", "ObjectType"),
    "storey": ("storey", "ifc_storey", "IfcBuildingStorey", "BuildingStorey", "Level"),
    "system": ("system", "ifc_system", "IfcSystem"),
}
"""Names of custom properties by meaning; the first one that an object has is used."""
CLASS_BEGINS = "Ifc"
ELEMENT = "IfcElement"
CLASSES = re.compile(r"\s*Ifc\w+(\s*,\s*Ifc\w+)*\s*")
SUBCLASSES = ("", "StandardCase", "ElementedCase")
"""Suffixes of classes that IFC 2x3 and 4 derive from a class."""


@dataclass(frozen=True)
class DescribedObject:
    """An object of the scene in the form that `meshclash.clash.sets` expects."""

    name: str
    properties: dict[str, str]
    groups: Sequence[str]


def described(item: bpy.types.Object) -> dict[str, str]:
    """Return the IFC properties of an object; {} for objects that were not imported from IFC.

    Without custom properties, the class follows from a name such as "IfcWall/East".
    """
    found = {}
    if len(item.keys()):
        for meaning, names in NAMES.items():
            value = next((item[name] for name in names if isinstance(item.get(name), str)), "")
            if value:
                found[meaning] = value
    before, slash, _ = item.name.partition("/")
    if slash and before.startswith(CLASS_BEGINS):
        found.setdefault("class", before)
    return found


def told(item: bpy.types.Object) -> dict[str, str]:
    """Return the properties that set rules can test: `described`, materials, and custom properties of text or
    numbers.
    """
    own = {key: str(value) for key, value in item.items() if isinstance(value, str | int | float)}
    materials = sorted({slot.material.name for slot in item.material_slots if slot.material is not None})
    return {**own, **({"material": ", ".join(materials)} if materials else {}), **described(item)}


def select(selector: str) -> Matcher:
    """Return a matcher for a selector of IfcOpenShell. Without an IFC file, the selector may only name classes.

    Raises:
        InputError: the selector does more.
    """
    if not CLASSES.fullmatch(selector):
        raise InputError(
            Sentence(
                "the selector '{selector}' needs the IFC file: in Blender, selectors can only name classes",
                selector=selector,
            )
        )
    names = [name.strip() for name in selector.split(",")]
    meant = {name + more for name in names for more in SUBCLASSES}
    return lambda item: "class" in item.properties and (ELEMENT in names or item.properties["class"] in meant)
