"""An arm with four joints finds a way around a wall: rapidly-exploring random trees, edges asked in one call.

    python examples/arm_planning.py

Two trees grow from start and goal towards random configurations and each other (Kuffner, LaValle, "RRT-Connect"
(2000)). The configurations along an edge are one stack of poses for each link, so that a question is asked for each
link and obstacle, not for each configuration. Prints how long the way is; 1 where there is none, or where it hits
something when it is looked at ten times as finely.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise

import meshclash as mc
import numpy as np

LENGTHS = (0.5, 0.45, 0.4, 0.3)  # m, of the links
WIDTH = 0.08
FINE = 0.05  # rad between configurations that are asked along an edge
REACH = 0.5  # rad, of a step of a tree
LIMITS = np.array([np.pi, 1.9, 2.4, 2.4])  # rad, both ways
START, GOAL = np.array([-1.2, 0.7, 0.5, 0.3]), np.array([1.2, 0.7, 0.5, 0.3])


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> mc.TriangleMesh:
    """A box between two corners [m]."""
    bounds = np.array([low, high])
    return mc.shapes.ConvexHull(
        np.array([bounds[[i, j, k], range(3)] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    ).mesh()


LINKS = [box((0.0, -0.5 * WIDTH, -0.5 * WIDTH), (length, 0.5 * WIDTH, 0.5 * WIDTH)) for length in LENGTHS]
OBSTACLES = [box((0.65, -0.1, -1.0), (2.0, 0.1, 0.45)), box((-2.0, -2.0, -1.2), (2.0, 2.0, -1.0))]


def link_poses(angles: np.ndarray) -> list[np.ndarray]:
    """Poses (k, 4, 4) of each link for configurations (k, 4): the first joint turns about z, the others about y."""
    count = len(angles)
    at = np.tile(np.eye(4), (count, 1, 1))
    found = []
    for joint in range(len(LENGTHS)):
        turn = np.tile(np.eye(4), (count, 1, 1))
        i, j = (0, 1) if joint == 0 else (2, 0)
        sines, cosines = np.sin(angles[:, joint]), np.cos(angles[:, joint])
        turn[:, i, i] = turn[:, j, j] = cosines
        turn[:, j, i], turn[:, i, j] = sines, -sines
        at = at @ turn
        found.append(at)
        at = at.copy()
        at[:, :3, 3] += LENGTHS[joint] * at[:, :3, 0]
    return found


def is_free(angles: np.ndarray) -> bool:
    """Whether no link meets an obstacle in any configuration (k, 4)."""
    return not any(
        np.any(mc.collides(link, obstacle, poses))
        for link, poses in zip(LINKS, link_poses(angles), strict=True)
        for obstacle in OBSTACLES
    )


def along(begin: np.ndarray, end: np.ndarray, fine: float = FINE) -> np.ndarray:
    """Configurations of an edge, (k, 4)."""
    count = 2 + int(np.abs(end - begin).max() / fine)
    between: np.ndarray = np.linspace(begin, end, count)
    return between


class Tree:
    """Configurations that are reached from a root."""

    def __init__(self, root: np.ndarray) -> None:
        self.nodes, self.parents = [root], [-1]

    def grow(self, towards: np.ndarray) -> bool:
        """Go from the nearest node as far as is free; whether the configuration is reached."""
        nearest = int(np.linalg.norm(np.array(self.nodes) - towards, axis=1).argmin())
        while True:
            begin = self.nodes[nearest]
            way = towards - begin
            length = float(np.linalg.norm(way))
            end = towards if length <= REACH else begin + REACH / length * way
            if not is_free(along(begin, end)):
                return False
            self.nodes.append(end)
            self.parents.append(nearest)
            nearest = len(self.nodes) - 1
            if length <= REACH:
                return True

    def way_from_root(self) -> list[np.ndarray]:
        """Nodes from the root to the last one."""
        found, at = [], len(self.nodes) - 1
        while at >= 0:
            found.append(self.nodes[at])
            at = self.parents[at]
        return found[::-1]


def plan(start: np.ndarray, goal: np.ndarray, seed: int = 0, tries: int = 2000) -> list[np.ndarray]:
    """Configurations of a way from start to goal; none where it was not found."""
    if not (is_free(start[None]) and is_free(goal[None])):
        return []
    rng = np.random.default_rng(seed)
    trees = [Tree(start), Tree(goal)]
    for k in range(tries):
        one, other = trees[k % 2], trees[1 - k % 2]
        one.grow(rng.uniform(-LIMITS, LIMITS))
        if other.grow(one.nodes[-1]):
            first, second = (tree.way_from_root() for tree in trees)
            return first + second[::-1][1:]
    return []


def main(arguments: list[str] | None = None) -> int:
    """Plan, and look at the way finely."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    is_free(START[None])  # compiles, or loads what is compiled
    begin = time.perf_counter()
    way = plan(START, GOAL, options.seed)
    seconds = time.perf_counter() - begin
    if not way:
        print("no way was found")
        return 1
    finely = np.concatenate([along(p, q, 0.1 * FINE) for p, q in pairwise(way)])
    free = is_free(finely)
    told = "free" if free else "NOT free"
    print(f"a way of {len(way)} configurations in {1e3 * seconds:.0f} ms, {told} when looked at finely")
    return int(not free)


if __name__ == "__main__":
    sys.exit(main())
