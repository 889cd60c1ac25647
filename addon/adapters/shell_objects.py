"""Objects that the user has marked as shells, which have no inside."""

from __future__ import annotations

import bpy

PROPERTY = "meshclash_shell"


def attach() -> None:
    """Register the object property that marks shells."""
    bpy.types.Object.meshclash_shell = bpy.props.BoolProperty(
        name="Is a Shell",
        description="Treat this object as a surface without an inside, such as a garment, a helmet or a lampshade. "
        "Objects that cross it still clash. Alt-click sets it for all selected objects",
        update=_note,
    )


def _note(item: bpy.types.Object, _context: bpy.types.Context) -> None:
    """Make Blender evaluate the object again, so that results become stale and Live reads the object."""
    item.update_tag()


def detach() -> None:
    """Unregister the property; its values stay in files."""
    del bpy.types.Object.meshclash_shell


def is_shell(item: bpy.types.Object) -> bool:
    """Return whether an object is marked as a shell."""
    return bool(getattr(item, PROPERTY, False))
