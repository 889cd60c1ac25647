"""How far the vertices of one object lie inside others at the worst frames of its events, and the way out."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.detection.errors import DetectError, InputError, UnusableObject
from meshclash.detection.events import ClashEvent
from meshclash.detection.frame_scene import FrameScene, Progress, SceneSource
from meshclash.detection.placed_mesh import placed_mesh
from numpy.typing import NDArray

BEYOND = 1.05
"""Of the way to the nearest point of the other surface: a little farther, so that the two do not touch."""


@dataclass(frozen=True)
class Inside:
    """The vertices of an object in one frame.

    Attributes:
        vertices: as modifiers leave them, in the object's space, (n, 3) float64.
        ways: what brings each of them out of the other object, in the object's space, (n, 3) float64; 0 outside.
        matrix: (3, 3) from the object's space to the world.
        depths: of each vertex in the world [Blender units], (n,) float64; 0 outside.
    """

    vertices: NDArray[np.float64]
    ways: NDArray[np.float64]
    matrix: NDArray[np.float64]
    depths: NDArray[np.float64]

    def along(self, normals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same against normals of the undeformed mesh, (n, 3), where modifiers have turned the vertices."""
        stretched = np.linalg.norm(normals @ np.linalg.inv(self.matrix), axis=1)
        return -BEYOND * (self.depths * stretched)[:, None] * normals


@dataclass
class Corrections:
    """What is known of an object.

    Attributes:
        frames: the vertices in each frame in which some lie inside another object.
        left_out: why other objects say nothing.
    """

    frames: list[Inside] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def moves(self, points: NDArray[np.float64], normals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The longest way of each vertex out of what it was in, (n, 3).

        Args:
            points: of the mesh without modifiers, (n, 3).
            normals: of its vertices.

        Raises:
            InputError: modifiers make another number of vertices.
        """
        found = np.zeros_like(points)
        reach = float(np.abs(points).max(initial=1e-9))
        for frame in self.frames:
            if len(frame.vertices) != len(points):
                raise InputError("modifiers make other vertices than the mesh has")
            as_they_are = np.allclose(frame.vertices, points, rtol=0.0, atol=1e-5 * reach)
            ways = frame.ways if as_they_are else frame.along(normals)
            longer = np.linalg.norm(ways, axis=1) > np.linalg.norm(found, axis=1)
            found[longer] = ways[longer]
        return found


def corrective_steps(
    source: SceneSource, engine: ModuleType, name: str, events: Sequence[ClashEvent]
) -> Generator[Any, None, Corrections]:
    """Looks at the worst frame of each event.

    Args:
        source, engine: as `job.detect_steps` takes them.
        name: full name of the object.
        events: in which it has a part.

    Raises:
        DetectError: the engine refused something.
    """
    result = Corrections()
    try:
        for done, event in enumerate(events):
            yield Progress(done / len(events), f"Frame {event.worst_frame}")
            sides = event.row.sides
            other = sides[1] if sides[0].owner == name else sides[0]
            frame = yield from source.read_steps(f"object:{name}", f"object:{other.owner}", event.worst_frame)
            try:
                found = yield from _inside_steps(engine, frame, name, other.name)
            except (UnusableObject, engine.errors.NotASolid) as error:
                result.left_out.append(f"'{other.name}': {error}")
                continue
            result.frames += [] if found is None else [found]
        return result
    except engine.errors.MeshClashError as error:
        raise DetectError(f"the engine refused: {error}") from error
    finally:
        source.restore()


def _inside_steps(engine: ModuleType, frame: FrameScene, name: str, other: str) -> Generator[Any, None, Inside | None]:
    """The vertices of one object inside another; None where one of the two is not there."""
    item = next((item for item in frame.objects if item.owner == name), None)
    solid = next((item for item in frame.objects if item.name == other), None)
    if item is None or solid is None:
        return None
    vertices = frame.meshes[item.mesh_key].vertices.astype(np.float64)
    matrix = item.matrix[:3, :3]
    points = vertices @ matrix.T + item.matrix[:3, 3]
    mesh, pose = placed_mesh(engine, frame, solid)
    found = yield from engine.steps(engine.signed_distance, mesh, points, pose)
    depths = np.maximum(-found.distance, 0.0)
    ways = BEYOND * np.where(depths[:, None] > 0.0, found.point - points, 0.0)
    return Inside(vertices, ways @ np.linalg.inv(matrix).T, matrix, depths)
