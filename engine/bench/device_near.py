"""Distances, clearances and pairs of objects on a device, or on the host backend, beside the CPU's engines.

Two copies of a model side by side, one turned by 30 degrees; clearances within half a percent of its size more than
they are apart. Objects are boxes of which each overlaps a few others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from meshclash.answering.exact_distances import decided_within, sorted_within
from meshclash.broadphase.sweep import overlapping_pairs
from meshclash.gpu.breadth_first import Observer, Workspace
from meshclash.gpu.nearness import find_clearances, find_distances
from meshclash.gpu.object_pairs import find_object_pairs
from meshclash.gpu.trees import build_trees
from meshclash.hierarchy.build import as_hierarchy
from meshclash.query.clearance import clearance
from meshclash.query.distance import distance
from meshclash.traversal.question import Goal
from meshclash.types.mesh import TriangleMesh
from oracles.device_model.backend import HostBackend
from oracles.mesh_generators import MAKERS

from .device_times import GROWTH, Clock, deep_pose, in_turn, question
from .options import short_size
from .table import Row

COUNTED = {
    "clearance_crossover": "triangles of both sides",
    "distance_crossover": "triangles of both sides",
    "object_crossover": "objects",
}
"""Settings of ``configure_device`` that these times tell, and what they count."""
LARGEST = 1_000_000
"""Triangles of the largest model, and the most objects."""
PER_TRIANGLE = 2e-4
"""Seconds that a triangle of the first size is expected to take in all."""
COMPARED_TO = 200_000
"""Largest size whose levels are compared with the host backend's."""
_WARM_UP = 24
_BESIDE = 1.3
"""How far the copies are moved apart, of their size."""
_WITHIN = 0.005
_CROWD = 0.5
"""Volume of the objects' boxes together, of the space they lie in."""


class _Question(NamedTuple):
    """A question to a backend, and the same to the CPU; what a backend finds is a list of arrays."""

    name: str
    setting: str
    pack_trees: Callable[[Any], Any]
    """Given a backend: what stays there."""
    ask: Callable[[Workspace, Any, Observer | None], list[np.ndarray]]
    on_cpu: Callable[[], list[np.ndarray]]


def times(sizes: list[int], backend: Any, runs: int, clock: Clock) -> Iterator[Row]:
    """Rows of each size up to a million that the clock allows, the first one in any case."""
    for asked in _questions(_WARM_UP):  # the first answers compile
        asked.ask(Workspace(backend), asked.pack_trees(backend), None)
        asked.on_cpu()
    a_triangle = PER_TRIANGLE
    asked_sizes = [size for size in sizes if size <= LARGEST] or [min(sizes)]
    for size in asked_sizes:
        if size != asked_sizes[0] and not clock.allows(f"what is near, {short_size(size)}", GROWTH * size * a_triangle):
            continue
        begun = clock.elapsed
        for asked in _questions(size):
            yield _row(asked, size, backend, runs, clock)
        a_triangle = (clock.elapsed - begun) / size


def gains(rows: list[Row], setting: str) -> list[tuple[int, float]]:
    """Sizes as a setting counts them, and CPU over device."""
    return [(row["counted"], row["CPU / device"]) for row in rows if row["setting"] == setting]


def _questions(size: int) -> list[_Question]:
    return [*_of_models(TriangleMesh(*MAKERS["bumpy"](size, 1))), _of_objects(size)]


def _of_models(mesh: TriangleMesh) -> list[_Question]:
    pose, size = deep_pose(mesh), float((mesh.bounds[1] - mesh.bounds[0]).max())
    pose[0, 3] += _BESIDE * size
    tree, asked = as_hierarchy(mesh), question(mesh, pose, goal=Goal.NEAREST)
    tolerance = distance(tree, tree, None, pose).distance + _WITHIN * size

    within = asked._replace(goal=Goal.WITHIN, tolerance=tolerance)

    def clearances(space: Workspace, trees: Any, observe: Observer | None) -> list[np.ndarray]:
        chunk, _ = find_clearances(space, trees, trees, within, observe)
        part = decided_within(within, chunk)
        answer = sorted_within(within, part, [])
        return [answer.pairs, answer.distances]

    def clearances_on_cpu() -> list[np.ndarray]:
        found = clearance(tree, tree, tolerance, None, pose, device="cpu")
        return [found.pairs, found.distances]

    def nearest(space: Workspace, trees: Any, observe: Observer | None) -> list[np.ndarray]:
        (pairs, distances, _, points), _ = find_distances(space, trees, trees, asked, observe)
        return [distances, pairs, points]

    def nearest_on_cpu() -> list[np.ndarray]:
        found = distance(tree, tree, None, pose, device="cpu")
        pair = np.array([[found.triangle_a, found.triangle_b]], np.int32)
        return [np.array([found.distance]), pair, np.stack([found.point_a, found.point_b])[None]]

    def packed_trees(backend: Any) -> Any:
        return build_trees(backend, [mesh])

    return [
        _Question("clearances", "clearance_crossover", packed_trees, clearances, clearances_on_cpu),
        _Question("distance", "distance_crossover", packed_trees, nearest, nearest_on_cpu),
    ]


def _of_objects(count: int) -> _Question:
    rng = np.random.default_rng(1)
    low = rng.random((count, 3))
    boxes = np.hstack([low, low + 2.0 * (_CROWD / count) ** (1.0 / 3.0) * rng.random((count, 3))])
    every = np.ones(count, np.bool_)

    def pairs(space: Workspace, _: Any, observe: Observer | None) -> list[np.ndarray]:
        return [find_object_pairs(space, boxes, every, every, observe)]

    return _Question(
        "pairs of objects", "object_crossover", lambda _: None, pairs, lambda: [overlapping_pairs(boxes, every, every)]
    )


def _row(asked: _Question, size: int, backend: Any, runs: int, clock: Clock) -> Row:
    space, packed_trees = Workspace(backend), asked.pack_trees(backend)
    found: dict[str, list[np.ndarray]] = {}

    def on_device() -> None:
        found["device"] = asked.ask(space, packed_trees, None)

    def on_cpu() -> None:
        found["CPU"] = asked.on_cpu()

    timer = time.perf_counter if backend.name == "cuda" else time.process_time
    seconds, done, _ = in_turn({"device": on_device, "CPU": on_cpu}, runs, clock, timer)
    same = [a.tobytes() for a in found["device"]] == [a.tobytes() for a in found["CPU"]]
    return {
        "question": asked.name, "size": short_size(size), "answers": len(found["CPU"][0]),
        "same": "yes" if same else "NO", "levels as the host's": _levels(asked, size, backend, space, packed_trees),
        "device ms": round(1e3 * seconds["device"], 3), "CPU ms": round(1e3 * seconds["CPU"], 3),
        "CPU / device": round(seconds["CPU"] / seconds["device"], 2), "runs": done, "setting": asked.setting,
        "counted": size if COUNTED[asked.setting] == "objects" else 2 * size,
    }  # fmt: skip


def _levels(asked: _Question, size: int, backend: Any, space: Workspace, packed_trees: Any) -> str:
    """Whether the pairs of every level are those of the host backend."""
    if backend.name != "cuda" or size > COMPARED_TO:
        return "not compared"
    mine: list[np.ndarray] = []
    of_host: list[np.ndarray] = []
    asked.ask(space, packed_trees, lambda _, pairs: mine.append(pairs))
    host = HostBackend()
    asked.ask(Workspace(host), asked.pack_trees(host), lambda _, pairs: of_host.append(pairs))
    return "yes" if len(mine) == len(of_host) and all(map(np.array_equal, mine, of_host)) else "NO"
