"""The result of a detection: one row per pair of objects and frame that is not apart."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import report_formats
from .frame_scene import Skipped
from .options import DetectOptions

SCHEMA = "meshclash.report/1"
CONTACT = "contact"  # in Live only: the two meet, and what that means is still to be found out
CLASH_VERDICTS = ("clash", "contained", "duplicate")


def _nothing(*shape: int) -> np.ndarray:
    return np.empty(shape, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class PairRow:
    """One pair of objects in one frame. Lengths are Blender units; the report's files are in metres.

    Attributes:
        id: 16 hexadecimal digits, the same for the same two objects in every run; (id, frame) names a row.
        a, b: names; a belongs to set A, b to set B, in alphabetical order where both orders would do.
        owner_a, owner_b: the objects of the scene to select (for an instance, its instancer).
        source_a, source_b: the objects whose meshes the face indices refer to.
        frame: the frame.
        verdict: "touching", "clash", "contained" or "duplicate"; `CONTACT` in an incomplete answer of Live.
        severity: the engine's order of the verdicts, larger is worse.
        contacts: number of triangle pairs in contact.
        faces_a, faces_b: (k,) int32 sorted faces of the evaluated meshes that are in contact.
        original_faces_a, original_faces_b: the same for the meshes before modifiers, or None where unknown.
        location: a point of the contact, or None.
        depth: estimate of how deep the two overlap, or None.
        distance: their distance; None, since only other tests measure it.
        highlight_a, highlight_b: (t, 3, 3) float32 world triangles of the faces in contact; for a contained pair
            whose surfaces do not meet, all triangles of the inner object.
        curves: (s, 2, 3) float32 world segments of intersection curves and outlines of overlaps.
        counts: numbers of faces in contact where the faces themselves are not known (a list that came with a file).
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
    location: tuple[float, float, float] | None = None
    depth: float | None = None
    distance: float | None = None
    highlight_a: np.ndarray = field(default_factory=lambda: _nothing(0, 3, 3), repr=False)
    highlight_b: np.ndarray = field(default_factory=lambda: _nothing(0, 3, 3), repr=False)
    curves: np.ndarray = field(default_factory=lambda: _nothing(0, 2, 3), repr=False)
    counts: tuple[int, int] | None = None

    @property
    def count_a(self) -> int:
        """Number of faces of a in contact."""
        return len(self.faces_a) if self.counts is None else self.counts[0]

    @property
    def count_b(self) -> int:
        """Number of faces of b in contact."""
        return len(self.faces_b) if self.counts is None else self.counts[1]

    @property
    def order(self) -> tuple[Any, ...]:
        """Sorts rows worst first: severity, then depth, then frame and names."""
        return (-self.severity, -(self.depth or 0.0), self.frame, self.a, self.b)


@dataclass(frozen=True, eq=False)
class DetectReport:
    """What a detection found.

    Attributes:
        file: path of the .blend file, "" when it was never saved.
        scale_length: metres per Blender unit.
        options: what was asked.
        rows: worst first.
        skipped: objects that could not take part.
        stats: counters and times, ready for JSON.
    """

    file: str
    scale_length: float
    options: DetectOptions
    rows: list[PairRow]
    skipped: list[Skipped] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)

    @property
    def clashes(self) -> list[PairRow]:
        """The rows that share volume: clash, contained and duplicate."""
        return [row for row in self.rows if row.verdict in CLASH_VERDICTS]

    def count(self, *verdicts: str) -> int:
        """Number of rows with one of the verdicts."""
        return sum(row.verdict in verdicts for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """The report as schema `meshclash.report/1` has it (docs/report-format.md); lengths in metres."""
        return {
            "schema": SCHEMA,
            "file": self.file,
            "unit": "m",
            "options": self.options.as_dict(),
            "pairs": [self._pair(row) for row in self.rows],
            "stats": {**self.stats, "skipped": [{"name": item.name, "reason": item.reason} for item in self.skipped]},
        }

    def _pair(self, row: PairRow) -> dict[str, Any]:
        scale = self.scale_length
        return {
            "id": row.id,
            "a": row.a,
            "b": row.b,
            "frame": row.frame,
            "verdict": row.verdict,
            "contacts": row.contacts,
            "faces_a": row.faces_a.tolist(),
            "faces_b": row.faces_b.tolist(),
            "original_faces_a": None if row.original_faces_a is None else row.original_faces_a.tolist(),
            "original_faces_b": None if row.original_faces_b is None else row.original_faces_b.tolist(),
            "location": None if row.location is None else [scale * x for x in row.location],
            "depth": None if row.depth is None else scale * row.depth,
            "distance": None if row.distance is None else scale * row.distance,
        }

    def to_json(self) -> str:
        """Strict JSON (no NaN) of schema `meshclash.report/1`."""
        return report_formats.to_json(self.as_dict())

    def to_csv(self) -> str:
        """One line per row; the same columns as the JSON pairs."""
        return report_formats.to_csv(self.as_dict())

    def to_html(self) -> str:
        """One self-contained page."""
        return report_formats.to_html(self.as_dict())

    def to_table(self) -> str:
        """Aligned text for a terminal."""
        return report_formats.to_table(self.as_dict())


def pair_id(identity_a: str, identity_b: str) -> str:
    """16 hexadecimal digits from the identities of two objects, whatever their order."""
    first, second = sorted((identity_a, identity_b))
    digest = hashlib.sha256(f"{len(first)}:{first}{second}".encode())
    return digest.hexdigest()[:16]
