"""``VoxelMap``: find the points of a moving tool that are inside a static solid, a thousand times per second.

Source: McNeely, Puterbaugh, Troy, "Six Degree-of-Freedom Haptic Rendering Using Voxel Sampling" (SIGGRAPH 1999): the
static object is a map of voxels, and the tool is a shell of points. The depth of a point in a surface voxel is measured
from a plane through that voxel. Here the plane of a surface voxel is that of the triangle nearest to its centre. An
interior voxel has the plane of a nearby surface voxel, and is certainly inside (``interior_voxels.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidMesh
from ..geometry.triangle_distance import closest_on_triangle
from ..hierarchy.bvh import MeshLike
from ..jit import inner, kernel
from ..traversal.layers import component_volumes
from ..traversal.solids import Solid
from ..types.copying import Copyable
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array
from ..types.pose import PoseLike
from ..types.steps import run
from .bricks import brick_count, popcount, rank_words
from .clipping import piece_steps
from .collide import mesh_of, single_pose
from .common_region import choose, place, put_on_grid
from .common_volume import closed_solid
from .entries import by_voxel, entry_steps
from .grid import check_bytes, check_columns, checked_fineness, make_grid
from .interior_voxels import interior_steps
from .marking import mark_steps

_FIRST_INSIDE = -2  # a cell is: the number of its plane (surface), -1 (outside), or _FIRST_INSIDE - plane (interior)
_CELL_BYTES = 4 * 512
_STILL = np.eye(4)[:3].copy()


@kernel
def _nearest_planes(points, triangles, chosen, signs, words, names, count, brick_size, starts, lists, planes):
    """Fill the plane of the triangle nearest to the centre of each voxel: outward unit normal, offset [voxels]."""
    voxel = 0
    for brick in range(count):
        bz = names[brick] % brick_size[2]
        by = (names[brick] // brick_size[2]) % brick_size[1]
        bx = names[brick] // (brick_size[2] * brick_size[1])
        for x in range(8):
            word = words[brick, x]
            while word != np.uint64(0):
                lowest = word & (~word + np.uint64(1))
                word ^= lowest
                bit = popcount(lowest - np.uint64(1))
                p = (8.0 * bx + x + 0.5, 8.0 * by + (bit >> 3) + 0.5, 8.0 * bz + (bit & 7) + 0.5)
                best = np.inf
                for k in range(starts[voxel], starts[voxel + 1]):
                    t = chosen[lists[k]]
                    best = _take_plane(points, triangles, t, signs[t], p, best, planes, voxel)
                voxel += 1


@inner
def _take_plane(points, triangles, t, sign, p, best, planes, voxel):
    """Return the smaller of ``best`` and the squared distance to a triangle; store the triangle's plane if it is
    nearer.
    """
    i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    a = (points[i, 0], points[i, 1], points[i, 2])
    b = (points[j, 0], points[j, 1], points[j, 2])
    c = (points[k, 0], points[k, 1], points[k, 2])
    q = closest_on_triangle(p, a, b, c)
    d2 = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2
    if d2 >= best:
        return best
    ex, ey, ez = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    fx, fy, fz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    if length == 0.0:
        return best
    scale = sign / length
    planes[voxel, 0], planes[voxel, 1], planes[voxel, 2] = nx * scale, ny * scale, nz * scale
    planes[voxel, 3] = scale * (nx * a[0] + ny * a[1] + nz * a[2])
    return d2


@kernel
def _spread_in_bricks(words, inside, ranks, count, cells):
    """Fill the cell of each voxel of each brick with its own plane, the plane of the nearest surface voxel, or
    outside.
    """
    places = np.empty((512, 3), np.int64)
    for brick in range(count):
        found = 0
        for x in range(8):
            for bit in range(64):
                if words[brick, x] >> np.uint64(bit) & np.uint64(1):
                    places[found, 0], places[found, 1], places[found, 2] = x, bit >> 3, bit & 7
                    found += 1
        for x in range(8):
            for bit in range(64):
                cell = np.int32(-1)
                if words[brick, x] >> np.uint64(bit) & np.uint64(1):
                    mask = (np.uint64(1) << np.uint64(bit)) - np.uint64(1)
                    cell = np.int32(ranks[brick, x] + popcount(words[brick, x] & mask))
                elif inside[brick, x] >> np.uint64(bit) & np.uint64(1):
                    nearest, best = 0, 1 << 30
                    for k in range(found):
                        d2 = (
                            (places[k, 0] - x) ** 2 + (places[k, 1] - (bit >> 3)) ** 2 + (places[k, 2] - (bit & 7)) ** 2
                        )
                        if d2 < best:
                            nearest, best = k, d2
                    cell = np.int32(_FIRST_INSIDE - (ranks[brick, 0] + nearest))
                cells[brick, 64 * x + bit] = cell


@kernel
def _spread_over_bricks(whole, heads, seeds, changed):
    """Give each interior brick the plane of a neighbouring brick if that plane comes from a nearer brick of the
    surface.
    """
    nx, ny, nz = whole.shape
    for bx in range(nx):
        for by in range(ny):
            for bz in range(nz):
                if not whole[bx, by, bz]:
                    continue
                best = _distance2(seeds[bx, by, bz], bx, by, bz)
                for axis in range(6):
                    step = 1 - 2 * (axis & 1)
                    ox = bx + step * (axis < 2)
                    oy = by + step * (2 <= axis < 4)
                    oz = bz + step * (axis >= 4)
                    if not (0 <= ox < nx and 0 <= oy < ny and 0 <= oz < nz) or seeds[ox, oy, oz, 0] < 0:
                        continue
                    d2 = _distance2(seeds[ox, oy, oz], bx, by, bz)
                    if d2 < best:
                        best = d2
                        for c in range(4):
                            seeds[bx, by, bz, c] = seeds[ox, oy, oz, c]
                        heads[bx, by, bz] = np.int32(_FIRST_INSIDE - seeds[bx, by, bz, 3])
                        changed[0] = True


@inner
def _distance2(seed, bx, by, bz):
    """Return the squared distance from a brick to the brick that its plane comes from; a huge number if it has no
    plane.
    """
    if seed[0] < 0:
        return 1 << 60
    return (seed[0] - bx) ** 2 + (seed[1] - by) ** 2 + (seed[2] - bz) ** 2


@kernel
def _touch(shell, pose, origin, scale, length, size, heads, cells, planes, found, depths, normals):
    """Find the points of a tool in contact; return their number, or -1 - k if point k is not a number."""
    count = 0
    for k in range(shell.shape[0]):
        px, py, pz = shell[k, 0], shell[k, 1], shell[k, 2]
        x = (pose[0, 0] * px + pose[0, 1] * py + pose[0, 2] * pz + pose[0, 3] - origin[0]) * scale
        y = (pose[1, 0] * px + pose[1, 1] * py + pose[1, 2] * pz + pose[1, 3] - origin[1]) * scale
        z = (pose[2, 0] * px + pose[2, 1] * py + pose[2, 2] * pz + pose[2, 3] - origin[2]) * scale
        if not (x >= 0.0 and y >= 0.0 and z >= 0.0 and x < size[0] and y < size[1] and z < size[2]):
            if np.isnan(x + y + z):
                return -1 - k
            continue
        u, v, w = np.int64(x), np.int64(y), np.int64(z)
        cell = heads[u >> 3, v >> 3, w >> 3]
        if cell >= 0:
            cell = cells[cell, ((u & 7) << 6) | ((v & 7) << 3) | (w & 7)]
        if cell == -1:
            continue
        plane = cell if cell >= 0 else _FIRST_INSIDE - cell
        nx, ny, nz = planes[plane, 0], planes[plane, 1], planes[plane, 2]
        depth = planes[plane, 3] - (nx * x + ny * y + nz * z)
        if depth <= 0.0:
            if cell >= 0:
                continue
            depth = 0.0
        found[count] = k
        depths[count] = depth * length
        normals[count, 0], normals[count, 1], normals[count, 2] = nx, ny, nz
        count += 1
    return count


class ShellContacts(NamedTuple):
    """The points of a shell that lie inside a solid, with their depths and normals. The next call of ``touch``
    overwrites these arrays. If you need the arrays later, copy them.
    """

    points: np.ndarray
    """Indices of the points, (k,) int32, ascending."""
    depths: np.ndarray
    """Distances below the plane of the nearby surface, (k,) float64 [m], at least 0."""
    normals: np.ndarray
    """Unit normals that point out of the solid, (k, 3) float64, in the map's frame."""


def _no_room() -> int:
    """Return -1, so that the first call of ``touch`` allocates memory."""
    return -1


_ROOM: dict[str, Callable[[], Any]] = {
    "_room": _no_room,
    "_found": NoneType,
    "_depths": NoneType,
    "_normals": NoneType,
}


class VoxelMap(Copyable, caches=_ROOM):
    """A solid at rest, stored as voxels. With a VoxelMap, you can test quickly and repeatedly which points of a tool
    are inside the solid.

    Args:
        mesh: a closed mesh, or a hierarchy over one.
        resolution, voxel_size, memory: as ``voxel_collide``; 256 voxels along the longest side by default.

    Attributes:
        grid: the grid of the voxels, in the mesh's frame.

    Raises:
        InvalidMesh: the argument is not a mesh.
        NotASolid: the mesh is open.
        UnsupportedOption: the fineness is invalid, or the map needs more than ``memory``.

    Example:
        >>> import meshclash as mc
        >>> tool = mc.voxels.VoxelMap(mc.shapes.box(1.0), voxel_size=0.05)
        >>> found = tool.touch([[0.0, 0.0, 0.46], [0.0, 0.0, 0.6]])
        >>> len(found.points)
        1
    """

    def __init__(
        self,
        mesh: MeshLike,
        *,
        resolution: int | None = None,
        voxel_size: float | None = None,
        memory: int | None = None,
    ) -> None:
        fineness = checked_fineness(resolution, voxel_size, memory)
        solid_mesh = mesh_of("mesh", mesh)
        solid = closed_solid("the mesh", solid_mesh)
        corners, bounds = place(solid_mesh, _STILL)
        placed = choose(solid_mesh, corners, bounds, bounds[0], bounds[1])
        self.grid = make_grid(bounds[0], bounds[1], placed.farthest, fineness)
        check_columns(self.grid, fineness.memory)
        thing, size = put_on_grid(placed, self.grid), self.grid.size
        bricks = run(mark_steps(thing, self.grid, fineness.memory))
        ranks, total = rank_words(bricks)
        count = brick_count(bricks)
        check_bytes(count * _CELL_BYTES, self.grid, fineness.memory)
        pieces = run(piece_steps(thing, self.grid, bricks, ranks, total, solid.orientation))
        inside, whole = run(interior_steps(bricks, pieces, size))
        entries, _ = run(entry_steps(thing, self.grid, bricks, ranks, bricks.words[:count], fineness.memory))
        self._planes = np.zeros((total, 4), np.float32)  # precise to a hundred-thousandth of a voxel
        _nearest_planes(
            *thing[:3], _outward_signs(solid_mesh, solid),
            bricks.words, bricks.names, count, self.grid.brick_size, *by_voxel(entries, total),
            self._planes,
        )  # fmt: skip
        self._cells = np.empty((count, 512), np.int32)
        _spread_in_bricks(bricks.words, inside, ranks, count, self._cells)
        self._heads = _brick_heads(bricks.names[:count], ranks, whole)
        self._room = _no_room()

    def touch(self, points: Any, pose: PoseLike = None) -> ShellContacts:
        """Return which points are inside the solid, how deep they are, and in which direction each of them leaves the
        solid.

        If the voxel of a point is wholly inside the solid, the point is certainly in contact. If the surface touches
        the voxel of a point, the point is in contact if it lies below the plane of the triangle that is nearest to the
        centre of the voxel. For such points, the error is at most the diagonal of a voxel. The depth of a point is
        measured from the plane of a nearby voxel on the surface.

        Args:
            points: the shell, (n, 3) [m]; contiguous float64 arrays are not copied.
            pose: pose of the shell in the map's frame.

        Raises:
            InvalidMesh: the points are not (n, 3), or contain NaN. InvalidPose, UnsupportedOption: as
                ``voxel_collide``.
        """
        array = points
        if type(points) is not np.ndarray or points.dtype != np.float64 or not points.flags.c_contiguous:
            array = np.array(float_array("points", points, InvalidMesh), order="C")
        if array.ndim != 2 or array.shape[1] != 3:
            raise InvalidMesh(f"points must have shape (n, 3), not {array.shape}")
        if len(array) > self._room:
            self._room = len(array)
            self._found, self._depths = np.empty(self._room, np.int32), np.empty(self._room)
            self._normals = np.empty((self._room, 3))
        grid = self.grid
        count = _touch(
            array, single_pose("pose", pose), grid.origin, 1.0 / grid.voxel_size, grid.voxel_size, grid.size,
            self._heads, self._cells, self._planes, self._found, self._depths, self._normals,
        )  # fmt: skip
        if count < 0:
            raise InvalidMesh(f"point {-1 - count} is {array[-1 - count].tolist()}: points must be finite")
        return ShellContacts(self._found[:count], self._depths[:count], self._normals[:count])

    @property
    def nbytes(self) -> int:
        """The memory that the map uses [bytes]."""
        return int(self._planes.nbytes + self._cells.nbytes + self._heads.nbytes)

    def __repr__(self) -> str:
        return f"VoxelMap({' x '.join(map(str, self.grid.size.tolist()))}, {self.nbytes >> 20} MiB)"


def _outward_signs(mesh: TriangleMesh, solid: Solid) -> np.ndarray:
    """Return 1 or -1 for each triangle: the factor that turns its normal out of the solid.

    Normals at cavities then point into the cavity. The function also works for a mesh that is inside out.
    """
    signs: np.ndarray = solid.orientation * np.int8(-1 if component_volumes(mesh).sum() < 0.0 else 1)
    return signs


def _brick_heads(names: np.ndarray, ranks: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return the entry of each brick of the grid, (x, y, z) int32: a row of cells, -1, or an interior plane."""
    heads = np.full(whole.shape, -1, np.int32)
    heads.ravel()[names] = np.arange(len(names), dtype=np.int32)
    seeds = np.full((*whole.shape, 4), -1, np.int64)
    seeds.reshape(-1, 4)[names, :3] = np.stack(np.unravel_index(names, whole.shape), axis=1)
    seeds.reshape(-1, 4)[names, 3] = ranks[:, 0]
    whole.ravel()[names] = False
    changed = np.ones(1, np.bool_)
    while changed[0]:
        changed[0] = False
        _spread_over_bricks(whole, heads, seeds, changed)
    return heads
