"""Asking a CUDA device what ``collide`` and its relatives ask."""

from typing import Any, NamedTuple

import numpy as np

from ..gpu.device import answer_on_device, may_answer
from ..gpu.jobs import Asked
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..traversal.question import Answer
from ..types.mesh import TriangleMesh
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
    if not may_answer(device) or (device == "auto" and volume not in (None, DEFAULT_VOLUME)):
        return NOT_ASKED
    volume_named(volume)
    meshes = tuple(_mesh(thing, volume) for thing in things)
    rows_a, rows_b, stacked = matched_poses(*poses)
    asked = Asked(np.zeros((max(len(rows_a), len(rows_b)), 2), np.int64), rows_a, rows_b, **flags)
    first = [meshes[0]]
    second = first if meshes[1] is meshes[0] else [meshes[1]]
    answer, note = answer_on_device(device, first, second, asked)
    return Found(answer, note, asked, stacked, meshes, (rows_a, rows_b))


def _mesh(thing: Any, volume: str | None) -> TriangleMesh:
    if isinstance(thing, TriangleMesh):
        return thing
    return (thing if isinstance(thing, Hierarchy) else as_hierarchy(thing, volume)).mesh
