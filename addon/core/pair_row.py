"""One pair of objects in one frame, as every test reports it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Point = tuple[float, float, float]


def _nothing(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """An empty array that rows share: most have nothing of most kinds, and an array takes 150 bytes."""
    empty: np.ndarray = np.empty(shape, dtype)
    empty.flags.writeable = False
    return empty


_NO_TRIANGLES, _NO_LINES, _NO_DOTS = _nothing(0, 3, 3), _nothing(0, 2, 3), _nothing(0, 3)
_NO_FACES, _NO_POINTS = _nothing(0, dtype=np.int64), _nothing(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, slots=True)
class PairRow:
    """One pair of objects in one frame. Lengths are Blender units; the report's files are in metres.

    Attributes:
        id: 16 hexadecimal digits, the same for the same two objects in every run; (id, frame) names a row.
        a, b: names; a belongs to set A, b to set B, in alphabetical order where both orders would do.
        owner_a, owner_b: the objects of the scene to select (for an instance, its instancer).
        source_a, source_b: the objects whose meshes the face indices refer to.
        frame: the frame.
        verdict: one of those of the test (`queries/`); a provisional one in an incomplete answer of Live.
        severity: the engine's order of the verdicts, larger is worse; 0 for pairs that do not meet.
        contacts: number of triangle pairs in contact.
        faces_a, faces_b: (k,) int32 sorted faces of the evaluated meshes that are in contact, or as near as was asked.
        original_faces_a, original_faces_b: the same for the meshes before modifiers, or None where unknown.
        location: a point of the contact, or None.
        depth: estimate of how deep the two overlap, or None.
        volume_lower, volume_upper: bounds of their common volume, cubic Blender units; None where it was not asked for,
            where they have none by their verdict, and where one of them bounds no solid.
        distance: how far apart they are, 0 where they meet; None where the test does not measure it.
        point_a, point_b: points of the two that are nearest to each other, or None.
        face_a, face_b: the faces of the evaluated meshes on which these lie, or None.
        probability: that the surfaces of the two meet, 0 to 1; None where the test does not state it.
        highlight_a, highlight_b: (t, 3, 3) float32 world triangles of the faces in contact; for a contained pair
            whose surfaces do not meet, all triangles of the inner object. Large faces are cut to where the contact is.
        whole_a, whole_b: (t,) int64 the face of each of these triangles where the faces are still to be cut, when the
            pair is first looked at (`regions.cut_row`); else empty.
        curves: (s, 2, 3) float32 world segments of intersection curves and outlines of overlaps.
        counts: numbers of faces and points in contact where these are not known (a list that came with a file).
        points_a, points_b: (k,) int32 sorted points that are in contact, of scans.
        flush: whether the two clash only within what their stored coordinates cannot tell from flush.
        certainty: probability that the verdict is right: 1 where it was decided exactly, less where an open mesh counts
            as the solid that it seems to bound.
        scans: which of the two are scans: "", "a", "b" or "ab".
        dots_a, dots_b: (k, 3) float32 world positions of these points, for drawing.
        dot_radius_a, dot_radius_b: of the balls as which Blender draws these points; 0 for dots.
    """

    id: str
    a: str
    b: str
    owner_a: str
    owner_b: str
    source_a: str
    source_b: str
    frame: int
    verdict: str
    severity: int
    contacts: int
    faces_a: np.ndarray
    faces_b: np.ndarray
    original_faces_a: np.ndarray | None = None
    original_faces_b: np.ndarray | None = None
    location: Point | None = None
    depth: float | None = None
    distance: float | None = None
    point_a: Point | None = None
    point_b: Point | None = None
    face_a: int | None = None
    face_b: int | None = None
    probability: float | None = None
    highlight_a: np.ndarray = field(default_factory=lambda: _NO_TRIANGLES, repr=False)
    highlight_b: np.ndarray = field(default_factory=lambda: _NO_TRIANGLES, repr=False)
    whole_a: np.ndarray = field(default_factory=lambda: _NO_FACES, repr=False)
    whole_b: np.ndarray = field(default_factory=lambda: _NO_FACES, repr=False)
    curves: np.ndarray = field(default_factory=lambda: _NO_LINES, repr=False)
    counts: tuple[int, int] | None = None
    points_a: np.ndarray = field(default_factory=lambda: _NO_POINTS, repr=False)
    points_b: np.ndarray = field(default_factory=lambda: _NO_POINTS, repr=False)
    scans: str = ""
    flush: bool = False
    certainty: float = 1.0
    dots_a: np.ndarray = field(default_factory=lambda: _NO_DOTS, repr=False)
    dots_b: np.ndarray = field(default_factory=lambda: _NO_DOTS, repr=False)
    dot_radius_a: float = 0.0
    dot_radius_b: float = 0.0
    volume_lower: float | None = None
    volume_upper: float | None = None

    @property
    def volume(self) -> float | None:
        """The middle of the bounds of the common volume, cubic Blender units; None where there are none."""
        if self.volume_lower is None or self.volume_upper is None:
            return None
        return 0.5 * (self.volume_lower + self.volume_upper)

    @property
    def count_a(self) -> int:
        """Number of faces, or points, of a in contact."""
        return len(self.faces_a) + len(self.points_a) if self.counts is None else self.counts[0]

    @property
    def count_b(self) -> int:
        """Number of faces, or points, of b in contact."""
        return len(self.faces_b) + len(self.points_b) if self.counts is None else self.counts[1]

    @property
    def sides(self) -> tuple[tuple[str, np.ndarray | None, bool], ...]:
        """Of a and of b: the source's name, its original faces in contact, and whether it is a scan."""
        return (
            (self.source_a, self.original_faces_a, "a" in self.scans),
            (self.source_b, self.original_faces_b, "b" in self.scans),
        )

    @property
    def order(self) -> tuple[Any, ...]:
        """Sorts rows worst first: severity, then probability, depth and distance, then frame and names."""
        measured = (-(self.probability or 0.0), -(self.depth or 0.0), self.distance or 0.0)
        return (-self.severity, *measured, self.frame, self.a, self.b)

    @property
    def gap(self) -> np.ndarray:
        """The line between the nearest points of two objects that are apart, (1, 2, 3) float32; else (0, 2, 3)."""
        if not self.distance or self.point_a is None or self.point_b is None:
            return _NO_LINES
        return np.array([[self.point_a, self.point_b]], dtype=np.float32)


def pair_id(identity_a: str, identity_b: str) -> str:
    """16 hexadecimal digits from the identities of two objects, whatever their order."""
    first, second = sorted((identity_a, identity_b))
    digest = hashlib.sha256(f"{len(first)}:{first}{second}".encode("utf-8", "surrogatepass"))  # names need not be text
    return digest.hexdigest()[:16]
