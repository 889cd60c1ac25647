"""Find how far the vertices of an object lie inside other objects during its events, and how to move them out."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.errors import DetectError, InputError, UnusableObject
from meshclash.clash.events import ClashEvent
from meshclash.clash.frame_scene import FrameScene, Progress, SceneSource
from meshclash.clash.placed_mesh import placed_mesh
from meshclash.messages import Sentence
from numpy.typing import NDArray

BEYOND = 1.05
"""Factor for the distance to the nearest point of the other surface: slightly farther, so that the two objects do not
touch."""
LOOKS = 8
"""Number of frames that are sampled in an event."""


@dataclass
class Corrections:
    """Corrections for the vertices of an object.

    Attributes:
        moves: the longest move that takes each vertex out of another object, in the object's space before modifiers,
            (n, 3).
        left_out: reasons why other objects were left out, by their names.
    """

    moves: NDArray[np.float64]
    left_out: dict[str, str] = field(default_factory=dict)

    def take(self, ways: NDArray[np.float64]) -> None:
        """Merge the moves (n, 3) of another frame: keep the longer move of each vertex."""
        longer = np.linalg.norm(ways, axis=1) > np.linalg.norm(self.moves, axis=1)
        self.moves[longer] = ways[longer]


def corrective_steps(
    source: SceneSource, engine: ModuleType, name: str, events: Sequence[ClashEvent], points: NDArray[np.float64]
) -> Generator[Any, None, Corrections]:
    """Compute corrections from the worst frame of each event and some other frames.

    Args:
        source, engine: as for `job.detect_steps`.
        name: full name of the object.
        events: events of the object.
        points: vertices of the object before modifiers, (n, 3).

    Raises:
        InputError: modifiers change the number of vertices.
        DetectError: the engine raised another error.
    """
    result = Corrections(np.zeros_like(points))
    looks = [(event, frame) for event in events for frame in _frames_of(event)]
    try:
        for done, (event, number) in enumerate(looks):
            yield Progress(done / len(looks), Sentence("Frame {frame}", frame=number))
            sides = event.row.sides
            other = sides[1] if sides[0].owner == name else sides[0]
            frame = yield from source.read_steps(f"object:{name}", f"object:{other.owner}", number)
            try:
                ways = yield from _ways_steps(engine, frame, name, other.name, points)
            except (UnusableObject, engine.errors.NotASolid) as error:
                result.left_out[other.name] = f"'{other.name}': {error}"
                continue
            if ways is not None:
                result.take(ways)
        return result
    except engine.errors.MeshClashError as error:
        raise DetectError(Sentence("the engine reported an error: {why}", why=error)) from error
    finally:
        source.restore()


def _frames_of(event: ClashEvent) -> list[int]:
    return sorted({event.worst_frame, *np.linspace(event.start, event.end, LOOKS).astype(int).tolist()})


def _ways_steps(
    engine: ModuleType, frame: FrameScene, name: str, other: str, points: NDArray[np.float64]
) -> Generator[Any, None, NDArray[np.float64] | None]:
    """Return the move of each vertex out of another object, (n, 3); None if one of the two objects does not exist."""
    item = next((item for item in frame.objects if item.owner == name), None)
    solid = next((item for item in frame.objects if item.name == other), None)
    if item is None or solid is None:
        return None
    shape = frame.meshes[item.mesh_key]
    if len(shape.vertices) != len(points):
        raise InputError("modifiers such as Subdivision or Mirror change the number of vertices: disable them first")
    vertices = shape.vertices.astype(np.float64)
    matrix = item.matrix[:3, :3]
    placed = vertices @ matrix.T + item.matrix[:3, 3]
    mesh, pose = placed_mesh(engine, frame, solid)
    found = yield from engine.steps(engine.signed_distance, mesh, placed, pose)
    ways = BEYOND * np.where(found.distance[:, None] < 0.0, found.point - placed, 0.0) @ np.linalg.inv(matrix).T
    return np.einsum("nij,nj->ni", _before_modifiers(vertices, points, shape.triangles), ways)


def _before_modifiers(
    vertices: NDArray[np.float64], points: NDArray[np.float64], triangles: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return matrices (n, 3, 3) that convert a small step of each modified vertex to a step before modifiers.

    They are fitted by least squares.
    """
    after, before = _edges_and_normals(vertices[triangles]), _edges_and_normals(points[triangles])
    sums = np.zeros((2, len(points), 3, 3))
    for total, parts in zip(sums, (before @ after.transpose(0, 2, 1), after @ after.transpose(0, 2, 1)), strict=True):
        for corner in triangles.T:
            np.add.at(total, corner, parts)
    sums += np.eye(3) * max(1e-9 * float(np.abs(sums).mean()), 1e-30)  # regular for vertices without triangles
    return np.asarray(sums[0] @ np.linalg.inv(sums[1]))


def _edges_and_normals(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two edges and the normal of each triangle as columns, (m, 3, 3).

    The normal's length is the square root of the cross product's.
    """
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(first, second)
    length = np.sqrt(np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30))
    return np.stack((first, second, normal / length), axis=2)
