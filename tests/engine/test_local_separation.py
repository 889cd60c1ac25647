"""Cells that a wedge leaves possible around a point hold all that there are, as places beside every edge show them."""

import meshclash as mc
import numpy as np
import pytest
from meshclash.jit import kernel
from meshclash.reference import by_reference
from meshclash.solid.local_separation import ANY, by_wedge
from meshclash.solid.sampling import _bits_of_cells, _bits_of_corners
from meshclash.traversal.exact_winding import MOST_AROUND, away_from, ray_end, star, vertex_base
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.frames import inverses_of, make_frame
from meshclash.traversal.point import new_point_workspace
from meshclash.traversal.solids import gather_solids
from verdict_cases import flush_bodies


@kernel
def _both(forest, solids, origins, reaches, rows, inverses, work, told):
    """Bits by the wedge and by places, of each vertex of the first tree that lies on the second."""
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    found = np.empty((2, MOST_AROUND), np.int64)
    a = by_reference(make_frame(0, rows[0], inverses[0], origins, reaches))
    b = by_reference(make_frame(1, rows[1], inverses[1], origins, reaches))
    for v in range(told.shape[0]):
        p = forest.vertices[forest.vertex_start[0] + v]
        base = by_reference(vertex_base((p[0], p[1], p[2])))
        q = ray_end(forest, a, b, away_from(forest, b, base), base)
        number, count, how = star(forest, solids, a, base, q, found[0], work)
        other_number, other_count, other_how = star(forest, solids, b, base, q, found[1], work)
        if how == 0 and other_how == 0 and count > 0 and other_count > 0:
            first, second = (found[0], count, number), (found[1], other_count, other_number)
            told[v, 0] = _bits_of_cells(by_wedge(forest, solids, a, b, first, second, base, q, work), 0)
            counts, numbers = (count, other_count), (number, other_number)
            told[v, 1] = _bits_of_corners(forest, solids, a, b, base, q, found, counts, numbers, 0, work)


@pytest.mark.slow
@pytest.mark.needs_jit
def test_a_wedge_leaves_possible_what_there_is():
    decided = 0
    for seed in range(60):
        trees = [mc.build(mc.TriangleMesh(*body)) for body in flush_bodies(seed)]
        packed, solids = pack_trees(trees), gather_solids(trees)
        rows = np.repeat(np.eye(4)[None, :3], 2, axis=0)
        told = np.zeros((len(trees[0].mesh.vertices), 2), np.int64)
        placed = rows, inverses_of(rows), new_point_workspace()
        _both(packed.forest, solids, packed.origins, packed.reaches, *placed, told)
        assert (told[:, 1] & ~told[:, 0] == 0).all(), seed
        decided += (told[:, 0] != ANY)[told[:, 1] != 0].sum()
    assert decided > 100
