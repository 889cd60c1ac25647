"""A massive ball drops onto a massive ground and bounces: the simulation of Yoon, Salomon, Lin and Manocha (2004).

    python examples/massive_drop.py                                      # 20,000 triangles each, seconds
    python examples/massive_drop.py --triangles 10000000 --memory 250    # out of core

Both models stay on disk (``ClusteredMesh``). In each step the ball falls; where the surfaces meet, an impulse along the
line from the contacts to its centre turns its velocity around. What is right is known by construction: the ball lies
between two spheres, the ground between two planes, so it is free while its centre is higher than the radius, and meets
the ground when it is lower than the inner radius less the depth of the dents. Exit status 1 where a step is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import massive_models
import meshclash as mc

STEP, GRAVITY = 1.0 / 60.0, 9.81
RESTITUTION = 0.6
START = 1.6
"""Height of the ball's centre [m]; its radius is 1."""
HIGHEST, LOWEST = 1.0, 1.0 - 2.0 * massive_models.DENTS
"""Heights of the centre above which nothing touches, and below which something does [m]."""


class Moment(NamedTuple):
    """A step: the height and upward speed of the ball's centre, and how many triangles of both meet."""

    height: float
    speed: float
    contacts: int


def simulate(ball: mc.massive.ClusteredMesh, ground: mc.massive.ClusteredMesh, steps: int) -> list[Moment]:
    """Let the ball fall and bounce."""
    centre, velocity = np.array([0.0, 0.0, START]), np.zeros(3)
    moments = []
    for _ in range(steps):
        pose = np.eye(4)
        pose[:3, 3] = centre
        found = mc.collide(ball, ground, pose)
        if len(found):
            normal = centre - found.segments().mean(axis=(0, 1))
            normal /= np.linalg.norm(normal)
            approach = float(velocity @ normal)
            if approach < 0.0:
                velocity -= (1.0 + RESTITUTION) * approach * normal
        moments.append(Moment(float(centre[2]), float(velocity[2]), len(found)))
        velocity[2] -= GRAVITY * STEP
        centre = centre + STEP * velocity
    return moments


def wrong(moments: list[Moment]) -> list[str]:
    """What contradicts the construction."""
    problems = []
    for number, moment in enumerate(moments):
        if moment.contacts and moment.height > HIGHEST:
            problems.append(f"step {number}: contacts at height {moment.height:.4f}, above {HIGHEST}")
        if not moment.contacts and moment.height < LOWEST:
            problems.append(f"step {number}: no contacts at height {moment.height:.4f}, below {LOWEST}")
    if not any(moment.contacts for moment in moments):
        problems.append("the ball never meets the ground")
    if not any(moment.speed > 0.5 for moment in moments):
        problems.append("the ball never bounces")
    return problems


def main(arguments: list[str] | None = None) -> int:
    """Build, ask and compare; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--triangles", type=int, default=20_000, help="of each model")
    parser.add_argument("--steps", type=int, default=90)
    parser.add_argument("--memory", type=float, default=64.0, metavar="MB", help="of each model")
    parser.add_argument("--folder", type=Path, help="for the files (default: a temporary one)")
    options = parser.parse_args(arguments)
    room = int(options.memory * 2**20)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name in ("ball", "ground"):
            source = getattr(massive_models, name)(options.triangles)
            mc.massive.ClusteredMesh.build(source, Path(folder) / f"{name}.mcl").close()
        with (
            mc.massive.ClusteredMesh.open(Path(folder) / "ball.mcl", room) as ball,
            mc.massive.ClusteredMesh.open(Path(folder) / "ground.mcl", room) as ground,
        ):
            start = time.perf_counter()
            moments = simulate(ball, ground, options.steps)
            seconds = time.perf_counter() - start
            touching = sum(moment.contacts > 0 for moment in moments)
            print(f"{ball.triangle_count:,} triangles dropped on {ground.triangle_count:,}")
            print(f"{touching} of {len(moments)} steps in contact, {1e3 * seconds / len(moments):.1f} ms a step")
    problems = wrong(moments)
    print(*problems, sep="\n", end="\n" if problems else "")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
