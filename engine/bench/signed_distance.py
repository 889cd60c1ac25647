"""`signed_distance` of closed meshes beside libigl's, and every sign against exact arithmetic.

Points: a third in the model's box enlarged by a tenth, two thirds beside its surface, from 1e-4 to 0.1 of its diagonal
away. As many again lie within some units in the last place of the surface and are only checked, not timed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from meshclash import TriangleMesh, contains, signed_distance

from .mesh_files import read_mesh
from .mesh_generators import Mesh
from .options import short_size
from .pipes import MODELS
from .point_oracle import exact_windings, lies_on_surface
from .table import format_table, write_json
from .timing import one_core

_MADE_SIZES = {"bumpy": (500, 5_000), "part": (20_000,), "scan": (8_000, 60_000), "pipes": (40_000,)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("models", nargs="*", type=Path, help=".npz, .obj, .ply or .stl files, or folders of them")
    parser.add_argument("--points", type=int, default=20_000, help="of each kind for each model")
    parser.add_argument("--close", type=int, default=2_000, help="points for each model within units in the last place")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Measure every model; 1 if a sign is wrong."""
    rows = []
    with one_core():
        for name, mesh in _models(options.models, options.seed):
            rows.append(_measure(name, mesh, options))
            print(format_table(rows[-1:]), flush=True)
    print("\n" + format_table(rows))
    wrong = sum(row["wrong signs"] + row["wrong close by"] for row in rows)
    points = sum(row["points"] + row["close by"] for row in rows)
    print(f"{len(rows)} models, {points:,} points: {wrong} wrong signs")
    if options.json:
        write_json(options.json, {"rows": rows})
    return int(wrong > 0)


def _models(paths: list[Path], seed: int) -> list[tuple[str, Mesh]]:
    files = [f for path in paths for f in (sorted(path.glob("*.*")) if path.is_dir() else [path])]
    given = [(f.stem, read_mesh(f)) for f in files if f.suffix in (".npz", ".obj", ".ply", ".stl")]
    made = [
        (f"{name} {short_size(size)}", make(size, seed)) for name, make in MODELS.items() for size in _MADE_SIZES[name]
    ]
    closed = [(name, mesh) for name, mesh in given + made if TriangleMesh(*mesh).is_closed]
    for name in sorted({name for name, _ in given} - {name for name, _ in closed}):
        print(f"{name} is not closed: left out")
    return closed


def sample_points(mesh: Mesh, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points (count, 3) in the box of a mesh and beside its surface."""
    vertices = mesh[0]
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    in_box = 0.5 * (low + high) + (rng.random((count // 3, 3)) - 0.5) * (high - low) * 1.1
    at, normal = surface_points(mesh, count - len(in_box), rng)
    away = np.linalg.norm(high - low) * 10.0 ** rng.uniform(-4, -1, len(at)) * rng.choice([-1.0, 1.0], len(at))
    return np.concatenate([in_box, at + away[:, None] * normal])


def surface_points(mesh: Mesh, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, 3) spread evenly over a surface, and the normals there."""
    corners = mesh[0][mesh[1]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normal, axis=1)
    t = rng.choice(len(corners), count, p=area / area.sum())
    root, share = np.sqrt(rng.random(count)), rng.random(count)
    weights = np.stack([1.0 - root, root * (1.0 - share), root * share], axis=1)
    return np.einsum("nk,nkd->nd", weights, corners[t]), normal[t] / area[t, None]


def close_points(mesh: Mesh, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points at vertices, middles of edges and points of faces, up to three units in the last place away."""
    vertices, triangles = mesh
    t = triangles[rng.integers(0, len(triangles), count)]
    places = np.stack([vertices[t[:, 0]], 0.5 * (vertices[t[:, 0]] + vertices[t[:, 1]]), vertices[t].mean(axis=1)])
    points = places[rng.integers(0, 3, count), np.arange(count)]
    units = rng.integers(-3, 4, (count, 3)) * (rng.random((count, 1)) < 0.7)  # three of ten stay where they are
    return points + units * np.spacing(points)


def _measure(name: str, mesh: Mesh, options: argparse.Namespace) -> dict:
    rng = np.random.default_rng([options.seed, *name.encode()])
    points, close = sample_points(mesh, options.points, rng), close_points(mesh, options.close, rng)
    solid = TriangleMesh(*mesh)
    corners = mesh[0][mesh[1]]
    ours, theirs = [], []
    for _ in range(options.runs):
        fresh = TriangleMesh(*mesh)
        begin = time.process_time()
        found = signed_distance(fresh, points, threads=1)  # with hierarchy and topology, as theirs
        ours.append(time.process_time() - begin)
        begin = time.process_time()
        signs_of_igl, seconds = _igl(mesh, points)
        theirs.append(seconds)
    truth = exact_windings(corners, points) != 0
    near = signed_distance(solid, close, threads=1).distance
    on = near == 0.0
    wrongly_on = sum(not lies_on_surface(corners, p) for p in close[on])
    missed = sum(lies_on_surface(corners, p) for p in close[~on][:200])
    inside = exact_windings(corners, close[~on]) != 0
    wrong_close = int(wrongly_on + missed + (inside != (near[~on] < 0.0)).sum())
    wrong_contains = int((contains(solid, close, threads=1) != (near <= 0.0)).sum())
    return {
        "model": name,
        "triangles": len(mesh[1]),
        "points": len(points),
        "us a point": min(ours) / len(points) * 1e6,
        "igl us a point": min(theirs) / len(points) * 1e6,
        "igl / ours": float(np.median(np.array(theirs) / np.array(ours))),
        "wrong signs": int((truth != (found.distance < 0.0)).sum()),
        "igl's wrong signs": int((truth != signs_of_igl).sum()),
        "close by": len(close),
        "of them on it": int(on.sum()),
        "wrong close by": wrong_close + wrong_contains,
    }


def _igl(mesh: Mesh, points: np.ndarray) -> tuple[np.ndarray, float]:
    """Which points libigl sees inside, by its fast winding number, and its processor time; build and all."""
    try:
        import igl
    except ImportError:
        raise SystemExit("this bench compares with libigl: pip install libigl") from None
    types = getattr(igl, "SignedDistanceType", igl)
    begin = time.process_time()
    signed = igl.signed_distance(points, *mesh, types.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER)[0]
    return signed < 0.0, time.process_time() - begin
