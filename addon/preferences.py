"""Settings of the machine: colours, the cache of compiled kernels, diagnostics."""

from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy.types import AddonPreferences
from meshclash.clash import colours
from meshclash.messages import Sentence

from . import engine, running_work, translations
from .redraw import tag_redraw
from .translations import ChoiceProperty, translated

BASE = __package__  # "bl_ext.<repository>.meshclash" when installed
CACHE_FOLDER = "kernels"
FACES_A, FACES_B = (*colours.COLOUR_A, 0.75), (*colours.COLOUR_B, 0.75)
COLOUR_CURVE = (1.0, 0.9, 0.25, 1.0)
CURVE_WIDTH = 2.5
DEVICES = (
    ("CPU", "CPU", "Test all triangles on the CPU"),
    (
        "GPU",
        "GPU for Large Models",
        "Use an NVIDIA GPU for large models and scans. The results are the same",
    ),
)
GPU_FROM = 1_000_000
CROSSOVERS = {
    "gpu_from": "crossover",
    "gpu_points_from": "point_crossover",
    "gpu_clearance_from": "clearance_crossover",
    "gpu_distance_from": "distance_crossover",
    "gpu_objects_from": "object_crossover",
}
"""Settings for the smallest sizes that are sent to the GPU, and their names in the engine."""


def _redraw(_self: AddonPreferences, context: bpy.types.Context) -> None:
    tag_redraw(context)


def _use_device(_self: AddonPreferences, context: bpy.types.Context) -> None:
    engine.use_gpu_from(gpu_from(context))


class MESHCLASH_AP_preferences(AddonPreferences):
    """Shown in Edit > Preferences > Add-ons > MeshClash."""

    bl_idname = BASE

    colour_a: FloatVectorProperty(
        name="Faces of A", description="Contacting faces of the first object of a pair",
        subtype="COLOR_GAMMA", size=4, min=0.0, max=1.0, default=FACES_A, update=_redraw,
    )  # fmt: skip
    colour_b: FloatVectorProperty(
        name="Faces of B", description="Contacting faces of the second object of a pair",
        subtype="COLOR_GAMMA", size=4, min=0.0, max=1.0, default=FACES_B, update=_redraw,
    )  # fmt: skip
    colour_curve: FloatVectorProperty(
        name="Curves", description="Intersection curves",
        subtype="COLOR_GAMMA", size=4, min=0.0, max=1.0, default=COLOUR_CURVE, update=_redraw,
    )  # fmt: skip
    curve_width: FloatProperty(
        name="Curve Width", description="Width of the intersection curves", subtype="PIXEL",
        min=1.0, max=10.0, default=CURVE_WIDTH, update=_redraw,
    )  # fmt: skip
    show_research: BoolProperty(
        name="Show Tools for Research",
        description="Show panels and a menu for statistics, hierarchies, the advisor and common voxels",
        default=False, update=_redraw,
    )  # fmt: skip
    author: StringProperty(
        name="Your Name",
        description="Name shown with your decisions. If it is empty, the user name of the computer is shown",
    )
    fast_path: BoolProperty(
        name="Fast Mesh Reading",
        description="Read triangles directly from Blender's memory, checked against the documented way on first use",
        default=True,
    )
    device: ChoiceProperty(
        name="Device",
        description="Processor that tests the triangles",
        items=DEVICES,
        default="CPU",
        update=_use_device,
    )
    gpu_from: IntProperty(
        name="Minimum Triangles",
        description="Use the GPU if all pairs together have at least this many triangles",
        min=1, default=GPU_FROM, update=_use_device,
    )  # fmt: skip
    gpu_points_from: IntProperty(
        name="Points", description="Minimum number of points for which the GPU tests scans; 0 turns this off",
        min=0, default=GPU_FROM, update=_use_device,
    )  # fmt: skip
    gpu_clearance_from: IntProperty(
        name="Triangles for Clearance", description=("Minimum number of triangles for which the GPU computes "
                                                    "clearances; 0 turns this off"),
        min=0, default=0, update=_use_device,
    )  # fmt: skip
    gpu_distance_from: IntProperty(
        name="Triangles for Distance", description=("Minimum number of triangles for which the GPU computes "
                                                   "distances; 0 turns this off"),
        min=0, default=0, update=_use_device,
    )  # fmt: skip
    gpu_objects_from: IntProperty(
        name="Objects", description=("Minimum number of objects for which the GPU tests bounding boxes; 0 "
                                    "turns this off"),
        min=0, default=0, update=_use_device,
    )  # fmt: skip

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the preferences page."""
        layout = self.layout
        layout.use_property_split = True
        column = layout.column(heading="Overlay")
        for name in ("colour_a", "colour_b", "colour_curve", "curve_width"):
            column.prop(self, name)
        column = layout.column(heading="Sidebar Tab")
        column.prop(self, "show_research")
        column = layout.column(heading="Detection")
        column.prop(self, "author")
        column.prop(self, "fast_path")
        draw_device(column, self, of(context))
        column = layout.column(align=True)
        column.label(
            text=translated(
                Sentence("Compiled kernels: {folder}", folder=cache_folder() or "the cache folder of this user")
            )
        )
        if engine.cache_problem():
            column.label(text=engine.cache_problem(), icon="ERROR")
        column.operator("meshclash.clear_cache", icon="TRASH")
        draw_diagnostics(layout)
        for problem in translations.languages().problems:
            layout.label(text=problem, icon="ERROR", translate=False)


class _Defaults:
    """Default preferences, for an add-on that is registered without being installed (tests, scripts in a checkout)."""

    colour_a, colour_b, colour_curve, curve_width = FACES_A, FACES_B, COLOUR_CURVE, CURVE_WIDTH
    show_research = False
    author = ""
    fast_path = True
    device, gpu_from, gpu_points_from = "CPU", GPU_FROM, GPU_FROM
    gpu_clearance_from = gpu_distance_from = gpu_objects_from = 0


def installed(context: bpy.types.Context) -> MESHCLASH_AP_preferences | None:
    """Return the preferences of this extension; None if it is registered without being installed."""
    addon = context.preferences.addons.get(BASE)
    return addon.preferences if addon else None


def of(context: bpy.types.Context) -> Any:
    """Return the preferences of this extension, or default values if it is not installed."""
    return installed(context) or _Defaults


def gpu_from(context: bpy.types.Context) -> dict[str, int] | None:
    """Return the smallest sizes for which the GPU is used, by the engine's names; None if the GPU is disabled."""
    chosen = of(context)
    if chosen.device != "GPU":
        return None
    sizes = {crossover: int(getattr(chosen, name)) for name, crossover in CROSSOVERS.items()}
    return {crossover: size for crossover, size in sizes.items() if size}


def cache_folder() -> str | None:
    """Return the folder of compiled kernels; None in a checkout, where the engine chooses the folder."""
    try:
        return bpy.utils.extension_path_user(BASE, path=CACHE_FOLDER)
    except ValueError:  # raised by Blender if BASE is not the package of an extension
        return None


def clear_cache() -> int:
    """Delete the compiled kernels in the extension's folder; return the number of files.

    The folders themselves are kept: the engine creates its folder once per session, and could not store kernels without
    it.
    """
    folder = cache_folder()
    files = [path for path in Path(folder).rglob("*") if path.is_file()] if folder else []
    for path in files:
        path.unlink()
    return len(files)


def draw_device(layout: bpy.types.UILayout, owner: Any, chosen: Any) -> None:
    """Draw the device and its known state; a search for a GPU would take a moment.

    Args:
        layout: layout on the page.
        owner: owner of the properties.
        chosen: values of the properties, as returned by `of`.
    """
    layout.prop(owner, "device")
    if chosen.device == "CPU":
        return
    column = layout.column(align=True)
    for name in CROSSOVERS:
        column.prop(owner, name)
    usable, text = engine.device_known()
    layout.label(text=translated(text), icon="CHECKMARK" if usable else "INFO")
    layout.operator("meshclash.look_for_gpu", icon="FILE_REFRESH")


def draw_diagnostics(layout: bpy.types.UILayout) -> None:
    """Draw the state of the engine, and the button that copies a report of it."""
    state = running_work.engine_state()
    box = layout.box().column(align=True)
    if state is None:
        box.label(text="The engine is loaded on the first Detect", icon="INFO")
    elif state.reason:
        warning = box.column(align=True)
        warning.alert = True
        warning.label(text=translated(state.reason), icon="ERROR")
        box.label(text=translated(state.remedy), icon="BLANK1")
    else:
        box.label(text="The engine is loaded", icon="CHECKMARK")
    for line in state.diagnostics if state else ():
        box.label(text=line, icon="BLANK1")
    box.separator()
    box.operator("meshclash.copy_diagnostics", icon="COPYDOWN")


CLASSES = (MESHCLASH_AP_preferences,)
