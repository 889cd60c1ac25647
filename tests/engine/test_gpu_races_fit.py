"""Boxes from the leaves up, in every order in which threads of several blocks can come to a node."""

import pytest
from race_explorer import Explorer, Violation
from race_programs import Array, Table, constants_of, program, source_of, threads_of

FIT = source_of("build_gpu", "fit")
LINKS = Table([(1, 4), (2, 3), (~0, -1), (~1, -1), (~2, -1)])
PARENTS = Table([-1, 0, 1, 1, 0])
NODES, LEAVES = 5, 3


def explored(text, blocks=3, threads=1):
    """The explorer of a launch over a tree of three triangles, gone through."""
    names = {**constants_of("karras", threads), **constants_of("build_gpu", threads)}
    boxes, arrived = Array("boxes", (NODES, 6)), Array("arrived", NODES)
    own = {name: (source_of("karras", name), ["boxes"]) for name in ("leaf_box", "merge_boxes")}
    steps = program(text, names, ["boxes", "arrived"], called=own)
    triangles, vertices = Table([(k, k, k) for k in range(LEAVES)]), Table([(float(k),) * 3 for k in range(LEAVES)])
    origins, zeros = Table([(0.0, 0.0, 0.0)]), Table([0] * LEAVES)
    given = (triangles, vertices, zeros, origins, Table([0, LEAVES]), Table([0]), Table(list(range(LEAVES))), LINKS,
             PARENTS, arrived, boxes)  # fmt: skip

    def ended(values, _):
        assert {index[0] for array, index in values if array is boxes} == set(range(NODES)), "a node has no box"
        lowest, highest = (float(values[boxes, (0, column)]) for column in (0, 3))
        assert lowest < 0.0 < LEAVES - 1.0 < highest, "the root does not hold all triangles"

    programs, of = threads_of(lambda cuda: steps(cuda, *given), blocks, threads)
    found = Explorer(programs, of, {(arrived, (node,)): 0 for node in range(NODES)}, ended=ended)
    found.explore()
    return found


@pytest.mark.parametrize(("blocks", "threads"), [(3, 1), (1, 3), (2, 1), (2, 2)])
def test_every_order_fits_all_boxes(blocks, threads):
    assert explored(FIT, blocks, threads).states > 1


MISTAKES = {
    "no fence before the arrival": ("cuda.threadfence()\n            if cuda.atomic", "if cuda.atomic"),
    "no fence behind it": ("cuda.threadfence()\n            merge_boxes", "merge_boxes"),
    "the first one goes on": ("== 0:", "== 1:"),
    "nobody stops": ("== 0:", "== 2:"),
    "the root is left out": ("while node >= 0:", "while node > 0:"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_found(name):
    found, instead = MISTAKES[name]
    assert found in FIT
    with pytest.raises(Violation):
        explored(FIT.replace(found, instead))
