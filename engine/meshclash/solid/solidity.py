"""Determine whether an open mesh represents a solid, how wide its gaps are, and how certain inside and outside are.

Source: Jacobson et al. (2013) for the winding number as a measure of inside. Thresholds and certainties were fitted to
known solids with artificial damage. The benchmark ``python -m bench open-meshes`` tests the thresholds on other models
and seeds.
"""

import math
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..hierarchy.moments import moments_steps
from ..jit import kernel
from ..reference import by_reference
from ..traversal.forest import pack_trees
from ..traversal.layers import joined_numbers, open_edges_steps
from ..traversal.point import IDENTITY, nearest, new_point_workspace, world_triangle
from ..traversal.solids import doubled_areas, kept_solids_steps
from ..types.foreign_meshes import ForeignMesh, as_own
from ..types.mesh import TriangleMesh, mesh_over
from ..types.pose import transform_points
from ..types.slices import Pace
from ..types.steps import run
from .boundary_mesh import BoundaryMesh, boundary_mesh_steps
from .field import NEAREST, WINDING, Field, PosedSurface
from .repair import Repair, Shaped, passed_boxes, repair_steps

KNOWN = 0.99
"""Minimum certainty with which a point counts as known to be inside or outside."""
_LEAST_DECIDED = 0.8
_LEAST_THICKNESS = 0.45
_CLOSE, _CLOSE_CERTAINTY = 0.06, 0.65  # four standard deviations of the probes' result
_CLOSED_PARTS_CERTAINTY = 0.999
_PROBES, _LEAST_PROBES = 1000, 64
_CLEAR = 64.0  # triangle boxes that a ray passes; if there are more, fewer points are probed
_AT_ONCE = 128  # probes
_SIDES_AT_ONCE = 1 << 15  # triangles whose sides are looked up in one step
_SHELL = "the mesh was made a shell: nothing lies inside it. Make it without shell=True"
_UNTOLD = np.empty((0, 2, 3))
_SURE = 0.39  # least ||w| - 1/2| with which a winding number tells inside from outside
_GAPS = 2.0  # crack widths from the surface from which on a winding number is reliable
_RIM_REACH = 1.5  # hole radii: points outside that near to its rim may be in the missing part
_KNOTS = np.array([0.0, 0.1, 0.2, 0.3, _SURE])  # of ||w| - 1/2|
_PLAIN, _AT_RIM, _IN_CRACK = 0, 1, 2
# Certainty at these knots, and from the last one on: clear of cracks and rims, outside a rim, and up to half a gap, one
# gap and two gaps from the surface.
_CERTAINTY = np.array(
    [
        [0.62, 0.79, 0.92, 0.945, 0.98, 0.9997],
        [0.40, 0.56, 0.66, 0.80, 0.92, 0.97],
        [0.50, 0.52, 0.57, 0.61, 0.63, 0.735],
        [0.56, 0.68, 0.77, 0.85, 0.92, 0.965],
        [0.60, 0.75, 0.87, 0.95, 0.98, 0.985],
    ]
)


class Solidity(NamedTuple):
    """Says whether a mesh bounds a solid, and where the mesh is open."""

    solid: bool
    """Whether inside and outside can be distinguished."""
    closed: bool
    """Whether the result is exact: the mesh is closed, at least after removing faces that bound no volume and joining
    seams."""
    reason: str
    """Why the mesh is not a solid, or how it was repaired; "" for a closed mesh."""
    open_edges: np.ndarray
    """Ends of its open edges [m], (k, 2, 3) float64, in the object's frame."""
    gap: float
    """Width of its cracks [m], 0 if triangles meet."""
    decided: float
    """Share of probe points off the surface whose winding number distinguishes inside from outside."""
    merged: int
    """Number of faces left out: copies, flat faces, second layers of two-sided faces, and faces inside material."""
    turned: int
    """Number of faces turned over."""
    joined: int
    """Number of vertices merged with other vertices, to close the mesh at its seams."""
    certainty: float
    """Probability that ``solid`` and ``closed`` are right; below 1 if the resolution or few probes decide."""


class IntendedSolid(NamedTuple):
    """The solid that a mesh represents, prepared for queries about points."""

    repair: Repair
    solidity: Solidity
    """As ``solidity`` returns it, but without the ends of open edges, which take much memory: see ``repair``."""
    radii: np.ndarray
    """Radius of the hole at each side of each triangle of the repaired mesh [m], (m, 3); NaN without a hole."""


class _Decided(NamedTuple):
    """Decisions about a mesh from before it was deformed."""

    shaped: Shaped
    decided: float
    thickness: float


def intended_solid(mesh: TriangleMesh) -> IntendedSolid:
    """Return the solid that a mesh represents; the result is cached with the mesh."""
    return run(intended_solid_steps(mesh))


def intended_solid_steps(mesh: TriangleMesh) -> Generator[None, None, IntendedSolid]:
    """Like ``intended_solid``, as a generator that yields every few milliseconds."""
    if "meant" not in mesh.derived:
        drawn = yield from boundary_mesh_steps(mesh)
        mesh.derived["meant"] = yield from _meant_steps(mesh, drawn)
    return mesh.derived["meant"]


def bounding_steps(mesh: TriangleMesh) -> Generator[None, None, IntendedSolid | None]:
    """Return the solid that a mesh represents, or else its closed parts as solids; None if the mesh has neither."""
    meant = yield from intended_solid_steps(mesh)
    if meant.solidity.solid:
        return meant
    if "closed parts" not in mesh.derived:
        mesh.derived["closed parts"] = None if mesh.shell else (yield from _closed_parts_steps(meant))
    return mesh.derived["closed parts"]


def solidity(mesh: MeshLike | ForeignMesh) -> Solidity:
    """Return whether a mesh bounds a solid, either exactly or with holes and cracks. The result also says where the
    mesh is open. If the mesh does not bound a solid, the result gives the reason.

    The function ignores faces that do not bound a volume, such as copies, flat faces, second layers, and faces inside
    the material. The function also joins open edges at the same position, gives all faces a consistent winding, and
    turns each component outward. To decide whether a mesh with holes counts as a solid, the function computes winding
    numbers at probe points. The mesh counts as a solid if the winding numbers clearly separate inside from outside at
    enough of these points. The probe points are the same in every run. If a mesh was created with ``shell=True``, it
    does not bound a volume.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> mc.solidity(box).solid
        True
        >>> without_a_face = mc.TriangleMesh(box.vertices, box.triangles[:-1])
        >>> mc.solidity(without_a_face).closed
        False
    """
    mesh = as_own(mesh)
    meant = intended_solid(mesh.mesh if isinstance(mesh, Hierarchy) else as_hierarchy(mesh).mesh)
    return meant.solidity._replace(open_edges=meant.repair.mesh.vertices[meant.repair.open_edges])


def certainties(meant: IntendedSolid, field: Field, rows: np.ndarray = IDENTITY) -> np.ndarray:
    """Return the probability (n,) that winding numbers at points with known nearest points correctly distinguish inside
    from outside.

    ``rows`` (3, 4) is the pose in which the points of the field were measured.
    """
    mesh, gap = meant.repair.mesh, meant.solidity.gap
    undecided = np.abs(np.abs(field.windings) - 0.5)
    place = np.full(len(undecided), _PLAIN)
    at_rim = field.distances < _RIM_REACH * _rim_radius(mesh, meant.radii, field, rows)
    place[at_rim & (np.abs(field.windings) < 0.5)] = _AT_RIM
    for zone, gaps in ((2, _GAPS), (1, 1.0), (0, 0.5)):
        place[field.distances < gaps * gap] = _IN_CRACK + zone
    result = np.empty(len(undecided))
    for row, known in enumerate(_CERTAINTY):
        own = place == row
        result[own] = np.where(undecided[own] >= _SURE, known[-1], np.interp(undecided[own], _KNOTS, known[:-1]))
    return result


def understood(mesh: TriangleMesh) -> tuple[str, float] | None:
    """Return a description of how a mesh was repaired, and the certainty of the repair; None if the mesh was used
    unchanged.

    Returns only cached results and computes nothing.
    """
    drawn: BoundaryMesh | None = mesh.derived.get("drawn")
    if drawn is None or mesh.shell:
        return None
    if drawn.mesh.is_closed:
        done = _what_was_done(drawn.left_out, 0, drawn.joined, len(drawn.doubts) > 0)
        changed = drawn.mesh is not mesh or len(drawn.doubts) > 0
        return (done or "seams closed", _certainty_of(drawn)) if changed else None
    meant: IntendedSolid | None = mesh.derived.get("meant") or drawn.mesh.derived.get("meant")
    return None if meant is None else (meant.solidity.reason, meant.solidity.certainty)


def _meant_steps(mesh: TriangleMesh, drawn: BoundaryMesh) -> Generator[None, None, IntendedSolid]:
    no_rims = np.empty((0, 3))
    if drawn.mesh.is_closed:
        repair = Repair(drawn.mesh, drawn.faces, drawn.left_out, 0, np.empty((0, 2), np.int32))
        done = _what_was_done(drawn.left_out, 0, drawn.joined, len(drawn.doubts) > 0)
        told = Solidity(True, True, done, _UNTOLD, 0.0, 1.0, drawn.left_out, 0, drawn.joined, _certainty_of(drawn))
        return IntendedSolid(repair, told, no_rims)
    before: _Decided | None = mesh.decided.get("meant")
    repair, shaped = yield from repair_steps(drawn.mesh, drawn.faces, mesh.decided.get("facing"))
    mesh.decided["facing"] = shaped
    edges, left_out = repair.open_edges, mesh.triangle_count - len(repair.faces)
    repair = repair._replace(merged=left_out)
    numbers = left_out, repair.turned, 0
    if mesh.shell:
        return IntendedSolid(repair, Solidity(False, False, _SHELL, _UNTOLD, 0.0, 0.0, *numbers, 1.0), no_rims)
    yield
    probes = max(_LEAST_PROBES, int(_PROBES * min(1.0, _CLEAR / passed_boxes(repair.mesh))))
    if before is not None and shaped is before.shaped:  # the mesh is only deformed
        decided, thickness, gap = (
            before.decided,
            before.thickness,
            (yield from _crack_steps(repair.mesh, _rng(), probes)),
        )
    else:
        decided, thickness, gap = yield from _probed_steps(repair.mesh, probes)
    middle = repair.mesh.vertices[edges[:1]].mean(axis=1)
    place = ", ".join(f"{x:.6g}" for x in middle[0]) if len(edges) else "nowhere"
    where = f"{len(edges)} open edges, one at ({place})"
    nearly = min(decided - _LEAST_DECIDED, thickness - _LEAST_THICKNESS)
    if shaped is not None and abs(nearly) > 2.0 * _CLOSE:
        mesh.decided["meant"] = _Decided(shaped, decided, thickness)
    certainty = _CLOSE_CERTAINTY if abs(nearly) < _CLOSE * math.sqrt(_PROBES / probes) else drawn.certainty
    if nearly < 0.0:
        kind = "a sheet rather than a solid" if thickness < _LEAST_THICKNESS else "too open to be a solid"
        reason = (
            f"the mesh is {kind}: {where}; inside and outside can be told for {decided:.0%} of the space around it "
            f"({_LEAST_DECIDED:.0%} are needed). Close its holes or give it a thickness"
        )
        return IntendedSolid(
            repair, Solidity(False, False, reason, _UNTOLD, gap, decided, *numbers, certainty), no_rims
        )
    cracked = f", cracks of {gap:.3g} m" if gap > 0.0 else ""
    reason = f"the mesh is open: {where}{cracked}. {_what_was_done(*numbers)}".strip()
    return IntendedSolid(
        repair,
        Solidity(True, False, reason, _UNTOLD, gap, decided, *numbers, certainty),
        (yield from _radii_steps(repair)),
    )


def _closed_parts_steps(meant: IntendedSolid) -> Generator[None, None, IntendedSolid | None]:
    """Return the closed components of a mesh that does not represent a solid as a whole; None if the mesh has no closed
    components.
    """
    mesh, repair = meant.repair.mesh, meant.repair
    whole = np.ones(mesh.topology.component_count, np.bool_)
    found = yield from open_edges_steps(mesh.arrays[1], mesh.topology.welded)
    whole[mesh.topology.component[found.triangles]] = False
    chosen = np.flatnonzero(whole[mesh.topology.component])
    if not len(chosen):
        return None
    part = mesh_over(mesh, mesh.triangles[chosen], mesh.resolution)
    yield from part.topology_steps()
    if not part.is_closed:
        return None
    kept = repair._replace(mesh=part, faces=repair.faces[chosen], open_edges=repair.open_edges[:0])
    told = meant.solidity._replace(solid=True, closed=True, gap=0.0, decided=1.0, certainty=_CLOSED_PARTS_CERTAINTY)
    return IntendedSolid(kept, told, meant.radii)


def _what_was_done(left_out: int, turned: int, joined: int, doubtful: bool = False) -> str:
    numbers = {"faces left out": left_out, "faces turned over": turned, "vertices joined at seams": joined}
    done = [f"{number} {what}" for what, number in numbers.items() if number]
    return ", ".join([*done, "inner parts may be cavities or material"] if doubtful else done)


def _certainty_of(drawn: BoundaryMesh) -> float:
    """Return the certainty of a closed boundary, including the facing of its components."""
    return min(drawn.certainty, float(drawn.doubts[:, 6].min(initial=1.0)))


def _probed_steps(mesh: TriangleMesh, probes: int) -> Generator[None, None, tuple[float, float, float]]:
    """Return the share of decided probe points, thickness and width of cracks [m] of an open mesh.

    Thickness is 1 - 2 mean ||w| - 1/2| over the surface, w the mean of its two sides: 1 for a solid, 0 for a sheet.
    """
    tree, rng = as_hierarchy(mesh), _rng()
    yield
    gap = yield from _crack_steps(mesh, rng, probes)
    low, high = mesh.bounds
    size = max(float((high - low).max()), 2.0**-1000)
    areas = doubled_areas(mesh, size)
    total = float(areas.sum())
    if not total > 0.0:
        return 0.0, 0.0, gap
    t = rng.choice(len(areas), probes, p=areas / total)
    corners = mesh.vertices[mesh.triangles[t]]
    edges = (corners[:, 1:] - corners[:, :1]) / size
    normals = np.cross(edges[:, 0], edges[:, 1])
    units, middles = normals / np.linalg.norm(normals, axis=1)[:, None], corners.mean(axis=1)
    both = []
    for side in (1, -1):
        points = middles + side * 1e-6 * size * units
        both.append((yield from _fields_steps(tree, points, WINDING)).windings)
    thickness = float(1.0 - 2.0 * np.abs(np.abs(0.5 * (both[0] + both[1])) - 0.5).mean())
    away = size * 10.0 ** rng.uniform(-3, -1, probes) * rng.choice([-1.0, 1.0], probes)
    in_box = 0.5 * low + 0.5 * high + (rng.random((probes // 2, 3)) - 0.5) * (high - low) * 1.1
    points = np.concatenate([in_box, middles + away[:, None] * units])
    field = yield from _fields_steps(tree, points, NEAREST | WINDING)
    clear = field.distances > max(0.003 * size, _GAPS * gap)
    decided = np.abs(np.abs(field.windings[clear]) - 0.5) >= _SURE
    return float(decided.mean()) if len(decided) else 0.0, thickness, gap


def _rng() -> np.random.Generator:
    """Return the generator of all probes, seeded so that they are the same in every run."""
    return np.random.default_rng(0)


def _fields_steps(tree: Hierarchy, points: np.ndarray, kind: int) -> Generator[None, None, Field]:
    """Measure points in portions; each portion starts a new search for nearest triangles."""
    yield from kept_solids_steps(tree)
    if kind & WINDING:
        yield from moments_steps(tree.parts)
    fields, surface = [], PosedSurface(tree, IDENTITY)
    for begin in range(0, len(points), _AT_ONCE):
        fields.append((yield from surface.measure_steps(points[begin : begin + _AT_ONCE], kind)))
    return Field(*(np.concatenate(columns) for columns in zip(*fields, strict=True)))


def _crack_steps(mesh: TriangleMesh, rng: np.random.Generator, probes: int) -> Generator[None, None, float]:
    """Return the 95th percentile of corners' distances to another triangle [m]; 0 if nearly all corners share a
    position.
    """
    welded = mesh.topology.welded[mesh.triangles]
    alone = np.bincount(welded.ravel(), minlength=mesh.vertex_count)[welded] == 1
    if alone.mean() <= 0.05 or mesh.triangle_count < 2:
        return 0.0
    chosen = rng.choice(mesh.triangle_count, min(mesh.triangle_count, probes), replace=False)
    tree_set = pack_trees([as_hierarchy(mesh)])
    found, work = np.empty((len(chosen), 3)), new_point_workspace()
    frame = tree_set.forest, IDENTITY, np.eye(3), tree_set.origins[0], tree_set.reaches[0]
    for begin, end in Pace().ranges(0, len(chosen)):
        _distances_to_others(*frame, chosen[begin:end], work, found[begin:end])
        yield
    return float(np.quantile(found, 0.95))


@kernel
def _distances_to_others(forest, pose, inverse, origin, reach, chosen, work, found):
    """Fill ``found`` (n, 3) with the distances of the corners of triangles (n,) to the nearest other triangle."""
    forest = by_reference(forest)
    work = by_reference(work)
    for i in range(chosen.shape[0]):
        t = chosen[i]
        a, b, c = world_triangle(forest, np.int64(0), t, pose)
        for k in range(3):
            p = a if k == 0 else (b if k == 1 else c)
            found[i, k] = nearest(forest, np.int64(0), pose, inverse, origin, reach, p, math.inf, -1.0, work, t)[0]


def _radii_steps(repair: Repair) -> Generator[None, None, np.ndarray]:
    """Compute ``IntendedSolid.radii``: the rim's length over 2 pi; a rim consists of open edges that share vertices."""
    mesh, edges = repair.mesh, repair.open_edges
    rims = joined_numbers(mesh.vertex_count, edges)[edges[:, 0]]
    yield
    lengths = np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1)
    radius = np.bincount(rims, lengths)[rims] / (2.0 * math.pi)
    yield
    keys = edges[:, 0].astype(np.int64) * mesh.vertex_count + edges[:, 1]
    order = np.argsort(keys)
    keys, radius = keys[order], radius[order]
    radii = np.full((mesh.triangle_count, 3), np.nan)
    for begin in range(0, mesh.triangle_count, _SIDES_AT_ONCE):
        yield
        own = slice(begin, begin + _SIDES_AT_ONCE)
        corners = mesh.topology.welded[mesh.triangles[own]]
        others = corners[:, [1, 2, 0]]
        wanted = np.minimum(corners, others) * mesh.vertex_count + np.maximum(corners, others)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        radii[own] = np.where(keys[place] == wanted, radius[place], np.nan)
    return radii


def _rim_radius(mesh: TriangleMesh, radii: np.ndarray, field: Field, rows: np.ndarray) -> np.ndarray:
    """Return the radius (n,) of the hole whose rim contains a point's nearest point, 0 if that lies elsewhere."""
    result = np.zeros(len(field.triangles))
    near = np.flatnonzero(~np.isnan(radii[field.triangles]).all(axis=1))
    if len(near) == 0:
        return result
    corners = transform_points(rows, mesh.vertices[mesh.triangles[field.triangles[near]]])
    own = radii[field.triangles[near]]
    tolerance = 1e-9 * float((mesh.bounds[1] - mesh.bounds[0]).max()) + 1e-15 * float(np.abs(corners).max())
    for k in range(3):
        a, along = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        length2 = np.maximum((along**2).sum(axis=1), 1e-300)
        share = np.clip(((field.points[near] - a) * along).sum(axis=1) / length2, 0.0, 1.0)
        on = np.linalg.norm(a + share[:, None] * along - field.points[near], axis=1) <= tolerance
        result[near] = np.where(on & ~np.isnan(own[:, k]), np.maximum(result[near], own[:, k]), result[near])
    return result
