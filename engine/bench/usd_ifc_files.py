"""Files read by `meshclash.read` beside independent readers: objects, triangles and the box around everything.

IFC is read again product by product with ifcopenshell's `create_shape`, USD by a plain traversal with usd-core and by
Blender's importer, each without code of `meshclash.reading`. A file is "same" where objects, triangles of meshes and
the box are those of the second reader, and "as Blender" where only Blender agrees, which poses skinned meshes as we do.
Any other difference is WRONG unless `left_out` names something. Boxes may differ by a tenth of a millimetre, and by a
quarter of a percent of the size, which is the tolerance of round shapes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import read
from meshclash.errors import InvalidFile

from .table import Row, format_table, write_json

_NO_THINGS = ("IfcFeatureElementSubtraction", "IfcSurfaceFeature", "IfcSpace", "IfcSpatialZone", "IfcAnnotation",
              "IfcGrid", "IfcPort", "IfcStructuralItem", "IfcStructuralActivity", "IfcPositioningElement",
              "IfcLinearElement")  # fmt: skip
_Y_UP = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])


@dataclass
class Totals:
    """What a reader found: triangles are those of meshes, not of round shapes, of which each reader makes its own."""

    objects: int = 0
    triangles: int = 0
    low: np.ndarray = field(default_factory=lambda: np.full(3, np.inf))
    high: np.ndarray = field(default_factory=lambda: np.full(3, -np.inf))

    def add(self, points: np.ndarray, triangles: int) -> None:
        """Adds one object with its points (n, 3) in the world [m]."""
        self.objects += 1
        self.triangles += triangles
        if len(points):
            self.low, self.high = np.minimum(self.low, points.min(axis=0)), np.maximum(self.high, points.max(axis=0))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="IFC or USD; none comes with the project")
    parser.add_argument("--blender", action="store_true", help="also Blender's importer of USD")
    parser.add_argument("--inside-blender", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Compare all files; 1 where one is wrong."""
    if options.inside_blender:
        found = _in_blender(options.files[0])
        print(json.dumps([found.objects, found.triangles, found.low.tolist(), found.high.tolist()]))
        return 0
    rows = [_row(path, options.blender) for path in options.files]
    names = dict.fromkeys(name for row in rows for name in row)
    rows = [{name: row.get(name) for name in names} for row in rows]
    print(format_table(rows))
    if options.json is not None:
        write_json(options.json, {"bench": "reading", "files": rows})
    return int(any(row["judgement"] == "WRONG" for row in rows))


def _row(path: Path, blender: bool) -> Row:
    is_ifc = path.suffix.lower() == ".ifc"
    other = _by_products(path) if is_ifc else _by_traversal(path)
    try:
        parts = read(path)
    except InvalidFile as error:
        judgement = "nothing to read" if other.objects == 0 else "refused"
        return {"file": path.name[:40], "other": other.objects, "judgement": judgement, "why": str(error)[-80:]}
    ours = Totals()
    for part in parts:
        round_shape = "tolerance" in part.properties
        faces = 0 if part.shape.triangles is None or round_shape else len(part.shape.triangles)
        ours.add(part.shape.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3], faces)
    row: Row = {
        "file": path.name[:40], "objects": ours.objects, "triangles": ours.triangles, "left out": len(parts.left_out),
        "no geometry": sum(parts.no_geometry.values()), "other": other.objects, "other triangles": other.triangles,
        "box [mm]": round(1e3 * _apart(ours, other), 4),
    }  # fmt: skip
    judgement = "same" if _is_same(ours, other) else "lost by name" if parts.left_out else "WRONG"
    if blender and not is_ifc:
        third = _by_blender(path)
        row |= {"Blender": third.objects, "Blender triangles": third.triangles}
        row["Blender box [mm]"] = round(1e3 * _apart(ours, third), 3)
        judgement = "as Blender" if judgement == "WRONG" and _is_same(ours, third) else judgement
    return row | {"judgement": judgement}


def _is_same(a: Totals, b: Totals) -> bool:
    allowed = 1e-4 + 2.5e-3 * float((a.high - a.low).max())
    return a.objects == b.objects and a.triangles == b.triangles and _apart(a, b) <= allowed


def _apart(a: Totals, b: Totals) -> float:
    """How far two boxes are apart at most [m]."""
    if not (a.objects and b.objects):
        return 0.0
    return float(max(np.abs(a.low - b.low).max(), np.abs(a.high - b.high).max()))


def _by_products(path: Path) -> Totals:
    import ifcopenshell
    from ifcopenshell import geom

    found, settings = Totals(), geom.settings()
    try:
        model = ifcopenshell.open(str(path))
    except (OSError, RuntimeError, ifcopenshell.Error):  # what cannot be opened has nothing
        return found
    for product in model.by_type("IfcProduct"):
        if product.Representation is None or any(product.is_a(name) for name in _NO_THINGS):
            continue
        try:
            shape = geom.create_shape(settings, product)
        except RuntimeError:
            continue  # curves only, or ifcopenshell cannot make it
        points = np.array(shape.geometry.verts).reshape(-1, 3)
        matrix = np.array(shape.transformation.matrix).reshape(4, 4).T
        if len(shape.geometry.faces):
            found.add(points @ matrix[:3, :3].T + matrix[:3, 3], len(shape.geometry.faces) // 3)
    return found


def _by_traversal(path: Path) -> Totals:
    from pxr import Usd, UsdGeom

    found = Totals()
    try:
        stage = Usd.Stage.Open(str(path))
    except Exception:  # what cannot be opened has nothing
        return found
    turn = _Y_UP if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y else np.eye(3)
    turn = UsdGeom.GetStageMetersPerUnit(stage) * turn
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        inside = any(above.IsA(UsdGeom.PointInstancer) for above in _above(prim))
        if inside or not _is_shown(prim):
            continue
        matrix = _matrix(prim)
        for points, triangles in _surfaces(prim, matrix):
            found.add(points @ turn.T, triangles)
    return found


def _above(prim: Any) -> Iterator[Any]:
    while prim := prim.GetParent():
        yield prim


def _is_shown(prim: Any) -> bool:
    from pxr import Usd, UsdGeom

    image = UsdGeom.Imageable(prim)
    if not image or image.ComputeVisibility(Usd.TimeCode.EarliestTime()) == "invisible":
        return False
    return image.ComputePurpose() in ("default", "render")


def _matrix(prim: Any) -> np.ndarray:
    from pxr import Usd, UsdGeom

    return np.array(UsdGeom.Imageable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.EarliestTime()))


def _surfaces(prim: Any, matrix: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Points in the world and triangles of what a prim places; matrices act on rows."""
    from pxr import Usd, UsdGeom

    time = Usd.TimeCode.EarliestTime()
    if prim.IsA(UsdGeom.PointInstancer):
        instancer = UsdGeom.PointInstancer(prim)
        roots = [prim.GetStage().GetPrimAtPath(target) for target in instancer.GetPrototypesRel().GetTargets()]
        indices = np.array(instancer.GetProtoIndicesAttr().Get(time) or ())
        mask = instancer.ComputeMaskAtTime(time) or [True] * len(indices)
        placed = instancer.ComputeInstanceTransformsAtTime(
            time, time, UsdGeom.PointInstancer.ExcludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
        )
        whole = [k for k in range(len(placed)) if indices[k] < len(roots) and roots[indices[k]] and mask[k]]
        for index, one in ((indices[k], placed[k]) for k in whole):
            above = np.linalg.inv(_matrix(roots[index].GetParent()))
            below = iter(Usd.PrimRange(roots[index], Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))
            for one_below in below:
                if one_below.IsA(UsdGeom.PointInstancer):
                    below.PruneChildren()
                image = UsdGeom.Imageable(one_below)
                if image and image.GetVisibilityAttr().Get(time) == "invisible":
                    below.PruneChildren()
                elif image and image.ComputePurpose() in ("default", "render"):
                    yield from _surfaces(one_below, _matrix(one_below) @ above @ np.array(one) @ matrix)
    elif prim.IsA(UsdGeom.Mesh):
        mesh = UsdGeom.Mesh(prim)
        points, counts = mesh.GetPointsAttr().Get(time), mesh.GetFaceVertexCountsAttr().Get(time)
        if points and counts and np.ndim(points) == 2:
            world = np.hstack([np.array(points), np.ones((len(points), 1))]) @ matrix
            holes = (
                (mesh.GetHoleIndicesAttr().Get(time) or ()) if mesh.GetSubdivisionSchemeAttr().Get() != "none" else ()
            )
            yield world[:, :3], sum(max(count - 2, 0) for k, count in enumerate(counts) if k not in set(holes))
    elif prim.IsA(UsdGeom.Gprim) and not prim.IsA(UsdGeom.Curves):
        extent = np.array(UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(prim), time))
        if extent.shape == (2, 3):
            picked = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)])
            corners = np.column_stack([extent[picked, np.arange(3)], np.ones(8)])
            exact = {"Cube": 12, "Plane": 2}.get(str(prim.GetTypeName()), 0)
            yield (corners @ matrix)[:, :3], exact  # turned by other than right angles, it is larger than the shape


def _by_blender(path: Path) -> Totals:
    """In a process of its own: Blender brings its own USD."""
    command = [sys.executable, "-m", "bench", "reading", "--inside-blender", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("["):
            objects, triangles, low, high = json.loads(line)
            return Totals(objects, triangles, np.array(low), np.array(high))
    return Totals()


def _in_blender(path: Path) -> Totals:
    import bpy

    found = Totals()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=str(path))
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)
    for item in bpy.context.evaluated_depsgraph_get().object_instances:
        if item.object.type != "MESH" or not item.object.data.polygons:
            continue
        mesh = item.object.data
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        matrix = np.array(item.matrix_world)
        mesh.calc_loop_triangles()
        found.add(points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], len(mesh.loop_triangles))
    return found
