"""Does a robot collide with itself or with what stands around it? Random configurations, beside coal in the same run.

Both get the same triangles, poses and pairs, and answer for each configuration which pairs of parts meet. coal is asked
pair by pair, where its own boxes overlap, as a planner asks it. Ours is asked in stacks of all configurations, and
one configuration a call. Both answer about surfaces; a part wholly inside another is ours alone, and left out here.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from meshclash import Pose, Robot, Scene, TriangleMesh
from oracles.mesh_exactness import CUBE_CORNERS, CUBE_TRIANGLES
from oracles.oracle import APART, boxes_meet, classify_pairs

from .rigid_peers import Coal
from .table import Row, format_table, write_json
from .timing import least, one_core

Triples = set[tuple[int, int, int]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.urdf", help="robots; none comes with the project")
    parser.add_argument(
        "--srdf", type=Path, action="append", default=[], help="pairs to ignore, one file for each robot"
    )
    parser.add_argument("--configurations", type=int, default=10_000)
    parser.add_argument("--boxes", type=int, default=20, help="that stand around the robot")
    parser.add_argument("--runs", type=int, default=3, help="the least time counts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Compare every robot; 1 if an answer of ours is wrong by exact arithmetic, 2 without coal."""
    try:
        import coal  # noqa: F401
    except ImportError as error:
        print(f"this bench needs coal (pip install coal): {error}")
        return 2
    rows = []
    with one_core():
        for index, path in enumerate(options.files):
            srdf = options.srdf[index] if index < len(options.srdf) else None
            rows.append(_compare(path.stem, Robot(path, srdf), options))
            print(format_table(rows[-1:]), flush=True)
    print("\n" + format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "robots", "robots": rows})
    return int(any(row["ours wrong"] for row in rows))


def _compare(name: str, robot: Robot, options: argparse.Namespace) -> Row:
    rng = np.random.default_rng(options.seed)
    low, high = np.where(np.isfinite(robot.limits), robot.limits, [-np.pi, np.pi]).T
    poses = robot.poses(rng.uniform(low, high, (options.configurations, len(low))))
    meshes = [(link.mesh.vertices, link.mesh.triangles) for link in robot.links]
    obstacles = [_obstacle(rng) for _ in range(options.boxes)]
    pairs = _pairs(robot, len(obstacles))
    scene = Scene()
    movers = [scene.add(TriangleMesh(*mesh)) for mesh in meshes]
    for mesh in obstacles:
        scene.add(TriangleMesh(*mesh))
    table = np.zeros((len(scene), len(scene)), np.bool_)
    table[tuple(pairs.T)] = True

    def keep(of: np.ndarray) -> np.ndarray:
        return table[of[:, 0], of[:, 1]]

    found = scene.collides(poses, movers, set_a=movers, keep=keep)
    met = found.triangles[:, 0] >= 0
    ours: Triples = set(zip(found.configuration[met].tolist(), *found.pairs[met].T.tolist(), strict=True))
    stack = least(lambda: scene.collides(poses, movers, set_a=movers, keep=keep), options.runs)[0]
    single = least(lambda: [scene.collides(p, movers, set_a=movers, keep=keep) for p in poses[:1000]], options.runs)[0]
    parts = [*meshes, *obstacles]
    peer = _CoalScene(parts, len(meshes), pairs)
    theirs = peer.collisions(poses)
    peer_time = least(lambda: peer.collisions(poses), options.runs)[0]
    count = len(poses)
    return {
        "robot": name[:24],
        "links": len(meshes),
        "triangles": sum(len(mesh[1]) for mesh in meshes),
        "pairs": len(pairs),
        "colliding": float(found.any.mean()),
        "differ": len(ours ^ theirs),
        "ours wrong": sum(_meet(parts, poses, triple) != (triple in ours) for triple in ours ^ theirs),
        "inside": int((~met).sum()),
        "coal [us]": 1e6 * peer_time / count,
        "stack [us]": 1e6 * stack / count,
        "single [us]": 1e6 * single / min(count, 1000),
        "stack / coal": peer_time / stack,
        "single / coal": peer_time / count / (single / min(count, 1000)),
    }


def _meet(parts: list[tuple[np.ndarray, np.ndarray]], poses: np.ndarray, triple: tuple[int, int, int]) -> bool:
    """Whether two parts meet in a configuration, by exact arithmetic on all triangles whose boxes meet."""
    index, *pair = triple
    corners = []
    for part in pair:
        pose = poses[index, part] if part < poses.shape[1] else np.eye(4)
        vertices, triangles = parts[part]
        corners.append(Pose.from_matrix(pose).apply(vertices)[triangles])
    i, j = (grid.ravel() for grid in np.indices((len(corners[0]), len(corners[1]))))
    near = boxes_meet(corners[0][i], corners[1][j])
    return bool((classify_pairs(corners[0][i[near]], corners[1][j[near]]) != APART).any())


def _obstacle(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A box beside the robot, somewhere between 0.4 and 1 m from its foot."""
    angle, distance = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.4, 1.0)
    centre = [distance * np.cos(angle), distance * np.sin(angle), rng.uniform(0.0, 1.0)]
    return (CUBE_CORNERS - 0.5) * rng.uniform(0.05, 0.3, 3) + centre, CUBE_TRIANGLES


def _pairs(robot: Robot, obstacles: int) -> np.ndarray:
    """Pairs (k, 2) of parts to be tested: links that are not ignored, and links that move with each obstacle."""
    links = len(robot.links)
    own = np.array([(i, j) for i in range(links) for j in range(i + 1, links)], np.int64)
    around = np.array([(i, links + k) for i in range(1, links) for k in range(obstacles)], np.int64)
    return np.concatenate([own[robot.rules(own)], around])


class _CoalScene:
    """The same parts and pairs in coal."""

    def __init__(self, meshes: list[tuple[np.ndarray, np.ndarray]], links: int, pairs: np.ndarray) -> None:
        import coal

        self._coal, self._links, self._pairs = coal, links, pairs.tolist()
        still = coal.Transform3s.Identity()
        self._objects = [coal.CollisionObject(Coal.build(*mesh), still) for mesh in meshes]
        self._request, self._result = coal.CollisionRequest(), coal.CollisionResult()
        self._request.num_max_contacts = 1
        self._request.enable_contact = False
        self._request.break_distance = 0.0

    def collisions(self, poses: np.ndarray) -> Triples:
        """(configuration, part, part) of all that meet."""
        coal, objects, found = self._coal, self._objects, set()
        for index, configuration in enumerate(poses):
            for part, pose in zip(objects[: self._links], configuration, strict=True):
                part.setTransform(coal.Transform3s(pose[:3, :3], pose[:3, 3]))
                part.computeAABB()
            boxes = [part.getAABB() for part in objects]
            for i, j in self._pairs:
                if boxes[i].overlap(boxes[j]):
                    self._result.clear()
                    if coal.collide(objects[i], objects[j], self._request, self._result):
                        found.add((index, i, j))
        return found
