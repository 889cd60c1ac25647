"""Scenes that change from frame to frame, and whether what follows them says what a new scene says when asked anew."""

from __future__ import annotations

from typing import Any

import numpy as np
from meshclash import Scene, TriangleMesh
from meshclash.motion import LiveContacts

from . import Row
from .mesh_exactness import bumpy_sphere
from .motion_scenes import random_rotation

FRAMES = 25  # of a seed
_BOX = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def _meshes(rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Vertices and triangles: boxes, whose faces lie in one plane when they stand side by side, and rough spheres."""
    box = np.array([[q[0], q[k], q[k + 1]] for q in _QUADS for k in (1, 2)], np.int32)
    vertices, triangles = bumpy_sphere(4)(rng)
    return [(0.5 * _BOX, box), (_BOX * rng.uniform(0.2, 0.9, 3), box), (0.6 * vertices, triangles)]


def _pose(rng: np.random.Generator, size: float) -> np.ndarray:
    pose = np.eye(4)
    if rng.random() < 0.5:
        pose[:3, :3] = random_rotation(rng)
        pose[:3, 3] = rng.uniform(0, size, 3)
    else:
        pose[:3, 3] = rng.integers(0, round(size) + 1, 3)  # boxes that touch
    return pose


def _listed(found: Any) -> dict[tuple[int, int], Any]:
    return {(p.a, p.b): (p.verdict, p.depth, sorted(map(tuple, p.contacts.pairs.tolist()))) for p in found}


def check_followed(seed: int) -> Row:
    """Wrong frames of a scene in which objects stand, drift, jump, deform, come and go."""
    rng = np.random.default_rng(seed)
    shapes, size = _meshes(rng), float(rng.uniform(1.5, 4.0))
    scene, live = Scene(), None
    shared = [TriangleMesh(*shape) for shape in shapes]
    kinds = {scene.add(shared[k], _pose(rng, size)): k for k in rng.integers(0, 3, int(rng.integers(2, 12))).tolist()}
    live = LiveContacts(scene)
    known: dict[tuple[int, int], Any] = {}
    wrong, changes = 0, 0
    for _ in range(FRAMES):
        ids = list(scene)
        draw = rng.random()
        poses = np.stack([scene.posed(i)[1].matrix for i in ids]) if ids else np.empty((0, 4, 4))
        moving = rng.random(len(ids)) < rng.choice([0.0, 0.2, 1.0])
        poses[moving, :3, 3] += 0.05 * rng.normal(size=(int(moving.sum()), 3))
        if draw < 0.2:
            for k in np.flatnonzero(rng.random(len(ids)) < 0.3).tolist():
                poses[k] = _pose(rng, size)
        scene.set_poses(ids, poses)  # also of those that stand
        if draw > 0.9:
            chosen = int(rng.integers(0, 3))
            kinds[scene.add(shared[chosen], _pose(rng, size))] = chosen
        elif draw > 0.8 and len(ids) > 1:
            scene.remove(ids[int(rng.integers(len(ids)))])
        elif draw > 0.7:
            one = ids[int(rng.integers(len(ids)))]
            vertices = shapes[kinds[one]][0]
            scene.set_vertices(one, vertices * rng.uniform(0.8, 1.2, 3))
        first = bool(rng.random() < 0.5)
        found = live.update(first_contact=first)
        known = {pair: told for pair, told in known.items() if pair not in found.gone}
        known |= dict.fromkeys(found.meeting, "meets") | _listed(found.found.values())
        changes += len(found.gone) + len(found.meeting) + len(found.found)
        anew, place = Scene(), {}
        for i in scene:
            place[anew.add(*scene.posed(i))] = i
        truth = {(place[a], place[b]): told for (a, b), told in _listed(anew.contacts()).items()}
        same = known.keys() == truth.keys() and all(told in ("meets", truth[pair]) for pair, told in known.items())
        same &= first or "meets" not in known.values()
        everything = bool(rng.random() < 0.3)
        step, collide = scene.step(first_only=not everything), anew.step(first_only=not everything)
        theirs = [(place[a], place[b]) for a, b in collide.pairs.tolist()]
        same &= step.pairs.tolist() == [list(pair) for pair in theirs]
        if everything:
            same &= _triangles(step) == _triangles(collide)
        wrong += not same
    return {"frames": FRAMES, "changes": changes, "wrong": wrong}


def _triangles(step: Any) -> list[Any]:
    return sorted(zip(step.pair_of.tolist(), map(tuple, step.triangles.tolist()), step.kinds.tolist(), strict=True))
