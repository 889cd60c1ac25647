"""Solids whose surfaces are known exactly, and whether two of them meet: an oracle for what clouds leave undecided.

A solid is a union of balls swept along segments, and of boxes. Its signed distance is a formula, its surface is sampled
at random, and no mesh is made. The surface of each solid is connected. So two surfaces meet if and only if one has
points on both sides of the other; a sheet without thickness meets a solid under the same condition. Balls of samples
that are farther from the other surface than their radius need not be looked into, because distances change by at most
the way moved.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from meshclash import Verdict, verdict
from meshclash.clouds import PointCloud

from . import Row

_BALLS = 1500
_SAMPLES = 120_000
_AT_ONCE = 4_000_000  # distances from parts computed at once
_BEST, _COPIES, _ROUNDS = 100, 40, 14  # of the search for the deepest point
_DIFFERENCE = 1e-7
_ON = 1e-6  # distance up to which a point counts as on a surface


class Solid(NamedTuple):
    """Parts of a solid."""

    starts: np.ndarray
    """(k, 3) ends of the segments along which balls are swept."""
    ends: np.ndarray
    radii: np.ndarray
    """(k,)"""
    low: np.ndarray
    """(j, 3) corners of the boxes."""
    high: np.ndarray


class Sheet(NamedTuple):
    """A surface with a border: a rectangle around the origin, bent about the y axis."""

    width: float
    length: float
    bend: float
    """Curvature."""


Shape = Solid | Sheet


def signed_distance(solid: Solid, at: np.ndarray) -> np.ndarray:
    """Signed distance of points (n, 3) from a solid, negative inside; inside it may be too small by its size."""
    result = np.full(len(at), np.inf)
    step = max(1, _AT_ONCE // max(1, len(solid.radii) + len(solid.low)))
    for begin in range(0, len(at), step):
        part = at[begin : begin + step]
        if len(solid.radii):
            way = solid.ends - solid.starts
            length2 = np.maximum((way * way).sum(axis=1), 1e-300)
            along = np.clip((part @ way.T - (solid.starts * way).sum(axis=1)) / length2, 0.0, 1.0)
            away2 = np.zeros(along.shape)
            for k in range(3):
                away2 += (part[:, k, None] - solid.starts[:, k] - along * way[:, k]) ** 2
            result[begin : begin + step] = (np.sqrt(away2) - solid.radii).min(axis=1)
        for low, high in zip(solid.low, solid.high, strict=True):
            off = np.abs(part - 0.5 * (low + high)) - 0.5 * (high - low)
            outside = np.linalg.norm(np.maximum(off, 0.0), axis=1)
            box = outside + np.minimum(off.max(axis=1), 0.0)
            result[begin : begin + step] = np.minimum(result[begin : begin + step], box)
    return result


def sample_surface(shape: Shape, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points (count, 3), even on the surface."""
    if isinstance(shape, Sheet):
        u, v = rng.random((2, count)) - 0.5
        return _bent(shape, u * shape.width, v * shape.length)
    found: list[np.ndarray] = []
    while sum(map(len, found)) < count:
        points = _sample_parts(shape, 2 * count, rng)
        found.append(points[signed_distance(shape, points) > -1e-9])
    every = np.concatenate(found)
    return every[rng.permutation(len(every))[:count]]


def _bent(sheet: Sheet, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    if sheet.bend == 0.0:
        return np.stack([u, v, 0.0 * u], axis=1)
    return np.stack([np.sin(sheet.bend * u), sheet.bend * v, 1.0 - np.cos(sheet.bend * u)], axis=1) / sheet.bend


def _sample_parts(solid: Solid, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points on the surfaces of all parts, also of those inside others."""
    length = np.linalg.norm(solid.ends - solid.starts, axis=1)
    sides = solid.high - solid.low
    tubes = 2.0 * np.pi * solid.radii * length
    caps = 4.0 * np.pi * solid.radii**2
    faces = (sides[:, [1, 2, 0]] * sides[:, [2, 0, 1]]).repeat(2, axis=1).ravel()
    area = np.concatenate([tubes, caps, faces])
    chosen = rng.choice(len(area), count, p=area / area.sum())
    tube, cap = chosen[chosen < len(tubes)], chosen[(chosen >= len(tubes)) & (chosen < 2 * len(tubes))] - len(tubes)
    face = chosen[chosen >= 2 * len(tubes)] - 2 * len(tubes)
    way = (solid.ends - solid.starts) / np.maximum(length, 1e-300)[:, None]
    direction = rng.normal(size=(len(tube), 3))
    direction -= (direction * way[tube]).sum(axis=1)[:, None] * way[tube]
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    on_tubes = (
        solid.starts[tube]
        + (rng.random(len(tube)) * length[tube])[:, None] * way[tube]
        + solid.radii[tube][:, None] * direction
    )
    direction = rng.normal(size=(len(cap), 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    end = np.where((direction * way[cap]).sum(axis=1)[:, None] > 0.0, solid.ends[cap], solid.starts[cap])
    on_caps = end + solid.radii[cap][:, None] * direction
    box, axis, upper = face // 6, face % 6 // 2, face % 2
    on_faces = solid.low[box] + rng.random((len(box), 3)) * sides[box]
    on_faces[np.arange(len(box)), axis] = np.where(upper, solid.high[box, axis], solid.low[box, axis])
    return np.concatenate([on_tubes, on_caps, on_faces])


class Surface:
    """Samples of a surface in balls: ``meets`` compares it with a solid."""

    def __init__(self, shape: Shape) -> None:
        from scipy.spatial import cKDTree

        rng = np.random.default_rng(12345)
        self.points = sample_surface(shape, _SAMPLES, rng)
        centres = self.points[:_BALLS]
        away, ball = cKDTree(centres).query(self.points)
        order = np.argsort(ball, kind="stable")
        self.points, ball = self.points[order], ball[order]
        self.start = np.searchsorted(ball, np.arange(_BALLS + 1))
        self.centres, self.radii = (
            centres,
            np.array([away[order][a:b].max(initial=0.0) for a, b in pairwise(self.start)]),
        )
        self.spacing = 3.0 * float(np.median(cKDTree(self.points).query(self.points[:2000], k=2)[0][:, 1]))
        self.radii += self.spacing
        self._shape = shape

    def meets(self, solid: Solid, pose: np.ndarray) -> tuple[bool, float]:
        """Whether the surface and that of a solid in a pose (4, 4) meet, and the least distance of a point from it.

        If all samples are on one side, the neighbourhoods of the nearest ones are searched for a point on the other.
        """
        turn, shift = pose[:3, :3], pose[:3, 3]
        at = signed_distance(solid, (self.centres - shift) @ turn)
        inside, outside = bool((at < -self.radii).any()), bool((at > self.radii).any())
        if inside and outside:
            return True, 0.0
        near = np.flatnonzero(np.abs(at) <= self.radii)
        if not len(near):
            return False, float((np.abs(at) - self.radii).min())
        points = np.concatenate([self.points[self.start[k] : self.start[k + 1]] for k in near])
        at = signed_distance(solid, (points - shift) @ turn)
        inside, outside = inside or bool((at < 0.0).any()), outside or bool((at > 0.0).any())
        if inside and outside:
            return True, 0.0
        sign = 1.0 if outside else -1.0
        least = self._least(solid, pose, points[np.argsort(sign * at)[:_BEST]], sign)
        return least <= 0.0, max(least, 0.0)

    def _least(self, solid: Solid, pose: np.ndarray, points: np.ndarray, sign: float) -> float:
        """Return the least signed distance from a solid, times ``sign``, of surface points around some points."""
        rng, reach, least = np.random.default_rng(1), self.spacing, np.inf
        for _ in range(_ROUNDS):
            copies = points.repeat(_COPIES, axis=0)
            copies += reach * rng.normal(size=copies.shape)
            points = np.concatenate([points, _projected(self._shape, copies)])
            at = sign * signed_distance(solid, (points - pose[:3, 3]) @ pose[:3, :3])
            best = np.argsort(at)[:_BEST]
            points, least, reach = points[best], float(at[best[0]]), 0.6 * reach
            if least <= 0.0:
                break
        return least


def _projected(shape: Shape, points: np.ndarray) -> np.ndarray:
    """Return points (n, 3) moved onto a surface; those that do not come to lie on it are left out."""
    if isinstance(shape, Sheet):
        u, v = points[:, 0], points[:, 1]
        if shape.bend != 0.0:
            u = np.arctan2(points[:, 0], 1.0 / shape.bend - points[:, 2]) / shape.bend
        width, length = 0.5 * shape.width, 0.5 * shape.length
        return _bent(shape, np.clip(u, -width, width), np.clip(v, -length, length))
    for _ in range(4):
        at = signed_distance(shape, points)
        slope = np.stack(
            [(signed_distance(shape, points + step) - at) / _DIFFERENCE for step in _DIFFERENCE * np.eye(3)], axis=1
        )
        points = points - at[:, None] * slope
    return points[np.abs(signed_distance(shape, points)) <= _ON]


def _solid(segments: list[tuple[np.ndarray, np.ndarray, float]], boxes: list[tuple[np.ndarray, np.ndarray]]) -> Solid:
    """Make a solid, moved to the origin and scaled to a largest side of 2."""
    starts = np.array([s[0] for s in segments]).reshape(-1, 3)
    ends = np.array([s[1] for s in segments]).reshape(-1, 3)
    radii = np.array([s[2] for s in segments], float)
    low = np.array([b[0] for b in boxes]).reshape(-1, 3)
    high = np.array([b[1] for b in boxes]).reshape(-1, 3)
    lowest = np.concatenate([np.minimum(starts, ends) - radii[:, None], low]).min(axis=0)
    highest = np.concatenate([np.maximum(starts, ends) + radii[:, None], high]).max(axis=0)
    middle, scale = 0.5 * (lowest + highest), 2.0 / (highest - lowest).max()
    return Solid(
        (starts - middle) * scale, (ends - middle) * scale, radii * scale, (low - middle) * scale,
        (high - middle) * scale,
    )  # fmt: skip


def _tree(rng: np.random.Generator, thickness: float) -> Solid:
    """A tree of branches that fork, each thinner than the last."""
    segments = []
    tips = [(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.6, thickness)]
    for _ in range(5):
        grown = []
        for base, way, length, radius in tips:
            tip = base + length * way
            segments.append((base, tip, radius))
            for _ in range(rng.integers(2, 4)):
                turned = way + 0.7 * rng.normal(size=3)
                grown.append((tip, turned / np.linalg.norm(turned), 0.75 * length, 0.75 * radius))
        tips = grown
    return _solid(segments, [])


def _coil(rng: np.random.Generator, thickness: float) -> Solid:
    """A wire around a helix."""
    t = np.linspace(0.0, 2.0 * np.pi * rng.integers(3, 7), 160)
    line = np.stack([np.cos(t), np.sin(t), t / t[-1] * rng.uniform(1.0, 2.5)], axis=1)
    return _solid([(a, b, thickness) for a, b in pairwise(line)], [])


def _lattice(rng: np.random.Generator, thickness: float) -> Solid:
    """Rods along the edges of a lattice."""
    n = int(rng.integers(3, 5))
    line = np.linspace(-1.0, 1.0, n)
    segments = []
    for p in line:
        for q in line:
            for axis in range(3):
                a, b = np.roll([-1.0, p, q], axis), np.roll([1.0, p, q], axis)
                segments.append((a, b, thickness))
    return _solid(segments, [])


def _comb(rng: np.random.Generator, thickness: float) -> Solid:
    """A bar with thin teeth."""
    boxes = [(np.array([-1.0, -0.1, -0.1]), np.array([1.0, 0.1, 0.1]))]
    for x in np.linspace(-0.95, 0.95, int(rng.integers(8, 16))):
        boxes.append((np.array([x - thickness, -0.05, 0.05]), np.array([x + thickness, 0.05, rng.uniform(0.6, 1.0)])))
    return _solid([], boxes)


def _plates(rng: np.random.Generator, thickness: float) -> Solid:
    """Thin plates along the axes that cross."""
    boxes = []
    for axis in range(3):
        half = rng.uniform(0.5, 1.0, 3)
        half[axis] = thickness
        boxes.append((-half, half))
    return _solid([], boxes)


def _blocks(rng: np.random.Generator, thickness: float) -> Solid:
    """A heap of blocks that reach into the first."""
    boxes = [(-np.full(3, 0.4), np.full(3, 0.4))]
    for _ in range(6):
        middle, half = rng.uniform(-0.4, 0.4, 3), rng.uniform(0.1, 0.6, 3)
        boxes.append((middle - half, middle + half))
    return _solid([], boxes)


def _blobs(rng: np.random.Generator, thickness: float) -> Solid:
    """A chain of balls and thick arms."""
    segments, at = [], np.zeros(3)
    for _ in range(8):
        step = rng.normal(size=3)
        there = at + 0.5 * step / np.linalg.norm(step)
        segments += [(at, there, rng.uniform(0.1, 0.2)), (there, there, rng.uniform(0.2, 0.4))]
        at = there
    return _solid(segments, [])


def _sheet(rng: np.random.Generator, thickness: float) -> Sheet:
    return Sheet(2.0, rng.uniform(0.8, 2.0), float(rng.choice([0.0, rng.uniform(0.2, 1.2)])))


class Kind(NamedTuple):
    """How the shapes of a kind are made."""

    maker: Callable[[np.random.Generator, float], Shape]
    thickness: float
    """Thickness of thin parts, before the shape is scaled to a largest side of 2."""
    seed: int
    """Of random numbers: another one for each kind, so that no two kinds share shapes or poses."""


KINDS = {
    "tree": Kind(_tree, 0.06, 2), "thin tree": Kind(_tree, 0.02, 9), "coil": Kind(_coil, 0.05, 1),
    "wire": Kind(_coil, 0.012, 4), "lattice": Kind(_lattice, 0.04, 7), "thin lattice": Kind(_lattice, 0.01, 12),
    "comb": Kind(_comb, 0.02, 3), "plates": Kind(_plates, 0.01, 6), "blocks": Kind(_blocks, 0.0, 8),
    "blobs": Kind(_blobs, 0.0, 5), "sheet": Kind(_sheet, 0.0, 10),
}  # fmt: skip


def make_shape(kind: str, seed: int) -> Shape:
    """The shape of a kind and a seed; always the same one."""
    return KINDS[kind].maker(np.random.default_rng([seed, KINDS[kind].seed]), KINDS[kind].thickness)


def random_pose(rng: np.random.Generator, reach: float) -> np.ndarray:
    """A random rotation, and a move up to some length in a random direction, (4, 4)."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    way = rng.normal(size=3)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, rng.uniform(0.0, reach) * way / np.linalg.norm(way)
    return pose


LOCKED = [(kind, 1001) for kind in KINDS] + [(kind, 1002) for kind in list(KINDS)[:9]]
"""Kinds and seeds of the shapes by which the limits of ``pointcloud/resolution.py`` were not chosen."""


def undecided_rows(points: int, poses: int, shapes: list[tuple[str, int]] | None = None) -> list[Row]:
    """Count the verdicts on clouds of shapes that are wrong, and those that are undecided.

    Args:
        points: number of points of each cloud.
        poses: number of random poses of each shape, the same for any number of points.
        shapes: kinds and seeds, all ``LOCKED`` by default. A sheet is compared with a solid, each solid with itself.
    """
    rows: list[Row] = []
    for kind, seed in LOCKED if shapes is None else shapes:
        shape = make_shape(kind, seed)
        solid = shape if isinstance(shape, Solid) else make_shape("blobs", seed)
        assert isinstance(solid, Solid)
        rng = np.random.default_rng([seed, 7, KINDS[kind].seed])
        a, b = (PointCloud(sample_surface(thing, points, rng)) for thing in (shape, solid))
        turns = np.random.default_rng([seed, 8, KINDS[kind].seed])
        surface, row = Surface(shape), {"meet": 0, "undecided": 0, "missed": 0, "false": 0}
        for _ in range(poses):
            pose = random_pose(turns, 2.0)
            meet, near = surface.meets(solid, pose)
            found = verdict(a, b, None, pose)
            clash = found.verdict is Verdict.CLASH
            row["meet"] += meet
            row["undecided"] += found.undecided
            row["missed"] += meet and not (clash or found.undecided)
            row["false"] += clash and not meet and near > _ON
        rows.append({"shape": f"{kind} {seed}", "poses": poses, **row})
    total = {key: sum(row[key] for row in rows) for key in ("poses", "meet", "undecided", "missed", "false")}
    return [*rows, {"shape": "all", **total}]
