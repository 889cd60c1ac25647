"""A probe is pressed against a model: force and torque from signed distances, a thousand times a second.

    python examples/haptic_probe.py

The probe is a ball of points, the model a body whose distance is known: a sphere. Each point that is inside is pushed
out along the gradient of the distance, as far as it is deep (penalty forces; McNeely, Puterbaugh, Troy 1999). What is
right is known: the force points from the sphere's middle, and is as large as the depths say. Prints the median time of
a step; 1 where forces are wrong.
"""

from __future__ import annotations

import sys
import time

import meshclash as mc
import numpy as np

STIFFNESS = 200.0  # N/m for each point
RADIUS, PROBE = 0.1, 0.01  # m: of the model and of the probe
POINTS = 64
STEPS = 300
FLAT = 1e-4  # m: how far the model's triangles are inside of the sphere through its corners


def ball(radius: float, count: int) -> np.ndarray:
    """Points on a sphere, evenly by Fibonacci's spiral, (count, 3) [m]."""
    k = np.arange(count) + 0.5
    slope, turn = np.arccos(1.0 - 2.0 * k / count), np.pi * (1.0 + 5.0**0.5) * k
    points: np.ndarray = radius * np.stack(
        [np.cos(turn) * np.sin(slope), np.sin(turn) * np.sin(slope), np.cos(slope)], axis=1
    )
    return points


def force_on(model: mc.TriangleMesh, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force [N] and torque about the origin [Nm] on points of a probe, (n, 3) [m]."""
    found = mc.signed_distance(model, points)
    out = np.where(found.distance < 0.0, 1.0, 0.0)[:, None] * (found.point - points)
    forces = STIFFNESS * out
    return forces.sum(axis=0), np.cross(points, forces).sum(axis=0)


def main() -> int:
    """Press the probe in along a spiral, and compare forces with those of a true sphere."""
    model = mc.shapes.ConvexHull(ball(RADIUS, 2000)).mesh()
    probe = ball(PROBE, POINTS)
    force_on(model, probe + np.array([RADIUS, 0.0, 0.0]))
    times, worst = [], 0.0
    for k in range(STEPS):
        share = k / STEPS
        direction = np.array([np.cos(3.0 * share), np.sin(3.0 * share), 0.2])
        middle = (RADIUS + PROBE - 0.008 * share) * direction / np.linalg.norm(direction)
        start = time.perf_counter()
        force, _ = force_on(model, probe + middle)
        times.append(time.perf_counter() - start)
        lengths = np.linalg.norm(probe + middle, axis=1)
        deep = np.maximum(RADIUS - lengths, 0.0)[:, None]
        expected = STIFFNESS * (deep * (probe + middle) / lengths[:, None]).sum(axis=0)
        worst = max(worst, float(np.linalg.norm(force - expected)))
    print(f"{1e6 * np.median(times):.0f} us a step, forces within {worst:.3f} N of a true sphere's")
    return int(worst > STIFFNESS * POINTS * FLAT)


if __name__ == "__main__":
    sys.exit(main())
