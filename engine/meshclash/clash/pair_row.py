"""The row of a report: one pair of objects in one frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .surface_regions import region_numbers, region_text

Point = tuple[float, float, float]


def _nothing(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Return an empty read-only array that all rows share, because an array for each row would take 150 bytes."""
    empty: np.ndarray = np.empty(shape, dtype)
    empty.flags.writeable = False
    return empty


_NO_TRIANGLES, _NO_LINES, _NO_DOTS = _nothing(0, 3, 3), _nothing(0, 2, 3), _nothing(0, 3)
_NO_FACES, _NO_POINTS = _nothing(0, dtype=np.int64), _nothing(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, slots=True)
class PairSide:
    """One of the two objects of a pair, with its faces or points in contact.

    Attributes:
        name: name of the object.
        owner: the object of the scene to select (for an instance, its instancer).
        source: the object whose mesh the face indices refer to.
        faces: (k,) int32 sorted faces of the evaluated mesh that are in contact, or within the tolerance.
        original_faces: the faces in the mesh before modifiers, or None if unknown.
        points: (k,) int32 sorted points that are in contact, of a scan.
        is_scan: whether the object is a scan.
        point: a point of this object that is nearest to the other object, or None.
        face: the face of the evaluated mesh that contains this point, or None.
        counted: number of faces or points in contact if the faces are unknown (a list that was saved with a file).
        highlight: (t, 3, 3) float32 world triangles of the faces in contact; for a contained pair whose surfaces do not
            meet, all triangles of the inner object. Large faces are cut to the region of the contact.
        whole: (t,) int64 the face of each of these triangles if the faces still have to be cut when the pair is first
            displayed (`regions.cut_row`); else empty.
        dots: (k, 3) float32 world positions of the points, for drawing.
        dot_radius: radius of the balls as which these points are drawn; 0 for dots.
    """

    name: str
    owner: str
    source: str
    faces: np.ndarray
    original_faces: np.ndarray | None = None
    points: np.ndarray = field(default_factory=lambda: _NO_POINTS, repr=False)
    is_scan: bool = False
    point: Point | None = None
    face: int | None = None
    counted: int | None = None
    highlight: np.ndarray = field(default_factory=lambda: _NO_TRIANGLES, repr=False)
    whole: np.ndarray = field(default_factory=lambda: _NO_FACES, repr=False)
    dots: np.ndarray = field(default_factory=lambda: _NO_DOTS, repr=False)
    dot_radius: float = 0.0

    @property
    def count(self) -> int:
        """Number of faces, or points, in contact."""
        return len(self.faces) + len(self.points) if self.counted is None else self.counted


@dataclass(frozen=True, eq=False, slots=True)
class PairRow:
    """One pair of objects in one frame. Lengths are scene units; the report's files are in metres.

    Attributes:
        id: 16 hexadecimal digits, the same for the same two objects in every run; (id, frame) identifies a row.
        a, b: the two objects; a belongs to set A, b to set B, in alphabetical order if both orders are possible.
        frame: the frame.
        verdict: one of the verdicts of the test (`queries/`); a provisional verdict in an incomplete result of Live.
        severity: the engine's order of the verdicts, larger is worse; 0 for pairs that do not meet.
        contacts: number of triangle pairs in contact.
        location: a point of the contact, or None.
        depth: diameter of a ball that is proved to lie in both objects, or None.
        depth_lower, depth_upper: proved bounds of the diameter of the largest such ball; None without a proof.
        distance: distance of the objects, 0 if they meet; None if the test does not measure it.
        probability: probability that the surfaces of the objects meet, 0 to 1; None if the test does not compute it.
        probability_lower, probability_upper: ends of the interval that is stated for the probability, or None.
        curves: (s, 2, 3) float32 world segments of intersection curves and outlines of overlaps.
        flush: whether the two clash only within the precision of their stored coordinates.
        certainty: probability that the verdict is correct: 1 if the verdict was decided exactly, less if an open mesh
            counts as the solid that it seems to bound.
        volume_lower, volume_upper: bounds of the common volume, cubic scene units; None if the volume was not
            requested, if the verdict excludes a common volume, or if one of the objects bounds no solid.
        test: the name of the test that found the pair, if several tests were run together; else "".
        region: for a part of a self-contact, its pair of regions (`surface_regions`); "" for a whole object.
    """

    id: str
    a: PairSide
    b: PairSide
    frame: int
    verdict: str
    severity: int
    contacts: int
    location: Point | None = None
    depth: float | None = None
    depth_lower: float | None = None
    depth_upper: float | None = None
    distance: float | None = None
    probability: float | None = None
    probability_lower: float | None = None
    probability_upper: float | None = None
    curves: np.ndarray = field(default_factory=lambda: _NO_LINES, repr=False)
    flush: bool = False
    certainty: float = 1.0
    volume_lower: float | None = None
    volume_upper: float | None = None
    test: str = ""
    region: str = ""

    @property
    def volume(self) -> float | None:
        """Mean of the bounds of the common volume, cubic scene units; None if they are unknown."""
        if self.volume_lower is None or self.volume_upper is None:
            return None
        return 0.5 * (self.volume_lower + self.volume_upper)

    @property
    def sides(self) -> tuple[PairSide, PairSide]:
        """The two objects."""
        return self.a, self.b

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two objects."""
        return self.a.name, self.b.name

    @property
    def title(self) -> str:
        """Both names; one name if an object meets itself, with the numbers of the regions."""
        names = " × ".join(dict.fromkeys(self.names))
        return f"{names} ({region_text(self.region)})" if self.region else names

    @property
    def count(self) -> int:
        """Number of faces and points in contact, of both objects."""
        return self.a.count + self.b.count

    @property
    def owners(self) -> tuple[str, str, str, str]:
        """Full names of the owners and the sources of the two objects."""
        return self.a.owner, self.b.owner, self.a.source, self.b.source

    @property
    def scans(self) -> str:
        """Which of the two objects are scans: "", "a", "b" or "ab"."""
        return "".join(letter for letter, side in zip("ab", self.sides, strict=True) if side.is_scan)

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key, worst first: severity, probability, depth, distance, faces, frame, names, regions."""
        a, b, depth, count = self.a, self.b, self.depth, 0
        for side in (a, b):  # as `count` and `depth_order`, at half the time: Live sorts thousands of rows in a frame
            count += len(side.faces) + len(side.points) if side.counted is None else side.counted
        depths = -((self.depth_lower if depth is None else depth) or 0.0), -(self.depth_upper or 0.0)
        measured = -(self.probability or 0.0), *depths, self.distance or 0.0, -count
        return -self.severity, *measured, self.frame, a.name, b.name, region_numbers(self.region)

    @property
    def proved_depth(self) -> float | None:
        """The proved depth; 0 if the two objects may overlap but no common ball is proved; None if no bound is
        known.
        """
        return self.depth_lower if self.depth is None else self.depth

    @property
    def depth_order(self) -> tuple[float, float]:
        """Sort key: the proved depth, then its upper bound."""
        return -(self.proved_depth or 0.0), -(self.depth_upper or 0.0)

    @property
    def gap(self) -> np.ndarray:
        """The line between the nearest points of two objects that are apart, (1, 2, 3) float32; otherwise empty, (0, 2,
        3).
        """
        if not self.distance or self.a.point is None or self.b.point is None:
            return _NO_LINES
        return np.array([[self.a.point, self.b.point]], dtype=np.float32)
