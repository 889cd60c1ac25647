"""Common volumes and insides by voxels where faces lie in planes of the grid, against what is known by construction.

A solid is a set of cells between lines of a lattice, some of them turned or tilted by rounding. The common volume of
two on one lattice is the exact sum of their common cells; in a pose that both share it is the same but for rounding.
One of them in a pose of its own is compared with manifold3d. Points of a ``VoxelMap`` are inside where a cell says so.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from meshclash.query.voxel_collide import voxel_collide
from meshclash.types.mesh import TriangleMesh
from meshclash.types.pose import Pose
from meshclash.voxels.grid import Grid
from meshclash.voxels.map import VoxelMap

from . import Row

SORTS = ("lattice", "tilted", "turned", "against each other")
"""No pose; both tilted by little more than rounding; both turned alike; one of them turned by itself."""
_SHARES = (1 / 4, 1 / 3, 1 / 2, 2 / 3, 1.0, 3 / 2, 2.0)
"""Sides of voxels in cells."""
_POINTS = 64
_ROUNDING, _OF_OTHERS = 1e-12, 1e-9  # of the volume of the lattice's box: of poses, and of another library
_CORNERS = np.array(list(np.ndindex(2, 2, 2)))
_SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
_STEPS = np.repeat(np.eye(3, dtype=np.int64), 2, axis=0) * np.array([[-1], [1]] * 3)


class LatticeCase(NamedTuple):
    """Two solids on one lattice, and how they are asked."""

    sort: str
    lines: list[np.ndarray]
    """Of each axis, ascending [m]."""
    cells: tuple[np.ndarray, np.ndarray]
    """(x, y, z) bool."""
    poses: tuple[np.ndarray, np.ndarray]
    """(4, 4)."""
    resolution: int | None
    voxel_size: float | None

    @property
    def volume(self) -> Fraction:
        """What the solids have in common where both are in one pose, exactly."""
        widths = [[Fraction(float(q)) - Fraction(float(p)) for p, q in pairwise(x)] for x in self.lines]
        both = np.argwhere(self.cells[0] & self.cells[1]).tolist()
        return sum((widths[0][i] * widths[1][j] * widths[2][k] for i, j, k in both), Fraction(0))

    @property
    def box_volume(self) -> float:
        """Of the lattice."""
        return float(np.prod([x[-1] - x[0] for x in self.lines]))


def lattice_mesh(lines: list[np.ndarray], cells: np.ndarray) -> TriangleMesh:
    """The boundary of some cells (x, y, z) bool, at least one of them; they may meet in edges or corners only."""
    around = np.pad(cells, 1)
    quads = []
    for step, side in zip(_STEPS, _SIDES, strict=True):
        own = np.argwhere(cells)
        free = ~around[tuple((own + 1 + step).T)]
        quads.append(own[free][:, None] + _CORNERS[side])
    corners, index = np.unique(np.concatenate(quads).reshape(-1, 3), axis=0, return_inverse=True)
    vertices = np.stack([x[corners[:, axis]] for axis, x in enumerate(lines)], axis=1)
    return TriangleMesh(vertices, index.reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def lattice_case(rng: np.random.Generator) -> LatticeCase:
    """A case at random; faces of it lie in planes of the grid more often than not."""
    counts = rng.integers(1, 5, 3)
    step = float(rng.choice([1.0, 0.25, 0.1, 0.3, rng.uniform(0.05, 3.0)]))
    first = rng.integers(-4, 5, 3)
    lines = [step * (first[axis] + np.arange(counts[axis] + 1)) for axis in range(3)]
    if rng.random() < 0.2:  # not evenly spaced
        lines = [x[0] + np.cumsum(step * rng.integers(1, 5, len(x))) for x in lines]
    share = rng.uniform(0.1, 1.0)
    cells = tuple(_some(rng, counts, share) for _ in range(2))
    sort = str(rng.choice(SORTS, p=[0.55, 0.2, 0.15, 0.1]))
    pose, still = _pose(rng, sort), np.eye(4)
    poses = (still if sort == "against each other" else pose, pose)
    return LatticeCase(sort, lines, (cells[0], cells[1]), poses, *_fineness(rng, step, lines))


def _some(rng: np.random.Generator, counts: np.ndarray, share: float) -> np.ndarray:
    """Cells: a block, or each of them with some probability; at least one."""
    cells = np.zeros(counts, np.bool_)
    if rng.random() < 0.3:
        low = rng.integers(0, counts)
        high = rng.integers(low + 1, counts + 1)
        cells[tuple(slice(p, q) for p, q in zip(low, high, strict=True))] = True
    else:
        cells |= rng.random(counts) < share
        cells[tuple(rng.integers(0, counts))] = True
    return cells


def _pose(rng: np.random.Generator, sort: str) -> np.ndarray:
    pose = np.eye(4)
    if sort == "lattice":
        return pose
    if sort == "tilted":
        axis = rng.normal(size=3) * 10.0 ** rng.uniform(-17, -9)
        pose[:3, :3] += np.cross(np.eye(3), axis)
        return pose
    pose[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    pose[:3, 0] *= np.sign(np.linalg.det(pose[:3, :3]))
    pose[:3, 3] = rng.normal(size=3)
    return pose


def _fineness(rng: np.random.Generator, step: float, lines: list[np.ndarray]) -> tuple[int | None, float | None]:
    """A resolution or a size of voxels: of cells a share, or anything."""
    longest = max(float(x[-1] - x[0]) for x in lines)
    way = rng.random()
    if way < 0.4:
        return int(rng.integers(1, 25)), None
    if way < 0.5:
        return None, longest / rng.uniform(0.5, 24.0)
    return None, max(step * float(rng.choice(_SHARES)), longest / 48.0)


def volume_is_wrong(case: LatticeCase) -> bool:
    """Whether the common volume lies outside its bounds, these are out of order, or `inside` is not so."""
    a, b = (lattice_mesh(case.lines, cells) for cells in case.cells)
    found = voxel_collide(
        a, b, *case.poses, resolution=case.resolution, voxel_size=case.voxel_size, mode="solid", threads=1
    )
    low, high = found.overlap_volume
    known, spare = case.volume, 0.0 if case.sort == "lattice" else _ROUNDING * case.box_volume
    if case.sort == "against each other":
        known, spare = Fraction(_by_manifold(case)), _OF_OTHERS * case.box_volume
    elif found.overlap is not None and found.overlap.inside:
        inner, outer = case.cells if found.overlap.inside == "a" else case.cells[::-1]
        if (inner & ~outer).any():
            return True
    return not (0.0 <= low <= high and Fraction(low) - Fraction(spare) <= known <= Fraction(high) + Fraction(spare))


def _by_manifold(case: LatticeCase) -> float:
    """manifold3d's common volume: of cells one by one, as it takes no edge of four faces."""
    import manifold3d

    solids = []
    for cells, pose in zip(case.cells, case.poses, strict=True):
        parts = []
        for place in np.argwhere(cells).tolist():
            lines = [x[k : k + 2] for x, k in zip(case.lines, place, strict=True)]
            mesh = lattice_mesh(lines, np.ones((1, 1, 1), np.bool_))
            vertices = Pose.from_matrix(pose).apply(mesh.vertices)
            parts.append(manifold3d.Manifold(manifold3d.Mesh64(vertices, mesh.triangles.astype(np.uint64))))
        solids.append(manifold3d.Manifold.batch_boolean(parts, manifold3d.OpType.Add))
    return float((solids[0] ^ solids[1]).volume())


def points_on_the_wrong_side(case: LatticeCase, rng: np.random.Generator) -> int:
    """How many of some points a ``VoxelMap`` of the first solid calls what they are not.

    Within a voxel's diagonal of the surface it may say either, unless all faces lie in planes of the grid: then no
    point is called inside that is farther outside than rounding.
    """
    mesh = lattice_mesh(case.lines, case.cells[0])
    voxels = VoxelMap(mesh, resolution=case.resolution, voxel_size=case.voxel_size)
    points = np.stack([_along(rng, x) for x in case.lines], axis=1)
    called = np.zeros(len(points), np.bool_)
    called[voxels.touch(points).points] = True
    around = [np.concatenate([[-np.inf], x, [np.inf]]) for x in case.lines]
    cells = np.pad(case.cells[0], 1)
    rounding = 2.0**-50 * max(float(np.abs(x).max()) for x in case.lines)
    spare = rounding if _in_planes(voxels.grid, case.lines) else voxels.grid.diagonal
    too_far = _distances(around, cells, points) > spare
    too_deep = _distances(around, ~cells, points) > voxels.grid.diagonal
    return int(np.where(called, too_far, too_deep).sum())


def _along(rng: np.random.Generator, lines: np.ndarray) -> np.ndarray:
    """Coordinates on an axis: anywhere, or on a line, or next to one."""
    reach = 0.5 * float(lines[-1] - lines[0])
    anywhere = rng.uniform(lines[0] - reach, lines[-1] + reach, _POINTS)
    near = rng.choice(lines, _POINTS)
    near = np.where(rng.random(_POINTS) < 0.5, near, np.nextafter(near, rng.choice([-np.inf, np.inf], _POINTS)))
    return np.where(rng.random(_POINTS) < 0.7, anywhere, near)


def _distances(lines: list[np.ndarray], cells: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How far points (n, 3) are from the nearest cell, (n,) [m]; 0 in it and on its boundary."""
    places = np.argwhere(cells)
    squares = np.zeros((len(points), len(places)))
    for axis, x in enumerate(lines):
        low, high = x[places[:, axis]], x[places[:, axis] + 1]
        squares += np.maximum(np.maximum(low - points[:, axis, None], points[:, axis, None] - high), 0.0) ** 2
    distances: np.ndarray = np.sqrt(squares.min(axis=1))
    return distances


def _in_planes(grid: Grid, lines: list[np.ndarray]) -> bool:
    """Whether all lines lie in planes of a grid, exactly."""
    side = Fraction(grid.voxel_size)
    return all(
        (Fraction(float(line)) - Fraction(float(origin))) % side == 0
        for x, origin in zip(lines, grid.origin, strict=True)
        for line in x
    )


def lattice_rows(count: int, seed: int) -> list[Row]:
    """``count`` pairs of solids and as many maps; a row for each sort and way of stating the grid."""
    tally: Counter[tuple[str, str, str]] = Counter()
    for number in range(count):
        rng = np.random.default_rng((seed, number))
        case = lattice_case(rng)
        key = case.sort, "resolution" if case.voxel_size is None else "voxel_size"
        tally[*key, "pairs"] += 1
        tally[*key, "wrong volumes"] += volume_is_wrong(case)
        tally[*key, "wrong points"] += points_on_the_wrong_side(case, rng)
    return [
        {
            "solids": sort, "grid by": way, "pairs": tally[sort, way, "pairs"],
            "points": _POINTS * tally[sort, way, "pairs"], "wrong volumes": tally[sort, way, "wrong volumes"],
            "wrong points": tally[sort, way, "wrong points"],
            "wrong": tally[sort, way, "wrong volumes"] + tally[sort, way, "wrong points"],
        }
        for sort in SORTS
        for way in ("resolution", "voxel_size")
    ]  # fmt: skip
