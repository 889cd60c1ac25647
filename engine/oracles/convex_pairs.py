"""Random convex polyhedra, degenerate ones too, and an independent check of their distances.

All pairs of triangles of both hulls are compared by ``nearest_points``, which is checked against fractions elsewhere
and shares neither features nor walks; hulls that overlap are told by a linear program, or where their surfaces are
nearer than that can tell, by fractions: one lies in the other, or they are apart.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from meshclash import Pose
from meshclash.geometry.triangle_distance import nearest_points
from meshclash.shapes import ClosestFeatures, ConvexHull, closest_features

from . import Row
from .motion_scenes import random_rotation

CLASSES = "cloud", "sphere", "box", "grid", "flat", "needle", "segment", "point", "slivers", "cylinder"
WITHIN = 1e-9  # [m], of hulls of about unit size
_PROGRAM = 1e-5  # [m]: a linear program takes hulls up to about 1e-6 apart for touching


def random_points(name: str, rng: np.random.Generator) -> np.ndarray:
    """Points (n, 3) of about unit size whose hull is of one of ``CLASSES``."""
    count = int(rng.integers(4, 24))
    if name == "sphere":
        points = rng.normal(size=(count + 8, 3))
        return points / np.linalg.norm(points, axis=1)[:, None]
    if name == "box":
        return np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * rng.uniform(0.1, 1, 3)
    if name == "grid":  # coplanar and repeated points
        return rng.integers(0, 3, (count + 8, 3)) / 2.0
    if name == "flat":
        return np.column_stack([rng.integers(0, 9, (count, 2)) / 8.0, np.zeros(count)])
    if name == "needle":
        return rng.uniform(-1, 1, (count, 3)) * (1.0, 1e-4, 1e-4)
    if name == "segment":
        return np.outer(rng.integers(0, 9, count) / 8.0, rng.integers(-1, 2, 3))
    if name == "point":
        return np.repeat(rng.uniform(-1, 1, (1, 3)), 2, axis=0)
    if name == "slivers":  # many points a hair from a few planes
        points = rng.integers(0, 3, (count + 8, 3)) / 2.0
        return points + 1e-13 * rng.normal(size=points.shape)
    if name == "cylinder":
        turns = np.arange(count) * 2 * np.pi / count
        ring = np.column_stack([np.cos(turns), np.sin(turns)])
        return np.vstack([np.column_stack([ring, np.full(count, z)]) for z in (-0.5, 0.5)])
    return rng.uniform(-1, 1, (count, 3))


def _corners(hull: ConvexHull, pose: Pose) -> np.ndarray:
    """World triangles (t, 3, 3); of hulls without faces an edge, or a vertex, as a triangle."""
    world = pose.apply(hull.vertices)
    if hull.faces:
        return world[hull.mesh().triangles]
    return world[[[0, len(world) - 1, len(world) - 1]]]


def surface_distance(a: ConvexHull, b: ConvexHull, pose_a: Pose, pose_b: Pose) -> float:
    """Distance of the surfaces [m], by all pairs of triangles."""
    first, second = _corners(a, pose_a), _corners(b, pose_b)
    left = np.repeat(first, len(second), axis=0)
    return float(nearest_points(left, np.tile(second, (len(first), 1, 1)))[0].min())


def _are_separated(found: ClosestFeatures, a: ConvexHull, b: ConvexHull, pose_a: Pose, pose_b: Pose) -> bool:
    """Whether a plane across the way between the points that were found has one hull on each side, certainly."""
    way = found.point_b - found.point_a
    gap = (pose_b.apply(b.vertices) @ way).min() - (pose_a.apply(a.vertices) @ way).max()
    return bool(gap > 1e-12 * np.linalg.norm(way))


def _have_common_point(a: ConvexHull, b: ConvexHull, pose_a: Pose, pose_b: Pose) -> bool:
    from scipy.optimize import linprog

    p, q = pose_a.apply(a.vertices), pose_b.apply(b.vertices)
    sums = np.zeros((2, len(p) + len(q)))
    sums[0, : len(p)] = sums[1, len(p) :] = 1.0
    same = np.hstack([p.T, -q.T])
    answer = linprog(np.zeros(len(p) + len(q)), A_eq=np.vstack([same, sums]), b_eq=[0, 0, 0, 1, 1], method="highs")
    return bool(answer.status == 0)


def _lies_in(a: ConvexHull, b: ConvexHull, pose_a: Pose, pose_b: Pose) -> bool:
    """Whether the first vertex of a lies in b, by signs of fractions; of hulls whose surfaces do not meet all of a."""
    corners = _corners(b, pose_b)
    point, inner = pose_a.apply(a.vertices)[0], corners.reshape(-1, 3)
    for face in corners:
        signs = [_side(face, other) for other in inner]
        if not any(signs):
            return False  # b is flat
        if _side(face, point) * (1 if max(signs) > 0 else -1) < 0:
            return False
    return True


def _side(face: np.ndarray, point: np.ndarray) -> int:
    """On which side of the plane of a triangle (3, 3) a point lies: 1, -1, or 0."""
    p, q, r = ([Fraction(float(x)) - Fraction(float(y)) for x, y in zip(corner, point, strict=True)] for corner in face)
    volume = (
        p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0])
    )
    return (volume > 0) - (volume < 0)


def random_pair(seed: int) -> tuple[str, ConvexHull, ConvexHull, Pose, Pose]:
    """Two hulls in poses at which they are apart, touch or overlap."""
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.choice(CLASSES, 2)]
    hulls = [ConvexHull(random_points(name, rng)) for name in names]
    poses = []
    for scale in (0.0, float(rng.choice([0.0, 0.5, 1.5, 4.0]))):
        pose = np.eye(4)
        if rng.random() < 0.7:
            pose[:3, :3] = random_rotation(rng)
        pose[:3, 3] = rng.normal(size=3) * scale if rng.random() < 0.7 else rng.integers(-2, 3, 3) * (scale > 0)
        poses.append(Pose.from_matrix(pose))
    return f"{names[0]} / {names[1]}", *hulls, *poses


def check_pair(seed: int) -> Row:
    """How far the walk's answer is from the truth, and what it took."""
    name, a, b, pose_a, pose_b = random_pair(seed)
    found = closest_features(a, b, pose_a, pose_b)
    surfaces, expected = surface_distance(a, b, pose_a, pose_b), 0.0
    if _are_separated(found, a, b, pose_a, pose_b):
        expected = surfaces
    elif surfaces <= _PROGRAM:
        inside = _lies_in(a, b, pose_a, pose_b) or _lies_in(b, a, pose_b, pose_a)
        expected = 0.0 if inside else surfaces
    elif not _have_common_point(a, b, pose_a, pose_b):
        expected = surfaces
    wrong = abs(found.distance - expected) > WITHIN or (found.overlap != (expected == 0.0) and expected > WITHIN)
    return {"pair": name, "wrong": int(wrong), "steps": found.steps, "exhaustive": int(found.exhaustive)}
