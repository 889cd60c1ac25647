"""Parts that fit each other but for rounding: what a verdict may say of them, and of parts that are a hair too large.

python tests/engine/fits.py --cases 2000 --seed 1 [--kinds thread dovetail] [--single] [--first N] [--report FILE]

The shapes (``fit_shapes.py``) share no volume. One affine map takes both into the world, turned, scaled and far from
the origin; each side is then stored about an origin of its own and rounded. Vertices have moved by at most m then, so
the largest ball in both has a diameter of at most 2 m: its centre is farther than m from both surfaces, and would be in
both solids before they moved. The map is computed in extended precision, so 2 m is known; it is below 16 spacings.

An oversized part is grown by e on all sides, or shifted by e; the largest ball is known for some kinds, and lies
between the largest of some balls and twice the largest move of a vertex for all. Oversized parts must clash, between
bounds that contain the truth. Every case is asked in both orders, and is decided by seed, kind and number:
``--kinds KIND --first N --cases 1`` repeats one. Exit code 1: something was wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import meshclash as mc
import numpy as np
from bench.table import Row, format_table, write_json
from fit_shapes import KINDS, Shapes
from solids import Mesh
from strategies import matrix, rotation

SPACINGS = 16
"""Spacings of the largest coordinate that the bound from above of a fit may reach."""
FAR = (0.0, 0.0, 1.0, 40.0, 1e3, 1e6)
FAR_SINGLE = (0.0, 0.0, 1.0, 40.0)
NEAR_TRUTH = 1.25
"""Within this factor of the bounds of the truth either verdict may be given to a permitted overlap."""
BALLS = 48
FIT_FAULTS = ("above", "no bound", "order", "name", "permitted")
OVERSIZED_FAULTS = ("no clash", "outside", "permission")
WRONG = FIT_FAULTS + OVERSIZED_FAULTS
COUNTS = ("cases", "clash", *FIT_FAULTS, "oversized", *OVERSIZED_FAULTS, "left open")
SHOWN = 3


@dataclass(frozen=True, eq=False)
class Fit:
    """Two meshes with poses; what is known of the largest ball in both, and the spacing of the largest coordinate."""

    meshes: tuple[mc.TriangleMesh, mc.TriangleMesh]
    poses: tuple[np.ndarray | None, np.ndarray | None]
    spacing: float
    least: float
    most: float

    def verdict(self, turned: bool = False, **options: Any) -> mc.Verdict:
        """The verdict, asked in this order or the other."""
        (a, b), (pose_a, pose_b) = self.meshes, self.poses
        return mc.verdict(b, a, pose_b, pose_a, **options) if turned else mc.verdict(a, b, pose_a, pose_b, **options)


@dataclass(frozen=True, eq=False)
class Place:
    """Where both shapes are in the world: a scaled rotation and a shift, and the frame that each side is stored in."""

    linear: np.ndarray
    shift: np.ndarray
    frames: tuple[np.ndarray | None, np.ndarray | None]
    single: bool

    @property
    def scale(self) -> float:
        """How much larger things are in the world."""
        return float(np.cbrt(np.linalg.det(self.linear)))

    def ideal(self, vertices: np.ndarray) -> np.ndarray:
        """Places in the world (n, 3) in extended precision."""
        return vertices.astype(np.longdouble) @ self.linear.T.astype(np.longdouble) + self.shift

    def stored(self, vertices: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Coordinates (n, 3) and pose (4, 4) of one side as they are rounded."""
        points, frame, kind = self.ideal(vertices), self.frames[side], np.float32 if self.single else np.float64
        if frame is None:
            return points.astype(kind).astype(np.float64), None
        points = (points - frame[:3, 3]) @ _inverse(frame[:3, :3]).T
        return points.astype(kind).astype(np.float64), frame.astype(kind).astype(np.float64)


def _inverse(turn: np.ndarray) -> np.ndarray:
    """The inverse of a nearly orthogonal matrix in extended precision."""
    turn = turn.astype(np.longdouble)
    inverse = turn.T
    for _ in range(3):
        inverse = inverse @ (2 * np.eye(3, dtype=np.longdouble) - turn @ inverse)
    return inverse


def random_place(shapes: Shapes, rng: np.random.Generator, single: bool) -> Place:
    """Turned or not, scaled by 1e-6 to 1e6, near the origin or far; each side in the world or in a frame of its own."""
    scale = 10.0 ** rng.uniform(-6, 6)
    size = scale * float(np.ptp(np.concatenate([shapes.a[0], shapes.b[0]]), axis=0).max())
    away = size * rng.choice(FAR_SINGLE if single else FAR)
    turns = rotation(rng) if rng.random() < 0.8 else np.eye(3)
    shift = away * rng.uniform(-1, 1, 3)
    frames = [
        None
        if rng.random() < 0.3
        else matrix(rotation(rng) if rng.random() < 0.7 else np.eye(3), max(away, size) * rng.uniform(-1, 1, 3))
        for _ in range(2)
    ]
    return Place(scale * turns, shift, (frames[0], frames[1]), single)


def fitted(shapes: Shapes, place: Place, grown: np.ndarray | None = None) -> Fit:
    """The fit, where ``grown`` (n, 3) takes the place of b's vertices; ``least`` is 0."""
    meshes, poses, spacings, moved = [], [], [], []
    for side, (vertices, triangles) in enumerate((shapes.a, shapes.b)):
        stored, pose = place.stored(grown if side and grown is not None else vertices, side)
        largest = max(np.abs(stored).max(), 0.0 if pose is None else np.abs(pose[:3, 3]).max())
        resolution = mc.float32_resolution(np.abs(stored).max(), pose) if place.single else 0.0
        mesh = mc.TriangleMesh(stored, triangles, resolution=resolution)
        world = in_world(mesh, pose)
        largest = max(largest, np.abs(world).max())
        spacings.append(float(np.spacing(np.float32(largest)) if place.single else np.spacing(largest)))
        moved.append(float(np.sqrt(((world - place.ideal(vertices)) ** 2).sum(axis=1).max())))
        meshes.append(mesh)
        poses.append(pose)
    return Fit((meshes[0], meshes[1]), (poses[0], poses[1]), max(spacings), 0.0, 2.0 * max(moved))


def in_world(mesh: mc.TriangleMesh, pose: np.ndarray | None) -> np.ndarray:
    """Vertices (n, 3) where the engine has them: products and sums of doubles in this order."""
    x, y, z = mesh.vertices.T
    rows = np.eye(4) if pose is None else pose
    return np.stack([rows[k, 0] * x + rows[k, 1] * y + rows[k, 2] * z + rows[k, 3] for k in range(3)], axis=1)


def disguised(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """The same surface: other numbers of triangles and vertices, and sometimes no vertex in common."""
    vertices, triangles = mesh
    triangles = np.asarray(triangles)[rng.permutation(len(triangles))]
    triangles = np.take_along_axis(triangles, (np.arange(3) + rng.integers(0, 3, (len(triangles), 1))) % 3, axis=1)
    if rng.random() < 0.15:
        return vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    order = rng.permutation(len(vertices))
    return vertices[order], np.argsort(order)[triangles]


# Parts that are too large


def outward(mesh: Mesh) -> np.ndarray:
    """Steps (n, 3) of vertices that take all faces around them outwards by 1, or nearly so; at most 3 long."""
    vertices, triangles = mesh
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    _, place = np.unique(vertices, axis=0, return_inverse=True)
    around: list[list[np.ndarray]] = [[] for _ in range(int(place.max()) + 1)]
    for triangle, normal in zip(place.ravel()[triangles], normals, strict=True):
        for vertex in triangle.tolist():
            around[vertex].append(normal)
    found = np.array([_receding(np.unique(np.round(rows, 9), axis=0)) for rows in around])
    return found[place.ravel()]


def _receding(normals: np.ndarray) -> np.ndarray:
    step = np.linalg.lstsq(normals, np.ones(len(normals)), rcond=0.1)[0]
    return step / max(1.0, float(np.linalg.norm(step)) / 3.0)


def oversized(shapes: Shapes, place: Place, rng: np.random.Generator) -> Fit:
    """b grown by e on all sides, or shifted by e, with what is known of the largest ball."""
    size = float(np.ptp(np.concatenate([shapes.a[0], shapes.b[0]]), axis=0).max())
    e = min(size * 10.0 ** rng.uniform(-6, -2), 0.2 * shapes.fine)
    if rng.random() < 0.4:
        step = e * rotation(rng)[0]
        there, back = (_with_ball(shapes, place, shapes.b[0] + way, way, rng) for way in (step, -step))
        return there if there.least >= back.least else back
    grown = shapes.b[0] + e * outward(shapes.b)
    fit = _with_ball(shapes, place, grown, e, rng)
    if shapes.factor is None:
        return fit
    known, rounding = shapes.factor * e * place.scale, fitted(replace(shapes, b=(grown, shapes.b[1])), place).most
    return replace(fit, least=max(fit.least, known - rounding), most=min(fit.most, known + rounding))


def _with_ball(
    shapes: Shapes, place: Place, moved: np.ndarray, step: np.ndarray | float, rng: np.random.Generator
) -> Fit:
    """The fit with b moved by a step (3,), or outwards by a length; ``least`` is of balls behind its faces."""
    fit = fitted(shapes, place, moved)
    worlds = [in_world(mesh, pose) for mesh, pose in zip(fit.meshes, fit.poses, strict=True)]
    origin = worlds[1].mean(axis=0)
    a, b = ((world - origin)[mesh.triangles] for world, mesh in zip(worlds, fit.meshes, strict=True))
    normals = _unit_normals(b)
    outwards = place.scale * step if isinstance(step, float) else np.maximum(normals @ place.linear @ step, 0.0)
    centres = b.mean(axis=1) - 0.5 * np.broadcast_to(outwards, len(b))[:, None] * normals
    rounding = 4 * np.spacing(max(np.abs(world).max() for world in worlds))
    return replace(fit, least=max(0.0, largest_ball(a, b, centres, rng) - rounding))


def _unit_normals(corners: np.ndarray) -> np.ndarray:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def largest_ball(a: np.ndarray, b: np.ndarray, centres: np.ndarray, rng: np.random.Generator) -> float:
    """The diameter of the largest ball in both solids (corners (m, 3, 3)) around some centres (n, 3); 0: none is."""
    low = np.maximum(a.min(axis=(0, 1)), b.min(axis=(0, 1)))
    high = np.minimum(a.max(axis=(0, 1)), b.max(axis=(0, 1)))
    centres = centres[((centres > low) & (centres < high)).all(axis=1)]
    centres = centres[rng.permutation(len(centres))[:BALLS]]
    inside = [abs(windings(solid, centres)) > 0.5 for solid in (a, b)]
    centres = centres[inside[0] & inside[1]]
    if not len(centres):
        return 0.0
    return 2.0 * float(np.minimum(distances(a, centres), distances(b, centres)).max())


def windings(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Winding numbers (n,) of triangles (m, 3, 3) around points (n, 3), by solid angles."""
    p, q, r = (corners[None, :, k] - points[:, None] for k in range(3))
    lengths = [np.linalg.norm(x, axis=2) for x in (p, q, r)]
    volume = (p * np.cross(q, r)).sum(axis=2)
    u, v, w = ((x * y).sum(axis=2) for x, y in ((p, q), (q, r), (r, p)))
    below = lengths[0] * lengths[1] * lengths[2] + u * lengths[2] + v * lengths[0] + w * lengths[1]
    angles: np.ndarray = np.arctan2(volume, below).sum(axis=1) / (2 * np.pi)
    return angles


def distances(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distances (n,) of points (n, 3) from triangles (m, 3, 3)."""
    normals = _unit_normals(corners)
    offsets = points[:, None] - corners[None, :, 0]
    heights = (offsets * normals).sum(axis=2)
    above = np.ones(heights.shape, bool)
    least = np.full(heights.shape, np.inf)
    for k in range(3):
        start, along = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        offsets = points[:, None] - start[None]
        above &= (offsets * np.cross(normals, along)).sum(axis=2) >= 0.0
        share = np.clip((offsets * along).sum(axis=2) / (along * along).sum(axis=1), 0.0, 1.0)
        least = np.minimum(least, np.linalg.norm(offsets - share[:, :, None] * along, axis=2))
    return np.where(above, np.abs(heights), least).min(axis=1)


# What is asked of them


def measures(found: mc.Verdict) -> tuple[object, ...]:
    """All that must be the same in the other order."""
    return found.name, found.depth, found.depth_lower, found.depth_upper, found.flush


def faults_of_fit(fit: Fit, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """What is wrong with the answers about parts that fit, as (count, words)."""
    limit = SPACINGS * fit.spacing
    found = fit.verdict()
    if found == mc.Verdict.CLASH:
        yield "clash", ""
    yield from _faults_of_bounds(fit, found)
    if found.name not in ("APART", "TOUCHING", "CLASH"):
        yield "name", found.name
    if found.depth_upper is not None and found.depth_upper > limit:
        yield "above", f"at most {found.depth_upper:.3g}, {found.depth_upper / fit.spacing:.3g} spacings"
    permitted: list[Any] = [limit, limit * 10.0 ** rng.uniform(0, 6)]
    if fit.meshes[0].resolution:
        permitted.append("resolution")
    for most in permitted:
        for turned in (False, True):
            said = fit.verdict(turned, permitted_overlap=most)
            if said.name not in ("APART", "TOUCHING"):
                yield "permitted", f"{said.name} where {most} is permitted"
                break


def faults_of_oversized(fit: Fit) -> Iterator[tuple[str, str]]:
    """What is wrong with the answers about parts that are too large, as (count, words)."""
    if fit.least <= SPACINGS * fit.spacing:
        return
    yield "oversized", ""
    found = fit.verdict()
    yield from _faults_of_bounds(fit, found)
    if found != mc.Verdict.CLASH:
        yield "no clash", f"{found.name} where a ball of {fit.least:.3g} is in both"
    if fit.meshes[0].resolution and fit.verdict(permitted_overlap="resolution") != mc.Verdict.CLASH:
        yield "permission", f"no clash by resolution, truth {fit.least:.6g} to {fit.most:.6g}"
    for permitted, expected in ((fit.least / NEAR_TRUTH, "CLASH"), (NEAR_TRUTH * fit.most, "TOUCHING")):
        said = fit.verdict(permitted_overlap=permitted).name
        if said != expected:
            close = fit.verdict(depth="exact")
            is_open = close.depth_lower <= permitted < close.depth_upper  # then the largest ball found decides
            words = f"{said} where {permitted:.6g} is permitted, truth {fit.least:.6g} to {fit.most:.6g}"
            yield "left open" if is_open else "permission", words


def _faults_of_bounds(fit: Fit, found: mc.Verdict) -> Iterator[tuple[str, str]]:
    """Bounds that do not contain the truth or the depth, and answers that hang on the order."""
    other = fit.verdict(turned=True)
    if measures(other) != measures(found):
        yield "order", f"{measures(found)} and {measures(other)}"
    if found < mc.Verdict.CONTAINED:
        return
    lower, upper = found.depth_lower, found.depth_upper
    if lower is None or upper is None:
        yield "no bound", f"{lower} to {upper}"
        return
    inside = lower <= upper and (found.depth is None or lower <= found.depth <= upper)
    if not inside or lower > fit.most * (1 + 1e-9) or upper < fit.least * (1 - 1e-9):
        yield "outside", f"{lower:.9g} to {upper:.9g}, depth {found.depth}; truth {fit.least:.9g} to {fit.most:.9g}"


def case(kind: str, seed: int, number: int, single: bool) -> tuple[Fit, Fit, np.random.Generator]:
    """The fit and the oversized fit of a kind with a number; the generator goes on from there."""
    rng = np.random.default_rng([seed, number, list(KINDS).index(kind)])
    shapes = KINDS[kind](rng)
    shapes = replace(shapes, a=disguised(shapes.a, rng), b=disguised(shapes.b, rng))
    place = random_place(shapes, rng, single)
    return fitted(shapes, place), oversized(shapes, place, rng), rng


def faults(kind: str, seed: int, number: int, single: bool) -> Iterator[tuple[str, str]]:
    """All that is wrong with one case, and what it counts as."""
    fit, large, rng = case(kind, seed, number, single)
    if not 0.0 <= fit.most < SPACINGS * fit.spacing:
        raise ArithmeticError(f"case {number} ({kind}) is no fit: {fit.most / fit.spacing} spacings")
    yield "cases", ""
    yield from faults_of_fit(fit, rng)
    yield from faults_of_oversized(large)


def main(arguments: list[str] | None = None) -> int:
    """Judge cases of all kinds in turn; 1 when an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), metavar="KIND")
    parser.add_argument("--single", action="store_true", help="coordinates and matrices in single precision")
    parser.add_argument("--report", type=Path, help="write the counts and the first faults of each kind (JSON)")
    options = parser.parse_args(arguments)
    counts = {kind: Counter[str]() for kind in options.kinds}
    notes: list[str] = []
    for number in range(options.first, options.first + options.cases):
        kind = options.kinds[number % len(options.kinds)]
        for name, words in faults(kind, options.seed, number, options.single):
            counts[kind][name] += 1
            if name in WRONG and counts[kind][name] <= SHOWN:
                notes.append(f"{kind} --first {number}: {name}: {words}")
    rows: list[Row] = [{"kind": kind, **{name: counts[kind][name] for name in COUNTS}} for kind in options.kinds]
    rows.append({"kind": "all", **{name: sum(row[name] for row in rows) for name in COUNTS}})
    print(*notes, sep="\n", end="\n\n" if notes else "")
    print(format_table(rows))
    if options.report:
        write_json(options.report, {"seed": options.seed, "single": options.single, "kinds": rows, "faults": notes})
    return int(any(rows[-1][name] for name in WRONG))


if __name__ == "__main__":
    sys.exit(main())
