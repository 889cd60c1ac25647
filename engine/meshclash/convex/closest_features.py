"""``closest_features``: the closest features of two convex hulls, from those of an earlier pose in a few steps."""

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
    """The distance of two convex hulls, and the features that have the nearest points."""

    distance: float
    """[m]; 0 where the hulls meet or one is in the other."""
    point_a: np.ndarray
    """World point of a nearest to b, (3,) [m]; of hulls that overlap a point near which the walk ended."""
    point_b: np.ndarray
    feature_a: tuple[str, int]
    """"vertex", "edge" or "face", and its index."""
    feature_b: tuple[str, int]
    overlap: bool
    """Whether the hulls have a point in common."""
    steps: int
    """From feature to feature."""
    exhaustive: bool
    """Whether rounding left no plane that proves the answer, so that all features were compared."""

    def __repr__(self) -> str:
        return f"ClosestFeatures({self.distance!r} m, {' '.join(map(str, (*self.feature_a, *self.feature_b)))})"


def closest_features(
    a: ConvexHull, b: ConvexHull, pose_a: PoseLike = None, pose_b: PoseLike = None, start: ClosestFeatures | None = None
) -> ClosestFeatures:
    """Return the closest features of two convex hulls, and their distance.

    Args:
        a, b: hulls.
        pose_a, pose_b: None (identity), a Pose or a rigid (4, 4) matrix.
        start: the answer for an earlier pose of the same hulls: after a small motion some steps from there lead to the
            answer, however many faces there are (Lin, Canny 1991; Mirtich 1998).

    Raises:
        InvalidMesh: no hulls. InvalidPose; UnsupportedOption: a stack of poses, or a ``start`` of other hulls.

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
    # Seen from a's origin coordinates are small, so that little is lost far away from the world's.
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
    """Kinds and indices of the features to begin with, -1 for none."""
    if start is None:
        return [-1, -1, -1, -1]
    if not isinstance(start, ClosestFeatures):
        raise UnsupportedOption(f"start must be an earlier result of closest_features, not {a_type(start)}")
    found = []
    for hull, (kind, index) in ((a, start.feature_a), (b, start.feature_b)):
        counts = len(hull.vertices), len(hull.edges), len(hull.features.normals)
        if index >= counts[KINDS.index(kind)]:
            raise UnsupportedOption(f"start names {kind} {index}, which {hull!r} does not have")
        found += [KINDS.index(kind), index]
    return found
