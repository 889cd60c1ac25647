"""The objects of a query: they are checked at once; their hierarchies are built when an engine needs them."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answering.answer import answer_steps
from ..errors import NotASolid
from ..hierarchy.build import as_boxes, as_hierarchies, as_hierarchy
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..solid.field import Field
from ..solid.solidity import IntendedSolid, intended_solid
from ..traversal.forest import Side, TreeSet, pack_trees
from ..traversal.question import Answer, Question
from ..types.mesh import TriangleMesh
from ..volumes.registry import DEFAULT_VOLUME, volume_named

if TYPE_CHECKING:
    from .table import Request

Meshes = tuple[TriangleMesh, TriangleMesh]


def question_about(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], volume: str | None, **options: Any
) -> tuple[Question, Meshes]:
    """Make a question about two objects in poses (k, 3, 4); if both are the same object, it is compared with itself.

    Args:
        a, b: meshes or hierarchies.
        rows: poses of both, (k, 3, 4), or for contacts (1, 3, 4) for all.
        volume: option of the query. GPUs support boxes only, so device "auto" uses the CPU for other volumes.
        options: the options of ``Question``.

    Returns:
        The question and the meshes of both objects.

    Raises:
        InvalidMesh, UnsupportedOption: as for ``as_hierarchies``. Hierarchies with different volumes raise an error
            when an engine packs them.
    """
    volume_named(volume)
    if volume not in (None, DEFAULT_VOLUME) and options.get("device") == "auto":
        options["device"] = "cpu"
    meshes = mesh_of(a, volume), mesh_of(b, volume)
    first = [meshes[0]]
    second = first if meshes[1] is meshes[0] else [meshes[1]]
    made: list[Hierarchy] = []

    def grown(k: int) -> TreeSet:
        if not made:
            made.extend(as_hierarchies(a, b, volume))
        return pack_trees([made[k]])

    jobs = np.zeros((max(len(rows[0]), len(rows[1])), 2), np.int64)
    side_a, side_b = Side(first, lambda: grown(0)), Side(second, lambda: grown(1))
    return Question(side_a, side_b, jobs, *rows, **options), meshes


def answered(
    request: "Request", rows: tuple[np.ndarray, np.ndarray], **options: Any
) -> Generator[float, None, tuple[Answer, Meshes]]:
    """Compute the result of a query about two meshes, or one mesh and itself; return the result with the meshes.

    Args:
        request: the request.
        rows: poses, as in ``Question``.
        options: the options of ``Question``, except the device.
    """
    question, meshes = question_about(
        *request.things, rows, request.options.volume, device=request.options.device, **options
    )
    return (yield from answer_steps(question)), meshes


def mesh_of(thing: Any, volume: str | None) -> TriangleMesh:
    """Return the mesh of a mesh or hierarchy; raises as ``as_hierarchy`` does."""
    if isinstance(thing, TriangleMesh):
        return thing
    return (thing if isinstance(thing, Hierarchy) else as_hierarchy(thing, volume)).mesh


def intended_tree(mesh: MeshLike) -> tuple[Hierarchy, IntendedSolid]:
    """Return the hierarchy of the solid that a mesh approximates; raise NotASolid."""
    tree = as_boxes(mesh)
    meant = intended_solid(tree.mesh)
    if not meant.solidity.solid:
        raise NotASolid(meant.solidity.reason)
    return (tree if meant.repair.mesh is tree.mesh else as_boxes(meant.repair.mesh)), meant


def is_inside(field: Field) -> np.ndarray:
    """Return which points of a field are inside, (n,) bool."""
    return np.abs(field.windings) > 0.5
