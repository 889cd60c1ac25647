"""Depths, distances and normals of primitives beside analytic ones, and of convex hulls beside coal and MuJoCo.

Meshes of round solids are inscribed, so their signed distance is the true one or larger, by a share of their radii at
most; both are bounds that every pair must keep. Moved out along our normal by our depth the true solids must be apart.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import meshclash as mc
import numpy as np

TOLERANCE = 0.002
"""Of meshes, a share of the radius."""
ROUNDING = 1e-9
TURNED, TOUCHING, DEEP, CONCENTRIC = "turned", "touching", "deep", "concentric"
CASES = (TURNED, TOUCHING, DEEP, CONCENTRIC)
ROUND = ("sphere", "capsule")


class Solid(NamedTuple):
    """A primitive about the origin."""

    kind: str
    sizes: tuple[float, ...]
    """Of a box its half sides, else radius and half length [m]."""
    mesh: mc.Hierarchy

    @property
    def slack(self) -> float:
        """How far the mesh may be inside the solid [m]."""
        return 0.0 if self.kind == "box" else TOLERANCE * self.sizes[0]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the bench."""
    parser.add_argument("--pairs", type=int, default=10_000, help="pairs of primitives (default: 10,000)")
    parser.add_argument("--hulls", type=int, default=1_000, help="pairs of convex hulls beside others (default: 1,000)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> int:
    """Print tables; 1 where a bound is broken or hulls differ by more than 1e-5."""
    wrong = _primitives(options.pairs, np.random.default_rng(options.seed))
    if options.hulls:
        wrong += _hulls(options.hulls, np.random.default_rng(options.seed + 1))
    return int(wrong > 0)


def _solids(rng: np.random.Generator) -> list[Solid]:
    made = []
    for _ in range(4):
        radius, half = rng.uniform(0.2, 1.0), rng.uniform(0.2, 1.0)
        sides, size, shapes = rng.uniform(0.2, 1.0, 3), (radius, half), mc.shapes
        made += [
            Solid("box", tuple(sides.tolist()), mc.build(shapes.box(2 * sides))),
            Solid("sphere", (radius, 0.0), mc.build(shapes.sphere(radius, TOLERANCE))),
            Solid("capsule", size, mc.build(shapes.capsule(radius, 2 * half, TOLERANCE))),
            Solid("cylinder", size, mc.build(shapes.cylinder(radius, 2 * half, TOLERANCE))),
            Solid("cone", size, mc.build(shapes.cone(radius, 2 * half, TOLERANCE))),
        ]
    return made


def _primitives(count: int, rng: np.random.Generator) -> int:
    solids = _solids(rng)
    of_kind: dict[str, list[Solid]] = {}
    for solid in solids:
        of_kind.setdefault(solid.kind, []).append(solid)
    told, broken, worst = Counter[str](), Counter[str](), Counter[str]()
    kinds = [(a, b) for a, b in itertools.product(of_kind, repeat=2) if _analytic(a, b) is not None]
    for k in range(count):
        kind_a, kind_b = kinds[k % len(kinds)]
        a, b = (of_kind[kind][rng.integers(4)] for kind in (kind_a, kind_b))
        case = CASES[(k // len(kinds)) % len(CASES)]
        pose_a, pose_b = _poses(a, b, case, rng)
        told[case] += 1
        over, right = _checked(a, b, pose_a, pose_b)
        broken[case] += not right
        worst[case] = max(worst[case], over)
    print(f"{'case':12s}{'pairs':>8s}{'wrong':>8s}  most above the true signed distance, share of what is allowed")
    for case in CASES:
        print(f"{case:12s}{told[case]:8d}{broken[case]:8d}  {worst[case]:.3f}")
    return sum(broken.values())


def _checked(a: Solid, b: Solid, pose_a: np.ndarray, pose_b: np.ndarray) -> tuple[float, bool]:
    """How much of the slack is used, and whether signed distance and normal keep their bounds."""
    true, slack = _signed(a, b, pose_a, pose_b), a.slack + b.slack
    found = mc.penetration(a.mesh, b.mesh, pose_a, pose_b)
    if found.depth > 0.0:
        signed, moved = -found.depth, pose_b.copy()
        moved[:3, 3] += (found.depth + slack) * found.direction
        right = _signed(a, b, pose_a, moved) >= -ROUNDING
    else:
        signed = mc.distance(a.mesh, b.mesh, pose_a, pose_b).distance
        right = True
    right &= true - ROUNDING <= signed <= true + slack + ROUNDING
    return (signed - true) / slack if slack else 0.0, right


def _poses(a: Solid, b: Solid, case: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    pose_a, pose_b = _turned(rng), _turned(rng)
    pose_a[:3, 3] = rng.uniform(-3, 3, 3)
    pose_b[:3, 3] = pose_a[:3, 3]
    if case == CONCENTRIC:
        return pose_a, pose_b
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    if case == TURNED:
        pose_b[:3, 3] += rng.uniform(0.2, 2.0) * way
        return pose_a, pose_b
    start, low, high = pose_a[:3, 3], 0.0, 8.0
    for _ in range(60):  # where the true solids touch, on that way
        middle = 0.5 * (low + high)
        pose_b[:3, 3] = start + middle * way
        low, high = (low, middle) if _signed(a, b, pose_a, pose_b) > 0.0 else (middle, high)
    pose_b[:3, 3] = start + (high if case == TOUCHING else 0.3 * high) * way
    return pose_a, pose_b


def _turned(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    pose = np.eye(4)
    pose[:3, :3] = q * np.sign(np.linalg.det(q))
    return pose


# True signed distances: negative the length of the shortest translation that parts two solids.


def _analytic(kind_a: str, kind_b: str) -> Callable[..., float] | None:
    if kind_a in ROUND and kind_b in ROUND:
        return _of_segments
    if "box" in (kind_a, kind_b) and (kind_a in ROUND or kind_b in ROUND):
        return _of_segment_and_box
    if kind_a == kind_b == "box":
        return _of_boxes
    if "sphere" in (kind_a, kind_b):
        return _of_ball
    return None


def _signed(a: Solid, b: Solid, pose_a: np.ndarray, pose_b: np.ndarray) -> float:
    tell = _analytic(a.kind, b.kind)
    assert tell is not None
    if (a.kind == "box" and tell is _of_segment_and_box) or (tell is _of_ball and a.kind != "sphere"):
        a, b, pose_a, pose_b = b, a, pose_b, pose_a
    return tell(a, b, pose_a, pose_b)


def _axis(solid: Solid, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = solid.sizes[1] * pose[:3, 2]
    return pose[:3, 3] - half, pose[:3, 3] + half


def _of_segments(a: Solid, b: Solid, pose_a: np.ndarray, pose_b: np.ndarray) -> float:
    """Capsules and spheres: segments have no volume in common, so a depth is that of the radii."""
    return _segment_distance(*_axis(a, pose_a), *_axis(b, pose_b)) - a.sizes[0] - b.sizes[0]


def _segment_distance(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> float:
    """The least of four ends against a segment, and of both lines where their nearest points lie within."""
    ends = [_point_segment(x, *seg) for x, seg in ((p, (r, s)), (q, (r, s)), (r, (p, q)), (s, (p, q)))]
    u, v, w = q - p, s - r, r - p
    across = np.cross(u, v)
    square = float(across @ across)
    if square > 1e-24:
        t, k = float(np.cross(w, v) @ across) / square, float(np.cross(w, u) @ across) / square
        if 0.0 <= t <= 1.0 and 0.0 <= k <= 1.0:
            ends.append(float(np.linalg.norm(p + t * u - r - k * v)))
    return min(ends)


def _point_segment(x: np.ndarray, p: np.ndarray, q: np.ndarray) -> float:
    along = q - p
    square = float(along @ along)
    t = min(1.0, max(0.0, float((x - p) @ along) / square)) if square else 0.0
    return float(np.linalg.norm(x - p - t * along))


def _point_box(x: np.ndarray, half: np.ndarray) -> float:
    return float(np.linalg.norm(np.maximum(np.abs(x) - half, 0.0)))


def _of_segment_and_box(a: Solid, b: Solid, pose_a: np.ndarray, pose_b: np.ndarray) -> float:
    """A segment with a radius, and a box whose sum with the segment is a zonotope of six pairs of faces."""
    ends = [pose_b[:3, :3].T @ (x - pose_b[:3, 3]) for x in _axis(a, pose_a)]
    half, middle, along = np.array(b.sizes), 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])
    inside = math.inf
    for normal in (*np.eye(3), *np.cross(np.eye(3), along)):
        length = float(np.linalg.norm(normal))
        if length > 1e-12:
            n = normal / length
            inside = min(inside, float(half @ np.abs(n) + abs(along @ n) - abs(middle @ n)))
    if inside >= 0.0:
        return -inside - a.sizes[0]
    low, high = -1.0, 1.0
    for _ in range(100):  # the distance is convex along the segment
        first, second = low + (high - low) / 3, high - (high - low) / 3
        near = _point_box(middle + first * along, half) < _point_box(middle + second * along, half)
        low, high = (low, second) if near else (first, high)
    return _point_box(middle + low * along, half) - a.sizes[0]


def _of_boxes(a: Solid, b: Solid, pose_a: np.ndarray, pose_b: np.ndarray) -> float:
    """Fifteen axes while they overlap; else the least of corners against boxes and edges against edges."""
    halves, turns = (np.array(a.sizes), np.array(b.sizes)), (pose_a[:3, :3], pose_b[:3, :3])
    between = pose_b[:3, 3] - pose_a[:3, 3]
    axes = [*turns[0].T, *turns[1].T, *np.cross(turns[0].T[:, None], turns[1].T[None]).reshape(-1, 3)]
    inside = math.inf
    for axis in axes:
        length = float(np.linalg.norm(axis))
        if length > 1e-9:
            n = axis / length
            reach = sum(float(half @ np.abs(turn.T @ n)) for half, turn in zip(halves, turns, strict=True))
            inside = min(inside, reach - abs(float(between @ n)))
    if inside >= 0.0:
        return -inside
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    corners = [pose[:3, 3] + (signs * h) @ pose[:3, :3].T for h, pose in zip(halves, (pose_a, pose_b), strict=True)]
    near = [
        _point_box(pose[:3, :3].T @ (x - pose[:3, 3]), half)
        for xs, pose, half in ((corners[1], pose_a, halves[0]), (corners[0], pose_b, halves[1]))
        for x in xs
    ]
    edges = [(i, j) for i in range(8) for j in range(i) if bin(i ^ j).count("1") == 1]
    near += [
        _segment_distance(*corners[0][list(e)], *corners[1][list(f)]) for e, f in itertools.product(edges, repeat=2)
    ]
    return min(near)


def _of_ball(a: Solid, b: Solid, pose_a: np.ndarray, pose_b: np.ndarray) -> float:
    """A ball and a solid of revolution: its profile against the middle of the ball."""
    x = pose_b[:3, :3].T @ (pose_a[:3, 3] - pose_b[:3, 3])
    across, height = math.hypot(x[0], x[1]), float(x[2])
    radius, half = b.sizes
    if b.kind == "cylinder":
        beyond = across - radius, abs(height) - half
        outside = math.hypot(max(beyond[0], 0.0), max(beyond[1], 0.0))
        return (outside if outside > 0.0 else max(beyond)) - a.sizes[0]
    point = np.array([across, height, 0.0])
    base, apex, middle = (np.array([r, z, 0.0]) for r, z in ((radius, -half), (0.0, half), (0.0, -half)))
    flank = 2 * half * (across - radius) + radius * (height + half)
    near = min(_point_segment(point, base, apex), _point_segment(point, middle, base))
    return (-near if height > -half and flank < 0.0 else near) - a.sizes[0]


def _hulls(count: int, rng: np.random.Generator) -> int:
    """Depths and normals of convex hulls: the least of all three is the best, and none may be above it by much."""
    from .hull_peers import coal_depth, mujoco_depth, same_hull

    told: dict[str, list[float]] = {"meshclash": [], "coal": [], "mujoco": []}
    turned: dict[str, list[float]] = {"coal": [], "mujoco": []}
    sizes = rng.integers(8, 40, 24).tolist()
    hulls = [mc.shapes.ConvexHull(rng.normal(size=(size, 3)) * rng.uniform(0.3, 1, 3)) for size in sizes]
    peers = {"coal": coal_depth([same_hull(h) for h in hulls]), "mujoco": mujoco_depth([same_hull(h) for h in hulls])}
    meshes = [mc.build(hull.mesh()) for hull in hulls]
    done = 0
    while done < count:
        i, j = rng.integers(len(hulls), size=2).tolist()
        pose_a, pose_b = _turned(rng), _turned(rng)
        pose_b[:3, 3] = rng.normal(size=3) * 0.7
        found = mc.penetration(meshes[i], meshes[j], pose_a, pose_b)
        if found.depth == 0.0:
            continue
        done += 1
        told["meshclash"].append(found.depth)
        for name, ask in peers.items():
            depth, normal = ask(i, j, pose_a, pose_b)
            told[name].append(depth)
            turned[name].append(float(np.degrees(np.arccos(np.clip(normal @ found.direction, -1, 1)))))
    own = np.array(told["meshclash"])
    print("beside     pairs  ours deeper by > 1e-6  theirs  most apart  normals > 0.1 degrees apart")
    above = 0
    for name, angles in turned.items():
        more = np.array(told[name]) - own
        above += int((more < -1e-5).sum())
        deeper, less, most = int((more < -1e-6).sum()), int((more > 1e-6).sum()), float(np.abs(more).max())
        print(f"{name:10s}{count:6d}{deeper:23d}{less:8d}{most:12.2g}{int((np.array(angles) > 0.1).sum()):29d}")
    return above
