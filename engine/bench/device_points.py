"""Many points at once on a device: distances from a mesh and from a cloud, values of a surface, beside the CPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from meshclash.pointcloud.cloud import PointCloud
from meshclash.pointcloud.deviation import deviation
from meshclash.types.mesh import TriangleMesh
from oracles.mesh_generators import MAKERS

from .device_times import GROWTH, Clock, deep_pose, in_turn
from .options import short_size
from .table import Row

PER_POINT = 6e-5
"""Seconds that a point of the first size is expected to take in all."""
LEAST_POINTS = 100


def times(sizes: list[int], runs: int, clock: Clock) -> Iterator[Row]:
    """Rows of each size that the clock allows: a scan of so many points against its own shape, turned by 30 degrees."""
    a_point = PER_POINT
    for size in sizes:
        if not clock.allows(f"{short_size(size)} points", GROWTH * size * a_point):
            continue
        begun = clock.elapsed
        yield from _rows(size, runs, clock)
        a_point = (clock.elapsed - begun) / size


def _rows(size: int, runs: int, clock: Clock) -> Iterator[Row]:
    mesh = TriangleMesh(*MAKERS["bumpy"](2 * max(size, LEAST_POINTS), 1))
    rng = np.random.default_rng(1)
    points = mesh.vertices[:size] + 1e-3 * rng.normal(size=(min(size, mesh.vertex_count), 3))
    scan = PointCloud(points)
    pose = deep_pose(mesh)
    questions: dict[str, Callable[[str], object]] = {
        "distance from a mesh, signed": lambda device: deviation(scan, mesh, pose, signed=True, device=device),
        "distance from a cloud": lambda device: deviation(scan, scan, pose, device=device),
        "value of a surface": lambda device: np.concatenate([p.ravel() for p in scan.evaluate(points, device)]),
    }
    for name, ask in questions.items():
        yield _row(name, ask, len(points), runs, clock)


def _row(name: str, ask: Callable[[str], object], count: int, runs: int, clock: Clock) -> Row:
    answers: dict[str, object] = {}

    def asked(device: str) -> Callable[[], None]:
        def side() -> None:
            answers[device] = ask(device)

        return side

    seconds, done, _ = in_turn(
        {"cuda": asked("cuda"), "cpu": asked("cpu")}, runs, clock, time.perf_counter
    )  # fmt: skip
    same = np.asarray(answers["cuda"]).tobytes() == np.asarray(answers["cpu"]).tobytes()
    return {
        "question": name, "points": count, "same": "yes" if same else "NO",
        "device ms": round(1e3 * seconds["cuda"], 3), "CPU ms": round(1e3 * seconds["cpu"], 3),
        "CPU / device": round(seconds["cpu"] / seconds["cuda"], 2), "runs": done,
    }  # fmt: skip
