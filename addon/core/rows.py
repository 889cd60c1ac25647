"""Turns the engine's contacts between two objects into a row of the report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from .engine_scene import EngineScene
from .frame_scene import SourceMesh, SourceObject
from .report import CONTACT, PairRow, pair_id

SEAM_TOLERANCE = 1e-7  # of the size of a patchwork: corners closer than this are the same


@dataclass(frozen=True)
class _Judged:
    """What a row says of its pair beside the faces."""

    verdict: str
    severity: int
    location: np.ndarray | None = None
    depth: float | None = None


def make_row(engine: ModuleType, world: EngineScene, found: Any, frame: int, highlights: bool) -> PairRow:
    """The row of one `ObjectContacts`.

    Args:
        engine: the meshclash module.
        world: the scene that was asked.
        found: what the engine found between two of its objects.
        frame: the frame of the scene.
        highlights: whether to fill in the triangles and curves for drawing.
    """
    verdict = found.verdict
    judged = _Judged(verdict.name.lower(), int(verdict.severity), found.location, _finite(verdict.depth))
    return _row(engine, world, found, judged, frame, highlights)


def make_contact_row(engine: ModuleType, world: EngineScene, first: Any, frame: int) -> PairRow:
    """The row of one `FirstContact`: a pair that meets, listed among the clashes until more is known."""
    location = first.contacts.segments()[0].mean(axis=0)
    judged = _Judged(CONTACT, int(engine.Verdict.CLASH.severity), location)
    return _row(engine, world, first, judged, frame, highlights=True)


def _row(engine: ModuleType, world: EngineScene, found: Any, judged: _Judged, frame: int, highlights: bool) -> PairRow:
    a, b = world.objects[found.a], world.objects[found.b]
    columns = (0, 1)
    if not _in_order(a, b):
        a, b, columns = b, a, (1, 0)
    mesh_a, mesh_b = world.meshes[a.mesh_key], world.meshes[b.mesh_key]
    faces_a = _faces(mesh_a, found.contacts.pairs[:, columns[0]])
    faces_b = _faces(mesh_b, found.contacts.pairs[:, columns[1]])
    row = PairRow(
        id=pair_id(a.identity, b.identity),
        a=a.name,
        b=b.name,
        owner_a=a.owner,
        owner_b=b.owner,
        source_a=a.source,
        source_b=b.source,
        frame=frame,
        verdict=judged.verdict,
        severity=judged.severity,
        contacts=len(found.contacts.pairs),
        faces_a=faces_a,
        faces_b=faces_b,
        original_faces_a=faces_a if mesh_a.faces_are_original else None,
        original_faces_b=faces_b if mesh_b.faces_are_original else None,
        location=None if judged.location is None else _point(judged.location),
        depth=judged.depth,
    )
    return _with_drawing(row, engine, (a, mesh_a), (b, mesh_b), found) if highlights else row


def _with_drawing(
    row: PairRow,
    engine: ModuleType,
    side_a: tuple[SourceObject, SourceMesh],
    side_b: tuple[SourceObject, SourceMesh],
    found: Any,
) -> PairRow:
    highlight_a = _world_triangles(*side_a, _triangles_of_faces(side_a[1], row.faces_a))
    highlight_b = _world_triangles(*side_b, _triangles_of_faces(side_b[1], row.faces_b))
    if row.verdict == "contained" and not row.contacts:
        highlight_a, highlight_b = _inner_object(side_a, side_b)
    return replace(row, highlight_a=highlight_a, highlight_b=highlight_b, curves=_curves(engine, found.contacts))


def _in_order(a: SourceObject, b: SourceObject) -> bool:
    """Whether a may stay the first: in set A, and alphabetically first where both orders are right."""
    forward, backward = a.in_a and b.in_b, b.in_a and a.in_b
    return forward and (not backward or (a.name, a.identity) <= (b.name, b.identity))


def _faces(mesh: SourceMesh, primitives: np.ndarray) -> np.ndarray:
    return np.unique(mesh.face_of_triangle[primitives]).astype(np.int32)


def _triangles_of_faces(mesh: SourceMesh, faces: np.ndarray) -> np.ndarray:
    if not len(faces):
        return np.empty((0, 3), dtype=np.int32)
    wanted = np.zeros(int(mesh.face_of_triangle.max()) + 1, dtype=bool)
    wanted[faces] = True
    return mesh.triangles[wanted[mesh.face_of_triangle]]


def _world_triangles(item: SourceObject, mesh: SourceMesh, triangles: np.ndarray) -> np.ndarray:
    corners = mesh.vertices[triangles].astype(np.float64)
    world = corners @ item.matrix[:3, :3].T + item.matrix[:3, 3]
    return np.ascontiguousarray(world, dtype=np.float32)


def _inner_object(
    side_a: tuple[SourceObject, SourceMesh], side_b: tuple[SourceObject, SourceMesh]
) -> tuple[np.ndarray, np.ndarray]:
    """All triangles of the smaller of the two, and nothing of the larger."""
    all_a = _world_triangles(*side_a, side_a[1].triangles)
    all_b = _world_triangles(*side_b, side_b[1].triangles)
    none = np.empty((0, 3, 3), dtype=np.float32)
    return (all_a, none) if np.ptp(all_a, axis=(0, 1)).sum() <= np.ptp(all_b, axis=(0, 1)).sum() else (none, all_b)


def _curves(engine: ModuleType, contacts: Any) -> np.ndarray:
    """The intersection pieces of crossing pairs, then the rims of coplanar overlaps, as (s, 2, 3) float32."""
    crossing = contacts.kinds == int(engine.ContactKind.CROSSING)
    coplanar = contacts.kinds == int(engine.ContactKind.COPLANAR)
    pieces = np.asarray(contacts.segments())[crossing] if crossing.any() else np.empty((0, 2, 3))
    rims = _rims([outline for _, outline in contacts.outlines()] if coplanar.any() else [])
    return np.ascontiguousarray(np.concatenate((pieces, rims)), dtype=np.float32)


def _rims(outlines: list[np.ndarray]) -> np.ndarray:
    """The edges (s, 2, 3) of a patchwork of outlines that belong to one of them only: no seams between neighbours."""
    if not outlines:
        return np.empty((0, 2, 3))
    points = np.concatenate(outlines)
    last = np.cumsum([len(outline) for outline in outlines]) - 1
    following = np.arange(1, len(points) + 1)
    following[last] = np.concatenate(([0], last[:-1] + 1))
    size = float(np.ptp(points, axis=0).max())
    grid = SEAM_TOLERANCE * size if size > 0.0 else 1.0
    corners = np.unique(np.rint((points - points.min(axis=0)) / grid), axis=0, return_inverse=True)[1].ravel()
    edges = np.sort(np.stack((corners, corners[following]), axis=1), axis=1)
    _, index, count = np.unique(edges, axis=0, return_index=True, return_counts=True)
    rim = np.sort(index[count == 1])
    return np.stack((points[rim], points[following[rim]]), axis=1)


def _point(coordinates: np.ndarray) -> tuple[float, float, float]:
    x, y, z = map(float, coordinates)
    return x, y, z


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
