"""Find the common solid of two clashing objects, to be shown: its edges, its volume, its three sides."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.frame_scene import Progress, SceneSource
from meshclash.clash.pair_row import PairRow
from meshclash.clash.placed_mesh import placed_mesh
from meshclash.messages import Sentence
from meshclash.types.steps import scale_progress

from .placed_pair import placed_pair_steps

READ_END = 0.5


@dataclass
class ShownSolid:
    """A common solid that is shown. Lengths are in Blender units.

    Attributes:
        pair_id: id of the pair in the list.
        names: names of the two objects in the list.
        owners: full names of the scene's objects on which the solid depends.
        volume: volume of the solid; 0 if the two objects share no volume.
        sides: side lengths of its bounding box, longest first.
        box: lowest and highest corner, (2, 3); None without a common volume.
        vertices, triangles: (n, 3) float64 in the world and (m, 3).
        lines: (2 k, 3) float32 end points of its edges in world coordinates, each once.
        contradicts: whether the solid contradicts the proved bounds of the pair; in that case the bounds are correct.
        stale: whether one of the objects has moved or changed since.
    """

    pair_id: str
    names: tuple[str, str]
    owners: frozenset[str]
    volume: float
    sides: tuple[float, ...]
    box: np.ndarray | None = field(repr=False)
    vertices: np.ndarray = field(repr=False)
    triangles: np.ndarray = field(repr=False)
    lines: np.ndarray = field(repr=False)
    contradicts: bool = False
    stale: bool = False


def solid_steps(source: SceneSource, engine: ModuleType, row: PairRow) -> Generator[Progress, None, ShownSolid]:
    """Find the common solid of the two objects of a row in their current state.

    Args:
        source, engine: as for `job.detect_steps`.
        row: the pair.

    Raises:
        InputError: one of the two is gone, hidden, a scan, open, or cannot be used.
        DetectError: the engine raised another error.
    """
    (a, pose_a), (b, pose_b) = yield from scale_progress(placed_pair_steps(source, engine, row), 0.0, READ_END)
    try:
        found = engine.clash.interference(a, b, pose_a, pose_b)
    except engine.errors.NotASolid as error:
        raise InputError(Sentence("Unknown: {why}", why=_named(str(error), row))) from error
    except engine.errors.MeshClashError as error:
        raise DetectError(str(error)) from error
    vertices = np.empty((0, 3)) if found.mesh is None else found.mesh.vertices
    triangles = np.empty((0, 3), np.int32) if found.mesh is None else found.mesh.triangles
    sides = tuple(found.sides.tolist())
    wrong = found.contradicts(row.proved_depth) or not _within(found.volume, row)
    lines = edges(vertices, triangles)
    return ShownSolid(
        row.id, row.names, frozenset(row.owners), found.volume, sides, found.box, vertices, triangles, lines, wrong
    )


def fit_steps(source: SceneSource, engine: ModuleType, rows: Sequence[PairRow]) -> Generator[Progress, None, list[str]]:
    """Return the ids of the rows whose two objects currently are a screw in its hole or a press fit.

    Args:
        source, engine: as for `job.detect_steps`.
        rows: rows to check; open meshes, scans and missing objects are never fits.

    Raises:
        InputError: the objects cannot be read.
        DetectError: the package for common solids is missing.
    """
    frame = yield from scale_progress(source.read_steps("all", "all", None), 0.0, READ_END)
    known, found = {item.name: item for item in frame.objects}, []
    for number, row in enumerate(rows):
        yield Progress(READ_END + (1.0 - READ_END) * number / len(rows), "Looking for screws and press fits")
        if not known.keys() >= {*row.names}:
            continue
        try:
            (a, pose_a), (b, pose_b) = (placed_mesh(engine, frame, known[name]) for name in row.names)
            common = engine.clash.interference(a, b, pose_a, pose_b).mesh
        except (engine.errors.NotASolid, engine.errors.InvalidMesh, InputError):
            continue
        except engine.errors.MeshClashError as error:
            raise DetectError(str(error)) from error
        if common is not None and engine.clash.coaxial_fit(common) is not None:
            found.append(row.id)
    return found


def _named(message: str, row: PairRow) -> str:
    """Replace "a" or "b" in a message by the name of the object."""
    names = {"a": row.a.name, "b": row.b.name}
    if not isinstance(message, Sentence) or message.values.get("name") not in names:
        return message
    return Sentence(message.template, **{**message.values, "name": names[message.values["name"]]})


def _within(volume: float, row: PairRow) -> bool:
    """Return whether a volume lies within the proved bounds of a row, apart from the library's rounding errors."""
    if row.volume_lower is None or row.volume_upper is None:
        return True
    return row.volume_lower * (1.0 - 1e-6) <= volume <= row.volume_upper * (1.0 + 1e-6)


def edges(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the edges between faces that are not coplanar, each once, as end points (2 k, 3) float32."""
    if not len(triangles):
        return np.empty((0, 3), np.float32)
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    order = np.lexsort(ends.T)  # the two faces of an edge become neighbours
    first, second = order[0::2], order[1::2]
    bent = (normals[first // 3] * normals[second // 3]).sum(axis=1) < 1.0 - 1e-6
    return np.ascontiguousarray(vertices[ends[first[bent]].ravel()], np.float32)
