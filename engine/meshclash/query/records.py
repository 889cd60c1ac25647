"""The shortest ways of questions about two prepared meshes, of which records are kept (``traversal/packed.py``).

Each takes the records, a pose of each mesh, not checked, and the options that it knows. It returns None where something
needs a closer look, then the question is asked in full, with the same answer.
"""

import math
import time
from typing import Any

import numpy as np

from ..answering.at_once import contacts_at_once
from ..convex.convexity import convex_points
from ..geometry.expanding_polytope import APART, DIRECTION, LENGTH, LOWER, OPEN, POINTS
from ..geometry.hull_separation import part_at_once
from ..hierarchy.build import as_hierarchies
from ..jit import thread_limit
from ..traversal.contacts import Contacts
from ..traversal.packed import Packed, pack
from ..traversal.single import meets_at_once, nearest_at_once
from ..types.numbers import truth
from .results import Distance, Penetration, no_penetration


def records_of(a: Any, b: Any, volume: str | None) -> tuple[Packed, Packed] | None:
    """The records of two meshes, their hierarchies built if need be; None without 8-wide forms.

    Raises:
        InvalidMesh, UnsupportedOption: as ``as_hierarchies``.
    """
    tree_a, tree_b = as_hierarchies(a, b, volume)
    side_a, side_b = pack(a, tree_a), pack(b, tree_b)
    return None if side_a is None or side_b is None else (side_a, side_b)


def contacts_of_records(
    a: Packed, b: Packed, pose_a: Any, pose_b: Any, *, touching: Any = True, threads: Any = None, **others: Any
) -> Contacts | None:
    """``collide``."""
    if others:
        return None
    start = time.perf_counter()
    found = contacts_at_once(a, b, pose_a, pose_b, not truth("touching", touching), thread_limit(threads))
    if found is None:
        return None
    answer, question = found
    stats = answer.stats(time.perf_counter() - start)
    meshes, rows = (a.parts.mesh, b.parts.mesh), (question.rows_a, question.rows_b)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, rows)


def meeting_of_records(
    a: Packed, b: Packed, pose_a: Any, pose_b: Any, *, touching: Any = True, **others: Any
) -> bool | None:
    """``collides``."""
    return None if others else meets_at_once(a, b, pose_a, pose_b, touching is True or truth("touching", touching))


def distance_of_records(
    a: Packed,
    b: Packed,
    pose_a: Any,
    pose_b: Any,
    *,
    start: Any = None,
    relative_error: Any = 0.0,
    absolute_error: Any = 0.0,
    **others: Any,
) -> Distance | None:
    """``distance``."""
    begin = time.perf_counter()
    if others or type(relative_error) is not float or type(absolute_error) is not float:
        return None
    if not (0.0 <= relative_error < 1.0 and 0.0 <= absolute_error < math.inf):
        return None
    pair = None
    if start is not None:
        if type(start) is not Distance or type(start.triangle_a) is not int:
            return None
        pair = start.triangle_a, start.triangle_b
    found = nearest_at_once(a, b, pose_a, pose_b, pair, (relative_error, absolute_error))
    if found is None:
        return None
    length, points, (triangle_a, triangle_b), counts = found
    return Distance(length, points, triangle_a, triangle_b, (*counts, time.perf_counter() - begin))


def penetration_of_records(
    a: Packed, b: Packed, pose_a: Any, pose_b: Any, *, start: Any = None, **others: Any
) -> Penetration | None:
    """``penetration`` of convex solids."""
    if others:
        return None
    points_a, points_b = convex_points(a.parts.mesh), convex_points(b.parts.mesh)
    if points_a is None or points_b is None or (start is not None and type(start) is not Penetration):
        return None
    found = part_at_once(points_a, points_b, pose_a, pose_b, known_pairs(start, points_a, points_b))
    if found is None or found[0] == OPEN:
        return None
    told, row, pairs = found
    if told == APART:
        return no_penetration(pairs)
    length, lower = row.item(LENGTH), row.item(LOWER)
    return Penetration(
        length, row[DIRECTION : DIRECTION + 3], lower, None, pairs, row[POINTS : POINTS + 3], row[POINTS + 3 :]
    )


def known_pairs(start: Penetration | None, points_a: np.ndarray, points_b: np.ndarray) -> np.ndarray | None:
    """Pairs of points that decided before; None where there are none, or they are those of other meshes."""
    pairs = None if start is None else start.pairs
    return None if pairs is None or (pairs >= (len(points_a), len(points_b))).any() else pairs
