"""What importers of IFC write into objects: GlobalId, class, type, storey, system, as custom properties or in names."""

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
"""Custom properties by what they mean; the first one that an object has counts."""
CLASS_BEGINS = "Ifc"
ELEMENT = "IfcElement"
CLASSES = re.compile(r"\s*Ifc\w+(\s*,\s*Ifc\w+)*\s*")
SUBCLASSES = ("", "StandardCase", "ElementedCase")
"""What may follow the name of a class in those that IFC 2x3 and 4 derive from it."""


@dataclass(frozen=True)
class DescribedObject:
    """An object of the scene as `meshclash.clash.sets` takes it."""

    name: str
    properties: dict[str, str]
    groups: Sequence[str]


def described(item: bpy.types.Object) -> dict[str, str]:
    """What is known of an object; {} of one that no importer of IFC made.

    Without custom properties the class is taken from a name such as "IfcWall/East".
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
    """What sets are made by: `described`, the materials, and all custom properties that are texts or numbers."""
    own = {key: str(value) for key, value in item.items() if isinstance(value, str | int | float)}
    materials = sorted({slot.material.name for slot in item.material_slots if slot.material is not None})
    return {**own, **({"material": ", ".join(materials)} if materials else {}), **described(item)}


def select(selector: str) -> Matcher:
    """What a selector of IfcOpenShell means where there is no IFC file: it may only name classes.

    Raises:
        InputError: it does more.
    """
    if not CLASSES.fullmatch(selector):
        raise InputError(
            Sentence(
                "the selector '{selector}' needs the IFC file: in Blender, a selector names classes only",
                selector=selector,
            )
        )
    names = [name.strip() for name in selector.split(",")]
    meant = {name + more for name in names for more in SUBCLASSES}
    return lambda item: "class" in item.properties and (ELEMENT in names or item.properties["class"] in meant)
