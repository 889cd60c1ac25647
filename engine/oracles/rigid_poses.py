"""Poses of one copy of a mesh beside another: few contacts, many, nearly none, and a sweep of distances and angles.

All turn the copy about an oblique axis through the middle of its box, then shift it along x. Lengths are those of the
mesh; the diagonal is that of its box.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from meshclash.answering.answer import answer_steps
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collide
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.question import Goal, Question
from meshclash.types.pose import pose_stack
from meshclash.types.steps import run

DEEP_ANGLE = 30.0
LIGHT_PAIRS = (150, 500)
GAPS = {"0.1 %": 0.001, "1 %": 0.01}
"""Least distances of near misses, as shares of the diagonal."""
DISTANCES = np.linspace(0.25, 0.9, 10)
"""Of the middles of the boxes in the sweep, as shares of the diagonal."""
ANGLES = np.arange(10) * 36.0


class Poses(NamedTuple):
    """Poses of b, (4, 4) or (k, 4, 4) float64; a stays where it is."""

    light: np.ndarray
    deep: np.ndarray
    near: dict[str, np.ndarray]
    """For each of ``GAPS`` a stack of ten, one for each of ``ANGLES``."""
    sweep: np.ndarray
    """(100, 4, 4), by distance and then by angle."""


def make_poses(tree: Hierarchy) -> Poses:
    """All poses of a mesh, found with the engine itself."""
    place = placer(tree.mesh.bounds)
    return Poses(
        _light(tree, place),
        place(DEEP_ANGLE, 0.0),
        {name: np.stack([_near(tree, place, angle, gap) for angle in ANGLES]) for name, gap in GAPS.items()},
        np.stack([place(angle, distance) for distance in DISTANCES for angle in ANGLES]),
    )


def placer(bounds: np.ndarray) -> Callable[[float, float], np.ndarray]:
    """The function from an angle [degrees] and a distance [diagonals] to a pose."""
    middle = 0.5 * bounds.sum(axis=0)
    diagonal = float(np.linalg.norm(bounds[1] - bounds[0]))
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])

    def place(degrees: float, distance: float) -> np.ndarray:
        angle = np.radians(degrees)
        pose = np.eye(4)
        pose[:3, :3] = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
        pose[:3, 3] = middle - pose[:3, :3] @ middle + (distance * diagonal, 0.0, 0.0)
        return pose

    return place


def _light(tree: Hierarchy, place: Callable[[float, float], np.ndarray]) -> np.ndarray:
    """Pushed in from outside until 150 to 500 pairs meet; for the smallest meshes, until the most do."""
    far, step = _bisect(lambda t: len(collide(tree, tree, None, place(DEEP_ANGLE, t))) > 0, 0.0, 1.2), 0.004
    best = far
    for _ in range(400):
        pairs = len(collide(tree, tree, None, place(DEEP_ANGLE, best)))
        if LIGHT_PAIRS[0] <= pairs <= LIGHT_PAIRS[1] or best <= 0.0:
            return place(DEEP_ANGLE, max(best, 0.0))
        if pairs > LIGHT_PAIRS[1]:
            best, step = best + step, step / 2
        best -= step
    return place(DEEP_ANGLE, best)


def _near(tree: Hierarchy, place: Callable[[float, float], np.ndarray], degrees: float, gap: float) -> np.ndarray:
    """Apart, the least distance being the gap [diagonals] up to a ten-thousandth of it."""
    tolerance = gap * float(np.linalg.norm(tree.mesh.bounds[1] - tree.mesh.bounds[0]))
    return place(degrees, _bisect(lambda t: _nearer(tree, place(degrees, t), tolerance), 0.0, 1.2, 1e-4 * gap))


def _bisect(holds: Callable[[float], bool], inside: float, outside: float, width: float = 1e-7) -> float:
    """A place just outside of where something stops to hold, on the way from where it holds to where it does not."""
    while outside - inside > width:
        middle = 0.5 * (inside + outside)
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return outside


def _nearer(tree: Hierarchy, pose: np.ndarray, tolerance: float) -> bool:
    """Whether two copies come closer than a tolerance [m]."""
    tree_set, rows = pack_trees([tree]), np.eye(4)[None, :3].copy()
    jobs = np.zeros((1, 2), np.int64)
    still = pose_stack(pose)[0]
    question = Question(tree_set.side, tree_set.side, jobs, rows, still, Goal.WITHIN, tolerance, first_only=True)
    return len(run(answer_steps(question)).pairs) > 0
