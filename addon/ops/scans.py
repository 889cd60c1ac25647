"""Operators for scans: import files, measure deviations to an attribute, clear them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.props import BoolProperty, StringProperty
from bpy.types import Operator
from bpy_extras.io_utils import ImportHelper
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.kernel_parts import CLOUD_PARTS
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from .. import engine, preferences, scene_results
from ..adapters import point_writer
from ..adapters.point_reader import point_count
from ..adapters.source import BlenderSource, metres_per_unit
from ..core.deviation import DeviationMap, ScanDeviation, deviation_steps
from ..core.scan_import import ImportedScan, import_steps
from ..redraw import tag_redraw
from ..texts import length, said
from ..translations import ChoiceProperty, translated
from ..view import find_object
from .loading import load_steps
from .marks import own_writing
from .polls import in_object_mode
from .task import Task
from .task_operator import TaskOperator

ENDINGS = (".ply", ".pcd", ".las", ".laz", ".xyz", ".pts", ".csv", ".txt", ".asc")
UNITS = (
    ("m", "Metres", "Lengths in the file are metres"),
    ("mm", "Millimetres", "Lengths in the file are millimetres"),
    ("cm", "Centimetres", "Lengths in the file are centimetres"),
    ("km", "Kilometres", "Lengths in the file are kilometres"),
    ("in", "Inches", "Lengths in the file are inches"),
    ("ft", "Feet", "Lengths in the file are international feet"),
    ("us-ft", "US Survey Feet", "Lengths in the file are US survey feet"),
)
KINDS = (
    ("POINTCLOUD", "Point Cloud", "Create a point cloud object, or a mesh in Blender before 5.1"),
    ("MESH", "Mesh Without Faces", "Create a mesh that has vertices only"),
)
ORIGINS = (
    (
        "AUTO", "Scene's Origin",
        "Keep coordinates relative to an origin that all scans of the scene share. The first scan far from zero sets "
        "this origin",
    ),
    ("KEEP", "Keep Coordinates", "Keep the coordinates. Far from zero, single precision loses millimetres"),
)  # fmt: skip


class MESHCLASH_OT_import_scan(TaskOperator, ImportHelper):
    """Import the points of a scan; large coordinates keep their precision"""

    bl_idname = "meshclash.import_scan"
    bl_label = "Import Scan"
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(name="File Path", subtype="FILE_PATH")
    filter_glob: StringProperty(default=";".join(f"*{ending}" for ending in ENDINGS), options={"HIDDEN"})
    unit: ChoiceProperty(name="Unit", description="Unit of lengths in the file", items=UNITS, default="m")
    kind: ChoiceProperty(name="Object Type", description="Type of the new object", items=KINDS, default="POINTCLOUD")
    origin: ChoiceProperty(name="Origin", description="Origin of the coordinates", items=ORIGINS, default="AUTO")
    with_normals: BoolProperty(name="Normals", description="Import the normals of the file", default=True)

    def make_task(self, context: bpy.types.Context) -> Task:
        scene = context.scene
        if not self.filepath:
            raise InputError("name the file of the scan")
        path, scale = Path(bpy.path.abspath(self.filepath)), metres_per_unit(scene)
        origin = point_writer.stored_origin(scene)
        return Task(_import(path, self.unit, scale, origin, self.origin == "KEEP", preferences.cache_folder()))

    def finish(self, context: bpy.types.Context, result: ImportedScan) -> str:
        scan = point_writer.new_scan(
            result.name,
            result.points,
            result.normals if self.with_normals else None,
            context.collection,
            as_mesh=self.kind == "MESH",
        )
        if result.origin is not None:
            point_writer.store_origin(context.scene, result.origin)
            point_writer.store_origin(scan, result.origin)
        for other in context.selected_objects:
            other.select_set(False)
        scan.select_set(True)
        context.view_layer.objects.active = scan
        if result.rounding > COARSE:
            self.report(
                {"WARNING"},
                said(
                    "Single precision rounds these coordinates by up to {length}",
                    length=f"{1e3 * result.rounding:.2g} mm",
                ),
            )
        return _imported(scan, result)


COARSE = 1e-4
"""Rounding error [m] above which the user is warned."""


def _import(
    path: Path, unit: str, scale: float, origin: np.ndarray | None, keep: bool, cache_folder: str | None
) -> Generator[Any, None, ImportedScan]:
    module = yield from load_steps(cache_folder, ())
    return (yield from import_steps(module, path, unit, scale, origin, keep))


def _imported(scan: bpy.types.Object, result: ImportedScan) -> str:
    text = counted(point_count(scan.data), "point")
    if result.dropped:
        text = Sentence("{points}, {dropped} invalid ones left out", points=text, dropped=f"{result.dropped:,}")
    if result.origin is not None:
        place = ", ".join(f"{x:.12g}" for x in result.origin)
        text = Sentence("{points}, origin {place}", points=text, place=f"{place} m")
    return text


class MESHCLASH_OT_measure_deviation(TaskOperator):
    """Measure the distance of the scans in set A from the objects of set B, and store it on their points"""

    bl_idname = "meshclash.measure_deviation"
    bl_label = "Measure Deviation"
    bl_options = {"REGISTER", "UNDO"}

    def make_task(self, context: bpy.types.Context) -> Task:
        settings = context.scene.meshclash
        options = settings.checked_options(metres_per_unit(context.scene))
        source = BlenderSource.from_context(context)
        gpu_from = preferences.gpu_from(context)
        engine.use_gpu_from(gpu_from)
        return Task(_measure(source, options.set_a, options.set_b, preferences.cache_folder(), gpu_from is not None))

    def finish(self, context: bpy.types.Context, result: DeviationMap) -> str:
        settings = context.scene.meshclash
        settings.deviation_serial = scene_results.store_deviation(context.scene.session_uid, result)
        name = settings.deviation_attribute.strip()
        problems = _write(context, result, name) if name else []
        tag_redraw(context)
        if problems:
            self.report({"WARNING"}, translated(Sentence.joined("; ", problems)))
        return _measured(result, context.scene.unit_settings)


def _measure(
    source: BlenderSource, set_a: str, set_b: str, cache_folder: str | None, gpu: bool
) -> Generator[Any, None, DeviationMap]:
    module = yield from load_steps(cache_folder, CLOUD_PARTS, gpu)
    yield from module.warm_up(CLOUD_PARTS)
    return (yield from deviation_steps(source, set_a, set_b, module))


def _write(context: bpy.types.Context, found: DeviationMap, name: str) -> list[str]:
    """Write the values to the points of each scan; return why some scans have no values."""
    problems = []
    written: dict[int, str] = {}
    with own_writing(context):
        for scan in found.scans:
            try:
                data = _writable(context, scan)
                other = written.setdefault(data.session_uid, scan.owner)
                if other != scan.owner:
                    raise DetectError(
                        Sentence(
                            "'{name}' shares its points with '{other}': its values are drawn but not stored",
                            name=scan.owner,
                            other=other,
                        )
                    )
                point_writer.write_values(data, name, scan.values)
            except DetectError as error:
                problems.append(str(error))
    return problems


def _writable(context: bpy.types.Context, scan: ScanDeviation) -> Any:
    """Return the point data to which a scan's values belong."""
    if scan.owner != scan.source:
        raise DetectError(
            Sentence(
                "'{name}' is an instance with shared points: its values are drawn but not stored", name=scan.source
            )
        )
    item = find_object(context, scan.owner)
    if item is None or item.type not in ("MESH", "POINTCLOUD"):
        raise DetectError(Sentence("'{name}' no longer exists", name=scan.owner))
    if item.data.library is not None:
        raise DetectError(Sentence("'{name}' is linked from a library and cannot be written", name=scan.owner))
    return item.data


def _measured(found: DeviationMap, units: bpy.types.UnitSettings) -> str:
    facts = found.summary(1.0)
    half, usual = (length(facts[name], units, like=facts["usual_size"]) for name in ("median_size", "usual_size"))
    values = {"points": counted(facts["points"], "point"), "half": half, "usual": usual}
    if not found.signed:
        return Sentence("{points}: half within {half}, 95 % within {usual}", **values)
    inside = f"{facts['inside']:,}"
    return Sentence("{points}: half within {half}, 95 % within {usual}, {inside} inside", inside=inside, **values)


class MESHCLASH_OT_clear_deviation(Operator):
    """Remove the measured values from the points of the scene and from the viewports"""

    bl_idname = "meshclash.clear_deviation"
    bl_label = "Clear Deviation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = context.scene.meshclash
        name, settings.deviation_serial = settings.deviation_attribute.strip(), 0
        with own_writing(context):
            removed = sum(point_writer.remove_values(data, name) for data in _all_points(context.scene))
        tag_redraw(context)
        self.report({"INFO"}, said("Removed from {meshes}", meshes=(removed, "scan")))
        return {"FINISHED"}


def _all_points(scene: bpy.types.Scene) -> list[Any]:
    """Return the writable meshes and point clouds of a scene, each once."""
    found = {}
    for item in scene.objects:
        if item is not None and item.type in ("MESH", "POINTCLOUD") and item.data.library is None:
            found[item.data.session_uid] = item.data
    return list(found.values())


CLASSES = (MESHCLASH_OT_import_scan, MESHCLASH_OT_measure_deviation, MESHCLASH_OT_clear_deviation)
