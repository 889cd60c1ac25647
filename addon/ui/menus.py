"""The menu of all operators, in the viewport's header and in its menu *Object*, so that F3 finds them too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.types import Menu

from .. import preferences, scene_results
from ..translations import CONTEXT


class MESHCLASH_MT_main(Menu):
    """Menu of all operators, in the order in which they are used."""

    bl_label = "MeshClash"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.operator("meshclash.detect", text="Detect Clashes", text_ctxt=CONTEXT, icon="VIEWZOOM")
        layout.operator("meshclash.live", text="Live Clashes", text_ctxt=CONTEXT, icon="PLAY")
        layout.operator("meshclash.stop")
        layout.menu(MESHCLASH_MT_tests.__name__)
        layout.separator()
        layout.operator("meshclash.step_pair", text="Next Pair", text_ctxt=CONTEXT, icon="TRIA_DOWN").step = 1
        layout.operator("meshclash.step_pair", text="Previous Pair", text_ctxt=CONTEXT, icon="TRIA_UP").step = -1
        layout.operator("meshclash.list_selected", icon="RESTRICT_SELECT_OFF")
        layout.operator("meshclash.list_all")
        layout.separator()
        layout.operator_menu_enum("meshclash.set_status", "status", text="Status of Pair", text_ctxt=CONTEXT)
        layout.operator_menu_enum(
            "meshclash.set_listed_status", "status", text="Status of All Listed Pairs", text_ctxt=CONTEXT
        )
        layout.operator("meshclash.select_listed")
        layout.operator("meshclash.select_faces", icon="FACESEL")
        layout.operator("meshclash.check_again", icon="FILE_REFRESH")
        layout.operator("meshclash.exclude_pair", icon="REMOVE")
        layout.operator("meshclash.add_fit", icon="ADD")
        layout.operator("meshclash.find_ways_out", icon="EMPTY_SINGLE_ARROW")
        layout.operator("meshclash.apply_way_out")
        layout.separator()
        layout.operator("meshclash.show_common_solid")
        layout.operator("meshclash.frame_common_solid")
        layout.operator("meshclash.clip_common_solid")
        layout.operator("meshclash.make_common_solid", text="Make Object of Common Solid", text_ctxt=CONTEXT)
        layout.operator("meshclash.hide_common_solid")
        layout.separator()
        research = (MESHCLASH_MT_research,) if preferences.of(context).show_research else ()
        for menu in (MESHCLASH_MT_groups, MESHCLASH_MT_marks, MESHCLASH_MT_timeline, MESHCLASH_MT_models, *research):
            layout.menu(menu.__name__)
        layout.separator()
        layout.operator(
            "meshclash.open_results", text="Open Clash Results", text_ctxt=CONTEXT, icon="WINDOW"
        ).place = "WINDOW"
        layout.operator("meshclash.open_results", text="Clash Results Below the View", text_ctxt=CONTEXT).place = "AREA"
        layout.operator("meshclash.export_report", text="Export Clash Report", text_ctxt=CONTEXT, icon="EXPORT")
        layout.operator(
            "meshclash.import_bcf", text="Import BCF Statuses and Comments", text_ctxt=CONTEXT, icon="IMPORT"
        )
        layout.operator("meshclash.clear_results", text="Clear Clash Results", text_ctxt=CONTEXT, icon="TRASH")
        layout.operator("meshclash.copy_diagnostics", icon="COPYDOWN")


class MESHCLASH_MT_tests(Menu):
    """Menu of the named tests that are saved in the file."""

    bl_label = "Tests"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("meshclash.run_tests", icon="VIEWZOOM")
        layout.separator()
        layout.operator("meshclash.keep_test", icon="ADD")
        layout.operator("meshclash.fill_matrix")
        layout.operator("meshclash.use_test")
        layout.operator("meshclash.remove_test").every = False
        layout.operator("meshclash.remove_test", text="Remove All Tests", text_ctxt=CONTEXT).every = True
        layout.separator()
        layout.operator("meshclash.import_tests", icon="IMPORT")
        layout.operator("meshclash.export_tests", icon="EXPORT")


class MESHCLASH_MT_groups(Menu):
    """Menu of operators that decide about many pairs at once, and that edit groups."""

    bl_label = "Groups and Listed Pairs"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        for name in ("say_of_listed", "exclude_listed", "find_fits", "list_found_again"):
            layout.operator(f"meshclash.{name}")
        layout.separator()
        for name in ("name_group", "comment_group", "split_group", "merge_group", "reset_groups"):
            layout.operator(f"meshclash.{name}")


class MESHCLASH_MT_marks(Menu):
    """Menu of operators that mark contacting faces on the meshes."""

    bl_label = "Mark Faces"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        for name, label in (("write_attribute", "Write Face Attribute"), ("assign_material", "Assign Material")):
            layout.operator(f"meshclash.{name}", text=f"{label}: All Clashes", text_ctxt=CONTEXT).scope = "ALL"
            layout.operator(f"meshclash.{name}", text=f"{label}: Selected Pair", text_ctxt=CONTEXT).scope = "ACTIVE"
        layout.separator()
        layout.operator("meshclash.remove_attribute")
        layout.operator("meshclash.restore_materials")


class MESHCLASH_MT_timeline(Menu):
    """Menu of operators for animations."""

    bl_label = "Timeline"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("meshclash.scan_timeline", text="Scan Timeline for Clashes", text_ctxt=CONTEXT, icon="TIME")
        layout.operator_menu_enum(
            "meshclash.bake_clearance", "of", text="Bake Clearance to Curve", text_ctxt=CONTEXT, icon="FCURVE"
        )
        layout.separator()
        layout.operator_menu_enum(
            "meshclash.event_markers", "at", text="Add Markers", text_ctxt=CONTEXT, icon="MARKER_HLT"
        )
        layout.operator("meshclash.remove_markers")
        layout.operator("meshclash.write_heat", icon="MOD_VERTEX_WEIGHT")
        layout.operator("meshclash.remove_heat")
        layout.operator("meshclash.heat_group", icon="GROUP_VERTEX")
        layout.operator("meshclash.corrective_key", icon="SHAPEKEY_DATA")
        layout.separator()
        layout.operator("meshclash.clear_timeline", icon="TRASH")


class MESHCLASH_MT_models(Menu):
    """Menu of operators for point clouds, and for models that are larger than memory."""

    bl_label = "Scans and Massive Models"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("meshclash.import_scan", icon="IMPORT")
        layout.operator("meshclash.measure_deviation", icon="DRIVER_DISTANCE")
        layout.operator("meshclash.clear_deviation")
        layout.separator()
        layout.operator("meshclash.import_massive", icon="IMPORT")
        layout.operator("meshclash.build_massive", icon="EXPORT")
        layout.operator("meshclash.show_level", icon="MOD_DECIM")


class MESHCLASH_MT_research(Menu):
    """Menu of tools for research: hierarchies, volumes and voxels."""

    bl_label = "Research"

    def draw(self, _context: Any) -> None:
        layout = self.layout
        layout.operator("meshclash.show_hierarchy", text="Show Hierarchy of Active Object", text_ctxt=CONTEXT).name = ""
        layout.operator("meshclash.hide_hierarchy")
        layout.operator("meshclash.advise", text="Measure Hierarchies of Selected Objects", text_ctxt=CONTEXT)
        layout.operator("meshclash.run_method")
        layout.separator()
        layout.operator("meshclash.show_voxels")
        layout.operator("meshclash.hide_voxels")
        layout.separator()
        layout.operator("meshclash.look_for_gpu")


def _in_menu(self: Any, _context: Any) -> None:
    self.layout.separator()
    self.layout.menu(MESHCLASH_MT_main.__name__)


def _in_header(self: Any, _context: Any) -> None:
    self.layout.menu(MESHCLASH_MT_main.__name__)


def _in_context_menu(self: Any, context: Any) -> None:
    if scene_results.result_of(context.scene.session_uid) is not None:
        self.layout.separator()
        self.layout.operator("meshclash.list_selected", icon="VIEWZOOM")


def _in_import(self: Any, _context: Any) -> None:
    self.layout.operator("meshclash.import_scan", text="Scan (PLY, PCD, LAS, LAZ, XYZ, PTS, CSV)", text_ctxt=CONTEXT)
    self.layout.operator("meshclash.import_massive", text="Massive Model (PLY, STL, OBJ, NPZ)", text_ctxt=CONTEXT)
    self.layout.operator("meshclash.import_bcf", text="Clash Statuses and Comments (BCF)", text_ctxt=CONTEXT)


def _in_export(self: Any, _context: Any) -> None:
    self.layout.operator(
        "meshclash.export_report", text="Clash Report (BCF, HTML, XLSX, JSON, CSV, XML, SARIF)", text_ctxt=CONTEXT
    )


PLACES: tuple[tuple[str, Callable[[Any, Any], None]], ...] = (
    ("VIEW3D_MT_editor_menus", _in_header),
    ("VIEW3D_MT_object", _in_menu),
    ("VIEW3D_MT_object_context_menu", _in_context_menu),
    ("TOPBAR_MT_file_import", _in_import),
    ("TOPBAR_MT_file_export", _in_export),
)
"""Menus of Blender, and functions that draw at their end."""


def attach() -> None:
    """Add the operators to Blender's menus."""
    for name, draw in PLACES:
        getattr(bpy.types, name).append(draw)


def detach() -> None:
    """Remove the operators from Blender's menus."""
    for name, draw in PLACES:
        getattr(bpy.types, name).remove(draw)


CLASSES = (
    MESHCLASH_MT_main,
    MESHCLASH_MT_tests,
    MESHCLASH_MT_groups,
    MESHCLASH_MT_marks,
    MESHCLASH_MT_timeline,
    MESHCLASH_MT_models,
    MESHCLASH_MT_research,
)
