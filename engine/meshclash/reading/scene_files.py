"""STL, OBJ, PLY, OFF, glTF and 3MF by trimesh, with the scene graph where the format has one."""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import InvalidFile
from .part import PartShape
from .raw import RawPart, RawParts

METRES = {
    "metre": 1.0, "meter": 1.0, "meters": 1.0, "m": 1.0, "millimeter": 1e-3, "millimeters": 1e-3, "mm": 1e-3,
    "centimeter": 1e-2, "centimeters": 1e-2, "cm": 1e-2, "micron": 1e-6, "microns": 1e-6, "inch": 0.0254,
    "inches": 0.0254, "in": 0.0254, "foot": 0.3048, "feet": 0.3048, "ft": 0.3048,
}  # fmt: skip
GLTF = (".glb", ".gltf")  # in metres, y up, by their specification


def read_scene(file: Path, trimesh: ModuleType) -> RawParts:
    """The geometry of every node; parts of one mesh that differ in material stay together.

    Raises:
        InvalidFile: trimesh cannot read it.
    """
    options: dict[str, Any] = {"process": False}
    if file.suffix.lower() in GLTF:
        options["merge_primitives"] = True  # trimesh refuses it of meshes whose materials it is to skip
    else:
        options["skip_materials"] = True
    if file.suffix.lower() == ".obj":
        options |= {"split_objects": True, "group_material": False}
    try:
        scene = trimesh.load_scene(str(file), **options)
    except Exception as error:  # readers of damaged files fail with errors of any kind
        raise InvalidFile(f"{file}: trimesh cannot read it: {str(error) or type(error).__name__}") from error
    found = RawParts(metres=_metres(scene, file), y_up=file.suffix.lower() in GLTF)
    found.found = len(scene.graph.nodes_geometry)
    for node in scene.graph.nodes_geometry:
        matrix, key = scene.graph[node]
        geometry = scene.geometry[key]
        faces = getattr(geometry, "faces", None)
        if faces is None or not len(faces):
            found.no_geometry["mesh without faces"] += 1
            continue
        if key not in found.shapes:
            found.shapes[key] = PartShape(np.array(geometry.vertices, np.float64), np.array(faces, np.int32))
        found.parts.append(RawPart(_name(node, key, file, len(scene.geometry)), key, np.array(matrix, np.float64)))
    return found


def _name(node: Any, key: str, file: Path, count: int) -> str:
    """The name of a node; trimesh gives a file that names nothing the file's name."""
    name = str(node)
    return file.stem if count == 1 and name in (file.name, "geometry_0") else name


def _metres(scene: Any, file: Path) -> float | None:
    if file.suffix.lower() in GLTF:
        return 1.0
    unit = getattr(scene, "units", None) if file.suffix.lower() == ".3mf" else None
    return METRES.get(str(unit).lower()) if unit else (1e-3 if file.suffix.lower() == ".3mf" else None)
