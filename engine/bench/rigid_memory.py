"""Bytes a triangle that each side keeps for queries: what a process of its own grows by, and ours counted besides.

A process builds the structure, then two more of the same; half of what it grew by in that time is what one keeps:
lists and buffers that building needs are there since the first. Embree's and Bullet's drivers do the same.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collide
from meshclash.types.mesh import TriangleMesh

from .rigid_peers import MeshPeer
from .table import Row

Triangles = tuple[np.ndarray, np.ndarray]
Make = Callable[[np.ndarray, np.ndarray], Any]


def memory_row(name: str, mesh: Triangles, split: str, peers: list[type[MeshPeer]]) -> Row:
    """One line of the table: bytes a triangle."""
    count = len(mesh[1])
    index, copy = counted(ready(*mesh, split))
    row: Row = {"mesh": name, "triangles": count, "builder": split}
    row["index, counted"], row["copy of the arrays"] = index / count, copy / count
    row["both, by growth"] = in_own_process(functools.partial(ready, split=split), mesh) / count
    for peer in peers:
        row[peer.name] = (peer.driver_growth(*mesh) or in_own_process(peer.build, mesh)) / count
    return row


def ready(vertices: np.ndarray, triangles: np.ndarray, split: str) -> Hierarchy:
    """A hierarchy with all that its first query makes."""
    tree = build(TriangleMesh(vertices, triangles), split=split)
    collide(tree, tree, None, np.eye(4) + np.eye(4, k=3) * 1e6)
    return tree


def counted(tree: Hierarchy) -> tuple[int, int]:
    """Bytes of all arrays that a hierarchy holds, and of the mesh's copy of the caller's arrays."""
    arrays: dict[int, np.ndarray] = {}
    _collect_arrays(tree, arrays, set())
    mesh = {id(_owner(array)) for array in tree.mesh.arrays}
    sizes = {key: array.nbytes for key, array in arrays.items()}
    return sum(n for key, n in sizes.items() if key not in mesh), sum(n for key, n in sizes.items() if key in mesh)


def _collect_arrays(thing: Any, arrays: dict[int, np.ndarray], seen: set[int]) -> None:
    """The owners of all arrays that can be reached from an object through attributes, tuples, lists and dicts."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        owner = _owner(thing)
        arrays[id(owner)] = owner
    elif isinstance(thing, dict):
        for value in thing.values():
            _collect_arrays(value, arrays, seen)
    elif isinstance(thing, tuple | list):
        for value in thing:
            _collect_arrays(value, arrays, seen)
    elif hasattr(thing, "__dict__") and not isinstance(thing, type):
        _collect_arrays(vars(thing), arrays, seen)


def _owner(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def in_own_process(make: Make, mesh: Triangles) -> int:
    """Bytes that a fresh process grows by for one more structure."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_growth, (make, mesh))


def _growth(make: Make, mesh: Triangles) -> int:
    kept = [make(*mesh)]
    before = _resident()
    kept += [make(*mesh), make(*mesh)]
    return (_resident() - before) // (len(kept) - 1)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
