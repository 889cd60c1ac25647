"""Verdicts of closed real models beside the common volume that manifold3d finds; close cases by exact arithmetic.

Models are laid against each other and pushed in by 1e-16 to 0.1 of their size or as far apart, put flush with their
boxes, into each other at a smaller size, a hair beside a copy, or anywhere. manifold3d is believed where the overlap,
and what sticks out of it, is thicker than ten times its tolerance; all other pairs, and all differences, are judged by
integers and fractions (``oracles/exact_verdict.py``), which share no code with the engine.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from meshclash import Hierarchy, TriangleMesh, build, verdict
from oracles.exact_verdict import exact_verdict
from oracles.mesh_files import read_mesh

from .depths import SUFFIXES, surface_point
from .tally import Tally, TallyError

SCALES = (1.0, 1.0, 0.2, 0.03)
BELIEVED = 10.0
"""Thickness, in tolerances of manifold3d, from which on it is believed."""
PORTION = 50
SHOWN = 10


@dataclass(frozen=True, eq=False)
class Model:
    """A closed model of diagonal ``scale``, for both sides."""

    label: str
    mesh: TriangleMesh
    hierarchy: Hierarchy
    manifold: Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    text = "models or folders of them; open ones are left out"
    parser.add_argument("models", nargs="+", type=Path, metavar="FILE", help=text)
    parser.add_argument("--pairs", type=int, default=1000, help=f"in portions of {PORTION}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, help="keep the counters in this file, and go on from it where it exists")


def run(options: argparse.Namespace) -> int:
    """Compare pairs; 1 when a verdict of ours is wrong, 2 without manifold3d, models or a usable state."""
    try:
        import manifold3d
    except ImportError as error:
        print(f"this bench needs manifold3d (pip install manifold3d): {error}")
        return 2
    models = closed_models(manifold3d, options.models)
    if not models:
        print("error: none of the models is closed")
        return 2
    key = {"bench": "volumes", "seed": options.seed, "portion": PORTION, "models": [model.label for model in models]}
    try:
        tally = Tally(key, options.state)
    except TallyError as error:
        print(f"error: {error}")
        return 2
    portions = -(-options.pairs // PORTION)
    while tally.done < portions:
        rng = np.random.default_rng([options.seed, tally.done])
        for number in range(PORTION):
            _compare(tally, *laid_pair(models, rng, number))
        tally.portion_done(last=tally.done + 1 == portions)
    print(*tally.notes, sep="\n", end="\n" if tally.notes else "")
    text = ", ".join(f"{name} {count}" for name, count in sorted(tally.counts.items()))
    print(f"{PORTION * tally.done} pairs in {tally.total_seconds():.0f} s: {text}")
    return 1 if tally.counts["ours wrong"] else 0


def closed_models(manifold3d: Any, paths: list[Path]) -> list[Model]:
    """The closed ones of files and of what folders hold, in the sizes of ``SCALES``."""
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    models = []
    for path in (file for file in files if file.suffix in SUFFIXES):
        vertices, triangles = read_mesh(path)
        vertices = (vertices - vertices.mean(axis=0)) / np.linalg.norm(np.ptp(vertices, axis=0))
        manifold = manifold3d.Manifold(manifold3d.Mesh64(vertices, triangles.astype(np.uint64)))
        if manifold.status() != manifold3d.Error.NoError or not TriangleMesh(vertices, triangles).is_closed:
            print(f"{path.stem} is left out: it is not closed, or no manifold")
            continue
        for scale in SCALES:
            own = manifold3d.Manifold(manifold3d.Mesh64(vertices * scale, triangles.astype(np.uint64)))
            mesh = TriangleMesh(vertices * scale, triangles)
            models.append(Model(f"{path.stem} x {scale}", mesh, build(mesh), own))
    return models


def laid_pair(models: list[Model], rng: np.random.Generator, number: int) -> tuple[Model, Model, np.ndarray]:
    """Two models and the pose (3, 4) of the second one."""
    a, b = (models[int(i)] for i in rng.integers(0, len(models), 2))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    (p, n), (q, m) = (surface_point(model.mesh, rng) for model in (a, b))
    length = 10.0 ** rng.uniform(-16, -1) * rng.choice([1.0, -1.0])
    kind = number % 10
    if kind == 0:
        shift = p - turn @ q + turn[0] * rng.uniform(0.0, 0.15)
    elif kind == 1:
        b, turn = a, np.eye(3)
        shift = length * np.eye(3)[int(rng.integers(3))]
    elif kind == 2:
        turn = np.diag([1.0, 1.0, 1.0]) if rng.random() < 0.5 else np.diag([-1.0, -1.0, 1.0])
        axis = int(rng.integers(3))
        shift = rng.uniform(-0.1, 0.1, 3)
        shift[axis] = a.mesh.vertices[:, axis].max() - (b.mesh.vertices @ turn.T)[:, axis].min()
    else:
        turn = _half_turn(m, n) if kind != 3 else turn
        shift = p - turn @ q - length * n * (kind != 4)
    return a, b, np.column_stack([turn, shift])


def _half_turn(m: np.ndarray, n: np.ndarray) -> np.ndarray:
    """A rotation (3, 3) that takes the direction m to -n."""
    half = m - n
    size = float(half @ half)
    return 2.0 * np.outer(half, half) / size - np.eye(3) if size > 1e-12 else np.diag([1.0, -1.0, -1.0])


def _compare(tally: Tally, a: Model, b: Model, pose: np.ndarray) -> None:
    """Count whether both say the same of a pair, and which one is right where they differ or are not believed."""
    found = verdict(a.hierarchy, b.hierarchy, pose_b=np.vstack([pose, [0, 0, 0, 1]])).name
    counts = tally.counts
    counts[found] += 1
    said = _by_manifold(a, b, pose)
    if said == found:
        counts["as manifold3d"] += 1
        return
    truth = exact_verdict(a.mesh, b.mesh, pose)
    counts["judged" if truth else "not judged"] += 1
    if truth is None:
        return
    counts["manifold3d wrong"] += said is not None and said != truth
    if found != truth:
        counts["ours wrong"] += 1
        if len(tally.notes) < SHOWN:
            tally.notes.append(f"{a.label}, {b.label} at {pose.tolist()}: {found}, truth {truth}")


def _by_manifold(a: Model, b: Model, pose: np.ndarray) -> str | None:
    """The verdict by manifold3d's volumes, or None where it is too close to call."""
    moved = b.manifold.transform(pose)
    common = a.manifold ^ moved
    thin = BELIEVED * max(a.manifold.get_tolerance(), moved.get_tolerance(), common.get_tolerance())
    if not _is_thick(common.volume(), common.surface_area(), thin):
        return None
    inside = 0
    for own in (a.manifold, moved):
        left = own.volume() - common.volume()
        if _is_thick(left, own.surface_area(), thin):
            continue
        inside += 1
    return "CLASH" if inside == 0 else None if inside == 2 else "CONTAINED"


def _is_thick(volume: float, area: float, thin: float) -> bool:
    """Whether a layer of that volume on half of an area is thicker than a length."""
    return area > 0.0 and 2.0 * volume / area > thin
