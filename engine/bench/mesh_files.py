"""Files of meshes as `meshclash.read` gives them, beside Blender's importer of glTF and trimesh.

Of each file: parts and triangles, and whether boxes, areas and volumes in the world are those of the other reader.
Where that has more triangles and nothing is listed as lost, something was lost in silence, and the exit status is 1.
Blender plays animations, so it gets glTF without them; its coordinates are float32.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import read
from meshclash.errors import InvalidFile

from .table import Row, format_markdown, format_table

_GLTF = (".glb", ".gltf")
_ENDINGS = (*_GLTF, ".3mf", ".obj", ".stl", ".ply", ".off")
_PLAIN = ("KHR_materials", "KHR_texture", "EXT_texture")


@dataclass(frozen=True, eq=False)
class Sums:
    """What is compared of a file: parts, triangles, box (2, 3), area and volume in the world."""

    parts: int
    triangles: int
    box: np.ndarray
    area: float
    volume: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="with files of meshes, also below it")
    parser.add_argument("--markdown", action="store_true", help="a table for documents")


def run(options: argparse.Namespace) -> int:
    """Compare all files of the folders."""
    files = sorted({file for folder in options.folders for file in folder.rglob("*") if file.is_file()})
    rows, tally = list[Row](), Counter[str]()
    for file in (file for file in files if file.suffix.lower() in _ENDINGS):
        row = _row(file)
        rows.append(row)
        tally[str(row["answer"]).partition(":")[0]] += 1
    if not rows:
        print("no files of meshes", file=sys.stderr)
        return 2
    print((format_markdown if options.markdown else format_table)(rows))
    print(f"{len(rows)} files: " + ", ".join(f"{count} {answer}" for answer, count in tally.most_common()))
    return int(tally["LOST"] > 0)


def _row(file: Path) -> Row:
    row: Row = {"file": file.name, "features": _features(file), "ours": "", "other": "", "answer": "", "lost": ""}
    try:
        parts = read(file)
    except InvalidFile as error:
        return row | {"answer": "refused: " + str(error).rpartition(file.name)[2].lstrip(": ")[:80]}
    corners = [_placed(part.shape.vertices, part.matrix)[part.shape.triangles] for part in parts if _is_mesh(part)]
    ours, lost = _sums(corners), parts.left_out
    row |= {"ours": f"{ours.parts}/{ours.triangles}", "lost": "; ".join(why for _, why in lost)[:80]}
    said = []
    for name, peer in _peers(file):
        try:
            other = peer(file)
        except Exception as error:  # other readers fail with errors of any kind
            said.append(f"{name} cannot read it: {str(error).strip().splitlines()[-1:]}"[:80])
            continue
        row |= {"other": f"{name} {other.parts}/{other.triangles}"}
        differs = _difference(ours, other, parts.metres if file.suffix.lower() not in _GLTF else 1.0)
        silent = differs == "triangles" and other.triangles > ours.triangles and not lost
        return row | {"answer": "LOST" if silent else f"differs: {differs}" if differs else "same"}
    return row | {"answer": "no other reader: " + "; ".join(said)}


def _is_mesh(part: Any) -> bool:
    return part.shape.triangles is not None


def _placed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    moved: np.ndarray = points @ matrix[:3, :3].T + matrix[:3, 3]
    return moved


def _sums(corners: list[np.ndarray]) -> Sums:
    some = [part for part in corners if len(part)]
    if not some:
        return Sums(0, 0, np.zeros((2, 3)), 0.0, 0.0)
    c = np.concatenate(some)
    box = np.array([c.min(axis=(0, 1)), c.max(axis=(0, 1))])
    normals = np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0])
    volume = ((c[:, 0] - box.mean(axis=0)) * normals).sum() / 6.0
    return Sums(len(some), len(c), box, float(np.linalg.norm(normals, axis=1).sum() / 2.0), float(volume))


def _difference(ours: Sums, other: Sums, metres: float) -> str:
    """The first thing that differs by more than the rounding of single precision; "" where nothing does."""
    if ours.triangles != other.triangles:
        return "triangles"
    box = metres * other.box
    size = max(float(np.ptp(ours.box, axis=0).max()), 1e-30)
    rounding = 1e-5 * size + 2e-7 * float(np.abs(ours.box).max())
    if np.abs(ours.box - box).max() > rounding:
        return "box"
    if abs(ours.area - metres**2 * other.area) > 1e-4 * ours.area + size * rounding:
        return "area"
    return "volume" if abs(ours.volume - metres**3 * other.volume) > 1e-4 * size**3 + size**2 * rounding else ""


def _features(file: Path) -> str:
    """What of glTF the file uses."""
    if file.suffix.lower() not in _GLTF:
        return ""
    try:
        root = _json_of(file.read_bytes())[0]
        primitives = [one for mesh in root.get("meshes", []) for one in mesh.get("primitives", [])]
        found = [name for name in root.get("extensionsUsed", []) if not name.startswith(_PLAIN)]
        found += ["sparse"] * any("sparse" in one for one in root.get("accessors", []))
        found += ["skin"] * bool(root.get("skins")) + ["morph"] * any(one.get("targets") for one in primitives)
        found += [f"mode {mode}" for mode in sorted({one.get("mode", 4) for one in primitives} - {4})]
    except (ValueError, AttributeError, TypeError):
        return "damaged"
    return ", ".join(found)


def _json_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The JSON of a glTF file, and the chunks behind it."""
    if data[:4] != b"glTF":
        return json.loads(data.decode("utf-8-sig")), b""
    length = int.from_bytes(data[12:16], "little")
    return json.loads(data[20 : 20 + length]), data[20 + length :]


def _peers(file: Path) -> list[tuple[str, Callable[[Path], Sums]]]:
    blender: list[tuple[str, Callable[[Path], Sums]]] = [("Blender", _blender)]
    return [*(blender if file.suffix.lower() in _GLTF else []), ("trimesh", _trimesh)]


def _blender(file: Path) -> Sums:
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    still = _without_animations(file)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.import_scene.gltf(filepath=str(still), merge_vertices=False, guess_original_bind_pose=False)
    finally:
        still.unlink()
    shapes = {bone.custom_shape for thing in bpy.data.objects if thing.pose for bone in thing.pose.bones}
    corners = []
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if instance.object.type == "MESH" and instance.object.original not in shapes:
            mesh = instance.object.data
            mesh.calc_loop_triangles()
            rows, points = (
                np.empty(3 * len(mesh.loop_triangles), np.int32),
                np.empty(3 * len(mesh.vertices), np.float32),
            )
            mesh.loop_triangles.foreach_get("vertices", rows)
            mesh.vertices.foreach_get("co", points)
            placed = _placed(points.reshape(-1, 3).astype(np.float64), np.array(instance.matrix_world))
            corners.append(placed[rows.reshape(-1, 3)])
    return _sums(corners)


def _without_animations(file: Path) -> Path:
    """A copy beside the file, so that its buffers are found."""
    root, rest = _json_of(file.read_bytes())
    root.pop("animations", None)
    text = json.dumps(root).encode()
    if file.suffix.lower() == ".glb":
        text += b" " * (-len(text) % 4)
        body = struct.pack("<II", len(text), 0x4E4F534A) + text + rest
        text = b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body
    with tempfile.NamedTemporaryFile(dir=file.parent, suffix=file.suffix, delete=False) as copy:
        copy.write(text)
    return Path(copy.name)


def _trimesh(file: Path) -> Sums:
    import trimesh

    options: dict[str, Any] = {"process": False}
    if file.suffix.lower() == ".obj":
        options |= {"split_objects": True, "group_material": False, "skip_materials": True}
    scene, corners = trimesh.load_scene(str(file), **options), []
    for node in scene.graph.nodes_geometry:
        matrix, key = scene.graph[node]
        faces = getattr(scene.geometry[key], "faces", None)
        if faces is not None:
            placed = _placed(np.asarray(scene.geometry[key].vertices), np.asarray(matrix))
            corners.append(placed[faces])
    if file.suffix.lower() in _GLTF:
        corners = [np.stack([c[..., 0], -c[..., 2], c[..., 1]], axis=-1) for c in corners]
    return _sums(corners)
