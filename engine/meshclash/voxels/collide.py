"""The steps of ``voxel_collide``: find the voxels, triangles and volume that two objects share."""

import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..answering.devices import on_device
from ..errors import InvalidMesh, UnsupportedOption
from ..hierarchy.bvh import Hierarchy
from ..traversal.contacts import Contacts
from ..types.foreign_meshes import as_own
from ..types.mesh import TriangleMesh, no_mesh
from ..types.pose import PoseLike, pose_stack
from ..types.results import Progress, QueryStats
from ..types.steps import scale_progress
from .bricks import Bricks, common_bricks, list_voxels, rank_words
from .common_region import GridTriangles, PlacedTriangles, choose, mean_extent, place, put_on_grid
from .common_volume import closed_solid, overlap_steps
from .culling import culled_steps
from .device import common_voxels_on
from .entries import by_voxel, entry_steps
from .grid import Fineness, Grid, check_columns, check_volumes, make_grid
from .marking import mark_steps
from .results import Overlap, VoxelContacts
from .triangle_contacts import TriangleContacts, triangle_contact_steps

MODES = ("exact", "voxels", "solid")
DEVICE = "cuda"
ENGINE = "voxels"
"""Name of the engine in ``QueryStats``."""
_EXTENTS = 1.5  # default size of a voxel in mode "exact", in mean sizes of triangles
_FINEST = 1024  # by default at most this many voxels along the region's longest side

_Answer = Generator[Progress, None, VoxelContacts]


class VoxelQuestion(NamedTuple):
    """The validated options of ``voxel_collide``."""

    mode: str
    fineness: Fineness
    crossing_only: bool
    threads: int
    start: float
    device: str


def mesh_of(name: str, thing: object) -> TriangleMesh:
    """Return a mesh, or the mesh of a hierarchy. Raises InvalidMesh for other types."""
    thing = as_own(thing)
    if isinstance(thing, Hierarchy):
        return thing.mesh
    if not isinstance(thing, TriangleMesh):
        raise InvalidMesh(f"{name}: {no_mesh(thing)}")
    return thing


def single_pose(name: str, pose: PoseLike) -> np.ndarray:
    """Return a pose as (3, 4) float64. Raises UnsupportedOption for a stack of poses."""
    rows, stacked = pose_stack(pose)
    if stacked:
        raise UnsupportedOption(f"{name}: voxels need one pose for each object, not a stack")
    return np.array(rows[0], order="C")


def common_region(bounds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the lowest and highest corners (3,) of the intersection of boxes (2, 3); None if the intersection is
    empty.
    """
    low = np.max([b[0] for b in bounds], axis=0)
    high = np.min([b[1] for b in bounds], axis=0)
    return (low, high) if (low <= high).all() else None


def voxel_steps(meshes: tuple[TriangleMesh, ...], rows: tuple[np.ndarray, ...], asked: VoxelQuestion) -> _Answer:
    """Run ``voxel_collide`` for two meshes in poses (3, 4), in slices."""
    yield Progress(0.0, "region of interest")
    if asked.mode == "solid":
        for name, mesh in zip("ab", meshes, strict=True):
            closed_solid(name, mesh)
    worlds = [place(mesh, row) for mesh, row in zip(meshes, rows, strict=True)]
    region = common_region([bounds for _, bounds in worlds])
    if region is None:
        return _nothing(meshes, rows, asked)
    placed = [choose(mesh, *world, *region) for mesh, world in zip(meshes, worlds, strict=True)]
    grid = make_grid(*region, max(p.farthest for p in placed), fitting(asked.fineness, asked.mode, region, placed))
    if asked.mode == "solid":
        placed = [
            p._replace(chosen=choose(mesh, *world, *_all_of(grid)).chosen)
            for p, mesh, world in zip(placed, meshes, worlds, strict=True)
        ]
    things = [put_on_grid(p, grid) for p in placed]
    if asked.mode == "solid":
        whole = [bool(((b[0] >= region[0]) & (b[1] <= region[1])).all()) for _, b in worlds]
        return (yield from _solid_steps(meshes, things, grid, asked, whole))
    things = yield from scale_progress(culled_steps(things, grid), 0.0, 0.1, "comparing bricks")
    placed = [p._replace(chosen=thing.chosen) for p, thing in zip(placed, things, strict=True)]
    if asked.mode == "exact":
        return (yield from _exact_steps(meshes, rows, placed, things, grid, asked))
    slack, counts = max(thing.worst_slack for thing in things), QueryStats()
    common = None
    if asked.device == DEVICE:
        common, note = on_device(lambda s: common_voxels_on(s.backend, things, grid, asked.fineness.memory))
        counts = QueryStats(note=note, device="cpu" if common is None else DEVICE)
    if common is None:
        common = yield from _common_steps(things, grid, asked, *_smaller_first(placed))
    return VoxelContacts(asked.mode, list_voxels(common, grid.brick_size), grid, slack, _stats(asked, counts))


def _all_of(grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a box around the voxels of a grid that extends upwards without end.

    The volume inside a voxel depends on all triangles in and above it. The last voxels extend beyond the region; with a
    given voxel size the first voxels do, too.
    """
    low, high = grid.origin - grid.voxel_size, grid.origin + grid.voxel_size * (grid.size + 1)
    return low, np.where([False, False, True], np.inf, high)


def _common_steps(
    things: Sequence[GridTriangles], grid: Grid, asked: VoxelQuestion, first: int, second: int
) -> Generator[Progress, None, Bricks]:
    """Find the voxels that two surfaces share; the first surface is the one with fewer triangles."""
    bricks = yield from _marked(things[first], grid, asked, 0.1, 0.5)
    steps = mark_steps(things[second], grid, asked.fineness.memory, asked.threads, bricks)
    return (yield from scale_progress(steps, 0.5, 1.0, "comparing voxels"))


def _marked(
    thing: GridTriangles, grid: Grid, asked: VoxelQuestion, low: float, high: float
) -> Generator[Progress, None, Any]:
    return scale_progress(mark_steps(thing, grid, asked.fineness.memory, asked.threads), low, high, "marking voxels")


def _smaller_first(placed: Sequence[PlacedTriangles]) -> tuple[int, int]:
    """Return the index of the object with fewer triangles in the region, and the index of the other object."""
    return (0, 1) if len(placed[0].chosen) <= len(placed[1].chosen) else (1, 0)


def fitting(
    fineness: Fineness, mode: str, region: tuple[np.ndarray, np.ndarray], placed: Sequence[PlacedTriangles]
) -> Fineness:
    """Return the fineness; without a given fineness, and if triangles are compared, one that suits the triangles'
    sizes.
    """
    if mode != "exact" or fineness.resolution is not None or fineness.voxel_size is not None:
        return fineness
    extent = float((region[1] - region[0]).max())
    length = _EXTENTS * max(mean_extent(p) for p in placed)
    count = _FINEST if length * _FINEST <= extent else max(1, int(extent / length))
    return fineness._replace(resolution=count)


def _exact_steps(
    meshes: tuple[TriangleMesh, ...],
    rows: tuple[np.ndarray, ...],
    placed: Sequence[PlacedTriangles],
    things: Sequence[GridTriangles],
    grid: Grid,
    asked: VoxelQuestion,
) -> _Answer:
    """Run mode "exact": find the pairs of triangles that share a voxel, and compare them exactly."""
    first, second = _smaller_first(placed)
    bricks = yield from _marked(things[first], grid, asked, 0.1, 0.3)
    ranks, total = rank_words(bricks)
    wanted = bricks.words[: len(ranks)]
    text = "comparing voxels"
    memory = asked.fineness.memory
    others, common = yield from scale_progress(
        entry_steps(things[second], grid, bricks, ranks, wanted, memory), 0.3, 0.6, text
    )
    own, _ = yield from scale_progress(entry_steps(things[first], grid, bricks, ranks, common, memory), 0.6, 0.7, text)
    steps = triangle_contact_steps(own, *by_voxel(others, total), placed[first], placed[second], asked.crossing_only)
    met = yield from scale_progress(steps, 0.7, 1.0, "comparing triangles")
    if first:
        met = _turned(met)
    stats = QueryStats(met.box_tests, met.triangle_tests, met.exact_tests)
    contacts = Contacts(
        met.pairs, met.kinds, np.zeros(len(met.kinds), np.int32), _stats(asked, stats), (meshes[0], meshes[1]),
        (rows[0][None], rows[1][None]),
    )  # fmt: skip
    voxels = list_voxels(bricks._replace(words=common), grid.brick_size)
    slack = max(thing.worst_slack for thing in things)
    return VoxelContacts(asked.mode, voxels, grid, slack, contacts.stats, contacts)


def _solid_steps(
    meshes: tuple[TriangleMesh, ...],
    things: Sequence[GridTriangles],
    grid: Grid,
    asked: VoxelQuestion,
    whole: Sequence[bool],
) -> _Answer:
    """Run mode "solid": compute the common volume and the common voxels."""
    check_volumes(grid)
    check_columns(grid, asked.fineness.memory)
    overlap, first, second = yield from overlap_steps(
        meshes, things, grid, asked.fineness.memory, asked.threads, whole
    )  # fmt: skip
    voxels = list_voxels(common_bricks(first, second), grid.brick_size)
    slack = max(thing.worst_slack for thing in things)
    return VoxelContacts(asked.mode, voxels, grid, slack, _stats(asked), overlap=overlap)


def _turned(met: TriangleContacts) -> TriangleContacts:
    """Return the same contacts with the two objects exchanged."""
    order = np.lexsort((met.pairs[:, 0], met.pairs[:, 1]))
    return met._replace(pairs=np.ascontiguousarray(met.pairs[order][:, ::-1]), kinds=met.kinds[order])


def _stats(asked: VoxelQuestion, counts: QueryStats | None = None) -> QueryStats:
    work = QueryStats(threads=asked.threads, engine=ENGINE).plus(counts or QueryStats())
    return replace(work, seconds=time.perf_counter() - asked.start)


def _nothing(meshes: tuple[TriangleMesh, ...], rows: tuple[np.ndarray, ...], asked: VoxelQuestion) -> VoxelContacts:
    """Return the result for objects whose boxes have no common point."""
    contacts = None
    if asked.mode == "exact":
        contacts = Contacts(
            np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32), _stats(asked),
            (meshes[0], meshes[1]), (rows[0][None], rows[1][None]),
        )  # fmt: skip
    overlap = Overlap(0.0, 0.0) if asked.mode == "solid" else None
    return VoxelContacts(asked.mode, np.empty((0, 3), np.int32), None, 0.0, _stats(asked), contacts, overlap)
