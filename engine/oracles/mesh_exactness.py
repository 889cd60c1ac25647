"""Whole meshes under many poses: pairs and kinds of `collide` against brute force with the oracle.

World coordinates are computed here once more, operation by operation as the engine defines them. The oracle sees every
pair of triangles whose exact world boxes meet; the others are apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from multiprocessing.pool import Pool

import numpy as np
from meshclash import TriangleMesh, collide, collides

from . import Row
from .oracle import CROSSING, classify_pairs

Mesh = tuple[np.ndarray, np.ndarray]
CHUNK = 5000

CUBE_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)
CUBE_QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
CUBE_TRIANGLES = CUBE_QUADS[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def check_meshes(pose_count: int, seed: int, pool: Pool) -> list[Row]:
    """Compare every pair of models under `pose_count` poses: one row for each."""
    return [_check(name, pose_count, seed, pool) for name in MODELS]


def _check(name: str, pose_count: int, seed: int, pool: Pool) -> Row:
    mesh_a, mesh_b, poses = models(name, pose_count, seed)
    a, b = TriangleMesh(*mesh_a), TriangleMesh(*mesh_b)
    counts, tested, differ = np.zeros(4, np.int64), 0, 0
    for pose_a, pose_b in poses:
        corners = world_triangles(mesh_a, pose_a), world_triangles(mesh_b, pose_b)
        tested_here, pairs, kinds = brute_force(*corners, pool)
        differ += not _agrees(a, b, pose_a, pose_b, pairs, kinds)
        counts += np.bincount(kinds, minlength=4)
        tested += tested_here
    repeated = pool.apply(results_digest, (name, pose_count, seed, 1))
    return {
        "meshes": name,
        "triangles": f"{len(mesh_a[1])} x {len(mesh_b[1])}",
        "poses": pose_count,
        "oracle pairs": tested,
        "crossing": int(counts[1]),
        "coplanar": int(counts[2]),
        "touching": int(counts[3]),
        "poses that differ": differ,
        "other bytes in 2nd run": int(results_digest(name, pose_count, seed) != repeated),
    }


def _agrees(
    a: TriangleMesh, b: TriangleMesh, pose_a: np.ndarray, pose_b: np.ndarray, pairs: np.ndarray, kinds: np.ndarray
) -> bool:
    """Whether all queries of the engine find these pairs and kinds, in this order."""
    found = collide(a, b, pose_a, pose_b)
    crossing = collide(a, b, pose_a, pose_b, touching=False)
    return (
        np.array_equal(found.pairs, pairs)
        and np.array_equal(found.kinds, kinds)
        and np.array_equal(crossing.pairs, pairs[kinds == CROSSING])
        and collides(a, b, pose_a, pose_b) == (len(pairs) > 0)
    )


def results_digest(name: str, pose_count: int, seed: int, threads: int | None = None) -> str:
    """Hash of the bytes of all results of `collide` on one pair of models; the bench also asks another process."""
    mesh_a, mesh_b, poses = models(name, pose_count, seed)
    a, b = TriangleMesh(*mesh_a), TriangleMesh(*mesh_b)
    digest = hashlib.sha256()
    for pose_a, pose_b in poses:
        found = collide(a, b, pose_a, pose_b, threads=threads)
        digest.update(found.pairs.tobytes() + found.kinds.tobytes() + found.segments().tobytes())
    return digest.hexdigest()


def world_triangles(mesh: Mesh, matrix: np.ndarray) -> np.ndarray:
    """Corners in the world, (m, 3, 3) float64: x' = ((R00 x + R01 y) + R02 z) + tx, each operation rounded."""
    x, y, z = mesh[0].T
    rows = [((row[0] * x + row[1] * y) + row[2] * z) + row[3] for row in matrix[:3]]
    return np.stack(rows, axis=1)[mesh[1]]


def brute_force(a: np.ndarray, b: np.ndarray, pool: Pool | None = None) -> tuple[int, np.ndarray, np.ndarray]:
    """All pairs of world triangles that share a point.

    Args:
        a, b: corners, (m, 3, 3) and (n, 3, 3) float64.
        pool: processes that share the work; None works here.

    Returns:
        Number of pairs the oracle decided, pairs (k, 2) int32 sorted, kinds (k,) uint8.
    """
    low_a, high_a, low_b, high_b = a.min(axis=1), a.max(axis=1), b.min(axis=1), b.max(axis=1)
    near = (low_a[:, None] <= high_b[None]).all(axis=2) & (low_b[None] <= high_a[:, None]).all(axis=2)
    pairs = np.argwhere(near).astype(np.int32)
    chunks = [(a[c[:, 0]], b[c[:, 1]]) for c in (pairs[i : i + CHUNK] for i in range(0, len(pairs), CHUNK))]
    kinds = pool.starmap(classify_pairs, chunks) if pool else [classify_pairs(p, q) for p, q in chunks]
    kinds = np.concatenate([np.zeros(0, np.uint8), *kinds])
    return len(pairs), pairs[kinds > 0], kinds[kinds > 0]


# Models


def models(name: str, pose_count: int, seed: int) -> tuple[Mesh, Mesh, np.ndarray]:
    """Two meshes and poses for both, (k, 2, 4, 4)."""
    make_a, make_b, make_poses = MODELS[name]
    rng = np.random.default_rng([seed, *name.encode()])
    return make_a(rng), make_b(rng), make_poses(rng, pose_count)


def tetrahedron(rng: np.random.Generator) -> Mesh:
    """A random one."""
    return rng.uniform(-1, 1, (4, 3)), np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])


def cube(rng: np.random.Generator) -> Mesh:
    """The unit cube."""
    return CUBE_CORNERS, CUBE_TRIANGLES


def bumpy_sphere(rings: int) -> Callable[[np.random.Generator], Mesh]:
    """A maker of spheres with bumps: 2 * 2 * rings * (rings - 1) triangles."""

    def make(rng: np.random.Generator) -> Mesh:
        around = 2 * rings
        height, turn = np.meshgrid(np.arange(1, rings) / rings * np.pi, np.arange(around) / around * 2 * np.pi)
        directions = np.stack([np.sin(height) * np.cos(turn), np.sin(height) * np.sin(turn), np.cos(height)], axis=-1)
        vertices = directions * (1 + 0.1 * np.sin(7 * height) * np.cos(5 * turn))[..., None]
        index = np.arange(around * (rings - 1)).reshape(around, rings - 1)
        beside = np.roll(index, -1, axis=0)
        p, q, r, s = (i.ravel() for i in (index[:, :-1], index[:, 1:], beside[:, 1:], beside[:, :-1]))
        top, bottom = around * (rings - 1), around * (rings - 1) + 1
        caps = [np.stack([np.full(around, top), index[:, 0], beside[:, 0]], axis=1)]
        caps.append(np.stack([np.full(around, bottom), beside[:, -1], index[:, -1]], axis=1))
        sides = [np.stack([p, q, r], axis=1), np.stack([p, r, s], axis=1)]
        return np.concatenate([vertices.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]]), np.concatenate(sides + caps)

    return make


def soup(rng: np.random.Generator) -> Mesh:
    """What careless CAD export leaves: needles, T-junctions, duplicate faces and faces without area, on a 1/16 grid."""
    fan = np.array([[0.0, 0, 0], *([1, k / 16, 0] for k in range(17))])
    needles = np.array([[0, k, k + 1] for k in range(1, 17)])
    beams = [CUBE_CORNERS * size / 16 + at / 16 for size, at in zip(*rng.integers(1, 17, (2, 8, 3)), strict=True)]
    halves = np.array([[1.0, 0, 0], [1, 1, 0], [2, 0.5, 0], [1, 0.5, 0]])  # meet the fan's outer edge in T-junctions
    vertices = np.concatenate([fan, *beams, halves])
    beam_triangles = [CUBE_TRIANGLES + len(fan) + 8 * k for k in range(len(beams))]
    first = len(vertices) - 4
    junctions = [[first, first + 2, first + 3], [first + 1, first + 3, first + 2]]
    triangles = np.concatenate([needles, *beam_triangles, junctions])
    repeated = triangles[rng.integers(0, len(triangles), 8)][:, [1, 2, 0]]
    no_area = np.array([[1, 2, 3], [5, 9, 17], [4, 4, 8], [6, 6, 6]])
    return vertices, np.concatenate([triangles, repeated, no_area])


def random_poses(rng: np.random.Generator, count: int) -> np.ndarray:
    """Rotations in all directions, shifts at which the models meet more often than not."""
    poses = np.tile(np.eye(4), (count, 2, 1, 1))
    turns = np.linalg.qr(rng.normal(size=(count, 2, 3, 3)))[0]
    poses[:, :, :3, :3] = turns * np.sign(np.linalg.det(turns))[..., None, None]
    poses[:, 1, :3, 3] = rng.normal(size=(count, 3)) * 0.7
    return poses


def aligned_poses(rng: np.random.Generator, count: int) -> np.ndarray:
    """Quarter turns about the cube's centre and shifts by multiples of 1/4 (faces meet exactly); every fourth is an
    arbitrary pose.
    """
    poses = random_poses(rng, count)
    for k in (k for k in range(count) if k % 4):
        for side in range(2):
            turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
            poses[k, side, :3, :3] = turn * np.sign(np.linalg.det(turn))
            poses[k, side, :3, 3] = rng.integers(-2, 3, 3) / 4 - poses[k, side, :3, :3].sum(axis=1) / 2
    return poses


MODELS = {
    "two tetrahedra": (tetrahedron, tetrahedron, random_poses),
    "cube and cube": (cube, cube, aligned_poses),
    "bumpy spheres, small": (bumpy_sphere(8), bumpy_sphere(8), random_poses),
    "bumpy spheres": (bumpy_sphere(8), bumpy_sphere(22), random_poses),
    "soup and cube": (soup, cube, aligned_poses),
    "soup and soup": (soup, soup, aligned_poses),
}
