"""Answers of ``massive_collide`` beside brute force, in poses from far apart to deep in each other.

``python tests/engine/massive_answers.py --poses 1000``: two models as clustered meshes with levels; each pose is asked
of the levels, and of all triangles in memory, without hierarchies of pages. An answer is wrong that contradicts these.
*Beyond the level's error*: the objects are farther apart than delta + epsilon, or nearer than delta - epsilon; at
delta 0 they overlap so deep that moving one of them by epsilon, away from the other's middle, does not part them.
With ``--models A.mcl B.mcl`` two files with levels are asked, beside all triangles in their pages.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import meshclash as mc
import numpy as np
from oracles.mesh_generators import MAKERS
from strategies import matrix, rotation


class Counts(NamedTuple):
    """What came of some poses."""

    poses: int = 0
    apart: int = 0
    closer: int = 0
    undecided: int = 0
    wrong: int = 0
    beyond: int = 0
    """Poses that lie beyond the level's error."""
    undecided_beyond: int = 0


def counted(things, meshes, poses, delta, epsilon) -> Counts:
    """Ask poses of clustered meshes, and compare with the meshes."""
    middles = [thing.bounds.mean(axis=0) for thing in things]
    counts = dict.fromkeys(Counts._fields, 0)
    for pose in poses:
        found = mc.massive.massive_collide(*things, None, pose, delta=delta, epsilon=epsilon)
        distance = mc.distance(*meshes, None, pose).distance
        counts["poses"] += 1
        counts[found.answer] += 1
        counts["wrong"] += found.answer != "undecided" and (found.answer == "closer") != (distance <= delta)
        measured = found.nearest()
        counts["wrong"] += not measured.lower <= distance * (1.0 + 1e-12) <= measured.upper * (1.0 + 2e-12)
        beyond = distance > delta + epsilon or 0.0 < distance <= delta - epsilon
        if distance == 0.0:
            beyond = delta >= epsilon or mc.collides(*meshes, None, moved(pose, epsilon, *middles))
        counts["beyond"] += beyond
        counts["undecided_beyond"] += beyond and found.answer == "undecided"
    return Counts(**counts)


def moved(pose, way, middle_a, middle_b):
    """A pose in which b lies farther from the middle of a."""
    shift = pose[:3, :3] @ middle_b + pose[:3, 3] - middle_a
    after = pose.copy()
    after[:3, 3] += shift * (way / np.linalg.norm(shift))
    return after


def poses_of(rng, things, size, count):
    """Poses of which about a quarter overlap deeply, and half are near the first contact or beyond it."""
    middle_a, middle_b = (thing.bounds.mean(axis=0) for thing in things)
    for _ in range(count):
        away, turned = rng.normal(size=3), rotation(rng)
        away *= size * rng.uniform(0.2, 1.2) / np.linalg.norm(away)
        yield matrix(turned, middle_a + away - turned @ middle_b)


def main(arguments=None) -> int:
    """Count; 1 where an answer is wrong, or too many are undecided beyond the error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--triangles", type=int, default=60_000)
    parser.add_argument("--models", nargs=2, type=Path, metavar="MCL", help="files with levels, in place of made ones")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if given.models:
            things = meshes = [mc.massive.ClusteredMesh.open(path) for path in given.models]
        else:
            made = [MAKERS[kind](given.triangles, k) for k, kind in enumerate(("bumpy", "part"))]
            meshes = [mc.TriangleMesh(*mesh) for mesh in made]
            things = [
                mc.massive.ClusteredMesh.build(mesh, Path(folder) / f"{k}.mcl", cluster_triangles=256)
                for k, mesh in enumerate(made)
            ]
            for thing in things:
                mc.massive.MeshLevels.build(thing).close()
        failed = answers_are_wrong(things, meshes, given.poses, given.seed)
        for thing in things:
            thing.close()
    return int(failed)


def answers_are_wrong(things, meshes, count, seed) -> bool:
    """Print what came of so many poses; whether an answer is wrong, or too many are undecided beyond the error."""
    size, failed = float(np.ptp(things[0].bounds, axis=0).max()), False
    rows = [(delta, epsilon) for delta in (0.0, 0.01) for epsilon in (0.002, 0.01, 0.05)]
    for row, (delta, epsilon) in enumerate(rows):
        poses = poses_of(np.random.default_rng((seed, row)), things, size, count // len(rows) + 1)
        found = counted(things, meshes, poses, delta * size, epsilon * size)
        print(f"delta {delta:g}, epsilon {epsilon:g} of the width: {found}", flush=True)
        failed |= found.wrong > 0 or found.undecided_beyond > 0.05 * found.beyond
    return failed


if __name__ == "__main__":
    sys.exit(main())
