"""Pairs and depths that `meshclash detect` finds in files, beside those of the extension on the same meshes in Blender.

The meshes are made by ifcopenshell, trimesh or Blender's own importer of USD, not by `meshclash.read`; Blender keeps
coordinates in single precision. A row is matched by the two names, of IFC by the GlobalIds.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .table import Row, format_table, write_json

_ROOT = Path(__file__).resolve().parents[2]
_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
_KINDS = ("same", "flush", "ball", "depth", "other")
_QUIET = ("touching", "near")
_SAME_DEPTH = 1e-6  # m; single precision keeps a coordinate of ten metres to half of it

Made = tuple[str, str, np.ndarray, np.ndarray, np.ndarray]
"""Name, key of the mesh, vertices, triangles, matrix."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="IFC, GLB, USD, STL or a folder of STL")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="differing rows that are named")
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Compare every file; 1 if a row differs by more than touching, 2 without Blender's module."""
    try:
        import bpy
    except ImportError as error:
        print(f"this bench needs Blender's module (pip install bpy): {error}")
        return 2
    sys.path.insert(0, str(_ROOT))
    import addon

    addon.register()
    rows: list[Row] = [_compare(bpy, path, options.show) for path in options.files]
    print("\n" + format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "blender-files", "files": rows})
    return int(any(row["other"] for row in rows))


def _compare(bpy: Any, path: Path, show: int) -> Row:
    from meshclash.clash.file_source import FileSource

    files = sorted(path.glob("*.stl")) if path.is_dir() else [path]
    start = time.perf_counter()
    source = FileSource(files)
    ours = _detected(source)
    seconds = time.perf_counter() - start
    names = {item.name: item.properties.get("GlobalId", item.name) for item in source.parts}
    here = {_key(names[row.a.name], names[row.b.name]): row for row in ours.rows}
    called = _fill(bpy, files, source.parts)
    start = time.perf_counter()
    from addon.adapters.source import BlenderSource

    theirs = _detected(BlenderSource.from_context(bpy.context))
    there = {_key(*(called.get(side.name, side.name) for side in (row.a, row.b))): row for row in theirs.rows}
    kinds = {pair: _kind(here.get(pair), there.get(pair)) for pair in sorted({*here, *there})}
    counts = {kind: list(kinds.values()).count(kind) for kind in _KINDS}
    for pair in sorted(kinds, key=lambda pair: -_KINDS.index(kinds[pair]))[:show]:
        if kinds[pair] != "same":
            said = _said(here.get(pair)), _said(there.get(pair))
            print(f"{path.name}: {kinds[pair]}: {pair}: here {said[0]}, Blender {said[1]}")
    print(f"{path.name}: here {_verdicts(here)}, Blender {_verdicts(there)}", flush=True)
    return {
        "file": path.name[:24], "parts": len(source.parts), "rows": len(here), "in Blender": len(there), **counts,
        "read and detect [s]": seconds, "Blender detect [s]": time.perf_counter() - start,
        "peak [MB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }  # fmt: skip


def _detected(source: Any) -> Any:
    import meshclash
    from meshclash.clash.job import detect_steps
    from meshclash.clash.options import DetectOptions
    from meshclash.types.steps import run_to_end

    return run_to_end(detect_steps(source, DetectOptions(), meshclash, highlights=False))


def _key(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _said(row: Any) -> str:
    return "nothing" if row is None else f"{row.verdict} {row.depth} (at most {row.depth_upper}) flush={row.flush}"


def _verdicts(rows: dict[Any, Any]) -> dict[str, int]:
    found = [row.verdict for row in rows.values()]
    return {name: found.count(name) for name in sorted(set(found))}


def _kind(here: Any, there: Any) -> str:
    """How two rows differ.

    "flush": rounding decides whether two flush parts meet; "ball": another ball, within the bounds of both.
    """
    verdicts = [None if row is None else row.verdict for row in (here, there)]
    if verdicts[0] != verdicts[1]:
        return "flush" if all(name is None or name in _QUIET for name in verdicts) else "other"
    if None in (here.depth, there.depth) or here.verdict in _QUIET:
        return "same"
    if abs(here.depth - there.depth) <= _SAME_DEPTH + 1e-2 * max(here.depth, there.depth):
        return "same"
    return "ball" if _fits(here.depth, there) and _fits(there.depth, here) else "depth"


def _fits(depth: float, row: Any) -> bool:
    """Whether a ball that was found elsewhere contradicts no bound of a row."""
    return row.depth_upper is None or bool(depth <= row.depth_upper + _SAME_DEPTH)


def _fill(bpy: Any, files: list[Path], parts: list[Any]) -> dict[str, str]:
    """A scene with what the files hold; the names of its objects in the files, as Blender cuts and numbers some."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if files[0].suffix.lower().startswith(".usd"):
        bpy.ops.wm.usd_import(filepath=str(files[0]))
        return _at_same_place(bpy, parts)
    called: dict[str, str] = {}
    meshes: dict[str, Any] = {}
    for file in files:
        for name, key, vertices, triangles, matrix in _made(file):
            mesh = meshes.get(key)
            if mesh is None:
                mesh = meshes[key] = bpy.data.meshes.new(name)
                mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
            item = bpy.data.objects.new(name, mesh)
            item.matrix_world = matrix.T
            bpy.context.scene.collection.objects.link(item)
            called[item.name] = name
    return called


def _at_same_place(bpy: Any, parts: list[Any]) -> dict[str, str]:
    """Names of the parts by those of the objects with the same box."""
    from meshclash.clash.world import to_world

    boxes = np.array([_box(to_world(item.part.shape.vertices, item.part.matrix)) for item in parts])
    called = {}
    for item in bpy.context.scene.objects:
        if item.type == "MESH":
            vertices = np.array([vertex.co for vertex in item.data.vertices], np.float64)
            own = _box(to_world(vertices, np.array(item.matrix_world)))
            called[item.name] = parts[int(np.abs(boxes - own).max(axis=1).argmin())].name
    return called


def _box(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def _made(file: Path) -> Iterator[Made]:
    yield from _of_ifc(file) if file.suffix.lower() == ".ifc" else _of_scene(file)


def _of_ifc(file: Path) -> Iterator[Made]:
    import ifcopenshell
    from ifcopenshell import geom

    model = ifcopenshell.open(str(file))
    built = [item for item in model.by_type("IfcElement") if not item.is_a("IfcFeatureElement")]
    shapes = geom.iterator(geom.settings(), model, 1, include=built)
    more = shapes.initialize()
    while more:
        shape = shapes.get()
        triangles = np.array(shape.geometry.faces).reshape(-1, 3)
        if len(triangles):
            matrix = np.array(shape.transformation.matrix).reshape(4, 4).T
            vertices = np.array(shape.geometry.verts).reshape(-1, 3)
            yield model.by_id(shape.id).GlobalId, f"{file} {shape.geometry.id}", vertices, triangles, matrix
        more = shapes.next()


def _of_scene(file: Path) -> Iterator[Made]:
    import trimesh

    glb = file.suffix.lower() in (".glb", ".gltf")
    loaded = trimesh.load_scene(str(file), process=False, **({"merge_primitives": True} if glb else {}))
    for node in loaded.graph.nodes_geometry:
        matrix, key = loaded.graph[node]
        mesh = loaded.geometry[key]
        name = str(node) if glb else file.stem
        yield (
            name,
            f"{file} {key}",
            np.array(mesh.vertices),
            np.array(mesh.faces),
            (_Y_UP if glb else np.eye(4)) @ matrix,
        )
