"""Turns what the engine found between two objects into a row of the report."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from .curves import curve_steps
from .engine_scene import EngineScene
from .frame_scene import Progress, SourceMesh, SourceObject
from .pair_row import PairRow, pair_id
from .regions import Side, cut_row
from .steps import telling
from .verdicts import CONTACT, CONTAINED, QUIET_VERDICTS, severity_of
from .world import to_world

TRIANGLES_AT_ONCE = 1 << 15  # that are brought into world space in one step

RowSteps = Generator[Progress, None, PairRow]


@dataclass(frozen=True)
class _Finding:
    """What a row says of its pair, before its sides are put in order: ids and triangles are the engine's."""

    ids: tuple[int, int]
    triangles: tuple[np.ndarray, np.ndarray]
    contacts: Any
    """The engine's `Contacts`, or None."""
    verdict: str
    severity: int
    location: np.ndarray | None = None
    depth: float | None = None
    distance: float | None = None
    points: tuple[np.ndarray, np.ndarray] | None = None
    nearest: tuple[int, int] | None = None
    """Triangles on which the points lie."""
    flush: bool = False
    certainty: float = 1.0
    probability: float | None = None

    def turned(self) -> _Finding:
        """The same with the two objects exchanged."""
        return replace(
            self, ids=self.ids[::-1], triangles=self.triangles[::-1], points=self.points and self.points[::-1],
            nearest=self.nearest and self.nearest[::-1],
        )  # fmt: skip


def contacts_row_steps(engine: ModuleType, world: EngineScene, found: Any, frame: int, highlights: bool) -> RowSteps:
    """The row of one `ObjectContacts`, in slices.

    Args:
        engine: the meshclash module.
        world: the scene that was asked.
        found: what the engine found between two of its objects.
        frame: the frame of the scene.
        highlights: whether to fill in the triangles and curves for drawing.
    """
    verdict = found.verdict
    finding = _Finding(
        (found.a, found.b), _sides(found.contacts.pairs), found.contacts, verdict.name.lower(), int(verdict.severity),
        found.location, _finite(verdict.depth), flush=verdict.flush, certainty=float(verdict.certainty),
    )  # fmt: skip
    return (yield from _row_steps(engine, world, finding, frame, highlights))


def first_contact_row_steps(
    engine: ModuleType, world: EngineScene, first: Any, frame: int, distance: float | None = None
) -> RowSteps:
    """The row of one `FirstContact`: a pair that meets, listed among the clashes until more is known.

    Args:
        distance: 0 where the test measures distances.
    """
    return (yield from surfaces_row_steps(engine, world, first, CONTACT, frame, True, distance))


def surfaces_row_steps(
    engine: ModuleType,
    world: EngineScene,
    found: Any,
    verdict: str,
    frame: int,
    highlights: bool,
    distance: float | None = None,
) -> RowSteps:
    """The row of two objects with contacts of which nothing else is known; arguments as `contacts_row_steps`.

    Args:
        verdict: what is said of it.
        distance: 0 where the test measures distances.
    """
    location = found.contacts.segments([0])[0].mean(axis=0)
    sides, severity = _sides(found.contacts.pairs), severity_of(engine, verdict)
    finding = _Finding((found.a, found.b), sides, found.contacts, verdict, severity, location, distance=distance)
    return (yield from _row_steps(engine, world, finding, frame, highlights))


def gap_row_steps(
    engine: ModuleType, world: EngineScene, gap: Any, apart: str, frame: int, highlights: bool
) -> RowSteps:
    """The row of one `ObjectGap`; arguments as `contacts_row_steps`.

    Args:
        apart: the verdict of a pair that does not meet. Where no triangles are named as near, those of the nearest
            points stand for them.
    """
    meets = gap.contacts is not None
    triangles = gap.near_a, gap.near_b
    if gap.triangles is not None and not (len(gap.near_a) or len(gap.near_b)):
        triangles = np.array(gap.triangles[:1]), np.array(gap.triangles[1:])
    finding = _Finding(
        (gap.a, gap.b), triangles, gap.contacts, gap.verdict.name.lower() if meets else apart,
        int(gap.verdict.severity), gap.location, _finite(gap.verdict.depth), float(gap.distance),
        None if gap.points is None else tuple(gap.points), gap.triangles, flush=gap.verdict.flush,
        certainty=float(gap.verdict.certainty),
    )  # fmt: skip
    return (yield from _row_steps(engine, world, finding, frame, highlights))


def chance_row_steps(engine: ModuleType, world: EngineScene, chance: Any, frame: int, highlights: bool) -> RowSteps:
    """The row of one `Chance`, arguments as `contacts_row_steps`.

    Drawn is where the two meet, or a box where they may.
    """
    i, j = ([], []) if chance.triangles is None else ([t] for t in chance.triangles)
    triangles = np.array(i, np.int64), np.array(j, np.int64)
    finding = _Finding(
        (chance.a, chance.b), triangles, None, chance.verdict, severity_of(engine, chance.verdict),
        None if chance.region is None else chance.region.mean(axis=0), probability=chance.probability,
    )  # fmt: skip
    row = yield from _row_steps(engine, world, finding, frame, highlights)
    if highlights and chance.region is not None and not chance.complete:
        row = replace(row, curves=_box_edges(chance.region))
    return replace(row, contacts=int(chance.triangles is not None))


_CORNERS = np.array(list(np.ndindex(2, 2, 2)))
_EDGES = np.array([(c, c | 1 << k) for k in range(3) for c in range(8) if not c & 1 << k])


def _box_edges(box: np.ndarray) -> np.ndarray:
    """The edges of a box (2, 3), as (12, 2, 3) float32."""
    places = _CORNERS[_EDGES].reshape(-1, 3)
    return np.take_along_axis(box.astype(np.float32), places, axis=0).reshape(12, 2, 3)


def identified(a: SourceObject, b: SourceObject) -> dict[str, Any]:
    """The fields of a row that say which objects it is about."""
    return {
        "id": pair_id(a.identity, b.identity),
        "a": a.name,
        "b": b.name,
        "owner_a": a.owner,
        "owner_b": b.owner,
        "source_a": a.source,
        "source_b": b.source,
    }


def _row_steps(engine: ModuleType, world: EngineScene, finding: _Finding, frame: int, highlights: bool) -> RowSteps:
    if not in_order(*(world.objects[key] for key in finding.ids)):
        finding = finding.turned()
    side_a, side_b = ((item, world.meshes[item.mesh_key]) for item in (world.objects[key] for key in finding.ids))
    row = _row(side_a, side_b, finding, frame)
    progress = Progress(1.0, f"Writing up {row.a} and {row.b}")
    if highlights:
        row = yield from telling(_drawing_steps(row, engine, side_a, side_b, finding.contacts), progress)
    yield progress
    return row


_Side = tuple[SourceObject, SourceMesh]


def _row(side_a: _Side, side_b: _Side, finding: _Finding, frame: int) -> PairRow:
    (a, mesh_a), (b, mesh_b) = side_a, side_b
    faces_a, faces_b = faces_of(mesh_a, finding.triangles[0]), faces_of(mesh_b, finding.triangles[1])
    points = finding.points
    nearest = finding.nearest
    return PairRow(
        **identified(a, b),
        frame=frame,
        verdict=finding.verdict,
        severity=finding.severity,
        contacts=0 if finding.contacts is None else len(finding.contacts.pairs),
        faces_a=faces_a,
        faces_b=faces_b,
        original_faces_a=faces_a if mesh_a.faces_are_original else None,
        original_faces_b=faces_b if mesh_b.faces_are_original else None,
        location=None if finding.location is None else _point(finding.location),
        depth=finding.depth,
        distance=finding.distance,
        point_a=None if points is None else _point(points[0]),
        point_b=None if points is None else _point(points[1]),
        probability=finding.probability,
        flush=finding.flush,
        certainty=finding.certainty,
        face_a=None if nearest is None else int(mesh_a.face_of_triangle[nearest[0]]),
        face_b=None if nearest is None else int(mesh_b.face_of_triangle[nearest[1]]),
    )


def _drawing_steps(
    row: PairRow, engine: ModuleType, side_a: _Side, side_b: _Side, contacts: Any
) -> Generator[None, None, PairRow]:
    """The row with what is drawn of it; the caller says what is being done."""
    curves = row.curves if contacts is None else (yield from curve_steps(engine, contacts))
    if row.verdict == CONTAINED and not row.contacts:
        highlight_a, highlight_b = yield from _inner_object_steps(side_a, side_b)
        return replace(row, highlight_a=highlight_a, highlight_b=highlight_b, curves=curves)
    whole_a = yield from _world_face_steps(side_a, row.faces_a)
    whole_b = yield from _world_face_steps(side_b, row.faces_b)
    whole = replace(
        row, highlight_a=whole_a.triangles, highlight_b=whole_b.triangles, whole_a=whole_a.faces,
        whole_b=whole_b.faces, curves=curves,
    )  # fmt: skip
    return whole if row.verdict in QUIET_VERDICTS else cut_row(whole)


def _sides(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The triangles of both sides of pairs (k, 2)."""
    return pairs[:, 0], pairs[:, 1]


def in_order(a: SourceObject, b: SourceObject) -> bool:
    """Whether a may stay the first: in set A, and alphabetically first where both orders are right."""
    forward, backward = a.in_a and b.in_b, b.in_a and a.in_b
    return forward and (not backward or (a.name, a.identity) <= (b.name, b.identity))


def faces_of(mesh: SourceMesh, triangles: np.ndarray) -> np.ndarray:
    """The sorted faces (k,) int32 of some triangles."""
    return np.unique(mesh.face_of_triangle[triangles]).astype(np.int32)


def triangles_of_faces(mesh: SourceMesh, faces: np.ndarray) -> np.ndarray:
    """The triangles (t, 3) int32 of some faces."""
    return mesh.triangles[_of_faces(mesh, faces)]


def _of_faces(mesh: SourceMesh, faces: np.ndarray) -> np.ndarray:
    """The indices of the triangles of some faces."""
    if not len(faces):
        return np.empty(0, np.int64)
    wanted = np.zeros(int(mesh.face_of_triangle.max()) + 1, dtype=bool)
    wanted[faces] = True
    return np.flatnonzero(wanted[mesh.face_of_triangle])


def _world_face_steps(side: _Side, faces: np.ndarray) -> Generator[None, None, Side]:
    """The triangles of some faces in world space, in slices."""
    item, mesh = side
    index = _of_faces(mesh, faces)
    corners = yield from world_triangle_steps(item, mesh, mesh.triangles[index])
    return Side(corners, mesh.face_of_triangle[index].astype(np.int64))


def world_triangle_steps(
    item: SourceObject, mesh: SourceMesh, triangles: np.ndarray
) -> Generator[None, None, np.ndarray]:
    """Corners (t, 3, 3) float32 of triangles in world space, in slices."""
    world = np.empty((len(triangles), 3, 3), np.float32)
    for begin in range(0, len(triangles), TRIANGLES_AT_ONCE):
        some = slice(begin, begin + TRIANGLES_AT_ONCE)
        world[some] = to_world(mesh.vertices[triangles[some]], item.matrix)
        if some.stop < len(triangles):
            yield
    return world


def _inner_object_steps(side_a: _Side, side_b: _Side) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
    """All triangles of the smaller of the two, and nothing of the larger."""
    all_a = yield from world_triangle_steps(*side_a, side_a[1].triangles)
    all_b = yield from world_triangle_steps(*side_b, side_b[1].triangles)
    none = np.empty((0, 3, 3), dtype=np.float32)
    return (all_a, none) if np.ptp(all_a, axis=(0, 1)).sum() <= np.ptp(all_b, axis=(0, 1)).sum() else (none, all_b)


def _point(coordinates: np.ndarray) -> tuple[float, float, float]:
    x, y, z = map(float, coordinates)
    return x, y, z


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
