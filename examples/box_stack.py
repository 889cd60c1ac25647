"""Ten boxes on a floor stand still under gravity: impulses with friction on the engine's contact manifolds.

    python examples/box_stack.py                # 1,000 steps of 1/240 s
    python examples/box_stack.py --steps 200 --boxes 4

Each step asks the contacts of neighbours, takes at most four points of each region, and finds impulses by going
through the points again and again (sequential impulses; Catto 2005). What is right is known: nothing moves but for what
boxes sink into each other, which the solver lets be up to ``SLOP``.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from typing import NamedTuple

import meshclash as mc
import numpy as np
from meshclash.manifold import contact_regions

STEP = 1.0 / 240.0  # s
GRAVITY = np.array([0.0, 0.0, -9.81])
FRICTION = 0.5
SLOP = 1e-3  # m
CORRECTED = 0.2  # share of what is deeper that a step takes away
ROUNDS = 30
NEAR = 0.05  # m: a point that was there a step before goes on with its impulses
SIZES = (1.0, 0.5, 1.0)  # m: a floor below z = 0, and boxes of SIZES[0] x SIZES[0] x SIZES[1]


class Body:
    """A box with a pose and velocities; the floor has no inverse mass."""

    def __init__(self, sizes: np.ndarray, middle: np.ndarray, turn: float, fixed: bool = False) -> None:
        corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        self.mesh = mc.shapes.ConvexHull(corners * sizes).mesh()
        self.pose = np.eye(4)
        self.pose[:3, :3] = turned(np.array([0.0, 0.0, turn]))
        self.pose[:3, 3] = middle
        self.velocity, self.spin = np.zeros(3), np.zeros(3)
        self.inverse_mass = 0.0 if fixed else 1.0
        self._inverse_inertia = 0.0 * sizes if fixed else 12.0 / (sizes[[1, 0, 0]] ** 2 + sizes[[2, 2, 1]] ** 2)

    def inverse_inertia(self) -> np.ndarray:
        """Of a mass of 1 kg, in the world, (3, 3)."""
        rotation = self.pose[:3, :3]
        turned_back: np.ndarray = rotation * self._inverse_inertia @ rotation.T
        return turned_back

    def move(self) -> None:
        """Go on for a step."""
        self.pose[:3, 3] += STEP * self.velocity
        self.pose[:3, :3] = turned(STEP * self.spin) @ self.pose[:3, :3]


class Touch(NamedTuple):
    """A point of a manifold: rows of its Jacobian for both bodies, and what the solver needs."""

    bodies: tuple[Body, Body]
    point: np.ndarray
    rows: np.ndarray  # along the normal and two directions across it, (3, 12)
    masses: np.ndarray  # (3,): what an impulse of 1 changes the speed by, inverted
    changes: np.ndarray  # of velocities by an impulse of 1, (3, 12)
    wanted: float  # speed along the normal
    impulses: np.ndarray  # (3,)


def turned(vector: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) by a vector, as Rodrigues found."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: np.ndarray = np.eye(3) + np.sin(angle) * across + (1.0 - np.cos(angle)) * across @ across
    return rotation


def touches_of(a: Body, b: Body, before: list[Touch]) -> list[Touch]:
    """The points in which two bodies are in contact; b is pushed along the normal."""
    found = []
    known = [touch for touch in before if touch.bodies == (a, b)]
    for region in contact_regions(mc.collide(a.mesh, b.mesh, a.pose, b.pose)):
        points, depths = region.manifold(4)
        across = np.linalg.svd(region.normal[None])[2][1:]
        for point, depth in zip(points, depths, strict=True):
            rows = np.zeros((3, 12))
            for k, direction in enumerate((region.normal, *across)):
                rows[k] = np.concatenate([
                    -direction, -np.cross(point - a.pose[:3, 3], direction),
                    direction, np.cross(point - b.pose[:3, 3], direction),
                ])  # fmt: skip
            changes = np.empty((3, 12))
            for k, body in enumerate((a, b)):
                changes[:, 6 * k : 6 * k + 3] = body.inverse_mass * rows[:, 6 * k : 6 * k + 3]
                changes[:, 6 * k + 3 : 6 * k + 6] = rows[:, 6 * k + 3 : 6 * k + 6] @ body.inverse_inertia()
            wanted = CORRECTED / STEP * max(float(depth) - SLOP, 0.0)
            same = [touch for touch in known if np.linalg.norm(touch.point - point) < NEAR]
            impulses = same[0].impulses if same else np.zeros(3)
            masses = 1.0 / (rows * changes).sum(axis=1)
            found.append(Touch((a, b), point, rows, masses, changes, wanted, impulses))
    return found


def push(touch: Touch, impulses: np.ndarray) -> None:
    """Change the velocities of both bodies by impulses (3,)."""
    change = impulses @ touch.changes
    for k, body in enumerate(touch.bodies):
        body.velocity = body.velocity + change[6 * k : 6 * k + 3]
        body.spin = body.spin + change[6 * k + 3 : 6 * k + 6]


def solve(touches: list[Touch]) -> None:
    """Impulses that keep bodies out of each other, with friction."""
    for touch in touches:
        push(touch, touch.impulses)
    for _ in range(ROUNDS):
        for touch in touches:
            a, b = touch.bodies
            for k in (1, 2, 0):
                speed = float(touch.rows[k] @ np.concatenate([a.velocity, a.spin, b.velocity, b.spin]))
                wanted = touch.impulses[k] + touch.masses[k] * ((touch.wanted if k == 0 else 0.0) - speed)
                most = FRICTION * touch.impulses[0]
                allowed = max(wanted, 0.0) if k == 0 else float(np.clip(wanted, -most, most))
                step = np.zeros(3)
                step[k] = allowed - touch.impulses[k]
                touch.impulses[k] = allowed
                push(touch, step)


def stack(count: int, seed: int = 0) -> list[Body]:
    """A floor and boxes on it, a little beside each other and turned."""
    rng = np.random.default_rng(seed)
    bodies = [Body(np.array([10.0, 10.0, SIZES[2]]), np.array([0.0, 0.0, -0.5 * SIZES[2]]), 0.0, fixed=True)]
    for k in range(count):
        middle = np.array([*rng.uniform(-0.02, 0.02, 2), SIZES[1] * (k + 0.5)])
        bodies.append(Body(np.array([SIZES[0], SIZES[0], SIZES[1]]), middle, rng.uniform(-0.05, 0.05)))
    return bodies


def simulate(bodies: list[Body], steps: int) -> tuple[float, float]:
    """Let time pass.

    Returns:
        How far a box has moved sideways at most [m], and how far it has sunk at most [m].
    """
    begin = np.array([body.pose[:3, 3] for body in bodies])
    touches: list[Touch] = []
    for _ in range(steps):
        for body in bodies[1:]:
            body.velocity = body.velocity + STEP * GRAVITY
        touches = [touch for a, b in pairwise(bodies) for touch in touches_of(a, b, touches)]
        solve(touches)
        for body in bodies[1:]:
            body.move()
    moved = np.array([body.pose[:3, 3] for body in bodies]) - begin
    return float(np.linalg.norm(moved[:, :2], axis=1).max()), float(-moved[:, 2].min())


def main(arguments: list[str] | None = None) -> int:
    """Simulate, and say what moved; 1 where the stack did not stand."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boxes", type=int, default=10)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args(arguments)
    sideways, sunk = simulate(stack(options.boxes), options.steps)
    print(f"{options.boxes} boxes, {options.steps} steps: {1e3 * sideways:.3f} mm sideways, {1e3 * sunk:.3f} mm down")
    return int(sideways > SLOP or sunk > 2.0 * SLOP * options.boxes)


if __name__ == "__main__":
    sys.exit(main())
