"""Objects of which the user says that they are shells: nothing lies inside them."""

from __future__ import annotations

import bpy

PROPERTY = "meshclash_shell"


def attach() -> None:
    """Gives objects the property that says so."""
    bpy.types.Object.meshclash_shell = bpy.props.BoolProperty(
        name="Is a Shell",
        description="Treat this object as a surface without an inside, such as a garment, a helmet or a lampshade. "
        "Objects that cross it still clash. Alt-click sets it for all selected objects",
        update=_note,
    )


def _note(item: bpy.types.Object, _context: bpy.types.Context) -> None:
    """Blender evaluates the object again, so that results get old and Live reads it."""
    item.update_tag()


def detach() -> None:
    """Takes the property away again; files keep what it says."""
    del bpy.types.Object.meshclash_shell


def is_shell(item: bpy.types.Object) -> bool:
    """Whether an object is said to be a shell."""
    return bool(getattr(item, PROPERTY, False))
