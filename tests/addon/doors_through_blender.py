"""Asks about the same objects through Python, files and Blender: the answers must be the same.

python tests/addon/doors_through_blender.py COUNT [SEED]     # so many objects, of which all pairs are asked

Needs bpy. Objects are those of `tests/engine/metamorphic.py`, written in its ways, in single precision. They are asked
about by `verdict`; read from OBJ, PLY, STL and glTF files, by `verdict`; and from Blender, as the extension detects.
Coordinates, resolution and permission are the same. Prints each pair that differs; the exit status is 1 if one does.
"""

from __future__ import annotations

import itertools
import json
import os
import struct
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "engine"), str(ROOT / "tests" / "engine")]

import bpy  # noqa: E402
import mesh_files  # noqa: E402
import meshclash as mc  # noqa: E402
import numpy as np  # noqa: E402
from meshclash.clash.job import detect_steps  # noqa: E402
from meshclash.clash.options import DetectOptions  # noqa: E402
from meshclash.types.resolution import float32_resolution  # noqa: E402
from meshclash.types.steps import run_to_end  # noqa: E402
from metamorphic import written_objects  # noqa: E402

from addon import engine  # noqa: E402
from addon.adapters.source import BlenderSource  # noqa: E402

Said = tuple[str, float]
Written = tuple[np.ndarray, np.ndarray]


def main() -> int:
    """Asks about all pairs."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    objects = written_objects(count, np.random.default_rng(seed))
    objects = {name: (np.asarray(v, np.float32), np.asarray(t, np.int32)) for name, (v, t) in objects.items()}
    alone = by_verdict({name: made(*mesh) for name, mesh in objects.items()})
    doors = {"Blender": by_blender(objects)}
    with tempfile.TemporaryDirectory() as folder:
        for form, write in FORMS.items():
            doors[form] = by_verdict({name: read(Path(folder), form, write(*mesh)) for name, mesh in objects.items()})
    differ = 0
    for pair, said in alone.items():
        others = {door: found.get(pair, ("APART", said[1])) for door, found in doors.items()}
        if any(other != said for other in others.values()):
            differ += 1
            print(" and ".join(sorted(pair)), said, {door: other for door, other in others.items() if other != said})
    print(f"{len(alone)} pairs by {len(doors) + 1} doors, {differ} differ", flush=True)
    return int(differ > 0)


def made(vertices: np.ndarray, triangles: np.ndarray) -> mc.TriangleMesh:
    """A mesh whose coordinates are known as single precision stores them."""
    return mc.TriangleMesh(vertices, triangles, float32_resolution(float(np.abs(vertices).max())))


def by_verdict(meshes: dict[str, mc.TriangleMesh]) -> dict[frozenset[str], Said]:
    """What Python says of all pairs."""
    return {
        frozenset(pair): said(mc.verdict(meshes[pair[0]], meshes[pair[1]], depth=False))
        for pair in itertools.combinations(meshes, 2)
    }


def said(found: mc.PairVerdict) -> Said:
    """The verdict, and how certain it is."""
    return found.name, round(found.certainty, 9)


def by_blender(objects: dict[str, Written]) -> dict[frozenset[str], Said]:
    """What the extension says of the pairs that it lists."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name, (vertices, triangles) in objects.items():
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, mesh))
    bpy.context.view_layer.update()
    source = BlenderSource.from_context(bpy.context)
    report = run_to_end(detect_steps(source, DetectOptions(permitted_overlap=0.0), engine.load(), highlights=False))
    return {frozenset((row.a.name, row.b.name)): (row.verdict.upper(), round(row.certainty, 9)) for row in report.rows}


def read(folder: Path, form: str, content: bytes) -> mc.TriangleMesh:
    """The mesh of a file with some content."""
    path = folder / f"part.{form}"
    path.write_bytes(content)
    (part,) = mc.read(path)
    matrix = np.asarray(part.matrix)
    assert (matrix[:3, :3] == np.round(matrix[:3, :3])).all(), "formats turn by quarters at most"
    vertices = part.mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
    if form == "glb":  # its y axis is up
        vertices = vertices[:, [0, 2, 1]] * (1.0, -1.0, 1.0) if (matrix[:3, :3] == np.eye(3)).all() else vertices
    return made(vertices, part.mesh.triangles)


def glb(vertices: np.ndarray, triangles: np.ndarray) -> bytes:
    """A binary glTF file, in which y is up."""
    turned = np.ascontiguousarray(vertices[:, [0, 2, 1]] * np.array([1, 1, -1], np.float32), "<f4")
    data = turned.tobytes() + np.ascontiguousarray(triangles, "<u4").tobytes()
    low, high = turned.min(axis=0).tolist(), turned.max(axis=0).tolist()
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(turned), "type": "VEC3", "min": low, "max": high},
            {"bufferView": 1, "componentType": 5125, "count": triangles.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": turned.nbytes},
            {"buffer": 0, "byteOffset": turned.nbytes, "byteLength": 4 * triangles.size},
        ],
        "buffers": [{"byteLength": len(data)}],
    }  # fmt: skip
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


FORMS = {
    "obj": mesh_files.obj,
    "ply": mesh_files.ply,
    "stl": lambda vertices, triangles: mesh_files.stl(vertices[triangles]),
    "glb": glb,
}


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # bpy may crash when it is torn down
