"""``signed_distance``, ``contains`` and ``winding_number``: where points lie with respect to one mesh."""

from typing import Any, NamedTuple

import numpy as np

from ..errors import NotASolid, UnsupportedOption
from ..hierarchy.build import as_boxes
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..solid.field import EXACT_SIDE, NEAREST, ON, WINDING, WINDING_SIDE, Field, measure_field
from ..solid.solidity import Meant, certainties, meant_by
from ..types.foreign import ForeignMesh, as_own
from ..types.numbers import refuse_masked
from ..types.pose import LARGEST_COORDINATE, PoseLike, pose_stack
from .options import check_threads


class SignedDistance(NamedTuple):
    """Where n points lie with respect to a solid."""

    distance: np.ndarray
    """Distance to the surface [m], (n,) float64: negative inside, positive outside; 0 on the surface."""
    point: np.ndarray
    """Nearest point of the surface [m], world, (n, 3) float64."""
    triangle: np.ndarray
    """Triangle that it lies on, (n,) int32; of several equally near ones, any."""
    certainty: np.ndarray
    """Probability that the sign is right, (n,) float64: 1 for a closed mesh, of an open one known from 0.99 on."""


def signed_distance(
    mesh: MeshLike | ForeignMesh, points: Any, pose: PoseLike = None, *, threads: int | None = None
) -> SignedDistance:
    """Distance of points to a mesh's surface, negative inside the solid that it bounds.

    For a closed mesh the sign is exact: it is decided by the predicates that decide contacts, however near a point is,
    and the distance is 0 for the points on the surface and for no others. Inside is where the winding number is not 0.

    An open mesh stands for the solid that it means (``solidity``): copies of faces merged, faces turned outward, inside
    where the generalised winding number is above one half. The distance is that to the faces that are there, and each
    sign has a certainty, low within holes and cracks.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        points: array-like, shape (n, 3), world coordinates [m].
        pose: of the mesh: None (identity), a Pose or a rigid (4, 4) matrix.
        threads: most threads to use; None leaves the choice to the engine. The answer is the same.

    Raises:
        NotASolid: an open mesh that bounds nothing; the message says where it is open.
        InvalidMesh, InvalidPose; UnsupportedOption: a stack of poses, points that are no finite (n, 3) numbers.
    """
    world, rows = checked_points(points), _single_pose("signed_distance", pose)
    tree, meant = _meant_boxes(as_own(mesh))
    side = EXACT_SIDE if meant.solidity.closed else WINDING_SIDE
    field = measure_field(tree, rows, world, NEAREST | side, check_threads(threads))
    distance = np.where(_is_inside(field), -field.distances, field.distances)
    certainty = np.ones(len(world)) if meant.solidity.closed else certainties(meant, field, rows)
    return SignedDistance(distance, field.points, meant.repair.faces[field.triangles], certainty)


def contains(
    mesh: MeshLike | ForeignMesh, points: Any, pose: PoseLike = None, *, threads: int | None = None
) -> np.ndarray:
    """Which points lie in the solid that a mesh bounds; points on its surface do: a solid is a closed set.

    Args:
        mesh, points, pose, threads: as ``signed_distance``.

    Returns:
        (n,) bool; exact for a closed mesh, the likelier answer for an open one (``signed_distance`` says how certain).

    Raises:
        as ``signed_distance``.
    """
    world, rows = checked_points(points), _single_pose("contains", pose)
    tree, meant = _meant_boxes(as_own(mesh))
    if not meant.solidity.closed:
        return _is_inside(measure_field(tree, rows, world, WINDING_SIDE, check_threads(threads)))
    field = measure_field(tree, rows, world, EXACT_SIDE, check_threads(threads))
    return _is_inside(field) | (field.states == ON)


def winding_number(
    mesh: MeshLike | ForeignMesh, points: Any, pose: PoseLike = None, *, threads: int | None = None
) -> np.ndarray:
    """How often a mesh's surface goes around points, triangles taken as they are wound; also for open meshes.

    The generalised winding number (Jacobson 2013): the solid angle of all triangles over 4 pi, 1 inside a closed mesh
    whose normals point outward and 0 outside. Of a closed mesh that is wound consistently it is the exact integer for
    every point off the surface. Of others it is summed with moments of far triangles (Barill 2018); the error is some
    thousandths, at most 0.01 in what was measured. On the surface itself it is the mean of both sides.

    Args:
        mesh, points, pose, threads: as ``signed_distance``.

    Returns:
        (n,) float64.

    Raises:
        as ``signed_distance``.
    """
    world, rows = checked_points(points), _single_pose("winding_number", pose)
    threads = check_threads(threads)
    tree = as_boxes(as_own(mesh))
    topology = tree.mesh.topology
    if not topology.closed or (topology.orientation < 0).any():
        return measure_field(tree, rows, world, WINDING, threads).windings
    field = measure_field(tree, rows, world, EXACT_SIDE, threads)
    on = np.flatnonzero(field.states == ON)
    if len(on):
        field.windings[on] = measure_field(tree, rows, world[on], WINDING, threads).windings
    return field.windings


def checked_points(points: Any) -> np.ndarray:
    """Points as (n, 3) float64; raises UnsupportedOption and names the first one that is none."""
    refuse_masked("points", points, UnsupportedOption)
    try:
        given = np.asarray(points)
        if given.dtype.kind not in "fiuO":
            raise TypeError(f"they are {given.dtype}")
        array = np.array(given, np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise UnsupportedOption(f"points cannot be read as numbers: {error}") from None
    if array.ndim != 2 or array.shape[1] != 3:
        raise UnsupportedOption(f"points must have shape (n, 3), not {array.shape}")
    bad = np.flatnonzero(~(np.abs(array) <= LARGEST_COORDINATE).all(axis=1))
    if len(bad):
        raise UnsupportedOption(
            f"point {bad[0]} is {array[bad[0]].tolist()} ({len(bad)} such in all): coordinates must be finite and at "
            f"most {LARGEST_COORDINATE:g} m"
        )
    return array


def _single_pose(query: str, pose: PoseLike) -> np.ndarray:
    rows, stacked = pose_stack(pose)
    if stacked:
        raise UnsupportedOption(f"{query} takes one pose, not a stack")
    return rows[0]


def _meant_boxes(mesh: MeshLike) -> tuple[Hierarchy, Meant]:
    """The hierarchy of the solid that a mesh means; raises NotASolid."""
    tree = as_boxes(as_own(mesh))
    meant = meant_by(tree.mesh)
    if not meant.solidity.solid:
        raise NotASolid(meant.solidity.reason)
    return (tree if meant.repair.mesh is tree.mesh else as_boxes(meant.repair.mesh)), meant


def _is_inside(field: Field) -> np.ndarray:
    return np.abs(field.windings) > 0.5
