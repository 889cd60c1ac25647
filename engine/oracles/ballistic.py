"""Ballistic scenes: objects that fly and spin, looked at when they wake, against stepping ten times finer."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from meshclash import collides, distance
from meshclash.lab import WakeUps, safe_time
from meshclash.lab.schedule import relative_speed
from meshclash.motion.motion_piece import rotation_about

from . import Row
from .motion_scenes import random_rotation, random_shape

_FRAMES = 60
_FINER = 10
_OBJECTS = 5
_GRAVITY = np.array([0.0, 0.0, -9.81])


class _Body:
    """An object that flies with constant acceleration and spins evenly about its origin."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.mesh = random_shape(rng)
        self._rotation, self._centre = random_rotation(rng), rng.uniform(-6, 6, 3)
        self._velocity = rng.normal(size=3) * 3.0 - 0.4 * self._centre
        axis = rng.normal(size=3)
        self._axis, self.turning = axis / np.linalg.norm(axis), float(rng.uniform(0, 6))
        self.acceleration = _GRAVITY * (rng.random() < 0.7)
        self.reach = float(np.linalg.norm(self.mesh.vertices, axis=1).max()) * (1.0 + 1e-12)

    def velocity(self, time: float) -> np.ndarray:
        return self._velocity + time * self.acceleration

    def poses(self, times: np.ndarray) -> np.ndarray:
        stack = np.tile(np.eye(4), (len(times), 1, 1))
        for k, time in enumerate(times.tolist()):
            stack[k, :3, :3] = rotation_about(self._axis, self.turning * time) @ self._rotation
            stack[k, :3, 3] = self._centre + time * self._velocity + 0.5 * time * time * self.acceleration
        return stack


def check_ballistic(seed: int) -> Row:
    """Pairs are looked at when they wake; whatever finer stepping finds must have been seen in time.

    A frame's interval is looked at as a whole: pairs that wake before the next frame are measured at the frame.
    """
    rng = np.random.default_rng(seed)
    bodies = [_Body(rng) for _ in range(_OBJECTS)]
    times = np.linspace(0.0, 2.0, _FRAMES)
    heap, calls, pairs = WakeUps(), 0, list(combinations(range(_OBJECTS), 2))
    free: dict[tuple[int, int], list[tuple[float, float]]] = {pair: [] for pair in pairs}
    for pair in pairs:
        heap.set(pair, 0.0)
    for frame, time in enumerate(times.tolist()):
        following = times[min(frame + 1, _FRAMES - 1)]
        for key in heap.take_due(time if frame == 0 else np.nextafter(following, 0.0)):
            i, j = pair = key
            a, b = bodies[i], bodies[j]
            calls += 1
            now = np.array([time])
            gap = float(distance(a.mesh, b.mesh, a.poses(now)[0], b.poses(now)[0]).distance) * (1.0 - 1e-9)
            speed = relative_speed(a.velocity(time), a.turning, a.reach, b.velocity(time), b.turning, b.reach)
            asleep = safe_time(gap, speed, float(np.linalg.norm(a.acceleration - b.acceleration)))
            free[pair].append((time, time + asleep))
            heap.set(pair, max(time + asleep, np.nextafter(following, np.inf)))
    missed = 0
    fine = np.linspace(0.0, 2.0, _FINER * (_FRAMES - 1) + 1)
    poses = [body.poses(fine) for body in bodies]
    for i, j in pairs:
        met = fine[np.asarray(collides(bodies[i].mesh, bodies[j].mesh, poses[i], poses[j]))]
        missed += sum(any(start <= t < end for start, end in free[i, j]) for t in met.tolist())
    return {"scenes": 1, "frames x pairs": _FRAMES * len(pairs), "narrow calls": calls, "missed": missed}
