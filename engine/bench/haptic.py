"""Does a moving pair of objects in contact get its answers a thousand times a second?

Two bumpy spheres of so many triangles, the second pushed a little into the first, swaying and turning. At every pose of
the motion all contacts, the distance and a translation that takes them apart are asked for, each from the answer
before where that helps; and all poses at once for first contacts. Processor time of single Python calls.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collide, collides
from meshclash.query.distance import distance
from meshclash.query.penetration import penetration
from meshclash.query.verdict import verdict
from meshclash.types.mesh import TriangleMesh
from meshclash.types.results import Verdict

from .mesh_generators import bumpy_sphere
from .options import parse_sizes, short_size
from .table import Row, format_table, write_json
from .timing import one_core

_DEEPEST = 0.02  # [m]: how far the first pose is pushed in
_STACK = 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--sizes", type=parse_sizes, default=[100_000], help="triangles of each object")
    parser.add_argument("--steps", type=int, default=1000, help="poses of the motion")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when a translation does not take the objects apart."""
    with one_core():
        found = [_measure(size, options.steps) for size in options.sizes]
    rows = [row for part, _ in found for row in part]
    print(format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "haptic", "rows": rows})
    return int(not all(right for _, right in found))


def motion(first: Hierarchy, second: Hierarchy, steps: int) -> np.ndarray:
    """Poses (steps, 4, 4) of the second object: in contact, swaying by millimetres and turning by 0.05 degrees."""
    poses = np.repeat(np.eye(4)[None], steps, axis=0)
    k = np.arange(steps)
    turn = np.radians(0.05) * k
    poses[:, 0, 0] = poses[:, 1, 1] = np.cos(turn)
    poses[:, 1, 0], poses[:, 0, 1] = np.sin(turn), -np.sin(turn)
    far = 3.0
    for pose, step in zip(poses, k, strict=True):
        pose[:3, 3] = (far, 0.002 * np.sin(0.03 * step), 0.1)
        for _ in range(100):  # never too far: the distance shrinks by no more than the shift
            rest = distance(first, second, None, pose).distance
            if rest <= 1e-4:
                break
            pose[0, 3] -= rest
        pose[0, 3] -= _DEEPEST * (0.6 + 0.4 * np.sin(0.05 * step))
    return poses


def _measure(size: int, steps: int) -> tuple[list[Row], bool]:
    """A line for each question, and whether every translation took the objects apart."""
    first, second = (build(TriangleMesh(*bumpy_sphere(size, seed)), split="sah") for seed in (1, 2))
    poses = motion(first, second, steps)
    contacts = [len(collide(first, second, None, pose)) for pose in poses]
    known: dict[str, Any] = {"distance": None, "penetration": None}

    def ask_distance(pose: np.ndarray) -> None:
        known["distance"] = distance(first, second, None, pose, start=known["distance"])

    def ask_penetration(pose: np.ndarray) -> None:
        known["penetration"] = penetration(first, second, None, pose, start=known["penetration"])

    asks: dict[str, Callable[[np.ndarray], object]] = {
        "all contacts": lambda pose: collide(first, second, None, pose),
        "distance": ask_distance,
        "penetration": ask_penetration,
        "first contact": lambda pose: collides(first, second, None, pose),
    }
    rows = [_row(size, contacts, name, ask, poses) for name, ask in asks.items()]
    stack = np.resize(poses, (_STACK, 4, 4))
    collides(first, second, None, stack)
    start = time.process_time()
    collides(first, second, None, stack)
    rate = _STACK / (time.process_time() - start)
    rows.append(
        rows[0]
        | {"question": "first contact, stack", "median [ms]": 1e3 / rate, "p99 [ms]": "-", "a second": int(rate)}
    )
    return rows, _taken_apart(first, second, poses[:: max(1, steps // 50)])


def _row(size: int, contacts: list[int], name: str, ask: Callable[[np.ndarray], object], poses: np.ndarray) -> Row:
    ask(poses[0])
    seconds = []
    for pose in poses:
        start = time.process_time()
        ask(pose)
        seconds.append(time.process_time() - start)
    median, last = np.percentile(seconds, (50, 99))
    return {
        "triangles": short_size(size), "pairs": f"{min(contacts)} to {max(contacts)}", "question": name,
        "median [ms]": 1e3 * median, "p99 [ms]": f"{1e3 * last:.2f}", "a second": int(1.0 / median),
    }  # fmt: skip


def _taken_apart(first: Hierarchy, second: Hierarchy, poses: np.ndarray) -> bool:
    """Whether after each translation, from start to start, nothing touches and neither is inside the other."""
    last = None
    for pose in poses:
        last = penetration(first, second, None, pose, start=last)
        moved = pose.copy()
        moved[:3, 3] += last.translation
        if verdict(first, second, None, moved) != Verdict.APART:
            return False
    return True
