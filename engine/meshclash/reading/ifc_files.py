"""IFC by ifcopenshell: building elements with what the model says of them."""

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import InvalidFile, UnsupportedOption
from .part import PartShape
from .raw import RawPart, RawParts

IFC_ENDINGS = (".ifc", ".ifczip")
NOT_BUILT = "IfcFeatureElement"  # openings and other holes
FINEST, COARSEST = 1e-6, 1e-4
"""Least and most that a model's own precision counts for [m]: some name a nanometre, which neither the
digits in the file nor the cutting of walls keep, others a millimetre, which is no rounding."""


def read_ifc(file: Path, _library: ModuleType) -> RawParts:
    """Every building element that has a shape; ifcopenshell gives metres.

    Raises:
        InvalidFile: ifcopenshell cannot read it.
    """
    import ifcopenshell.geom
    import ifcopenshell.util.unit

    model, elements = _opened(file)
    metres = float(ifcopenshell.util.unit.calculate_unit_scale(model))
    found = RawParts(metres=metres, converted=True)
    if not elements:
        return found
    resolution = _resolution(model, metres)
    shapes = ifcopenshell.geom.iterator(ifcopenshell.geom.settings(), model, os.cpu_count() or 1, include=elements)
    found.found = len(elements)
    seen = set[int]()
    more = shapes.initialize()
    while more:
        shape = shapes.get()
        element = model.by_id(shape.id)
        faces = np.array(shape.geometry.faces, np.int32).reshape(-1, 3)
        seen.add(element.id())
        if len(faces):
            key = shape.geometry.id
            if key not in found.shapes:
                vertices = np.array(shape.geometry.verts, np.float64).reshape(-1, 3)
                found.shapes[key] = PartShape(vertices, faces, resolution=resolution)
            matrix = np.array(shape.transformation.matrix, np.float64).reshape(4, 4).T
            properties = described(element)
            groups = tuple(properties[name] for name in ("storey", "class") if properties.get(name))
            found.parts.append(RawPart(element.Name or element.is_a(), key, matrix, properties, groups))
        else:
            found.no_geometry["element without faces"] += 1
        more = shapes.next()
    for element in elements:
        if element.id() in seen:
            continue
        if element.Representation is None:
            found.no_geometry["element without a shape"] += 1
        else:
            found.left_out.append((element.Name or element.is_a(), "ifcopenshell makes no shape of it"))
    found.parts.sort(key=lambda part: part.properties["GlobalId"])  # several cores finish in any order
    return found


def _opened(file: Path) -> tuple[Any, list[Any]]:
    """The model of a file and its building elements; raises InvalidFile."""
    import ifcopenshell

    try:
        model = ifcopenshell.open(str(file))
        return model, [item for item in model.by_type("IfcElement") if not item.is_a(NOT_BUILT)]
    except Exception as error:  # of any kind, for damaged files
        raise InvalidFile(f"{file}: ifcopenshell cannot read it: {str(error) or type(error).__name__}") from error


class Selection:
    """What selectors of IfcOpenShell mean in a file, which is opened once.

    Raises:
        InvalidFile: ifcopenshell cannot read it.
    """

    def __init__(self, file: Path) -> None:
        self._model = _opened(file)[0]

    def keys(self, selector: str) -> frozenset[str]:
        """GlobalIds of the elements that a selector means.

        Raises:
            UnsupportedOption: the selector is wrong.
        """
        import ifcopenshell.util.selector

        try:
            found = ifcopenshell.util.selector.filter_elements(self._model, selector)
            return frozenset(item.GlobalId for item in found)
        except Exception as error:  # its grammar's, and those of values that do not fit
            raise UnsupportedOption(
                f"'{selector}' is no selector of IfcOpenShell: {str(error).splitlines()[0]:.120}"
            ) from error


def described(element: Any) -> dict[str, str]:
    """GlobalId, class, type, storey, system and materials of an element, as far as the model says them."""
    import ifcopenshell.util.element as elements
    import ifcopenshell.util.system as systems

    kind = elements.get_type(element)
    storey = elements.get_container(element, ifc_class="IfcBuildingStorey")
    materials = {material.Name for material in elements.get_materials(element) if getattr(material, "Name", None)}
    named = [system.Name for system in systems.get_element_systems(element) if system.Name]
    told = {
        "GlobalId": element.GlobalId,
        "class": element.is_a(),
        "type": (kind.Name if kind is not None else None) or element.ObjectType,
        "storey": storey.Name if storey is not None else None,
        "system": ", ".join(sorted(named)),
        "material": ", ".join(sorted(materials)),
    }
    return {name: str(value) for name, value in told.items() if value}


def _resolution(model: Any, metres: float) -> float:
    """What the model itself calls the same place [m]: the precision of its contexts."""
    contexts = model.by_type("IfcGeometricRepresentationContext", include_subtypes=False)
    told = [float(context.Precision) * metres for context in contexts if context.Precision]
    return min(max([0.5 * FINEST, *told]), 0.5 * COARSEST)
