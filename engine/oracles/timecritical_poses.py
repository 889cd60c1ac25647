"""Where two objects stand: trees of made meshes, and three ways of placing one object beside another."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collides
from meshclash.types.mesh import TriangleMesh

from .timecritical_shapes import SHAPES
from .timecritical_unseen_shapes import UNSEEN

DISTANCES = np.linspace(0.4, 2.1, 18)
"""Between the middles of two copies in cubes of side 2."""
KINDS = {**SHAPES, **UNSEEN}
PLACEMENTS = ("turned", "boxes", "near")
"""*turned*: in a random direction, at a distance in the range of ``DISTANCES``. *boxes*: the boxes overlap, and every
such place is as likely. *near*: moved a little from the first contact along a random direction, inward or outward."""
_APPROACH, _HALVINGS = 25, 12
_LEAST, _MOST = 0.002, 0.1  # standard deviation of the shifts of "near", as a share of the objects' sizes


def tree_of(kind: str, size: int, seed: int) -> Hierarchy:
    """A hierarchy over a made mesh."""
    return build(TriangleMesh(*KINDS[kind](size, seed)))


def made_trees(kinds: Iterable[str], sizes: Iterable[int], seeds: Iterable[int]) -> Iterator[tuple[str, Hierarchy]]:
    """(kind, hierarchy) of made meshes: one of each kind and size for each seed."""
    for kind, size, seed in itertools.product(kinds, sizes, seeds):
        yield kind, tree_of(kind, size, seed)


def random_poses(tree: Hierarchy, rng: np.random.Generator, count: int) -> np.ndarray:
    """Poses of a copy of an object, "turned" as in ``PLACEMENTS``, (count, 4, 4)."""
    return placed(tree, tree, rng, count, "turned")


def placed(a: Hierarchy, b: Hierarchy, rng: np.random.Generator, count: int, placement: str) -> np.ndarray:
    """Poses of b beside a at rest, (n, 4, 4): ``count``, or fewer if b passes through a without contact."""
    poses = []
    for _ in range(count):
        rotation, direction = random_rotation(rng), rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        if placement == "turned":
            half = 0.25 * (_sides(a).max() + _sides(b).max())
            poses.append(_posed(a, b, rotation, direction * rng.uniform(DISTANCES[0], DISTANCES[-1]) * half))
        elif placement == "boxes":
            reach = 0.5 * (_sides(a) + np.abs(rotation) @ _sides(b))
            poses.append(_posed(a, b, rotation, rng.uniform(-1.0, 1.0, 3) * reach))
        else:
            far = 0.5 * (np.linalg.norm(_sides(a)) + np.linalg.norm(_sides(b)))
            contact = _first_contact(a, b, rotation, direction, far)
            if contact is not None:
                shift = rng.normal() * np.exp(rng.uniform(np.log(_LEAST), np.log(_MOST)))
                poses.append(_posed(a, b, rotation, direction * (contact + far * shift)))
    return np.array(poses).reshape(-1, 4, 4)


def _first_contact(a: Hierarchy, b: Hierarchy, rotation: np.ndarray, direction: np.ndarray, far: float) -> float | None:
    """The distance at which b, which comes from afar, meets a; None if it meets nothing or ends inside."""
    distances = far * np.linspace(1.0, 0.0, _APPROACH)
    meet = collides(a, b, None, np.stack([_posed(a, b, rotation, direction * t) for t in distances]))
    if not meet.any() or meet[0]:
        return None
    first = int(np.argmax(meet))
    inside, outside = distances[first], distances[first - 1]
    for _ in range(_HALVINGS):
        middle = 0.5 * (inside + outside)
        if collides(a, b, None, _posed(a, b, rotation, direction * middle)):
            inside = middle
        else:
            outside = middle
    return inside


def _sides(tree: Hierarchy) -> np.ndarray:
    return tree.mesh.bounds[1] - tree.mesh.bounds[0]


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation (3, 3)."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.sign(np.linalg.det(turn))


def _posed(a: Hierarchy, b: Hierarchy, rotation: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The pose that turns b about its middle, and puts that beside the middle of a [m]."""
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = a.mesh.bounds.mean(axis=0) - rotation @ b.mesh.bounds.mean(axis=0) + shift
    return pose
