"""The bounding volumes that hierarchies can be built from.

A volume is a module with these names, all plain functions marked ``portable``:

``WIDTH``                       numbers a volume takes in float32
``clear(volume)``               make it empty
``extend(volume, x, y, z)``     enlarge it to contain a point (float64, relative to the hierarchy's origin), outward
``merge(volume, left, right)``  make it contain two others
``size(volume)``                a measure by which traversals choose where to descend
``overlap(a, b, relative)``     whether two may meet in a relative pose; may say yes too often, never no
"""

from types import ModuleType

from ..errors import UnsupportedOption
from . import aabb

VOLUMES: dict[str, ModuleType] = {"aabb": aabb}
DEFAULT_VOLUME = "aabb"


def volume_module(name: str | None) -> ModuleType:
    """The module of a volume by name (None: the default); raises UnsupportedOption and lists the known ones."""
    try:
        return VOLUMES[name or DEFAULT_VOLUME]
    except (KeyError, TypeError):
        raise UnsupportedOption(f"volume {name!r} is not known; known are {', '.join(sorted(VOLUMES))}") from None
