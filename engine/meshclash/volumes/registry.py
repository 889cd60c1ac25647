"""The bounding volumes that hierarchies can be built from.

A volume is a row of float32 numbers and a few functions, which are marked ``portable`` and lie in one file:

``WIDTH``                           the length of the row, unless each entry of ``VOLUMES`` has a width of its own
``size(volume)``                    a measure by which traversals choose where to descend
``overlap(a, b, relative)``         whether two may overlap in a relative pose; "False" is always right
``gap(a, b, relative)``             lower bound [m] of the world distance of their contents
``contains(volume, x, y, z)``       whether it contains a point; exact for fractions (for tests, not compiled)
``wireframe(volumes)``              segments (m, 2, 3) float64 that draw rows (n, width) (not compiled)

A volume is made from its contents in one of two ways. Either from points one by one and from two others,

``clear(volume)``                   make it empty
``extend(volume, x, y, z)``         enlarge it to contain a point (float64, relative to the hierarchy's origin), outward
``merge(volume, left, right)``      make it contain two others

or at once,

``fit(points, volume)``             around the corners of triangles, (3 m, 3) float64, relative to the origin

A volume may be derived from its parent's volume during a traversal instead of being stored. Such a file then defines
``DERIVED``, which says how its trees are built and read, and has no ``clear``, ``extend``, ``merge`` or ``fit``. The
arguments of its ``size``, ``overlap`` and ``gap`` are the numbers that the traversal carries.

``relative`` is a row of ``relative_pose.py``. A volume that needs more defines ``PREPARED``, the length of a longer
row, and ``prepare(relative, root_a, root_b, out)``, which is called once per pose.
"""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from ..lazy import OnDemand
from ..types.arguments import one_of
from . import aabb, obb


class Derived(NamedTuple):
    """Functions for trees whose bounding volumes are derived during the traversal; their leaves contain one
    triangle.
    """

    root: int
    """Row of the root."""
    carried: int
    """Length of each of the two rows that a pair of nodes carries."""
    nodes_of: Callable[..., Any]
    """forest -> arrays for the following functions; ``traversal/access.py`` describes them."""
    children: Callable[..., Any]
    begin: Callable[..., Any]
    derive: Callable[..., Any]
    exchange: Callable[..., Any]
    build: Callable[..., Any]
    """(tree, boxes (n, 6) float32) -> (Tree with only the depth, volumes)."""
    fit: Callable[..., Any]
    """(volumes, vertices, triangles, origin): refits the volumes to vertices."""


class Volume(NamedTuple):
    """The functions of a volume, and the length of its rows."""

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
    """Set if the functions of the volume take rows that are derived during the traversal."""


def _volume(module: ModuleType, width: int | None = None, fit: Callable[..., Any] | None = None) -> Volume:
    """Return the functions of a file; variants share these functions but have another width or fit."""
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
    """Return a function that imports a file of ``lab/volumes``.

    Args:
        file: name of the file.
        width: length of the rows; None: ``WIDTH`` of the file.
        fit: name of the file's function that fits volumes; None: ``fit``, or point by point if the file has none.
    """

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
"""Volumes by name. Detection needs the first two volumes; the other volumes are for comparison and visualisation."""
DEFAULT_VOLUME = "aabb"


def volume_named(name: str | None) -> Volume:
    """Return a bounding volume by name (None: the default); raise UnsupportedOption, which lists the supported
    names.
    """
    return VOLUMES[DEFAULT_VOLUME if name is None else one_of("volume", name, sorted(VOLUMES))]
