"""``certify``: a verdict about two points, edges or triangles with a proof that ``check_certificate.py`` can check."""

from typing import Any

import numpy as np

from ...continuous.coplanarity import EDGE_EDGE, POINT_TRIANGLE
from ...continuous.forms import Form, between
from ...continuous.impacts import checked_points
from ...continuous.rational import Encounter, Vector, integer_points
from ...errors import InvalidMesh
from ...types.numbers import given_array
from .check_certificate import ELEMENTS
from .separation import intervals_apart
from .witness import common_point

Certificate = dict[str, Any]


def certify(first: Any, second: Any, first_end: Any = None, second_end: Any = None) -> Certificate:
    """Decide whether two moving points, edges or triangles touch, and return a proof that you can check without
    MeshClash.

    For elements at rest, the verdict is the same as that of ``collide``. If you also give positions at time 1, the
    verdict is the same as that of ``swept_collide`` and of the functions for impacts. The program
    ``check_certificate.py`` checks the proof. The checker has two hundred lines, uses only Python integers, and does
    not import MeshClash.

    Args:
        first: one to three points, (1, 3), (2, 3) or (3, 3) [m]: a point, an edge, or a triangle.
        second: the other element; together the two are a point and a triangle, two edges, or two triangles.
        first_end, second_end: positions of the points at time 1; None: all points are at rest.

    Returns:
        A dictionary of plain numbers, lists and strings, as in JSON: "meets" is the verdict; ``check_certificate.py``
        describes the other entries.

    Raises:
        InvalidMesh: arrays of other shapes, coordinates that are not finite, or only one of the two end positions.

    Example:
        >>> import meshclash as mc
        >>> triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
        >>> point, moved = [[0.2, 0.2, -1]], [[0.2, 0.2, 1]]
        >>> mc.lab.certify(point, triangle, moved, triangle)["meets"]
        True
    """
    if (first_end is None) != (second_end is None):
        raise InvalidMesh("give the positions at time 1 of both features, or of neither")
    moving = first_end is not None
    names = ("first", "second", "first_end", "second_end")
    given = (first, second, first_end, second_end) if moving else (first, second, first, second)
    arrays = [_points(name, points) for name, points in zip(names, given, strict=True)]
    sizes = tuple(len(x) for x in arrays)
    if sizes[:2] not in ((1, 3), (3, 1), (2, 2), (3, 3)) or sizes[:2] != sizes[2:]:
        raise InvalidMesh(
            f"expected a point and a triangle, two edges or two triangles, the same at both times, not {sizes} points"
        )
    points = integer_points(np.concatenate(arrays[:2]), np.concatenate(arrays[2:]))
    a, b = points[: sizes[0]], points[sizes[0] :]
    decide = _at_rest if not moving else (_triangles if sizes[:2] == (3, 3) else _four)
    meets, proof = decide(a, b)
    lists: list[Any] = [x.tolist() for x in arrays]
    lists[2:] = lists[2:] if moving else [None, None]
    return {**dict(zip(names, lists, strict=True)), "meets": meets, "proof": proof}


def _points(name: str, points: Any) -> np.ndarray:
    given = given_array(name, points, InvalidMesh)
    if given.ndim != 2:
        raise InvalidMesh(f"{name} must have shape (n, 3), not {given.shape}")
    return checked_points(name, given[None], len(given))[0]


def _at_rest(a: list[Vector], b: list[Vector]) -> tuple[bool, Any]:
    """Return the verdict at time 0, and its proof."""
    weights = common_point(*([(p[0][0], p[1][0], p[2][0]) for p in group] for group in (a, b)))
    return (False, {"apart": intervals_apart(a, b)}) if weights is None else (True, {"weights": weights})


def _four(a: list[Vector], b: list[Vector]) -> tuple[bool, Any]:
    """Return the verdict about a moving point and a triangle, or about two edges, and its proof."""
    turned = len(a) == 3
    points = [*b, *a] if turned else [*a, *b]
    meeting = Encounter(points, EDGE_EDGE if len(a) == 2 else POINT_TRIANGLE)
    found = meeting.first_meeting()
    if found is None:
        return False, {"apart": intervals_apart(a, b)}
    root, axis = found.root, found.axis
    while axis >= 0 and not root.exact and not _one_sign(between(meeting.normal[axis], root.index, root.depth)):
        root.halve()
    low, high = root.index, root.index + (not root.exact)
    form = [low, low - (1 << root.depth)] if root.exact else root.form  # zero at low / 2**depth only
    place = [(i - 1) % 4 for i in found.place] if turned else list(found.place)
    return True, {"root": form, "interval": [low, high, root.depth], "axis": axis, "place": place}


def _one_sign(form: Form) -> bool:
    return min(form) > 0 or max(form) < 0


def _triangles(a: list[Vector], b: list[Vector]) -> tuple[bool, Any]:
    """Return the verdict about two moving triangles and its proof: at time 0, by one element, or by separation."""
    met, proof = _at_rest(_stopped(a), _stopped(b))
    if met:
        return True, proof
    for rows in ELEMENTS:
        met, proof = _four([a[i] for i in rows[0]], [b[i] for i in rows[1]])
        if met:
            return True, {"element": list(rows), "proof": proof}
    return False, {"apart": intervals_apart(a, b)}


def _stopped(group: list[Vector]) -> list[Vector]:
    """Return moving points that stay at their positions at time 0."""
    return [([x[0]] * 2, [y[0]] * 2, [z[0]] * 2) for x, y, z in group]
