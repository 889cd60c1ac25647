"""What an extension can leave behind in Blender."""

import bpy


def traces():
    """Everything an extension can leave behind that Python can see."""
    types = {name for name in dir(bpy.types) if "MESHCLASH" in name.upper()}
    handlers = {
        (name, handler.__name__)
        for name in dir(bpy.app.handlers)
        if isinstance(getattr(bpy.app.handlers, name), list)
        for handler in getattr(bpy.app.handlers, name)
        if handler.__module__.split(".")[0] == "addon"
    }
    properties = {
        f"{owner.__name__}.{name}"
        for owner in (bpy.types.Scene, bpy.types.WindowManager, bpy.types.Object, bpy.types.Collection)
        for name in dir(owner)
        if "meshclash" in name
    }
    return types | handlers | properties | {name for name in dir(bpy.ops) if name == "meshclash"}
