"""Query pairs of a ``PairMemory``: pairs of meshes together, pairs with a cloud or a massive mesh one by one."""

from collections.abc import Generator, Mapping

import numpy as np

from ..broadphase.sweep import world_boxes
from ..solid.pair_verdict import NO_PLACES, FoundPairs
from ..traversal.question import Answer
from ..types.results import Progress
from ..types.steps import scale_progress
from .contact_stage import PackedTrees
from .members import Members
from .object_pair import ObjectPair, comparing
from .pair_memory import PairMemory


class AskedPairs:
    """Some pairs of meshes of a memory, as input for ``meeting_steps``.

    Args:
        scene: the objects.
        memory: follows the pairs.
        places: indices (n,) of the pairs in the memory; n > 0.

    Attributes:
        trees: the trees of each pair, (n, 2) int64; set by ``pack_steps``.
        rows: poses (n, 3, 4) of the first and of the second objects.
        boxes: world boxes (n, 6) [m] of the first and of the second objects; not tight.
    """

    def __init__(self, scene: Members, memory: PairMemory, places: np.ndarray) -> None:
        self._scene, self._followed, self._pairs = scene, memory.pairs, memory.pairs[places]
        table, slots = scene.look(), memory.now.slots[places]
        self.rows = table.rows[slots[:, 0]], table.rows[slots[:, 1]]
        self.boxes = (
            world_boxes(table.bounds[slots[:, 0]], self.rows[0], 0.0),
            world_boxes(table.bounds[slots[:, 1]], self.rows[1], 0.0),
        )

    def pack_steps(self) -> Generator[Progress, None, PackedTrees]:
        """Pack the trees of the objects, in slices. If necessary, the trees of all followed meshes are packed."""
        scene = self._scene
        packed = scene.packed_already(self._pairs)
        if packed is None:
            meshes = self._followed[~scene.with_special(self._followed)]
            yield from scene.packed_steps(np.unique(meshes))
            packed = scene.packed_already(self._pairs)
            assert packed is not None
        packed_trees, among = packed
        self.trees, self._meshes = packed_trees.trees[among], packed_trees.meshes
        return packed_trees

    def found(self, answer: Answer, names: Mapping[int, str]) -> FoundPairs:
        """Return the contacts of an answer about these pairs; ``names`` maps ids of objects to names."""
        start = np.searchsorted(answer.jobs, np.arange(len(self._pairs) + 1, dtype=answer.jobs.dtype)).astype(np.int64)
        return FoundPairs(self.trees, *self.rows, answer.pairs, answer.kinds, start, self._meshes, NO_PLACES, names)


def special_meetings_steps(scene: Members, memory: PairMemory, places: np.ndarray) -> Generator[Progress, None, None]:
    """Find which pairs (indices) with a cloud or a clustered mesh meet, one pair after another, and store the answers.

    Closing the generator early loses only the current pair.
    """
    for k, (place, (a, b)) in enumerate(zip(places.tolist(), memory.pairs[places].tolist(), strict=True)):
        pair, low, high = ObjectPair.of(scene, a, b), k / len(places), (k + 1) / len(places)
        meets = yield from scale_progress(pair.meets_steps(), low, high, comparing(pair.ids))
        memory.answers[place] = meets
        one = np.array([place])
        memory.hold(one)
        yield from scale_progress(prove_special_steps(pair, memory, one, not meets), high, high)


def prove_special_steps(
    pair: ObjectPair, memory: PairMemory, place: np.ndarray, apart: bool
) -> Generator[Progress, None, None]:
    """Measure a pair with a cloud or a clustered mesh that was often found apart, so that later updates can skip it.

    Args:
        pair: the two objects.
        memory: follows them.
        place: index of the pair in the memory, (1,).
        apart: whether they were found apart.
    """
    if memory.count_apart(place, np.array([apart]))[0]:
        memory.prove(place, np.array([(yield from pair.proved_gap_steps())]))
