"""Compute bounds of the common volume of two closed meshes with voxels."""

from collections.abc import Generator, Sequence

import numpy as np

from ..answering.answer import answer_steps
from ..errors import NotASolid
from ..hierarchy.build import as_hierarchy
from ..traversal.forest import pack_trees
from ..traversal.question import Question
from ..traversal.solids import Solid, solid_of
from ..types.mesh import TriangleMesh
from ..types.results import Progress
from ..types.steps import run, scale_progress
from .bricks import Bricks, rank_words
from .clipping import piece_error, piece_steps
from .common_region import GridTriangles
from .grid import Grid
from .marking import mark_steps
from .results import Overlap
from .volume_bounds import (
    A_NOT_IN_B,
    A_WITHIN_B,
    B_NOT_IN_A,
    B_WITHIN_A,
    LOWER,
    UPPER,
    SolidSide,
    volume_steps,
)

_KEY = "winds at most once"


def closed_solid(name: str, mesh: TriangleMesh) -> Solid:
    """Return the solid that a closed mesh bounds. Raises NotASolid for an open mesh or a shell."""
    solid = solid_of(mesh)
    if not solid.closed:
        state = "a shell" if mesh.shell else "open"
        raise NotASolid(
            f"{name} is {state}, but only a closed mesh has a volume: close it (solidity(mesh) shows "
            "where it is open), or use mode='exact' or 'voxels'"
        )
    return solid


def winds_once(mesh: TriangleMesh, solid: Solid) -> bool:
    """Return whether the winding number is certainly either 0 or one other value everywhere; cached with the mesh.

    This is true for a surface that meets itself only in shared vertices and edges, because it divides space into inside
    and outside. It is also true for several such surfaces of the same orientation whose boxes are apart.
    """
    if _KEY not in mesh.derived:
        apart = bool(solid.alone.all()) and len(set(solid.inside.tolist())) == 1
        mesh.derived[_KEY] = apart and not _meets_itself(TriangleMesh(*mesh.arrays, weld=True))
    known: bool = mesh.derived[_KEY]
    return known


def _meets_itself(mesh: TriangleMesh) -> bool:
    """Return whether triangles of a mesh meet outside shared vertices and edges."""
    side, still = pack_trees([as_hierarchy(mesh)]).side, np.eye(4)[None, :3].copy()
    question = Question(side, side, np.zeros((1, 2), np.int64), still, still, with_itself=True)
    return len(run(answer_steps(question)).pairs) > 0


def overlap_steps(
    meshes: Sequence[TriangleMesh],
    things: Sequence[GridTriangles],
    grid: Grid,
    memory: int,
    threads: int,
    whole: Sequence[bool],
) -> Generator[Progress, None, tuple[Overlap, Bricks, Bricks]]:
    """Compute the common volume of two closed meshes, and the voxels of both surfaces, in slices.

    Args:
        meshes, things, grid: the objects and their grid; ``things`` must include all triangles in and above its voxels.
        memory, threads: as ``mark_steps``.
        whole: for each object, whether the whole object lies in the region.

    Raises:
        NotASolid: a mesh is open.
    """
    solids = [closed_solid(name, mesh) for name, mesh in zip("ab", meshes, strict=True)]
    sides = []
    for k, (mesh, solid, thing) in enumerate(zip(meshes, solids, things, strict=True)):
        low, step = 0.4 * k, 0.2
        bricks = yield from scale_progress(mark_steps(thing, grid, memory, threads), low, low + step, "marking voxels")
        ranks, total = rank_words(bricks)
        signs = solid.orientation[thing.chosen]
        steps = piece_steps(thing, grid, bricks, ranks, total, signs)
        pieces = yield from scale_progress(steps, low + step, low + 2 * step, "cutting triangles")
        sides.append(SolidSide(bricks, pieces, winds_once(mesh, solid), piece_error(thing)))
    sums = yield from scale_progress(volume_steps(sides[0], sides[1], grid.size), 0.8, 1.0, "adding volumes")
    return _overlap(sums, grid, whole), sides[0].bricks, sides[1].bricks


def _overlap(sums: np.ndarray, grid: Grid, whole: Sequence[bool]) -> Overlap:
    """Convert the sums over all voxels to an ``Overlap``.

    a lies inside b if its whole surface lies in voxels that are wholly inside b, and no voxel of b's surface is inside
    a.
    """
    inside = ""
    if whole[0] and sums[A_NOT_IN_B] == 0 and sums[B_WITHIN_A] == 0 and sums[A_WITHIN_B] > 0:
        inside = "a"
    elif whole[1] and sums[B_NOT_IN_A] == 0 and sums[A_WITHIN_B] == 0 and sums[B_WITHIN_A] > 0:
        inside = "b"
    volume = grid.voxel_size**3
    return Overlap(float(sums[LOWER]) * volume, float(sums[UPPER]) * volume, inside)
