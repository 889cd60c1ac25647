"""The sides of a question about two objects: checked at once, their hierarchies built when an engine needs them."""

from typing import Any

import numpy as np

from ..hierarchy.build import as_hierarchies, as_hierarchy
from ..hierarchy.bvh import Hierarchy
from ..traversal.forest import Side, TreeSet, pack_trees
from ..traversal.packed import Packed, pack
from ..traversal.question import Question
from ..types.mesh import TriangleMesh
from ..volumes.registry import DEFAULT_VOLUME, volume_named

Meshes = tuple[TriangleMesh, TriangleMesh]


def question_about(
    a: Any, b: Any, rows: tuple[np.ndarray, np.ndarray], volume: str | None, **options: Any
) -> tuple[Question, Meshes]:
    """A question about two objects in poses (k, 3, 4), and their meshes; the same object twice is asked about itself.

    Args:
        a, b: meshes or hierarchies.
        rows: poses of both, (k, 3, 4), or for contacts (1, 3, 4) for all.
        volume: the option of queries. A device has boxes only, so device "auto" leaves other volumes to the CPU.
        options: those of ``Question``.

    Raises:
        InvalidMesh, UnsupportedOption: as ``as_hierarchies``; what is wrong with two hierarchies together is told when
        an engine asks for them.
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


def packed_sides(a: Any, b: Any, volume: str | None) -> tuple[Packed, Packed] | None:
    """The records of two objects for a single question, their hierarchies built if need be; None without 8-wide forms.

    Raises:
        InvalidMesh, UnsupportedOption: as ``as_hierarchies``.
    """
    tree_a, tree_b = as_hierarchies(a, b, volume)
    side_a, side_b = pack(a, tree_a), pack(b, tree_b)
    return None if side_a is None or side_b is None else (side_a, side_b)


def mesh_of(thing: Any, volume: str | None) -> TriangleMesh:
    """The mesh of a mesh or hierarchy; raises as ``as_hierarchy``."""
    if isinstance(thing, TriangleMesh):
        return thing
    return (thing if isinstance(thing, Hierarchy) else as_hierarchy(thing, volume)).mesh
