"""``voxel_overlaps``: which of many objects share voxels of one grid, and with which triangles or points."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..hierarchy.bvh import MeshLike
from ..jit import thread_limit
from ..messages import shown
from ..pointcloud.cloud import PointCloud
from ..types.arguments import place_of, side_of
from ..types.copying import Copyable
from ..types.pose import PoseLike, pose_stack, transform_points
from ..types.results import QueryStats
from ..types.steps import run
from ..voxels.bricks import Bricks, common_bricks, list_voxels, rank_words
from ..voxels.collide import ENGINE, mesh_of, single_pose
from ..voxels.common_region import GridTriangles, PlacedTriangles, choose_of, place, put_on_grid
from ..voxels.entries import entry_steps
from ..voxels.grid import Grid, checked_fineness, make_grid
from ..voxels.marking import mark_steps

_OUTWARD = 1.0 + 1e-12


class _Member(NamedTuple):
    """One object in world coordinates: triangles, or points as degenerate triangles."""

    corners: np.ndarray
    triangles: np.ndarray
    bounds: np.ndarray
    reach: float
    """Distance from a point within which its surface may lie [m]; 0 for meshes."""


class VoxelOverlaps(Copyable):
    """The pairs of objects that share voxels. ``voxel_overlaps`` returns a VoxelOverlaps.

    Attributes:
        pairs: (k, 2) int32: objects (i < j) that share a voxel, sorted; all other pairs are certainly apart.
        counts: (k,) int64: number of voxels that they share.
        grid: position of the voxels; None if no bounding boxes of objects overlap.
        stats: QueryStats.
    """

    def __init__(
        self, pairs: np.ndarray, common: list[Bricks], members: list[tuple[GridTriangles, Bricks] | None],
        reaches: Sequence[float], grid: Grid | None, stats: QueryStats,
    ) -> None:  # fmt: skip
        self.pairs = pairs
        self.counts = np.array([rank_words(bricks)[1] for bricks in common], np.int64)
        self.grid = grid
        self.stats = stats
        self._common = common
        self._members = members
        self._reaches = reaches

    def __len__(self) -> int:
        return len(self.pairs)

    def voxels(self, k: int) -> np.ndarray:
        """Return the voxels that pair k shares, (n, 3) int32."""
        k = place_of("k", k, len(self))
        assert self.grid is not None  # there is a pair
        return list_voxels(self._common[k], self.grid.brick_size)

    def boxes(self, k: int) -> np.ndarray:
        """Return the voxels that pair k shares as boxes in world coordinates, (n, 2, 3) [m]."""
        voxels = self.voxels(k)
        assert self.grid is not None
        return self.grid.boxes(voxels)

    def closer_than(self, k: int) -> float:
        """Return an upper bound of the distance between the two objects of pair k [m]. The bound is the diagonal of a
        voxel, plus the reach of the points if an object is a point cloud.
        """
        k = place_of("k", k, len(self))
        assert self.grid is not None
        reach = sum(np.sqrt(3.0) * self._reaches[i] for i in self.pairs[k])
        slack = max(member[0].worst_slack for member in self._members if member is not None)
        return float((self.grid.diagonal * (1.0 + 2.0 * slack) + reach) * _OUTWARD)

    def primitives(self, k: int, side: int) -> np.ndarray:
        """Return the indices of all triangles of one object of pair k that reach the common voxels, ascending, int32.
        For a point cloud, return the indices of its points.
        """
        k = place_of("k", k, len(self))
        member = self._members[int(self.pairs[k, side_of(side)])]
        assert member is not None and self.grid is not None
        thing, _ = member
        bricks = self._common[k]
        ranks, _ = rank_words(bricks)
        entries, _ = run(entry_steps(thing, self.grid, bricks, ranks, bricks.words[: len(ranks)]))
        return thing.chosen[np.unique(entries.owners)]

    def __repr__(self) -> str:
        return f"VoxelOverlaps({len(self)} pairs, {int(self.counts.sum())} common voxels)"


def voxel_overlaps(
    things: Sequence[MeshLike | PointCloud],
    poses: Sequence[Any] | None = None,
    *,
    resolution: int | None = None,
    voxel_size: float | None = None,
    threads: int | None = None,
    memory: int | None = None,
) -> VoxelOverlaps:
    """Find which of many objects share voxels of a common grid. The objects need no preparation.

    Args:
        things: meshes, hierarchies (their mesh is used) and point clouds; a cloud occupies all voxels that its surface
            could touch, which are those within the horizon of the cloud around a point.
        poses: one pose for each object, or None.
        resolution, voxel_size, threads, memory: as for ``voxel_collide``; the default is 256 voxels along the longest
            side.

    Raises:
        InvalidMesh, InvalidPose, UnsupportedOption: as for ``voxel_collide``.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> boxes = [mc.shapes.box(1.0)] * 3
        >>> poses = np.repeat(np.eye(4)[None], 3, axis=0)
        >>> poses[:, 0, 3] = 0.0, 0.5, 5.0
        >>> mc.voxels.voxel_overlaps(boxes, poses, voxel_size=0.1).pairs
        array([[0, 1]], dtype=int32)
    """
    start = time.perf_counter()
    fineness, threads = checked_fineness(resolution, voxel_size, memory), thread_limit(threads)
    members = [_member(k, thing, pose) for k, (thing, pose) in enumerate(_posed(things, poses))]
    candidates, regions = _candidates([member.bounds for member in members])
    if not len(candidates):
        return VoxelOverlaps(candidates, [], [None] * len(members), [], None, _stats(start, threads))
    some = sorted(regions)
    low = np.min([regions[k][0] for k in some], axis=0)
    high = np.max([regions[k][1] for k in some], axis=0)
    placed = {k: _chosen(members[k], *regions[k]) for k in some}
    farthest = max(float(np.abs(members[k].bounds - low).max()) for k in some)
    grid = make_grid(low, high, farthest, fineness)
    marked: list[tuple[GridTriangles, Bricks] | None] = [None] * len(members)
    for k in some:
        thing = _grown(put_on_grid(placed[k]._replace(farthest=farthest), grid), members[k].reach, grid)
        marked[k] = (thing, run(mark_steps(thing, grid, fineness.memory, threads)))
    pairs, common = _share(candidates, marked)
    return VoxelOverlaps(pairs, common, marked, [m.reach for m in members], grid, _stats(start, threads))


def _posed(things: Any, poses: Any) -> list[tuple[Any, Any]]:
    if not isinstance(things, Sequence) or isinstance(things, str | bytes):
        raise InvalidMesh(f"things must be a list of meshes and point clouds, not {shown(things)}")
    if poses is None:
        return [(thing, None) for thing in things]
    if isinstance(poses, str | bytes) or not isinstance(poses, Sequence):
        rows, stacked = pose_stack(poses)
        poses = list(rows) if stacked else []
    if len(poses) != len(things):
        raise UnsupportedOption(f"poses must be None or a list with a pose for each of the {len(things)} objects")
    return list(zip(things, poses, strict=True))


def _member(k: int, thing: Any, pose: PoseLike) -> _Member:
    row = single_pose(f"poses[{k}]", pose)
    if isinstance(thing, PointCloud):
        points = transform_points(row, thing.corrected_points)
        reach = thing.horizon * _OUTWARD
        corners = np.repeat(np.arange(len(points), dtype=np.int32)[:, None], 3, axis=1)
        bounds = np.stack([points.min(axis=0) - reach, points.max(axis=0) + reach])
        return _Member(np.ascontiguousarray(points), corners, bounds, reach)
    mesh = mesh_of(f"things[{k}]", thing)
    corners, bounds = place(mesh, row)
    return _Member(corners, mesh.arrays[1], bounds, 0.0)


def _candidates(bounds: list[np.ndarray]) -> tuple[np.ndarray, dict[int, tuple[np.ndarray, np.ndarray]]]:
    """Return pairs of objects (k, 2) whose boxes overlap, and for each object a box around all of its overlaps."""
    pairs: list[tuple[int, int]] = []
    regions: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for j in range(len(bounds)):
        for i in range(j):
            low, high = np.maximum(bounds[i][0], bounds[j][0]), np.minimum(bounds[i][1], bounds[j][1])
            if (low <= high).all():
                pairs.append((i, j))
                for k in (i, j):
                    before = regions.get(k, (low, high))
                    regions[k] = (np.minimum(before[0], low), np.maximum(before[1], high))
    return np.array(sorted(pairs), np.int32).reshape(-1, 2), regions


def _chosen(member: _Member, low: np.ndarray, high: np.ndarray) -> PlacedTriangles:
    reach = member.reach
    return choose_of(member.triangles, member.corners, member.bounds, low - reach, high + reach)


def _grown(thing: GridTriangles, reach: float, grid: Grid) -> GridTriangles:
    """Return the same triangles with every primitive enlarged on all sides."""
    return thing._replace(slack=thing.slack + reach / grid.voxel_size * _OUTWARD) if reach else thing


def _share(candidates: np.ndarray, marked: list[Any]) -> tuple[np.ndarray, list[Bricks]]:
    """Return the pairs that share voxels, and these voxels."""
    found, common = [], []
    for i, j in candidates:
        both = common_bricks(marked[i][1], marked[j][1])
        if rank_words(both)[1]:
            found.append((i, j))
            common.append(both)
    return np.array(found, np.int32).reshape(-1, 2), common


def _stats(start: float, threads: int) -> QueryStats:
    return QueryStats(seconds=time.perf_counter() - start, threads=threads, engine=ENGINE)
