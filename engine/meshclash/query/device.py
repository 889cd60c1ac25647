"""Asking a CUDA device what ``collide``, ``clearance``, ``distance`` and their relatives ask."""

from typing import Any, NamedTuple

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..gpu.device import answer_on_device, may_answer
from ..gpu.jobs import Asked
from ..gpu.near_device import clearances_on_device, distances_on_device
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..traversal.near import NearAnswer
from ..traversal.question import Answer
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points
from ..volumes.registry import DEFAULT_VOLUME, volume_named
from .options import matched_poses


class Found(NamedTuple):
    """What came of asking a device."""

    answer: Answer | None
    """None where the CPU has to answer."""
    note: str = ""
    """Why, where the device was meant to."""
    asked: Any = None
    stacked: bool = False
    meshes: Any = None
    rows: Any = None


NOT_ASKED = Found(None)


def ask_device(
    device: str, things: tuple[Any, Any], volume: str | None, poses: tuple[Any, Any], **flags: bool
) -> Found:
    """Ask a device for the contacts of two objects, if it is to answer.

    Args:
        device: as ``check_served_device`` gives it.
        things: a mesh or hierarchy each; the same one twice for an object against itself.
        volume: the option; a device has boxes only, so "auto" leaves other volumes to the CPU.
        poses: a pose or a stack each.
        flags: of ``Asked``.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption.
    """
    if not _may_answer(device, "crossover", volume):
        return NOT_ASKED
    meshes, first, second = _sides(things, volume)
    rows_a, rows_b, stacked = matched_poses(*poses)
    asked = _asked(rows_a, rows_b, **flags)
    answer, note = answer_on_device(device, first, second, asked)
    return Found(answer, note, asked, stacked, meshes, (rows_a, rows_b))


class FoundNear(NamedTuple):
    """What came of asking a device what is near."""

    answer: NearAnswer | None
    """None where the CPU has to answer."""
    note: str = ""
    """Why, where the device was meant to."""
    meshes: Any = None


_NOTHING_NEAR_ASKED = FoundNear(None)


def ask_clearances(
    device: str, things: tuple[Any, Any], volume: str | None, rows: tuple[np.ndarray, np.ndarray], tolerance: float
) -> FoundNear:
    """Ask a device for all pairs within a tolerance [m], if it is to answer; ``rows`` are poses (k, 3, 4) of both."""
    if not _may_answer(device, "clearance_crossover", volume):
        return _NOTHING_NEAR_ASKED
    meshes, first, second = _sides(things, volume)
    return FoundNear(*clearances_on_device(device, first, second, _asked(*rows), tolerance), meshes)


def ask_distances(
    device: str,
    things: tuple[Any, Any],
    volume: str | None,
    rows: tuple[np.ndarray, np.ndarray],
    known: list[tuple[int, int]],
) -> FoundNear:
    """Ask a device for nearest pairs, if it is to answer; ``known`` pairs, one, all or none, shorten the search."""
    if not _may_answer(device, "distance_crossover", volume):
        return _NOTHING_NEAR_ASKED
    meshes, first, second = _sides(things, volume)
    limits = None
    if known:
        pairs = np.broadcast_to(np.array(known), (len(rows[0]), 2))
        corners = [
            transform_points(rows[side][:, None], mesh.arrays[0][mesh.arrays[1][pairs[:, side]]])
            for side, mesh in enumerate(meshes)
        ]
        limits = nearest_points(corners[0], corners[1], True)[0]
    return FoundNear(*distances_on_device(device, first, second, _asked(*rows), limits), meshes)


def _may_answer(device: str, crossover: str, volume: str | None) -> bool:
    return may_answer(device, crossover) and (device != "auto" or volume in (None, DEFAULT_VOLUME))


def _sides(
    things: tuple[Any, Any], volume: str | None
) -> tuple[tuple[TriangleMesh, TriangleMesh], list[TriangleMesh], list[TriangleMesh]]:
    """Both meshes, and the lists of trees for either side: the same list for an object against itself."""
    volume_named(volume)
    meshes = mesh_of(things[0], volume), mesh_of(things[1], volume)
    first = [meshes[0]]
    return meshes, first, first if meshes[1] is meshes[0] else [meshes[1]]


def _asked(rows_a: np.ndarray, rows_b: np.ndarray, **flags: bool) -> Asked:
    return Asked(np.zeros((max(len(rows_a), len(rows_b)), 2), np.int64), rows_a, rows_b, **flags)


def mesh_of(thing: Any, volume: str | None) -> TriangleMesh:
    """The mesh of a mesh or hierarchy; raises as ``as_hierarchy``."""
    if isinstance(thing, TriangleMesh):
        return thing
    return (thing if isinstance(thing, Hierarchy) else as_hierarchy(thing, volume)).mesh
