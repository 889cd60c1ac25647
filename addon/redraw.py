"""Request redraws from Blender."""

import bpy


def tag_redraw_timelines(context: bpy.types.Context) -> None:
    """Redraw all timelines and dope sheets."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "DOPESHEET_EDITOR":
                area.tag_redraw()


def tag_redraw(context: bpy.types.Context, region_types: tuple[str, ...] = ("WINDOW", "UI")) -> None:
    """Redraw the given regions of all 3D viewports, and the areas of results."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type in region_types:
                        region.tag_redraw()
            elif area.type == "PROPERTIES" and "UI" in region_types:
                area.tag_redraw()
