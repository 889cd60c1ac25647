"""Random sets of points, flat, collinear and doubled ones too, and an independent check of their convex hulls.

Every corner and every point is tried against every face by determinants of Python's integers, which shares nothing with
the predicates; counts and volumes are compared with Qhull where its tolerances leave the set as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np
from meshclash.shapes import ConvexHull
from scipy.spatial import ConvexHull as Qhull

from . import Row
from .convex_pairs import CLASSES, random_points
from .motion_scenes import random_rotation

SETS = (*CLASSES, "tilted", "cube", "shell", "doubled")
_COUNTED = "cloud", "sphere", "shell", "doubled"
"""Sets in which no four points are in a plane, so that Qhull merges nothing."""


def random_set(seed: int) -> tuple[str, np.ndarray]:
    """A name of ``SETS``, and points (n, 3)."""
    rng = np.random.default_rng(seed)
    name = SETS[int(rng.integers(len(SETS)))]
    count = int(rng.integers(4, 40))
    if name == "tilted":  # coplanar but for rounding
        return name, random_points("grid", rng) @ random_rotation(rng).T
    if name == "cube":  # many points in every face, edge and corner
        points = rng.integers(0, 5, (3 * count, 3)) / 4.0
        points[np.arange(len(points)), rng.integers(0, 3, len(points))] = rng.integers(0, 2, len(points))
        return name, points
    if name == "shell":  # most points are inside
        return name, rng.normal(size=(5 * count, 3))
    if name == "doubled":
        points = rng.uniform(-1, 1, (count, 3))
        return name, rng.permutation(np.repeat(points, rng.integers(1, 4, count), axis=0))
    return name, random_points(name, rng)


def _integers(points: np.ndarray) -> np.ndarray:
    """The coordinates as integers of one scale, (n, 3) objects."""
    ratios = [float(x).as_integer_ratio() for x in points.ravel()]
    scale = max(below for _, below in ratios)  # powers of two
    return np.array([above * (scale // below) for above, below in ratios], object).reshape(points.shape)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of vectors (..., 3) of Python's integers."""
    after, behind = [1, 2, 0], [2, 0, 1]
    return a[..., after] * b[..., behind] - a[..., behind] * b[..., after]


def _faults(hull: ConvexHull, given: np.ndarray) -> Iterable[str]:
    """What is wrong with a hull, in words."""
    if not np.array_equal(given[hull.indices], hull.vertices):
        yield "indices"
    both = _integers(np.vstack([given, hull.vertices]))
    everyone, corners = both[: len(given)], both[len(given) :]
    faces = [face.tolist() for face in hull.faces]
    if not faces:
        yield from _faults_of_line(corners, everyone, len(hull.edges))
        return
    directed = []
    for face in faces:
        loop = corners[face]
        ways = np.roll(loop, -1, axis=0) - loop
        normal = _cross(ways[0], ways[1])
        heights = (everyone - loop[0]) @ normal
        if max(heights) > 0:
            yield "a point is outside"
        if any((loop - loop[0]) @ normal):
            yield "a face is not flat"
        if min(_cross(ways, np.roll(ways, -1, axis=0)) @ normal) <= 0:
            yield "a corner is straight or dented"
        if len(faces) == 2:  # of points in a plane: all of them are within the loop
            for corner, way in zip(loop, ways, strict=True):
                if min(_cross(way[None], everyone - corner) @ normal) < 0:
                    yield "a point of the plane is outside"
        directed += zip(face, [*face[1:], face[0]], strict=True)
    if len(set(directed)) != len(directed) or {(v, u) for u, v in directed} != set(directed):
        yield "the surface is not closed"
    if len(directed) != 2 * len(hull.edges) or len(corners) - len(hull.edges) + len(faces) != 2:
        yield "counts"
    ends = {tuple(edge) for edge in hull.edges.tolist()}
    sides = hull.features.edge_faces.tolist()
    owner = {(u, v): f for f, face in enumerate(faces) for u, v in zip(face, [*face[1:], face[0]], strict=True)}
    if any([owner[u, v], owner[v, u]] != pair for (u, v), pair in zip(hull.edges.tolist(), sides, strict=True)):
        yield "faces beside an edge"
    if len(ends) != len(hull.edges):
        yield "an edge twice"


def _faults_of_line(corners: np.ndarray, everyone: np.ndarray, edges: int) -> Iterable[str]:
    if len(corners) != edges + 1 or len(corners) > 2:
        yield "counts"
        return
    way, offsets = corners[-1] - corners[0], everyone - corners[0]
    if any(_cross(way[None], offsets).ravel()):
        yield "points beside the line"
    along = offsets @ way
    if min(along) < 0 or max(along) > way @ way:
        yield "a point is beyond the ends"


def _volume(hull: ConvexHull) -> float:
    corners = hull.vertices[hull.mesh().triangles] - hull.vertices[0]
    return float(np.linalg.det(corners).sum() / 6.0)


def check_hull(seed: int) -> Row:
    """Faults of the hull of a random set, and whether Qhull finds another one."""
    name, given = random_set(seed)
    hull = ConvexHull(given)
    faults = list(_faults(hull, given))
    compared, other = 0, 0
    if len(hull.faces) > 2:
        try:
            peer = Qhull(given)
        except Exception:  # thinner than its tolerances
            peer = None
        if peer is not None:
            compared = 1
            size = float(np.ptp(given, axis=0).max()) ** 3
            tolerance = 1e-9 * peer.volume + 1e-12 * size if name != "slivers" else inf
            other = int(abs(_volume(hull) - peer.volume) > tolerance)
            if name in _COUNTED:
                other |= int((len(hull.vertices), len(hull.faces)) != (len(peer.vertices), len(peer.simplices)))
    return {"set": name, "wrong": int(bool(faults) or other), "with Qhull": compared, "faults": "; ".join(faults)}
