"""Detects clashes of IFC models through Blender: meshes and matrices in single precision, as importers write them.

python tests/addon/ifc_through_blender.py FILE.ifc...

Needs ifcopenshell and manifold3d beside bpy. For each model it prints how many rows of each verdict there are when
nothing is permitted and by default, how many clashes are left by default that are not deeper than a micrometre, and
which of the first 30 rows by default share less than a cubic millimetre; 0 when there are none.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "engine")]

import bpy  # noqa: E402
import ifcopenshell  # noqa: E402
import manifold3d  # noqa: E402
import numpy as np  # noqa: E402
from ifcopenshell import geom  # noqa: E402
from mathutils import Matrix  # noqa: E402
from meshclash.clash.job import detect_steps  # noqa: E402
from meshclash.clash.options import DetectOptions  # noqa: E402
from meshclash.clash.pair_row import PairRow  # noqa: E402
from meshclash.types.steps import run_to_end  # noqa: E402
from oracles.common_volume import common_volume  # noqa: E402

from addon import engine  # noqa: E402
from addon.adapters.source import BlenderSource  # noqa: E402

NO_PARTS = ("IfcOpeningElement", "IfcSpace")  # holes and rooms: nothing is built of them
SHALLOW = 1e-6  # m
FIRST, LEAST = 30, 1e-9  # rows that are read first, and the volume [m^3] that each must share


def main() -> int:
    """Detects in every model."""
    left = 0
    for path in sys.argv[1:]:
        read_model(Path(path))
        module = engine.load()
        exact, default = (run(module, DetectOptions(permitted_overlap=0.0)), run(module, DetectOptions()))
        shallow = [row for row in default.rows if is_shallow(row)]
        left += len(shallow)
        print(f"{Path(path).stem}: {default.stats['objects']} objects, resolution {default.stats['resolution']:.2g} m, "
              f"coarse {len(default.stats['coarse'])}")  # fmt: skip
        for words, report in (("nothing permitted", exact), ("default", default)):
            print(f"  {words}: {dict(Counter(row.verdict for row in report.rows))}, "
                  f"flush {sum(row.flush for row in report.rows)}, clashes below 1e-6 m "
                  f"{sum(map(is_shallow, report.rows))}")  # fmt: skip
        for row in shallow[:3]:
            print(f"  left: {row.a.name} and {row.b.name}, depth at most {row.depth_upper:.3g} m", flush=True)
        first = [row for row in default.rows if row.verdict in ("clash", "contained", "duplicate")][:FIRST]
        volumes = [common_volume(manifold3d, corners(row.a.name), corners(row.b.name)) for row in first]
        wrong = [pair for pair in zip(first, volumes, strict=True) if pair[1] is not None and pair[1] < LEAST]
        left += len(wrong)
        print(f"  first {len(first)} rows: {len(volumes) - volumes.count(None)} judged, {len(wrong)} share too little")
        for row, volume in wrong:
            print(f"  wrong: {row.a.name} and {row.b.name}, depth {row.depth} m, {1e9 * volume:.3g} mm^3", flush=True)
    return int(left > 0)


def corners(name: str) -> np.ndarray:
    """Corners (m, 3, 3) of an object's triangles in the world."""
    item = bpy.data.objects[name]
    matrix = np.array(item.matrix_world)
    vertices = np.array([vertex.co for vertex in item.data.vertices], np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return vertices[np.array([polygon.vertices for polygon in item.data.polygons])]


def is_shallow(row: PairRow) -> bool:
    """Whether a clash is no deeper than a rounding may be."""
    return row.verdict == "clash" and row.depth_upper is not None and row.depth_upper < SHALLOW


def run(module: object, options: DetectOptions):  # type: ignore[no-untyped-def]
    """The report of the open scene."""
    source = BlenderSource.from_context(bpy.context)
    return run_to_end(detect_steps(source, options, module, highlights=False))  # type: ignore[arg-type]


def read_model(path: Path) -> None:
    """Makes an object of every element, with its own coordinates and its matrix."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    settings = geom.settings()
    settings.set("weld-vertices", True)
    model = ifcopenshell.open(str(path))  # the iterator does not keep it
    iterator = geom.iterator(settings, model, 1)
    found = iterator.initialize()
    while found:
        shape = iterator.get()
        vertices = np.array(shape.geometry.verts, np.float64).reshape(-1, 3)
        triangles = np.array(shape.geometry.faces, np.int64).reshape(-1, 3)
        if len(triangles) and shape.type not in NO_PARTS:
            mesh = bpy.data.meshes.new(shape.type)
            mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
            item = bpy.data.objects.new(f"{shape.type} #{shape.id}", mesh)
            item.matrix_world = Matrix(np.array(shape.transformation.matrix).reshape(4, 4).T.tolist())
            bpy.context.scene.collection.objects.link(item)
        found = iterator.next()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # bpy's tear-down may change it
