"""Random scenes in rigid motion, whose contacts are looked for at very many moments in closed form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from meshclash import TriangleMesh, collides, distance
from meshclash.motion import ContactInterval, KeyframedMotion, ScrewMotion, time_of_contact
from meshclash.motion.motions import Motion, as_motion

from . import Row
from .motion_oracle import ConvexPart, Path, gaps, part_of_box, part_of_triangle, path_of

_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
_BOX = _FACES[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
_MOMENTS = 500
"""Samples of a scene, beside the keys and those close to the ends of contacts."""
_MOST_PIECES = 5000
_CERTAIN = 1e-6
"""How deep in each other, by the axis test, objects are in contact whatever is rounded [m]."""


@dataclass(frozen=True)
class Solid:
    """A shape as a mesh, and as the union of convex parts; without them only its surface is known."""

    mesh: TriangleMesh
    parts: list[ConvexPart]


@dataclass(frozen=True)
class MovingScene:
    """Two objects and their motions, also in closed form."""

    solids: tuple[Solid, Solid]
    motions: tuple[Motion, Motion]
    paths: tuple[Path, Path]
    tolerance: float
    resolution: float | None
    with_depth: bool
    """Whether the deepest moments are looked for, which take most of the time."""

    @property
    def things(self) -> tuple[TriangleMesh, TriangleMesh]:
        """The meshes."""
        return self.solids[0].mesh, self.solids[1].mesh

    def moved(self, shift: object) -> MovingScene:
        """The same scene elsewhere, for the engine."""
        offset = np.asarray(shift, float)
        return replace(self, motions=tuple(motion.moved(offset) for motion in self.motions))


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Uniform up to rounding."""
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def random_pose(rng: np.random.Generator, reach: float) -> np.ndarray:
    """A matrix (4, 4) with its origin within a cube."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = random_rotation(rng), rng.uniform(-reach, reach, 3)
    return pose


def _boxes(*corners: tuple[object, object]) -> Solid:
    ends = [(np.asarray(low, float), np.asarray(high, float)) for low, high in corners]
    vertices = [low + _CORNERS * (high - low) for low, high in ends]
    triangles = [_BOX + 8 * k for k in range(len(corners))]
    mesh = TriangleMesh(np.concatenate(vertices), np.concatenate(triangles))
    return Solid(mesh, [part_of_box(low, high) for low, high in ends])


def _bumpy(rng: np.random.Generator) -> TriangleMesh:
    """A closed surface with dents, star-shaped about the origin."""
    rings, turns = 7, 12
    u, v = np.meshgrid(np.arange(1, rings) * np.pi / rings, np.arange(turns) * 2 * np.pi / turns, indexing="ij")
    body = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1).reshape(-1, 3)
    points = np.vstack([body, [0, 0, 1], [0, 0, -1]]) * rng.uniform(0.4, 1.0, (len(body) + 2, 1))
    index = np.arange(len(body)).reshape(rings - 1, turns)
    right, top, bottom = np.roll(index, -1, axis=1), len(body), len(body) + 1
    parts = [
        (index[:-1], index[1:], right[1:]), (index[:-1], right[1:], right[:-1]),
        (np.full(turns, top), index[0], right[0]), (np.full(turns, bottom), right[-1], index[-1]),
    ]  # fmt: skip
    return TriangleMesh(points, np.concatenate([np.stack(p, axis=-1).reshape(-1, 3) for p in parts]))


def random_shape(rng: np.random.Generator) -> TriangleMesh:
    """The mesh of a ``random_solid``."""
    return random_solid(rng).mesh


def random_solid(rng: np.random.Generator) -> Solid:
    """A box, plate, rod, triangle, frame, pair of boxes or bumpy ball, of about unit size."""
    kind = int(rng.integers(7))
    if kind == 6:
        return Solid(_bumpy(rng), [])
    if kind == 3:
        corners = rng.uniform(-1, 1, (3, 3))
        return Solid(TriangleMesh(corners, [[0, 1, 2]]), [part_of_triangle(corners)])
    if kind == 4:  # a frame that rods may pass through
        return _boxes(
            ((-1, -1, -0.1), (1, -0.8, 0.1)), ((-1, 0.8, -0.1), (1, 1, 0.1)),
            ((-1, -1, -0.1), (-0.8, 1, 0.1)), ((0.8, -1, -0.1), (1, 1, 0.1)),
        )  # fmt: skip
    if kind == 5:
        return _boxes(((-1, -0.3, -0.3), (-0.4, 0.3, 0.3)), ((0.4, -0.3, -0.3), (1, 0.3, 0.3)))
    extents = np.array([(0.8, 0.6, 0.5), (1.0, 1.0, 0.01), (1.0, 0.02, 0.02)][kind]) * rng.uniform(0.5, 1.0, 3)
    return _boxes((-extents, extents))


def _count(rng: np.random.Generator) -> int:
    """Of the pieces of a motion: mostly few, sometimes thousands."""
    most = int(rng.choice([2, 6, 40, 400, _MOST_PIECES], p=[0.35, 0.5, 0.13, 0.018, 0.002]))
    return most if most == _MOST_PIECES else int(rng.integers(1, most + 1))


def _pieces(rng: np.random.Generator, count: int, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Rotation vectors and ways (count, 3): some rest, some turn by nothing, nearly nothing, or half a turn."""
    axes = rng.normal(size=(count, 3))
    along = rng.random(count) < 0.2  # half a turn about an axis of the object has exact entries
    axes[along] = rng.choice([-1.0, 1.0], (int(along.sum()), 1)) * np.eye(3)[rng.integers(0, 3, int(along.sum()))]
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    size = min(1.0, 4.0 / count)
    angles = rng.choice([0.0, 1e-12, 1e-6, 0.5, 2.0, 3.1, np.pi - 1e-7], size=count) * rng.choice([size, 1.0, 1.0])
    angles[rng.random(count) < 0.1] = np.pi
    turns, ways = axes * angles[:, None], rng.uniform(-reach, reach, (count, 3)) * np.sqrt(size)
    ways[rng.random(count) < 0.15] = 0.0
    rests = rng.random(count) < 0.15
    turns[rests] = ways[rests] = 0.0
    return turns, ways


def _times(rng: np.random.Generator, count: int, era: float) -> np.ndarray:
    """Rising times of the keys around so many pieces: of like or unlike lengths, some begin late, or early."""
    lengths = rng.choice([rng.uniform(0.2, 1.0), 1e-3, 1.0], size=count)
    begin = float(rng.choice([0.0, rng.uniform(-0.5, 1.5)]))
    return era + begin + np.concatenate([[0.0], np.cumsum(lengths / lengths.sum())]) * rng.choice([1.0, 0.3, 2.0])


def _random_path(rng: np.random.Generator, reach: float, era: float, screw: bool) -> Path:
    """A path of some pieces; it may begin late, go there and back again and again, or not move at all.

    Some keys are an ulp after the one before; what an object moves between them is far below any tolerance.
    """
    turns, ways = _pieces(rng, _count(rng), reach)
    if len(turns) < 100 and rng.random() < 0.25:
        rounds = int(rng.integers(1, 4)), 1
        turns, ways = (np.tile(np.vstack([x, -x[::-1]]), rounds) for x in (turns, ways))
    times = _times(rng, len(turns), era)
    if rng.random() < 0.2:
        short = np.unique(rng.integers(0, len(turns), 3))
        times[short + 1] = np.nextafter(times[short], np.inf)
        turns[short], ways[short] = (x[short] * rng.choice([0.0, 1e-9]) for x in (turns, ways))
    return path_of(times, random_pose(rng, reach), turns, ways, screw)


def _random_motion(rng: np.random.Generator, reach: float, era: float) -> tuple[Motion, Path]:
    """A motion for the engine and the same one in closed form."""
    kind = int(rng.integers(10))
    if kind == 0:
        pose = random_pose(rng, reach)
        return as_motion("motion", pose), path_of(np.zeros(2), pose, np.zeros((1, 3)), np.zeros((1, 3)), False)
    if kind == 1:  # many turns about an axis of the world
        pose, centre, axis = random_pose(rng, reach), rng.uniform(-reach, reach, 3), rng.normal(size=3)
        angle, advance = rng.choice([rng.uniform(-15, 15), np.pi, -2.0 * np.pi]), rng.uniform(-reach, reach)
        axis /= np.linalg.norm(axis)
        motion = ScrewMotion.about(centre, axis, angle, advance, pose, era, era + 1.0)
        turn = pose[:3, :3].T @ (angle * axis)
        velocity = pose[:3, :3].T @ (advance * axis + angle * np.cross(axis, pose[:3, 3] - centre))
        return motion, path_of(np.array([era, era + 1.0]), pose, turn[None], velocity[None], True)
    path = _random_path(rng, reach, era, kind < 5)
    poses = path.poses(path.times)
    if path.is_screw and len(poses) == 2:
        motion: Motion = ScrewMotion(*poses, *path.times)
    else:
        motion = KeyframedMotion(path.times, poses, "screw" if path.is_screw else "linear")
    return motion, _turned_like(motion, path)


def _turned_like(motion: Motion, path: Path) -> Path:
    """The path whose half turns go the way round that the motion takes: two poses do not tell which one of two."""
    halves = np.flatnonzero(np.linalg.norm(path.turns, axis=1) > np.pi - 1e-9)
    middles = 0.5 * (path.times[halves] + path.times[halves + 1])
    found, other = motion.poses(middles)[:, :3, :3], path.poses(middles)[:, :3, :3]
    return path.turned_back(halves[np.abs(found - other).max(axis=(1, 2), initial=0.0) > 0.5])


def random_scene(seed: int) -> MovingScene:
    """Two solids on their ways; about half of all scenes have a contact."""
    rng = np.random.default_rng(seed)
    reach = float(rng.choice([0.7, 1.5, 2.5]))
    era = float(rng.choice([0.0, 1000.0, -1000.0], p=[0.8, 0.1, 0.1]))
    (motion_a, path_a), (motion_b, path_b) = (_random_motion(rng, reach, era) for _ in range(2))
    tolerance, resolution = float(rng.choice([1e-4, 1e-3])), rng.choice([None, 1e-3, 0.1])
    solids = random_solid(rng), random_solid(rng)
    return MovingScene(solids, (motion_a, motion_b), (path_a, path_b), tolerance, resolution, seed % 8 == 0)


def check_scene(scene: MovingScene) -> Row:
    """What ``time_of_contact`` says of a scene, against many moments at which contacts are looked for.

    missed: a contact outside of all intervals; late: one before the first; false: an interval begins or ends where
    there is none, or an interruption within it that is longer than the resolution; wrong: no order, or a deepest moment
    outside of its interval, or at which a plane shows that they are less deep.
    """
    options = {"tolerance": scene.tolerance, "intervals": True, "interruption": scene.resolution}
    found = time_of_contact(*scene.things, *scene.motions, **options, depth=scene.with_depth)
    spans = np.array([(span.start, span.end) for span in found.intervals]).reshape(-1, 2)
    times = _moments(scene, spans)
    apart = _gaps(scene, times)
    places = np.searchsorted(spans[:, 0], times, side="right") - 1
    outside = (places < 0) | (times > np.append(spans[:, 1], -np.inf)[places])
    lost = (apart < -_CERTAIN) & outside
    late = lost & (times < (spans[0, 0] if len(spans) else -np.inf))
    ordered = all(end < start for (_, end), (start, _) in pairwise(spans)) and (spans[:, 0] <= spans[:, 1]).all()
    begins = found.time == (spans[0, 0] if len(spans) else None)
    false = _false_ends(scene, spans.ravel()) + _false_middles(scene, spans, times, apart)
    return {
        "scenes": 1, "contacts": int(bool(found)), "intervals": len(spans), "distances": found.queries,
        "moments": len(times), "keys": sum(len(path.times) for path in scene.paths),
        "missed": int((lost & ~late).any()), "late": int(late.any()), "false": false,
        "wrong": int(not (ordered and begins)) + _wrong_depths(scene, found.intervals),
    }  # fmt: skip


def _wrong_depths(scene: MovingScene, intervals: list[ContactInterval]) -> int:
    """How many deepest moments are none of their intervals, or have a depth that convex objects do not have then."""
    if not scene.with_depth or not intervals:
        return 0
    deepest = np.array([span.deepest for span in intervals], float)
    depths = np.array([span.depth or 0.0 for span in intervals])
    wrong = np.array([not span.start <= t <= span.end for span, t in zip(intervals, deepest.tolist(), strict=True)])
    if all(len(solid.parts) == 1 for solid in scene.solids):
        wrong |= (depths > 0.0) & (depths > _CERTAIN - _gaps(scene, deepest))
    return int(wrong.sum())


def _window(scene: MovingScene) -> tuple[float, float]:
    moving = [path.times for path in scene.paths if path.times[-1] > path.times[0]]
    return min((t[0] for t in moving), default=0.0), max((t[-1] for t in moving), default=0.0)


def _moments(scene: MovingScene, spans: np.ndarray) -> np.ndarray:
    """Moments all over the time, at the keys, and just outside of contacts, where being late would show."""
    start, end = _window(scene)
    close = np.concatenate([[0.0], np.geomspace(1e-7, 1e-2, 8)]) * (end - start)
    ends = [(spans[:, :1] - close).ravel(), (spans[:, 1:] + close).ravel()] if len(spans) < 200 else []
    keys = [path.times[:: 1 + len(path.times) // (2 * _MOMENTS)] for path in scene.paths]
    times = np.unique(np.concatenate([np.linspace(start, end, _MOMENTS), *keys, *ends]))
    return times[(times >= start) & (times <= end)]


def _gaps(scene: MovingScene, times: np.ndarray) -> np.ndarray:
    """Of the objects (k,) [m], as ``motion_oracle.gaps``; -1 and 0 where one is no union of convex parts."""
    poses = [path.poses(times) for path in scene.paths]
    parts = [solid.parts for solid in scene.solids]
    if all(parts):
        return gaps(*parts, *poses)
    first, second = (solid.mesh for solid in scene.solids)
    inside = _holds(first, second, *poses) | _holds(second, first, *poses[::-1])
    return np.where(collides(*scene.things, *poses) | inside, -1.0, 0.0)


def _holds(solid: TriangleMesh, other: TriangleMesh, poses: np.ndarray, other_poses: np.ndarray) -> np.ndarray:
    """Whether a closed mesh has the first corner of another inside, (k,), by the solid angles of its triangles."""
    if not solid.is_closed:
        return np.zeros(len(poses), np.bool_)
    corner = other_poses @ np.append(other.vertices[other.triangles[0, 0]], 1.0)
    local = ((corner - poses[:, :, 3])[:, None, :3] @ poses[:, :3, :3])[:, 0]
    a, b, c = (solid.vertices[solid.triangles[:, k]] - local[:, None] for k in range(3))
    p, q, r = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    dots = p * q * r + (a * b).sum(2) * r + (b * c).sum(2) * p + (c * a).sum(2) * q
    angles = 2.0 * np.arctan2((a * np.cross(b, c)).sum(2), dots)
    return np.abs(angles.sum(axis=1)) > 2.0 * np.pi


def _false_ends(scene: MovingScene, times: np.ndarray) -> int:
    """At how many ends of contacts the objects are farther apart than the tolerance."""
    if not len(times):
        return 0
    poses = [path.poses(times) for path in scene.paths]
    far = np.array([distance(*scene.things, *pair).distance for pair in zip(*poses, strict=True)])
    return int(((far > scene.tolerance * (1.0 + 1e-6) + 1e-9) & ~(_gaps(scene, times) < 0.0)).sum())


def _false_middles(scene: MovingScene, spans: np.ndarray, times: np.ndarray, apart: np.ndarray) -> int:
    """How many interruptions within contacts last longer than the resolution.

    The objects are apart between two samples where their gap is larger than what any corner moved, and half as much.
    """
    if not all(solid.parts for solid in scene.solids):
        return 0
    start, end = _window(scene)
    pause = scene.resolution or (end - start) / 256
    moved = sum(_moves(solid, path.poses(times)) for solid, path in zip(scene.solids, scene.paths, strict=True))
    free = np.minimum(apart[:-1], apart[1:]) > 1.5 * moved + scene.tolerance
    found = 0
    for low, high in spans:
        lasts = 0.0
        for k in np.flatnonzero((times[:-1] >= low) & (times[1:] <= high)):
            lasts = lasts + times[k + 1] - times[k] if free[k] else 0.0
            found += lasts > pause * (1.0 + 1e-9)
    return found


def _moves(solid: Solid, poses: np.ndarray) -> np.ndarray:
    """How far any corner is from where it was at the moment before, (k - 1,) [m]."""
    corners = solid.mesh.vertices @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]
    return np.linalg.norm(np.diff(corners, axis=0), axis=2).max(axis=1)
