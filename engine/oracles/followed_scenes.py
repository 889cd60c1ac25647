"""Scenes that change from frame to frame, and whether what follows them says what a new scene says when asked anew."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
from meshclash import Scene, TriangleMesh, build, refit
from meshclash.clouds import PointCloud
from meshclash.motion import LiveContacts, LiveGaps

from . import Row
from .mesh_exactness import bumpy_sphere
from .motion_scenes import random_rotation

FRAMES = 25  # of a seed
_BOX = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def _pot() -> tuple[np.ndarray, np.ndarray]:
    """Return a box with a square hole in its lid: an open mesh that others enter without touching it."""
    grid = np.linspace(-1.0, 1.0, 5)
    faces: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for axis in range(3):
        for end in (-1.0, 1.0):
            for i in range(4):
                for j in range(4):
                    if axis == 2 and end > 0 and i in (1, 2) and j in (1, 2):
                        continue
                    corners = np.empty((2, 2, 3))
                    corners[..., axis] = end
                    corners[..., (axis + 1) % 3] = grid[i : i + 2, None]
                    corners[..., (axis + 2) % 3] = grid[None, j : j + 2]
                    a, b, c, d = corners.reshape(4, 3)
                    faces += [(a, c, d), (a, d, b)] if end > 0 else [(a, d, c), (a, b, d)]
    points, triangles = np.unique(np.array(faces).reshape(-1, 3), axis=0, return_inverse=True)
    return points, triangles.reshape(-1, 3).astype(np.int32)


def _meshes(rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Vertices and triangles: a box (coplanar with another one beside it), a rough sphere, a small box, a pot."""
    box = np.array([[q[0], q[k], q[k + 1]] for q in _QUADS for k in (1, 2)], np.int32)
    vertices, triangles = bumpy_sphere(4)(rng)
    points, sides = _pot()
    small = 0.1 * _BOX
    return [
        (0.5 * _BOX, box), (_BOX * rng.uniform(0.2, 0.9, 3), box), (0.6 * vertices, triangles), (small, box),
        (points * rng.uniform(0.5, 1.5, 3), sides),
    ]  # fmt: skip


def _pose(rng: np.random.Generator, size: float) -> np.ndarray:
    pose = np.eye(4)
    if rng.random() < 0.5:
        pose[:3, :3] = random_rotation(rng)
        pose[:3, 3] = rng.uniform(0, size, 3)
    else:
        pose[:3, 3] = rng.integers(0, round(size) + 1, 3)  # boxes that touch
    return pose


def _listed(found: Any) -> dict[tuple[int, int], Any]:
    return {(p.a, p.b): (p.verdict, p.depth, _contacts(p.contacts)) for p in found}


def _contacts(contacts: Any) -> Any:
    return sorted(map(tuple, contacts.pairs.tolist())) if hasattr(contacts, "pairs") else len(contacts)


def _gaps(found: Any) -> dict[tuple[int, int], Any]:
    return {(p.a, p.b): (p.verdict, p.depth, p.gap, p.near_a.tolist(), p.near_b.tolist()) for p in found}


class _Follower:
    """A scene and everything that follows it."""

    def __init__(self, tolerance: float, most: int) -> None:
        self.scene = Scene()
        self.live = LiveContacts(self.scene)
        self.gaps, self.nearest = LiveGaps(self.scene, tolerance), LiveGaps(self.scene, most=most)

    def copied(self, how: int) -> _Follower:
        """Return a copy that goes on with what is known."""
        return copy.deepcopy(self) if how else pickle.loads(pickle.dumps(self))


def check_followed(seed: int) -> Row:
    """Wrong frames of a scene in which objects stand, drift, jump, deform, come and go."""
    rng = np.random.default_rng(seed)
    shapes, size = _meshes(rng), float(rng.uniform(1.5, 4.0))
    tolerance, most, drift = float(rng.uniform(0.0, 0.5)), int(rng.integers(1, 9)), float(rng.choice([0.003, 0.05]))
    everything = _Follower(tolerance, most)
    shared: list[Any] = [TriangleMesh(*shape) for shape in shapes]
    if rng.random() < 0.2:
        shared.append(PointCloud(rng.normal(size=(300, 3)) * rng.uniform(0.1, 0.5, 3)))
    add = rng.integers(0, len(shared), int(rng.integers(2, 12))).tolist()
    kinds = {everything.scene.add(shared[k], _pose(rng, size)): k for k in add}
    known: dict[tuple[int, int], Any] = {}
    near: dict[tuple[int, int], Any] = {}
    ways = drift * rng.normal(size=(1000, 3))
    wrong, changes, asleep = 0, 0, 0
    for _ in range(FRAMES):
        if rng.random() < 0.05:
            everything = everything.copied(int(rng.integers(2)))
        scene = everything.scene
        ids = list(scene)
        draw = rng.random()
        poses = np.stack([scene.posed(i)[1].matrix for i in ids]) if ids else np.empty((0, 4, 4))
        moving = rng.random(len(ids)) < rng.choice([0.0, 0.2, 1.0])
        poses[moving, :3, 3] += ways[np.array(ids, np.int64)[moving]]
        if draw < 0.1:
            for k in np.flatnonzero(rng.random(len(ids)) < 0.3).tolist():
                poses[k] = _pose(rng, size)
        elif draw < 0.12 and ids:
            poses[int(rng.integers(len(ids))), :3, 3] += 10.0 ** rng.integers(0, 12)
        scene.set_poses(ids, poses)  # also of those that stand
        one = ids[int(rng.integers(len(ids)))] if ids else -1
        if draw > 0.9:
            chosen = int(rng.integers(0, len(shared)))
            kinds[scene.add(shared[chosen], _pose(rng, size))] = chosen
        elif draw > 0.8 and len(ids) > 1:
            scene.remove(one)
        elif draw > 0.7 and kinds.get(one, 9) < len(shapes):
            vertices = shapes[kinds[one]][0] * rng.uniform(0.8, 1.2, 3)
            if draw > 0.75:
                scene.set_vertices(one, vertices)
            elif not isinstance(scene.posed(one)[0], TriangleMesh):
                refit(scene.posed(one)[0], vertices, in_place=True)
            else:
                pose = scene.posed(one)[1]
                scene.remove(one)
                kinds[scene.add(build(TriangleMesh(*shapes[kinds[one]])), pose)] = kinds[one]
        first = bool(rng.random() < 0.5)
        found, told = everything.live.update(first_contact=first), everything.gaps.update(first_contact=first)
        nearest = everything.nearest
        nearest.update(first_contact=first)
        known = _changed(known, found, _listed(found.found.values()))
        near = _changed(near, told, _gaps(told.found.values()))
        changes += len(found.gone) + len(found.meeting) + len(found.found)
        anew, place = Scene(), {}
        for i in scene:
            place[anew.add(*copy.deepcopy(scene.posed(i)))] = i
        truth = {(place[a], place[b]): told for (a, b), told in _listed(anew.contacts()).items()}
        same = known.keys() == truth.keys() and all(told in ("meets", truth[pair]) for pair, told in known.items())
        same &= first or "meets" not in known.values()
        same &= _same_gaps(
            near, {(place[a], place[b]): gap for (a, b), gap in _gaps(anew.clearances(tolerance)).items()}, first
        )
        fresh = anew.distances(most=most)
        lengths = np.sort([gap.gap for gap in nearest._listed.values()]), np.sort([gap.gap for gap in fresh])
        same &= len(lengths[0]) == len(lengths[1]) and bool(np.allclose(*lengths, rtol=1e-12, atol=0.0))
        same &= nearest.left_out == fresh.left_out
        all_contacts = bool(rng.random() < 0.3)
        step, collide = scene.step(first_only=not all_contacts), anew.step(first_only=not all_contacts)
        asleep += step.asleep
        theirs = sorted([place[a], place[b]] for a, b in collide.pairs.tolist())
        same &= step.pairs.tolist() == theirs
        if all_contacts:
            same &= _triangles(step) == _triangles(collide)
        same &= _same_estimates(scene, anew, place)
        wrong += not same
    return {"frames": FRAMES, "changes": changes, "asleep": asleep, "wrong": wrong}


def _changed(
    known: dict[tuple[int, int], Any], found: Any, new: dict[tuple[int, int], Any]
) -> dict[tuple[int, int], Any]:
    kept = {pair: told for pair, told in known.items() if pair not in found.gone}
    return kept | dict.fromkeys(found.meeting, "meets") | new


def _same_gaps(near: dict[tuple[int, int], Any], truth: dict[tuple[int, int], Any], first: bool) -> bool:
    """Return whether gaps are those of a new scene; first contacts may lack the triangles within the tolerance."""
    if near.keys() != truth.keys():
        return False
    whole = (gap == truth[pair] for pair, gap in near.items())
    parts = (gap == "meets" or gap[:3] == truth[pair][:3] for pair, gap in near.items())
    return all(parts) if first else all(whole)


def _same_estimates(scene: Scene, anew: Scene, place: dict[int, int]) -> bool:
    """Return whether both scenes estimate the same of the same pairs when they are given enough time."""
    answers = []
    for one in (scene, anew):
        found = one.time_critical()
        while not found.exact:
            found = one.time_critical()
        names = place if one is anew else {i: i for i in scene}
        rows = zip(found.pairs.tolist(), found.colliding.tolist(), strict=True)
        answers.append(sorted((names[a], names[b], collides) for (a, b), collides in rows))
    return answers[0] == answers[1]


def _triangles(step: Any) -> list[Any]:
    return sorted(zip(step.pair_of.tolist(), map(tuple, step.triangles.tolist()), step.kinds.tolist(), strict=True))
