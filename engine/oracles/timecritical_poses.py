"""Where two copies of a mesh stand at random."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.types.mesh import TriangleMesh

from .timecritical_shapes import SHAPES

DISTANCES = np.linspace(0.4, 2.1, 18)
"""Between the middles of two copies in cubes of side 2."""


def tree_of(kind: str, size: int, seed: int) -> Hierarchy:
    """A hierarchy over a made mesh."""
    return build(TriangleMesh(*SHAPES[kind](size, seed)))


def made_trees(kinds: Iterable[str], sizes: Iterable[int], seeds: Iterable[int]) -> Iterator[tuple[str, Hierarchy]]:
    """(kind, hierarchy) of made meshes: one of each kind and size for each seed."""
    for kind, size, seed in itertools.product(kinds, sizes, seeds):
        yield kind, tree_of(kind, size, seed)


def random_poses(tree: Hierarchy, rng: np.random.Generator, count: int) -> np.ndarray:
    """Turned at random, the middles 0.4 to 2.1 apart in a random direction, (count, 4, 4)."""
    poses = []
    for _ in range(count):
        direction = rng.normal(size=3)
        shift = direction / np.linalg.norm(direction) * rng.uniform(DISTANCES[0], DISTANCES[-1])
        poses.append(_placed(tree.mesh.bounds, _rotation(rng), shift))
    return np.stack(poses)


def _rotation(rng: np.random.Generator) -> np.ndarray:
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.sign(np.linalg.det(turn))


def _placed(bounds: np.ndarray, rotation: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The pose that turns about the middle and shifts [half of the longest side]."""
    middle = bounds.mean(axis=0)
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = middle - rotation @ middle + shift * (bounds[1] - bounds[0]).max() / 2
    return pose
