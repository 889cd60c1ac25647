"""``closest_features``: closest features of two convex hulls, found in a few steps from an earlier pose's result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..messages import a_type
from ..types.pose import PoseLike, pose_stack
from .feature_walk import COUNTS, EXHAUSTIVE, INSIDE, STEPS, follow_features
from .hull import ConvexHull

KINDS = "vertex", "edge", "face"


@dataclass(frozen=True, eq=False)
class ClosestFeatures:
    """The distance between two convex hulls, and the vertices, edges or faces on which the nearest points lie."""

    distance: float
    """Distance [m]; 0 if the hulls meet or one hull is inside the other."""
    point_a: np.ndarray
    """World point of a nearest to b, (3,) [m]; if the hulls overlap, a point near the end of the search."""
    point_b: np.ndarray
    feature_a: tuple[str, int]
    """"vertex", "edge" or "face", and its index."""
    feature_b: tuple[str, int]
    overlap: bool
    """Whether the hulls have a point in common."""
    steps: int
    """Number of steps from feature to feature."""
    exhaustive: bool
    """Whether all features were compared, because rounding left no plane that proves the result."""

    def __repr__(self) -> str:
        return f"ClosestFeatures({self.distance!r} m, {' '.join(map(str, (*self.feature_a, *self.feature_b)))})"


def closest_features(
    a: ConvexHull, b: ConvexHull, pose_a: PoseLike = None, pose_b: PoseLike = None, start: ClosestFeatures | None = None
) -> ClosestFeatures:
    """Return the closest vertices, edges or faces of two convex hulls, and the distance between them.

    Args:
        a, b: hulls.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        start: the result for an earlier pose of the same hulls. If the hulls moved only a little, the search reaches
            the new result in a few steps, for any number of faces (Lin, Canny 1991; Mirtich 1998).

    Raises:
        InvalidMesh: an argument is not a hull.
        InvalidPose: a pose is invalid.
        UnsupportedOption: a stack of poses, or a ``start`` that belongs to other hulls.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> hull = mc.shapes.ConvexHull(mc.shapes.box(1.0).vertices)
        >>> pose = np.eye(4)
        >>> pose[0, 3] = 3.0
        >>> found = mc.shapes.closest_features(hull, hull, pose_b=pose)
        >>> found.distance, found.feature_a[0]
        (2.0, 'vertex')
    """
    for name, hull in (("a", a), ("b", b)):
        if not isinstance(hull, ConvexHull):
            raise InvalidMesh(f"{name} must be a ConvexHull, not {a_type(hull)}: use ConvexHull(points)")
    (rows_a, stacked_a), (rows_b, stacked_b) = pose_stack(pose_a), pose_stack(pose_b)
    if stacked_a or stacked_b:
        raise UnsupportedOption("closest_features takes one pose for each hull, not a stack")
    pair = np.array(_known(start, a, b), np.int64)
    points, counts = np.empty((2, 3)), np.empty(COUNTS, np.int64)
    # Coordinates relative to a's origin are small, so that rounding errors are small far from the world's origin.
    origin = rows_a[0, :, 3].copy()
    near_a, near_b = np.array(rows_a[0], order="C"), np.array(rows_b[0], order="C")
    near_a[:, 3] -= origin
    near_b[:, 3] -= origin
    distance = follow_features(a.features, b.features, near_a, near_b, pair, points, counts)
    points += origin
    (kind_a, index_a), (kind_b, index_b) = pair.reshape(2, 2).tolist()
    return ClosestFeatures(
        distance, points[0], points[1], (KINDS[kind_a], index_a), (KINDS[kind_b], index_b), bool(counts[INSIDE]),
        int(counts[STEPS]), bool(counts[EXHAUSTIVE]),
    )  # fmt: skip


def _known(start: ClosestFeatures | None, a: ConvexHull, b: ConvexHull) -> list[int]:
    """Return the kinds and indices of the features from which to start, -1 for none."""
    if start is None:
        return [-1, -1, -1, -1]
    if not isinstance(start, ClosestFeatures):
        raise UnsupportedOption(f"start must be an earlier result of closest_features, not {a_type(start)}")
    found = []
    for hull, (kind, index) in ((a, start.feature_a), (b, start.feature_b)):
        counts = len(hull.vertices), len(hull.edges), len(hull.features.normals)
        if index >= counts[KINDS.index(kind)]:
            raise UnsupportedOption(f"start refers to {kind} {index}, which does not exist in {hull!r}")
        found += [KINDS.index(kind), index]
    return found
