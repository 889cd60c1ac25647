"""``build`` a hierarchy over a mesh, and ``refit`` it after the vertices have moved."""

import math
from collections.abc import Callable, Generator
from importlib import import_module
from typing import TypeVar, cast

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..jit import parallel_region, thread_limit
from ..lazy import OnDemand
from ..messages import a_type
from ..types.arguments import one_of
from ..types.foreign_meshes import ForeignMesh, as_own
from ..types.mesh import TriangleMesh, no_mesh
from ..types.numbers import truth, whole_number
from ..types.results import Progress
from ..types.steps import in_slices_unless, map_progress, run, scale_progress
from ..volumes.registry import DEFAULT_VOLUME, volume_named
from .boxes import LARGEST_LEAF, NO_COORDINATES, fit_boxes, relative_points
from .bvh import Hierarchy, MeshLike, Tree, TreeParts, Usage
from .morton import morton_tree_steps
from .refit import fit_volumes_steps
from .sah import sah_tree_steps
from .wide_bvh import collapse, coordinates_for, copy_boxes, fits_lanes

TreeSteps = Callable[[np.ndarray, np.ndarray, np.ndarray, int, np.ndarray, int], Generator[float, None, Tree]]
"""A builder in slices: arguments as ``build_morton_tree``; yields the fraction of triangles already in a leaf."""


def _of_lab(name: str) -> Callable[[], TreeSteps]:
    """Return a function that imports a builder of the lab, which clash detection never needs."""
    return lambda: cast(TreeSteps, import_module("...lab.heuristics", __name__).HEURISTICS[name])


SPLITS = OnDemand[TreeSteps](
    {"lbvh": morton_tree_steps, "sah": sah_tree_steps},
    {name: _of_lab(name) for name in ("volume", "volume_n", "kah", "median", "mean", "mean_side")},
)
_T = TypeVar("_T")
AUTO = "auto"
_KEY = "hierarchy "  # followed by the requested volume: key of hierarchies cached with a mesh
_FAST, _BETTER = "lbvh", "sah"
TESTS_TO_IMPROVE = 128
"""Volume tests per triangle after which a tree built by "sah" would have paid off: it saves a fifth of the tests, about
10 ns each, and takes about 0.25 us per triangle. So "auto" is at most twice as slow as the best choice in hindsight."""
_FEWEST_TRIANGLES = 50_000
"""Smaller meshes count as having this number of triangles, because the first use of "sah" may have to compile its
kernels."""
PARALLEL_FROM = 1 << 21
"""Number of triangles above which several threads build and refit."""
DEFAULT_LEAF_SIZE = 8


def _build_whole(
    mesh: TriangleMesh | ForeignMesh,
    volume: str | None = None,
    split: str = AUTO,
    leaf_size: int = DEFAULT_LEAF_SIZE,
    threads: int | None = None,
) -> Hierarchy:
    """Run ``build`` to its end, possibly on several threads; a build in slices uses one thread."""
    own, name, size = _checked(mesh, volume, split, leaf_size)
    parts = _build_parts(own, name, _FAST if split == AUTO else split, size, threads, volume is None)
    return Hierarchy(parts, name, size, may_improve=split == AUTO)


@in_slices_unless(_build_whole)
def build(
    mesh: TriangleMesh | ForeignMesh,
    volume: str | None = None,
    split: str = AUTO,
    leaf_size: int = DEFAULT_LEAF_SIZE,
    threads: int | None = None,
) -> Generator[Progress, None, Hierarchy]:
    """Build a hierarchy of bounding volumes for a mesh.

    Args:
        mesh: a TriangleMesh.
        volume: kind of bounding volume. None: "aabb", axis-aligned boxes. When contact queries have done enough work
            per triangle, they begin to use oriented boxes, too (``Hierarchy.is_oriented``, ``hierarchy/oriented.py``).
            For long, thin triangles, this point is reached early. "aabb": boxes along the axes only. Other volumes are
            "sphere", "dop6", "dop14", "dop18", "dop26" (k fixed directions), "obb" and "obb_hull" (oriented boxes,
            along the axes of the surface or of its convex hull), "pss", "lss", "rss" (spheres swept along a point,
            segment, rectangle), "ssv" (the cheapest of these three for each node), and "boxtree" (restricted boxes, 8
            bytes per node).
        split: split rule. "lbvh" sorts along a Morton curve and builds fast. "sah" splits by the surface area
            heuristic: it builds four times slower, and queries need a fifth to a third fewer volume tests. "auto" is
            "lbvh" until ``collide`` and similar queries have spent ``TESTS_TO_IMPROVE`` volume tests per triangle on
            the hierarchy. The next query of the hierarchy or of its mesh then starts by rebuilding the hierarchy in
            place, with "sah". "volume", "volume_n", "kah", "median", "mean" and "mean_side" are other rules from the
            literature, for comparison (``lab/heuristics.py``); no rule changes the results of queries.
        leaf_size: maximum number of triangles in a leaf, 1 to 64; in a "boxtree", each leaf always contains exactly one
            triangle.
        threads: maximum number of threads; if None, MeshClash chooses the number. A build that runs in slices uses one
            thread. The number of threads does not change a single byte of the hierarchy. Each pass over the whole mesh
            is one slice, which takes a tenth of a second for a million triangles.

    Raises:
        InvalidMesh: ``mesh`` is not a TriangleMesh.
        UnsupportedOption: an option is unknown or out of range.

    Example:
        >>> import meshclash as mc
        >>> tree = mc.build(mc.shapes.sphere(1.0))
        >>> mc.collides(tree, tree)
        True
    """
    thread_limit(threads)
    own, name, size = _checked(mesh, volume, split, leaf_size)
    building = parts_steps(1, own, name, _FAST if split == AUTO else split, size, volume is None)
    parts = yield from scale_progress(building, 0.0, 1.0)
    return Hierarchy(parts, name, size, may_improve=split == AUTO)


def _checked(mesh: object, volume: str | None, split: object, leaf_size: object) -> tuple[TriangleMesh, str, int]:
    """Validate the arguments of ``build``; return the mesh, the name of the volume and the leaf size."""
    mesh = as_own(mesh)
    if not isinstance(mesh, TriangleMesh):
        raise no_mesh(mesh, "a TriangleMesh to build a hierarchy over")
    derived = volume_named(volume).derived is not None
    one_of("split", split, sorted((AUTO, *SPLITS)))
    size = whole_number("leaf_size", leaf_size, 1, LARGEST_LEAF)
    return mesh, volume or DEFAULT_VOLUME, 1 if derived else size


def _build_parts(
    mesh: TriangleMesh, volume: str, split: str, leaf_size: int, threads: int | None, may_orient: bool
) -> TreeParts:
    with parallel_region(_useful_threads(mesh, threads)) as count:
        return run(parts_steps(count, mesh, volume, split, leaf_size, may_orient))


def _useful_threads(mesh: TriangleMesh, threads: int | None) -> int:
    """Return the number of threads to use; for a small mesh, loading the parallel kernels costs more than it saves."""
    allowed = thread_limit(threads)
    return allowed if mesh.triangle_count >= PARALLEL_FROM else 1


def parts_steps(
    threads: int, mesh: TriangleMesh, volume: str, split: str, leaf_size: int, may_orient: bool = False
) -> Generator[float, None, TreeParts]:
    """Build the parts of a hierarchy in slices, with the number of threads of the enclosing ``parallel_region``.

    ``may_orient``: whether a tree with an 8-wide form gets oriented boxes after much use.
    """
    vertices, triangles = mesh.arrays
    origin = _middle(mesh.bounds)
    points = relative_points(vertices, origin)
    # The builders first use the buffer for the coordinates as workspace: new memory costs more than most of their work.
    coordinates = coordinates_for(len(triangles))
    sorting = SPLITS[split](points, triangles, mesh.bounds - origin, leaf_size, coordinates, threads)
    tree = yield from _part(sorting, 0.0, 0.5)
    yield 0.5
    derived = volume_named(volume).derived
    if derived is not None:
        boxes = np.empty((len(tree.first), 6), np.float32)
        fit_boxes(tree, mesh, origin, boxes, NO_COORDINATES, threads)
        yield 0.75
        tree, nodes = derived.build(tree, boxes)
        return TreeParts(mesh, tree, nodes, origin, None, split, Usage(), False, {})
    volumes = np.empty((len(tree.first), volume_named(volume).width), np.float32)
    if volume != "aabb":
        yield from _part(fit_volumes_steps(tree, vertices, triangles, origin, volume, volumes), 0.5, 1.0)
        return TreeParts(mesh, tree, volumes, origin, None, split, Usage(), False, {})
    if not fits_lanes(volume, leaf_size):
        fit_boxes(tree, mesh, origin, volumes, NO_COORDINATES, threads)
        return TreeParts(mesh, tree, volumes, origin, None, split, Usage(), False, {})
    fit_boxes(tree, mesh, origin, volumes, coordinates, threads)
    yield 0.75
    wide = collapse(tree, volumes, coordinates)
    return TreeParts(mesh, tree, volumes, origin, wide, split, Usage(), may_orient, {})


def _part(steps: Generator[float, None, _T], low: float, high: float) -> Generator[float, None, _T]:
    """Map the progress of one stage to its range ``low`` to ``high`` of the progress of the whole build."""
    return map_progress(steps, lambda share: low + (high - low) * share)


def refit(hierarchy: Hierarchy, vertices: np.ndarray, in_place: bool = False) -> Hierarchy:
    """Return a hierarchy whose bounding volumes fit moved vertices. The structure of the tree stays the same.

    Args:
        hierarchy: made by ``build``; not changed unless ``in_place``.
        vertices: (n, 3) [m], as many as before.
        in_place: True overwrites the volumes and the 8-wide form of ``hierarchy``, gives it a new mesh and returns it.
            With ``in_place``, only the vertices need new memory. While you refit a hierarchy in place, no query may be
            using it, not even a query that is paused between two slices. The earlier mesh of the hierarchy and the
            results of earlier queries do not change.

    Raises:
        InvalidMesh: the vertices are invalid (see TriangleMesh) or their number differs, or ``hierarchy`` is not a
            Hierarchy.
        UnsupportedOption: ``in_place`` is neither True nor False.

    Example:
        >>> import meshclash as mc
        >>> mesh = mc.shapes.sphere(1.0)
        >>> tree = mc.refit(mc.build(mesh), 2.0 * mesh.vertices)
        >>> mc.distance(tree, mc.shapes.box(1.0)).distance > 1.0
        True
    """
    if not isinstance(hierarchy, Hierarchy):
        raise InvalidMesh(f"refit needs a Hierarchy made by build, not {a_type(hierarchy)}")
    parts, in_place = hierarchy.parts, truth("in_place", in_place)
    mesh = parts.mesh.with_vertices(vertices)
    target = parts if in_place else _copied(parts)
    parts = _fitted(target._replace(mesh=mesh, origin=_middle(mesh.bounds), derived={}), hierarchy.volume)
    parts.usage.updated_nodes += len(parts.volumes)
    if not in_place:
        return Hierarchy(parts, hierarchy.volume, hierarchy.leaf_size, hierarchy.may_improve)
    hierarchy.parts = parts
    hierarchy.derived = {}
    return hierarchy


def _middle(bounds: np.ndarray) -> np.ndarray:
    return 0.5 * bounds[0] + 0.5 * bounds[1]


def _copied(parts: TreeParts) -> TreeParts:
    """Return the same tree with new arrays for all data that a fit changes.

    Arrays that a fit does not overwrite completely are copied; the other arrays are left uninitialised.
    """
    wide = parts.wide
    if wide is None:
        return parts._replace(volumes=parts.volumes.copy())
    wide = wide._replace(nodes=wide.nodes.copy(), coordinates=coordinates_for(parts.mesh.triangle_count))
    return parts._replace(volumes=np.empty_like(parts.volumes), wide=wide)


def _fitted(parts: TreeParts, volume: str) -> TreeParts:
    """Fit the volumes of a tree, and its 8-wide form if it has one, to its mesh, in place."""
    vertices, triangles = parts.mesh.arrays
    derived = volume_named(volume).derived
    if derived is not None:
        derived.fit(parts.volumes, vertices, triangles, parts.origin)
        return parts
    if volume != "aabb":
        run(fit_volumes_steps(parts.tree, vertices, triangles, parts.origin, volume, parts.volumes))
        return parts
    coordinates = NO_COORDINATES if parts.wide is None else parts.wide.coordinates
    with parallel_region(_useful_threads(parts.mesh, None)) as count:
        fit_boxes(parts.tree, parts.mesh, parts.origin, parts.volumes, coordinates, count)
    if parts.wide is not None:
        copy_boxes(parts.wide, parts.volumes)
    return parts


def as_hierarchy(mesh: object, volume: str | None = None) -> Hierarchy:
    """Return the hierarchy of a mesh, which is built on first use and cached with the mesh. A hierarchy is returned
    unchanged.

    Raises:
        InvalidMesh: ``mesh`` is neither a mesh nor a hierarchy.
        UnsupportedOption: the volume is unknown, or ``mesh`` is a hierarchy of another volume.
    """
    volume_named(volume)
    mesh = as_own(mesh)
    if isinstance(mesh, Hierarchy):
        if volume is not None and volume != mesh.volume:
            raise UnsupportedOption(
                f"the hierarchy was built with volume {mesh.volume!r}, but the query uses volume {volume!r}"
            )
        return _improved(mesh)
    if not isinstance(mesh, TriangleMesh):
        raise no_mesh(mesh)
    key = f"{_KEY}{volume or 'by choice'}"
    if key not in mesh.derived:
        mesh.derived[key] = build(mesh, volume)
    return _improved(mesh.derived[key])


def is_prepared(mesh: TriangleMesh) -> bool:
    """Return whether a hierarchy of any kind is cached with a mesh."""
    return any(key.startswith(_KEY) for key in mesh.derived)


def as_hierarchies(a: object, b: object, volume: str | None = None) -> tuple[Hierarchy, Hierarchy]:
    """Return the hierarchies of two objects with the same kind of volume.

    The kind is ``volume`` if given, otherwise that of a hierarchy among the two, otherwise the default.

    Raises:
        InvalidMesh, UnsupportedOption: as ``as_hierarchy``; UnsupportedOption also if the two are hierarchies of
            different volumes.
    """
    kinds = [thing.volume for thing in (a, b) if isinstance(thing, Hierarchy)]
    if volume is None and kinds:
        if kinds[0] != kinds[-1]:
            raise UnsupportedOption(
                f"the hierarchies were built with different volumes, {kinds[0]!r} and {kinds[-1]!r}: "
                "build both with the same volume"
            )
        volume = None if kinds[0] == DEFAULT_VOLUME else kinds[0]
    return as_hierarchy(a, volume), as_hierarchy(b, volume)


def improves_at(hierarchy: Hierarchy) -> float:
    """Return the number of volume tests after which a hierarchy is rebuilt with a better split; infinite if it is never
    rebuilt.
    """
    parts = hierarchy.parts
    if not hierarchy.may_improve or parts.split != _FAST:
        return math.inf
    return TESTS_TO_IMPROVE * max(parts.mesh.triangle_count, _FEWEST_TRIANGLES)


def _improved(hierarchy: Hierarchy) -> Hierarchy:
    """Return the hierarchy; rebuild it first with the better split if it has been used enough."""
    parts = hierarchy.parts
    if parts.usage.volume_tests >= improves_at(hierarchy):
        hierarchy.parts = _build_parts(
            parts.mesh, hierarchy.volume, _BETTER, hierarchy.leaf_size, None, parts.may_orient
        )
    return hierarchy


def as_boxes(mesh: MeshLike) -> Hierarchy:
    """Return a hierarchy of boxes for a mesh or a hierarchy, for queries that support only boxes.

    If the argument is a hierarchy with another kind of volume, the function returns the hierarchy of boxes of its mesh.
    """
    if isinstance(mesh, Hierarchy) and mesh.volume != DEFAULT_VOLUME:
        return as_hierarchy(mesh.mesh)
    return as_hierarchy(mesh)
