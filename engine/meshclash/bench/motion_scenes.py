"""Random scenes in rigid motion, and stepping ten times finer that must find nothing missed, late or false."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import KeyframedMotion, Pose, ScrewMotion, TriangleMesh, collides, distance, time_of_contact, verdict
from ..motion.motions import Motion
from .table import Row

_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
_BOX = _FACES[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
_LEAST, _MOST = 200, 2000
"""Samples of a scene: ten times as many as distances were measured, within these bounds."""


@dataclass(frozen=True)
class MovingScene:
    """Two objects and their motions."""

    things: tuple[TriangleMesh, TriangleMesh]
    motions: tuple[Motion, Motion]
    tolerance: float

    def moved(self, shift: object) -> MovingScene:
        """The same scene elsewhere."""
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


def _boxes(*corners: tuple[object, object]) -> TriangleMesh:
    vertices = [np.asarray(low) + _CORNERS * (np.asarray(high) - np.asarray(low)) for low, high in corners]
    triangles = [_BOX + 8 * k for k in range(len(corners))]
    return TriangleMesh(np.concatenate(vertices), np.concatenate(triangles))


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
    """A box, plate, rod, triangle, frame, pair of boxes or bumpy ball, of about unit size."""
    kind = int(rng.integers(7))
    if kind == 6:
        return _bumpy(rng)
    if kind == 3:
        return TriangleMesh(rng.uniform(-1, 1, (3, 3)), [[0, 1, 2]])
    if kind == 4:  # a frame that rods may pass through
        return _boxes(
            ((-1, -1, -0.1), (1, -0.8, 0.1)), ((-1, 0.8, -0.1), (1, 1, 0.1)),
            ((-1, -1, -0.1), (-0.8, 1, 0.1)), ((0.8, -1, -0.1), (1, 1, 0.1)),
        )  # fmt: skip
    if kind == 5:
        return _boxes(((-1, -0.3, -0.3), (-0.4, 0.3, 0.3)), ((0.4, -0.3, -0.3), (1, 0.3, 0.3)))
    extents = np.array([(0.8, 0.6, 0.5), (1.0, 1.0, 0.01), (1.0, 0.02, 0.02)][kind]) * rng.uniform(0.5, 1.0, 3)
    return _boxes((-extents, extents))


def _motion(rng: np.random.Generator, reach: float) -> Motion:
    kind = int(rng.integers(4))
    if kind == 0:
        return ScrewMotion(random_pose(rng, reach), random_pose(rng, reach))
    if kind == 1:
        return ScrewMotion.about(
            rng.uniform(-reach, reach, 3), rng.normal(size=3), rng.uniform(-15, 15), rng.uniform(-reach, reach),
            random_pose(rng, reach),
        )  # fmt: skip
    count = int(rng.integers(2, 6))
    poses = np.array([random_pose(rng, reach) for _ in range(count)])
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 1.0, count - 1))])
    return KeyframedMotion(times / times[-1], poses, "linear" if kind == 2 else "screw")


def random_scene(seed: int) -> MovingScene:
    """Two shapes on their ways; about half of all scenes have a contact."""
    rng = np.random.default_rng(seed)
    reach = float(rng.choice([1.5, 2.5, 4.0]))
    return MovingScene((random_shape(rng), random_shape(rng)), (_motion(rng, reach), _motion(rng, reach)), 1e-4)


def check_scene(scene: MovingScene) -> Row:
    """What ``time_of_contact`` says of a scene, against many moments at which contacts are looked for."""
    (a, b), (motion_a, motion_b) = scene.things, scene.motions
    found = time_of_contact(a, b, motion_a, motion_b, tolerance=scene.tolerance)
    times = np.linspace(0.0, 1.0, min(max(10 * found.queries, _LEAST), _MOST))
    row: Row = {"scenes": 1, "contacts": int(bool(found)), "distances": found.queries, "moments": 0}
    if found:  # the moments just before the contact are those where being late would show
        times = np.unique(np.concatenate([times, found.time * np.linspace(0.99, 1.0, 40, endpoint=False)]))
    met = np.asarray(collides(a, b, motion_a.poses(times), motion_b.poses(times)))
    row["moments"] = len(times)
    first = float(times[met.argmax()]) if met.any() else np.inf
    row["missed"] = int(met.any() and not found)
    row["late"] = int(bool(found) and first < found.time)
    row["false"] = int(bool(found) and not _is_contact(scene, found.time))
    return row


def _is_contact(scene: MovingScene, time: float) -> bool:
    poses: tuple[Pose, ...] = tuple(motion.pose(time) for motion in scene.motions)
    near = distance(*scene.things, *poses).distance <= scene.tolerance * (1.0 + 1e-6)
    return bool(near or verdict(*scene.things, *poses, depth=False).severity > 1)
