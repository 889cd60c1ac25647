"""Open the list of results in an area of its own."""

from __future__ import annotations

import bpy
from bpy.types import Operator

from ..screens import TAB_NAME, become_results, largest_view, result_areas, shows_results
from ..translations import ChoiceProperty, translated
from .listing import StepPair
from .polls import possible
from .review import SetStatus

SHARE = 0.4  # share of the view's width for the new area
PLACES = (
    ("WINDOW", "Window", "Open the list in a separate window"),
    ("AREA", "Area", "Split the 3D viewport and show the results below it"),
)


class MESHCLASH_OT_open_results(Operator):
    """Open the results at full width in a window or below the viewport"""

    bl_idname = "meshclash.open_results"
    bl_label = "Open Results"
    bl_options = {"REGISTER"}

    place: ChoiceProperty(name="Open In", description="Where to open the list", items=PLACES, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return possible(cls, not bpy.app.background, "There is no window")

    def execute(self, context: bpy.types.Context) -> set[str]:
        if next(result_areas(context), None) is not None:
            self.report({"INFO"}, translated("The results are already open"))
            return {"CANCELLED"}
        area = _window(context) if self.place == "WINDOW" else _below_the_view(context)
        if area is None:
            self.report({"ERROR"}, translated("There is no 3D view with room below it"))
            return {"CANCELLED"}
        become_results(area, context.scene)
        return {"FINISHED"}


def _window(context: bpy.types.Context) -> bpy.types.Area | None:
    before = set(context.window_manager.windows)
    bpy.ops.wm.window_new()
    made = next((window for window in context.window_manager.windows if window not in before), None)
    return None if made is None else made.screen.areas[0]


def _below_the_view(context: bpy.types.Context) -> bpy.types.Area | None:
    found = largest_view(context)
    if found is None:
        return None
    window, view = found
    before = set(window.screen.areas)
    region = next(region for region in view.regions if region.type == "WINDOW")
    with context.temp_override(window=window, screen=window.screen, area=view, region=region):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=SHARE)
    made = [area for area in window.screen.areas if area not in before]
    return min([*made, view], key=lambda area: area.y) if made else None


def over_results(context: bpy.types.Context) -> bool:
    """Return whether the mouse is over listed results, in the sidebar's tab or in an area of results."""
    region, space = context.region, context.space_data
    if region is None or space is None or context.window_manager.meshclash.scene_uid != context.scene.session_uid:
        return False
    if space.type == "VIEW_3D":
        return bool(region.type == "UI" and region.active_panel_category == TAB_NAME)
    return shows_results(space)


class OverResults(Operator):
    """Base of the operators of keys over the results."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return over_results(context) and super().poll(context)


class MESHCLASH_OT_step_over_results(OverResults, StepPair):
    """Select the next pair of the list while the mouse is over it"""

    bl_idname = "meshclash.step_over_results"
    bl_label = "Next Pair Under the Mouse"


class MESHCLASH_OT_status_over_results(OverResults, SetStatus):
    """Set the status of the selected pair while the mouse is over the list"""

    bl_idname = "meshclash.status_over_results"
    bl_label = "Pair Status"


CLASSES = (MESHCLASH_OT_open_results, MESHCLASH_OT_step_over_results, MESHCLASH_OT_status_over_results)
