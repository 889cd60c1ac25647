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

A volume that is derived from its parent's as a traversal descends, instead of stored, says by ``DERIVED`` how its
trees are made and read, and has none of these three ways; its ``size``, ``overlap`` and ``gap`` take what the traversal
carries.

``relative`` is a row of ``relative_pose.py``; a volume that needs more says so by ``PREPARED``, the numbers of a longer
row, and ``prepare(relative, root_a, root_b, out)``, called once per pose.
"""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from ..lazy import OnDemand
from ..types.arguments import one_of
from . import aabb, obb


class Derived(NamedTuple):
    """How trees are made and read whose volumes are derived on the way down; their leaves hold one triangle."""

    root: int
    """Row of the root."""
    carried: int
    """Numbers of each of the two rows that a pair of nodes carries."""
    nodes_of: Callable[..., Any]
    """forest -> arrays for the next ones; these are as ``traversal/access.py`` describes them."""
    children: Callable[..., Any]
    begin: Callable[..., Any]
    derive: Callable[..., Any]
    exchange: Callable[..., Any]
    build: Callable[..., Any]
    """(tree, boxes (n, 6) float32) -> (Tree with nothing but the depth, volumes)."""
    fit: Callable[..., Any]
    """(volumes, vertices, triangles, origin): moves the volumes to vertices."""


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
    derived: Derived | None
    """Where its verbs take rows that are derived on the way down."""


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
        getattr(module, "DERIVED", None),
    )


def _of_lab(file: str, width: int | None = None, fit: str | None = None) -> Callable[[], Volume]:
    """What imports the verbs of a file of ``lab/volumes``."""

    def load() -> Volume:
        module = import_module(f"...lab.volumes.{file}", __name__)
        return _volume(module, width, None if fit is None else getattr(module, fit))

    return load


VOLUMES = OnDemand(
    {"aabb": _volume(aabb), "obb": _volume(obb)},
    {
        "boxtree": _of_lab("boxtree"),
        "sphere": _of_lab("sphere"),
        "dop6": _of_lab("kdop", width=6),
        "dop14": _of_lab("kdop", width=14),
        "dop18": _of_lab("kdop", width=18),
        "dop26": _of_lab("kdop", width=26),
        "obb_hull": _of_lab("obb_hull"),
        "pss": _of_lab("swept_sphere", fit="fit_point"),
        "lss": _of_lab("swept_sphere", fit="fit_line"),
        "rss": _of_lab("swept_sphere", fit="fit_rectangle"),
        "ssv": _of_lab("swept_sphere"),
    },
)
"""Volumes by name. Detection needs the first two; the others are for comparison and to look at."""
DEFAULT_VOLUME = "aabb"


def volume_named(name: str | None) -> Volume:
    """A volume by name (None: the default); raises UnsupportedOption and lists the known ones."""
    return VOLUMES[DEFAULT_VOLUME if name is None else one_of("volume", name, sorted(VOLUMES))]
