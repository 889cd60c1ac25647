"""The bounding volumes that hierarchies can be built from.

A volume is a row of float32 numbers and a short list of verbs, plain functions marked ``portable`` in one file:

``size(volume)``                    a measure by which traversals choose where to descend
``overlap(a, b, relative)``         whether two may meet in a relative pose; may say yes too often, never no
``gap(a, b, relative)``             lower bound [m] of the world distance of what they contain
``contains(volume, x, y, z)``       whether it contains a point; exact for fractions (for tests, not compiled)
``wireframe(volumes)``              segments (m, 2, 3) float64 to draw rows (n, width) with (not compiled)

and one way to make it from what it must contain, either from points one by one and from two others,

``clear(volume)``                   make it empty
``extend(volume, x, y, z)``         enlarge it to contain a point (float64, relative to the hierarchy's origin), outward
``merge(volume, left, right)``      make it contain two others

or at once,

``fit(points, volume)``             around the corners of triangles, (3 m, 3) float64, relative to the origin

A volume that is derived from its parent's as a traversal descends, instead of stored, has the verbs of ``boxtree.py``
and none of these three ways; its ``size``, ``overlap`` and ``gap`` take what the traversal carries.

``relative`` is a row of ``relative_pose.py``; a volume that needs more says so by ``PREPARED``, the numbers of a longer
row, and ``prepare(relative, root_a, root_b, out)``, called once per pose.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from ..errors import UnsupportedOption
from . import aabb, boxtree, kdop, obb, sphere, swept_sphere


class Volume(NamedTuple):
    """The verbs of a volume, and the numbers that a row of it takes."""

    width: int
    size: Callable[..., Any]
    overlap: Callable[..., Any]
    gap: Callable[..., Any]
    contains: Callable[..., Any]
    wireframe: Callable[..., Any]
    fit: Callable[..., Any] | None
    clear: Callable[..., Any] | None
    extend: Callable[..., Any] | None
    merge: Callable[..., Any] | None
    prepare: Callable[..., Any] | None
    prepared: int
    derived: bool
    """Whether its verbs take rows that are derived on the way down; leaves hold one triangle then."""


def _volume(module: ModuleType, width: int | None = None, fit: Callable[..., Any] | None = None) -> Volume:
    """The verbs of a file; variants share them and differ in their width or fit."""
    return Volume(
        width or module.WIDTH,
        module.size,
        module.overlap,
        module.gap,
        module.contains,
        module.wireframe,
        fit or getattr(module, "fit", None),
        getattr(module, "clear", None),
        getattr(module, "extend", None),
        getattr(module, "merge", None),
        getattr(module, "prepare", None),
        getattr(module, "PREPARED", 0),
        hasattr(module, "derive"),
    )


VOLUMES: dict[str, Volume] = {
    "aabb": _volume(aabb),
    "boxtree": _volume(boxtree),
    "sphere": _volume(sphere),
    "dop6": _volume(kdop, width=6),
    "dop14": _volume(kdop, width=14),
    "dop18": _volume(kdop, width=18),
    "dop26": _volume(kdop, width=26),
    "obb": _volume(obb),
    "obb_hull": _volume(obb, fit=obb.fit_hull),
    "pss": _volume(swept_sphere, fit=swept_sphere.fit_point),
    "lss": _volume(swept_sphere, fit=swept_sphere.fit_line),
    "rss": _volume(swept_sphere, fit=swept_sphere.fit_rectangle),
    "ssv": _volume(swept_sphere),
}
DEFAULT_VOLUME = "aabb"


def volume_named(name: str | None) -> Volume:
    """A volume by name (None: the default); raises UnsupportedOption and lists the known ones."""
    try:
        return VOLUMES[DEFAULT_VOLUME if name is None else name]
    except (KeyError, TypeError):
        raise UnsupportedOption(f"volume {name!r:.80} is not known; known are {', '.join(sorted(VOLUMES))}") from None
