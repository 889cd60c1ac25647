"""Run one of the methods from research papers on two objects, and show its result and its amount of work."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.cloud_scene import CloudScene
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.frame_scene import FrameScene, Progress, SceneSource, refuse_lost
from meshclash.clash.placed_mesh import placed_mesh
from meshclash.messages import Sentence
from meshclash.types.steps import scale_progress

METHODS = (
    (
        "closest_features",
        "Closest Features",
        "Track the distance of the convex hulls from feature to feature (Lin, Canny)",
    ),
    (
        "hill_climbing",
        "Hill Climbing",
        "Update the extents of the rotated hulls in 18 directions, climbing from vertex to vertex (Klosowski)",
    ),
    (
        "voxel_shell",
        "Voxel Shell",
        "Find the vertices of the second object inside a voxel map of the first one, which must be closed",
    ),
    ("clouds", "Cloud Query", "Find a contact of a scan, down to a node size (Klein, Zachmann)"),
)
"""Methods: name, label and description."""
PARTS = ("more", "voxels", "clouds")
"""Parts of the engine's warm-up that are needed in addition to those of every test."""
READ_END, MADE_END = 0.2, 0.6
_TURN = np.radians(1.0)  # of the second object, from which a search continues
_HALF = 9  # directions of an 18-DOP
_RUNS = 5  # the fastest of so many runs is shown

Line = tuple[str, str]
"""Caption and value."""
Things = tuple[tuple[Any, np.ndarray], tuple[Any, np.ndarray]]
"""Engine object and pose (4, 4) of both objects."""


@dataclass(frozen=True)
class MethodRun:
    """The result of a method.

    Attributes:
        method: name of the method.
        names: names of the two objects.
        lines: captions and values.
    """

    method: str
    names: tuple[str, str]
    lines: tuple[Line, ...]


def method_steps(
    source: SceneSource, engine: ModuleType, method: str, node_size: float
) -> Generator[Progress, None, MethodRun]:
    """Run a method on the two selected objects, in slices.

    Args:
        source: the scene.
        engine: the meshclash module.
        method: a name of `METHODS`.
        node_size: for cloud queries, the length below which nothing is resolved [Blender units]; 0 for no limit.

    Raises:
        InputError: the selection does not consist of exactly two objects that the method supports.
        DetectError: the engine raised another error.
    """
    frame = yield from scale_progress(source.read_steps("selection", "selection", None), 0.0, READ_END)
    refuse_lost(frame.skipped)
    try:
        names, things = yield from scale_progress(_things_steps(engine, frame, method), READ_END, MADE_END)
        yield Progress(MADE_END, "Running the method")
        lines = _RUN[method](engine, things, node_size)
    except engine.errors.MeshClashError as error:
        raise DetectError(Sentence("the engine reported an error: {why}", why=error)) from error
    return MethodRun(method, names, lines)


def _things_steps(
    engine: ModuleType, frame: FrameScene, method: str
) -> Generator[Progress, None, tuple[tuple[str, str], Things]]:
    found = [(item.name, placed_mesh(engine, frame, item)) for item in frame.objects]
    if method == "clouds":
        clouds = CloudScene(engine)
        yield from clouds.update_steps(frame)
        found = [(placed.item.name, (placed.cloud, placed.pose)) for placed in clouds.placed] + found
        if len(found) == 2 and not clouds.placed:
            raise InputError("this method needs a scan, but two meshes are selected")
    if len(found) != 2:
        raise InputError(Sentence("select two objects with faces to measure: {count} are selected", count=len(found)))
    (name_a, first), (name_b, second) = found
    return (name_a, name_b), (first, second)


def _least(ask: Callable[[], Any]) -> tuple[Any, str]:
    """Return the result of a query and the time of its fastest run."""
    times = []
    for _ in range(_RUNS):
        begun = time.perf_counter()
        answer = ask()
        times.append(time.perf_counter() - begun)
    return answer, f"{1e6 * min(times):,.1f} µs"


def _turned(pose: np.ndarray) -> np.ndarray:
    """Return a pose (4, 4) that is rotated about its own z axis by one degree."""
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(_TURN), -np.sin(_TURN)], [np.sin(_TURN), np.cos(_TURN)]]
    return pose @ turn


def _closest_features(engine: ModuleType, things: Things, _node_size: float) -> tuple[Line, ...]:
    (mesh_a, pose_a), (mesh_b, pose_b) = things
    hulls = engine.shapes.ConvexHull(mesh_a.vertices), engine.shapes.ConvexHull(mesh_b.vertices)
    found, first = _least(lambda: engine.shapes.closest_features(*hulls, pose_a, pose_b))
    turned = _turned(pose_b)
    after, later = _least(lambda: engine.shapes.closest_features(*hulls, pose_a, turned, start=found))
    return (
        ("Distance of Hulls", f"{found.distance:.6g}"),
        ("Features", f"{found.feature_a[0]} {found.feature_a[1]}, {found.feature_b[0]} {found.feature_b[1]}"),
        ("Steps", f"{found.steps}, {first}"),
        ("After Rotating by 1°", f"{after.steps}, {later}"),
    )


def _hill_climbing(engine: ModuleType, things: Things, _node_size: float) -> tuple[Line, ...]:
    lines: list[Line] = []
    for mesh, pose in things:
        polytope = engine.lab.ClimbingPolytope(mesh.vertices, _HALF)
        polytope.turned(pose[:3, :3])
        rotation = _turned(pose)[:3, :3]
        extents, taken = _least(partial(polytope.turned, rotation))
        lines.append(("Hull Vertices", f"{len(polytope.hull.vertices):,}"))
        lines.append(("Widest of 9 Directions", f"{float((extents[:_HALF] + extents[_HALF:]).max()):.6g}"))
        lines.append(("After Rotating by 1°", taken))
    return tuple(lines)


def _voxel_shell(engine: ModuleType, things: Things, _node_size: float) -> tuple[Line, ...]:
    (mesh, pose), (tool, tool_pose) = things
    begun = time.perf_counter()
    made = engine.voxels.VoxelMap(mesh)
    building = time.perf_counter() - begun
    shell, placed = np.ascontiguousarray(tool.vertices), np.linalg.inv(pose) @ tool_pose
    found, taken = _least(lambda: made.touch(shell, placed))
    return (
        ("Voxel Map", f"{made.nbytes / 2**20:,.1f} MiB, {1e3 * building:,.0f} ms"),
        ("Points Inside", f"{len(found.points):,} / {len(shell):,}"),
        ("Deepest Point", f"{float(found.depths.max(initial=0.0)):.6g}"),
        ("Time", taken),
    )


def _clouds(engine: ModuleType, things: Things, node_size: float) -> tuple[Line, ...]:
    (a, pose_a), (b, pose_b) = things
    asked = {"node_size": node_size} if node_size > 0.0 else {}
    found, taken = _least(lambda: engine.lab.cloud_collision(a, b, pose_a, pose_b, **asked))
    return (
        ("Collision", "yes" if found.colliding else "no"),
        ("Node Pairs", f"{found.stats.volume_tests:,}"),
        ("Evaluations", f"{found.stats.exact_tests:,}"),
        ("Time", taken),
    )


_RUN: dict[str, Callable[[ModuleType, Things, float], tuple[Line, ...]]] = {
    "closest_features": _closest_features, "hill_climbing": _hill_climbing, "voxel_shell": _voxel_shell,
    "clouds": _clouds,
}  # fmt: skip
