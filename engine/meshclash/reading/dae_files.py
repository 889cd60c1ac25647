"""Read COLLADA files with pycollada, with their scene graph and unit.

pycollada stops at any damaged element, also at materials. Elements that do not affect geometry are removed first, so
the remaining errors concern geometry.
"""

import io
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from .part import PartShape
from .polygons import triangulated
from .raw_parts import RawPart, RawParts
from .xml_files import read_xml

KEPT = ("library_geometries", "library_nodes", "library_visual_scenes", "scene")
IGNORED = ("instance_camera", "instance_light", "bind_material", "extra", "asset")


def read_dae(file: Path, collada: ModuleType) -> RawParts:
    """Read the geometry of every node; skinned meshes (controllers) are listed as left out.

    Raises:
        InvalidFile: pycollada cannot read the file, or its up axis is x.
    """
    root = read_xml(file)
    if root.tag != "COLLADA":
        raise InvalidFile(f"{file}: the root element of a COLLADA file must be <COLLADA>, not <{root.tag:.80}>")
    up = (root.findtext("asset/up_axis") or "Y_UP").strip()
    if up not in ("Y_UP", "Z_UP"):
        raise InvalidFile(f"{file}: its up_axis {up:.20} is not supported: export it with Z_UP or Y_UP")
    found = RawParts(metres=_metres(root, file), y_up=up == "Y_UP")
    for element in [child for child in root if child.tag not in KEPT]:
        root.remove(element)
    _without(root, found)
    try:
        scene = collada.Collada(io.BytesIO(ElementTree.tostring(root))).scene
        bound = [] if scene is None else list(scene.objects("geometry"))
    except Exception as error:  # readers of damaged files fail with errors of any kind
        raise InvalidFile(f"{file}: pycollada cannot read it: {error or type(error).__name__}") from error
    if scene is None:
        raise InvalidFile(f"{file}: the file has no visual scene")
    for item in bound:
        _add(found, item, file, collada)
    return found


def _metres(root: Element, file: Path) -> float | None:
    unit = root.find("asset/unit")
    text = None if unit is None else unit.get("meter")
    try:
        return None if text is None else float(text)
    except ValueError:
        raise InvalidFile(f"{file}: its unit {text!r:.40} is not a number of metres") from None


def _without(root: Element, found: RawParts) -> None:
    """Remove elements that are not geometry; record skinned meshes as left out."""
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in IGNORED or child.tag == "instance_controller"]:
            parent.remove(child)
            if child.tag == "instance_controller":
                found.found += 1
                found.left_out.append((child.get("url", ""), "the mesh is skinned: export it without its skeleton"))


def _add(found: RawParts, bound: Any, file: Path, collada: ModuleType) -> None:
    """Add the part for one placed geometry."""
    geometry = bound.original
    key, name = geometry.id, geometry.name or geometry.id
    found.found += 1
    if next(geometry.xmlnode.iter("{*}ph"), None) is not None:
        found.left_out.append((name, "the mesh has polygons with holes: export it as triangles"))
        return
    if key not in found.shapes:
        try:
            shape = _shape(geometry, file, collada)
        except InvalidMesh as error:
            found.left_out.append((name, str(error)))
            return
        if shape is None:
            found.no_geometry["mesh without faces"] += 1
            return
        found.shapes[key] = shape
    found.parts.append(RawPart(name, key, np.array(bound.matrix, np.float64)))


def _shape(geometry: Any, file: Path, collada: ModuleType) -> PartShape | None:
    """Return all faces of a geometry; None if it has only lines."""
    points, faces, count = list[np.ndarray](), list[np.ndarray](), 0
    for primitive in geometry.primitives:
        if primitive.vertex is None or isinstance(primitive, collada.lineset.LineSet):
            continue
        vertices = np.asarray(primitive.vertex, np.float64)
        corners = np.asarray(primitive.vertex_index, np.int64)
        if isinstance(primitive, collada.triangleset.TriangleSet):
            counts = np.full(len(corners), 3)
        else:
            counts = np.asarray(primitive.vcounts, np.int64)
        if counts.sum() != corners.size or (corners.size and not 0 <= corners.min() <= corners.max() < len(vertices)):
            raise InvalidFile(f"{file}: geometry '{geometry.id}' refers to vertices that do not exist")
        faces.append(count + triangulated(vertices, counts, corners.ravel()))
        points.append(vertices)
        count += len(vertices)
    if not sum(map(len, faces)):
        return None
    return PartShape(np.concatenate(points), np.concatenate(faces).astype(np.int32))
