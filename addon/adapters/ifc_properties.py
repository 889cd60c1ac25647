"""What importers of IFC write into objects: GlobalId, class, type, storey, system, as custom properties or in names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

NAMES = {
    "GlobalId": ("GlobalId", "global_id", "ifc_guid", "IfcGUID", "guid"),
    "class": ("class", "ifc_class", "IfcClass", "IfcEntity"),
    "type": ("type", "ifc_type", "IfcType", "ObjectType"),
    "storey": ("storey", "ifc_storey", "IfcBuildingStorey", "BuildingStorey", "Level"),
    "system": ("system", "ifc_system", "IfcSystem"),
}
"""Custom properties by what they mean; the first one that an object has counts."""
CLASS_BEGINS = "Ifc"


@dataclass(frozen=True)
class DescribedObject:
    """An object of the scene as `meshclash.detection.sets` takes it."""

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
