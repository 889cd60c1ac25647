"""Open, cracked and turned meshes whose truth is known: inside and outside, containment, depth, and their certainties.

Closed models are damaged on purpose (``damage.py``); the undamaged ones answer exactly. ``--scene`` judges all pairs of
a model in files, one object each, and asks twice, the second time with other names first.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from meshclash import Scene, TriangleMesh, Verdict, contains, signed_distance, solidity, verdict
from meshclash.solid.open_overlap import parts_of, side_of
from meshclash.solid.solidity import intended_solid
from oracles.damage import DAMAGES, hole_at
from oracles.mesh_files import read_mesh
from oracles.mesh_generators import MAKERS, Mesh

from .table import Row, format_table, write_json

_KNOWN = 0.99
_MADE_SIZE = 12_000
_PLACED_DAMAGES = ("hole 1%", "hole 5%", "20 holes 5%", "crack 0.1%", "hole 5% + flip 30%")
_BINS = (0.0, 0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 1.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument(
        "models", nargs="*", type=Path, help="closed models, .npz, .obj, .ply or .stl; made ones are added"
    )
    parser.add_argument("--points", type=int, default=6000, help="for each model, damage and seed")
    parser.add_argument("--placements", type=int, default=10_000, help="small solids in or beside damaged ones, in all")
    parser.add_argument("--pairs", type=int, default=200, help="overlapping pairs whose depth is measured")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1000, help="the first one")
    parser.add_argument("--scene", type=Path, help=".npz of the objects of a scene: arrays named NAME|v and NAME|f")
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Measure; 1 if something stated as known is wrong more often than documented."""
    models = {path.stem: read_mesh(path) for path in options.models}
    models |= {f"made {name}": make(_MADE_SIZE, options.seed) for name, make in MAKERS.items()}
    models = {name: _centred(mesh) for name, mesh in models.items() if TriangleMesh(*mesh).is_closed}
    report: Row = {"models": list(models)}
    failed = False
    if options.points:
        report["points"], bad = _points(models, options)
        failed |= bad
    if options.placements:
        report["placements"], bad = _placements(models, options)
        failed |= bad
    if options.pairs:
        report["depths"], bad = _depths(models, options)
        failed |= bad
    if options.scene:
        report["scene"] = _scene(options.scene)
    if options.json:
        write_json(options.json, report)
    return int(failed)


def _centred(mesh: Mesh) -> Mesh:
    """A mesh with its middle at the origin and a diagonal of 1 m."""
    low, high = mesh[0].min(axis=0), mesh[0].max(axis=0)
    return (mesh[0] - 0.5 * (low + high)) / np.linalg.norm(high - low), mesh[1]


def _points(models: dict[str, Mesh], options: argparse.Namespace) -> tuple[list[Row], bool]:
    kept: dict[str, list[np.ndarray]] = {name: [] for name in DAMAGES}
    none = dict.fromkeys(DAMAGES, 0)
    for name, mesh in models.items():
        for seed in range(options.seed, options.seed + options.seeds):
            rng = np.random.default_rng([seed, *name.encode()])
            points = sample_points(mesh, options.points, rng)
            truth = contains(TriangleMesh(*mesh), points)
            for damage, do in DAMAGES.items():
                damaged = TriangleMesh(*do(mesh, rng))
                told = solidity(damaged)
                if not told.solid:
                    none[damage] += 1
                    continue
                found = signed_distance(damaged, points)
                wrong = (found.distance < 0.0) != truth
                clear = np.abs(found.distance) >= 2.0 * told.gap
                kept[damage].append(np.stack([wrong, found.certainty, clear], axis=1))
    rows, certain = [], np.concatenate([np.concatenate(found) for found in kept.values() if found])
    for damage, found in kept.items():
        if not found:
            continue
        wrong, certainty, clear = np.concatenate(found).T
        known = certainty >= _KNOWN
        rows.append({
            "damage": damage, "points": len(wrong), "no solid": none[damage],
            "wrong %": 100 * wrong.mean(), "unknown %": 100 * (1 - known.mean()),
            "wrong % of known": f"{100 * wrong[known].mean():.4f}",
            "unknown % beyond 2 gaps": 100 * (1 - known[clear > 0].mean()),
            "known wrong beyond 2 gaps": int((wrong[known & (clear > 0)]).sum()),
        })  # fmt: skip
    print(format_table(rows))
    _print_calibration("certainty of points", certain[:, 1], certain[:, 0] == 0)
    hole_rows = [row for row in rows if "crack" not in row["damage"] and "hole" in row["damage"]]
    unknown = float(np.mean([row["unknown %"] for row in hole_rows]))
    wrong = float(np.mean([float(row["wrong % of known"]) for row in hole_rows]))
    print(f"holes up to 5 %: {unknown:.2f} % unknown, {wrong:.4f} % of the others wrong\n", flush=True)
    return rows, unknown > 7.0 or wrong > 0.05


def _print_calibration(what: str, certainty: np.ndarray, right: np.ndarray) -> None:
    rows = []
    for low, high in zip(_BINS, (*_BINS[1:], 2.0), strict=True):
        own = (certainty >= low) & (certainty < high)
        if own.any():
            stated, found = float(certainty[own].mean()), float(right[own].mean())
            rows.append({what: f"{low} to {min(high, 1.0)}", "number": int(own.sum()), "stated": f"{stated:.4f}",
                         "right": f"{found:.4f}", "off by": f"{abs(stated - found):.4f}"})  # fmt: skip
    print(format_table(rows), flush=True)


def _placements(models: dict[str, Mesh], options: argparse.Namespace) -> tuple[Row, bool]:
    """Small solids that cross nothing of the undamaged solid, inside or outside of damaged ones.

    They ask ``parts_of``, as ``verdict`` does, without the depth that takes most of a verdict's time; every fiftieth
    one asks ``verdict`` too, and both must agree.
    """
    rng = np.random.default_rng(options.seed + 1)
    each = -(-options.placements // (len(models) * len(_PLACED_DAMAGES)))
    small = _small_solid()
    certainty, right, disagree = [], [], 0
    still = np.eye(4)[:3]
    for name, mesh in models.items():
        points = sample_points(mesh, 40 * each, np.random.default_rng([options.seed, *name.encode()]))
        whole = signed_distance(TriangleMesh(*mesh), points)
        for damage in _PLACED_DAMAGES:
            damaged = TriangleMesh(*DAMAGES[damage](mesh, rng))
            rows = np.flatnonzero(np.abs(whole.distance) > 0.01)
            inside = rows[whole.distance[rows] < 0.0]
            chosen = np.concatenate([rng.permutation(inside)[: each // 2], rng.permutation(rows)[: each - each // 2]])
            for row in chosen.tolist():
                size = rng.uniform(0.3, 0.9) * abs(whole.distance[row])
                part = TriangleMesh(points[row] + size * small[0], small[1])
                parts = parts_of(side_of(intended_solid(part), still), side_of(intended_solid(damaged), still))
                found = bool(parts.inside.all())
                certainty.append(float(parts.certainties.min()))
                right.append(found == (whole.distance[row] < 0.0))
                if len(right) % 50 == 0 and _is_within(part, damaged):
                    disagree += (verdict(damaged, part) == Verdict.CONTAINED) != found
    stated = np.array(certainty) >= _KNOWN
    wrong = float((~np.array(right)[stated]).mean())
    row = {"placements": len(right), "stated %": 100 * float(stated.mean()), "wrong % of stated": f"{100 * wrong:.4f}",
           "wrong % of all": 100 * float(1 - np.mean(right)), "verdict differs": disagree}  # fmt: skip
    print(format_table([row]))
    _print_calibration("certainty of containment", np.array(certainty), np.array(right))
    print(flush=True)
    return row, wrong > 0.001 or disagree > 0


def _is_within(inner: TriangleMesh, outer: TriangleMesh) -> bool:
    """Whether the box of a mesh lies in another's, without which nothing is contained."""
    return bool((inner.bounds[0] >= outer.bounds[0]).all() and (inner.bounds[1] <= outer.bounds[1]).all())


def _small_solid() -> Mesh:
    """A bumpy sphere of radius 1 or less and few triangles."""
    vertices, triangles = MAKERS["bumpy"](300, 5)
    return vertices / np.linalg.norm(vertices, axis=1).max(), triangles


def _overlapping(
    models: dict[str, Mesh], rng: np.random.Generator, count: int
) -> Iterator[tuple[Mesh, Mesh, np.ndarray]]:
    """Pairs of models pushed into each other by 0.5 to 5 % of their diagonal, and where their surfaces met before."""
    names = list(models)
    for _ in range(count):
        a, b = (models[names[k]] for k in rng.integers(0, len(names), 2))
        (p,), (n,) = surface_points(a, 1, rng)
        (q,), (m,) = surface_points(b, 1, rng)
        turned = (b[0] - q) @ _rotation(m, -n).T + p - rng.choice([0.005, 0.02, 0.05]) * n
        yield a, (turned, b[1]), p


def _rotation(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """A rotation (3, 3) that brings one unit vector to another."""
    axis, cosine = np.cross(start, end), float(start @ end)
    if cosine < -0.999999:
        return 2.0 * np.outer(_across(start), _across(start)) - np.eye(3)
    k = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.eye(3) + k + k @ k / (1.0 + cosine)


def _across(unit: np.ndarray) -> np.ndarray:
    other = np.cross(unit, np.eye(3)[np.argmin(np.abs(unit))])
    return other / np.linalg.norm(other)


def _depths(models: dict[str, Mesh], options: argparse.Namespace) -> tuple[list[Row], bool]:
    """Depths of overlaps of damaged models beside those of the undamaged ones."""
    rng = np.random.default_rng(options.seed + 2)
    damages = {
        **{name: DAMAGES[name] for name in _PLACED_DAMAGES},
        "hole 1% at the contact": None, "hole 5% at the contact": None,
    }  # fmt: skip
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in damages}
    for k, (a, b, place) in enumerate(_overlapping(models, rng, options.pairs)):
        name = list(damages)[k % len(damages)]
        do = damages[name]
        share = 0.01 if name.startswith("hole 1%") else 0.05
        damaged = [hole_at(mesh, place, share) if do is None else do(mesh, rng) for mesh in (a, b)]
        whole = verdict(TriangleMesh(*a), TriangleMesh(*b)).depth
        stated = verdict(TriangleMesh(*damaged[0]), TriangleMesh(*damaged[1])).depth
        if whole:
            found[name].append((whole, np.nan if stated is None else stated))
    rows = []
    for name, pairs in found.items():
        if not pairs:
            continue
        whole, stated = np.array(pairs).T
        known = ~np.isnan(stated)
        ratio = stated[known] / whole[known]
        rows.append({
            "damage": name, "pairs": len(pairs), "stated %": 100 * float(known.mean()),
            "within 10 % of them": 100 * float((np.abs(ratio - 1) <= 0.1).mean()) if known.any() else np.nan,
            "larger by 10 %": int((ratio > 1.1).sum()), "smaller by 10 %": int((ratio < 0.9).sum()),
        })  # fmt: skip
    everything = np.concatenate([np.array(pairs) for pairs in found.values() if pairs])
    known = ~np.isnan(everything[:, 1])
    within = float((np.abs(everything[known, 1] / everything[known, 0] - 1) <= 0.1).mean())
    print(format_table(rows))
    print(f"{len(everything)} pairs, {known.mean():.1%} stated, {within:.1%} of these within 10 %\n", flush=True)
    return rows, within < 0.9


def _scene(path: Path) -> Row:
    """All pairs of a scene's objects, in two orders: how many clash, with a depth, and with the same depth."""
    with np.load(path) as arrays:
        names = sorted({key.rsplit("|", 1)[0] for key in arrays})
        meshes = {name: TriangleMesh(arrays[f"{name}|v"], arrays[f"{name}|f"]) for name in names}
    answers = []
    for order in (names, names[::-1]):
        scene = Scene()
        identifiers = {scene.add(TriangleMesh(meshes[n].vertices, meshes[n].triangles)): n for n in order}
        answers.append({
            tuple(sorted((identifiers[pair.a], identifiers[pair.b]))): pair for pair in scene.contacts().pairs
        })  # fmt: skip
    first, second = ({k: v for k, v in found.items() if v.verdict >= Verdict.CONTAINED} for found in answers)
    same = [
        k for k, v in first.items()
        if k in second and v.depth and second[k].depth and abs(v.depth / second[k].depth - 1.0) <= 0.1
    ]  # fmt: skip
    is_open = {n for n in names if not meshes[n].is_closed}
    row = {
        "objects": len(names), "open": len(is_open),
        "open that mean a solid": sum(solidity(meshes[n]).solid for n in sorted(is_open)),
        "clashes and contained": len(first), "of closed meshes": sum(not is_open & set(k) for k in first),
        "with a depth": sum(bool(v.depth) for v in first.values()), "the same in the other order": len(same),
        "least certainty": min((v.certainty for v in first.values()), default=np.nan),
        "differ in verdict": sum(k not in second or second[k].verdict != v.verdict for k, v in first.items())
        + len(set(second) - set(first)),
    }  # fmt: skip
    print(format_table([row]), flush=True)
    return row


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
