"""Kernels whose blocks talk to each other, in every order in which their threads can be interleaved.

``race_programs.py`` makes steps of the kernels' own sources, ``race_explorer.py`` goes through all states. That it
would find mistakes is shown by mistakes that are put in.
"""

import numpy as np
import pytest
from meshclash.gpu.slots import NO_NODE, slot_word, slots_of
from race_explorer import Explorer, Violation
from race_programs import Array, Table, constants_of, program, source_of, threads_of

MODULE = "traverse_gpu"
QUEUE = source_of(MODULE, "run_queue")
ENDLESS = QUEUE.replace("idle += 1", "pass")
"""A kernel that never loses its patience: how often it polled does not tell states apart."""
HALF = 1 << 32
EPOCH = 5


def complete_tree(depth):
    """Links of a complete tree, and the order of its triangles."""
    links, leaves = [], []

    def make(levels):
        node = len(links)
        links.append((0, 0))
        if levels == 0:
            links[node] = (~len(leaves), -1)
            leaves.append(len(leaves))
        else:
            links[node] = (make(levels - 1), make(levels - 1))

        return node

    make(depth)
    return Table(links), Table(leaves)


class Queue:
    """A launch of ``run_queue`` about two complete trees, all of whose boxes meet, or one tree and itself.

    Args:
        depths: of the trees.
        blocks, threads: how many, and of each.
        text: the kernel, perhaps with a mistake.
        room, leaf_room: of the queue and of pairs of leaves.
        patience: of blocks; endless in ``ENDLESS``.
        old: whether relaxed loads may give what was there before; many more states.

    Attributes:
        pairs: pairs of nodes that are to be visited.
    """

    def __init__(self, depths, blocks, threads, text=ENDLESS, room=16, leaf_room=16, patience=1, old=False):
        trees = [complete_tree(depth) for depth in depths]
        self.with_itself = len(trees) == 1
        (links_a, order_a), (links_b, order_b) = trees[0], trees[-1]
        self._names = names = constants_of(MODULE, threads)
        self._links, self._room, self._leaf_room = (links_a, links_b), room, leaf_room
        leaves = Array("leaves", (leaf_room, 3), read=False)
        self._queue = queue = Array("queue", 2 * room, peeked=old)
        self._state = state = Array("state", names["STATE_LENGTH"], peeked=old)
        memory = {(queue, (word,)): 0 for word in range(2 * room)}
        memory |= {(queue, (n,)): int(word) for n, word in enumerate(slots_of(np.zeros((1, 3), np.int32), EPOCH))}
        memory |= {(state, (n,)): 0 for n in range(names["STATE_LENGTH"])}
        memory[state, (names["PROGRESS"],)] = HALF
        steps = program(text, names, ["queue", "leaves", "state"], ["may_meet", "fan_out"])
        arguments = (links_a, "boxes", order_a, links_b, "boxes", order_b, "frames", self.with_itself, queue, EPOCH,
                     leaves, state, patience)  # fmt: skip
        programs, of = threads_of(lambda cuda: steps(cuda, *arguments), blocks, threads)
        self.pairs = self._below({(0, 0)})
        self.explorer = Explorer(programs, of, memory, self._noted, self._ended)

    def _below(self, pairs):
        """These pairs and all that they turn into."""
        found, waiting = set(), list(pairs)
        while waiting:
            a, b = pair = waiting.pop()
            found.add(pair)
            number = self._names["fan_out"](*self._links, self.with_itself, a, b)
            for k in range(0 if number == self._names["LEAF"] else number):
                waiting.append(self._names["child_pair"](*self._links, self.with_itself, a, b, k))
        return found

    def _noted(self, seen, function, arguments):
        """Whether boxes meet, and what a pair turns into; each is asked once of each pair."""
        meets = function.__name__ == "may_meet"
        pair = (arguments[1], arguments[3]) if meets else arguments[3:5]
        entry = (function.__name__, *pair)
        assert entry not in seen, f"{entry} was done twice"
        return seen | {entry}, True if meets else function(*arguments)

    def _ended(self, values, seen):
        """What the host reads: everything is done, or what is not is late, or it is told that a block gave up."""
        reserved, done = divmod(values[self._state, (self._names["PROGRESS"],)], HALF)
        leaves = values[self._state, (self._names["LEAF_TAIL"],)]
        slots = min(reserved, self._room)
        written = {index[0] for array, index in values if array.name == "leaves"}
        assert written == set(range(min(leaves, self._leaf_room))), f"leaves {written} are written, {leaves} counted"
        if done < slots:
            assert self.may_give_up, f"{slots} are to be done, {done} are done"
            return
        assert done == slots
        words = [values[self._queue, (2 * slot,)] for slot in range(slots)]
        late = {(self._names["node_in"](~first), self._names["node_in"](values[self._queue, (2 * slot + 1,)]))
                for slot, first in enumerate(words) if first < 0}  # fmt: skip
        visited = {entry[1:] for entry in seen if entry[0] == "fan_out"}
        assert all(a != NO_NODE for a, _ in late)
        assert (visited - late) | self._below(late) == self.pairs, f"{visited} are visited, {late} late"
        assert not (visited - late) & self._below(late), f"{late} are late, but not what is below"
        assert bool(late) == (reserved > self._room or leaves > self._leaf_room), f"{late} are late"
        assert slots == len(visited) + words.count(slot_word(NO_NODE, 0, EPOCH))

    may_give_up = False
    """Whether blocks may lose their patience."""


LAUNCHES = {
    "one pair": {"depths": (0, 0), "blocks": 2, "threads": 1, "old": True},
    "blocks of one thread": {"depths": (1, 0), "blocks": 2, "threads": 1, "old": True},
    "blocks of two": {"depths": (1, 1), "blocks": 2, "threads": 2},
    "one block": {"depths": (1, 1), "blocks": 1, "threads": 2, "old": True},
    "three blocks": {"depths": (1, 0), "blocks": 3, "threads": 1},
    "itself": {"depths": (1,), "blocks": 2, "threads": 2, "old": True},
    "no room for children": {"depths": (1, 0), "blocks": 2, "threads": 2, "room": 1},
    "room for some children": {"depths": (1, 1), "blocks": 2, "threads": 1, "room": 3},
    "no room for grandchildren": {"depths": (2, 0), "blocks": 2, "threads": 2, "room": 6},
    "no room for leaves": {"depths": (1, 0), "blocks": 2, "threads": 2, "leaf_room": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAUNCHES)
def test_every_order_of_a_queue_does_everything_once_and_ends(name):
    launch = Queue(**LAUNCHES[name])
    launch.explorer.explore()
    assert launch.explorer.endings >= 1


@pytest.mark.parametrize("patience", [1, 2])
def test_a_block_that_gives_up_is_told_of(patience):
    launch = Queue((1, 0), 2, 2, text=QUEUE, patience=patience)
    with pytest.raises(Violation, match="are done"):
        launch.explorer.explore()  # it does happen
    launch = Queue((1, 0), 2, 2, text=QUEUE, patience=patience)
    launch.may_give_up = True
    launch.explorer.explore()


MISTAKES = {
    "the second word is not waited for": ("while not is_of(other, epoch):", "while False:"),
    "the first word is not waited for": ("while not is_of(word, epoch):", "while False:"),
    "done before children are reserved": (
        "        own = 0\n",
        "        own = 0\n        if thread == 0:\n            cuda.atomic.add(state, PROGRESS, count)\n",
    ),
    "one too many are done": ("<< RESERVED) + count)", "<< RESERVED) + count + 1)"),
    "one too few are done": ("<< RESERVED) + count)", "<< RESERVED) + count - 1)"),
    "the last one is left": ("if left == 0 or", "if left <= 1 or"),
    "slots are claimed by looking": (
        "taken[0] = cuda.atomic.add(state, HEAD, THREADS)",
        "taken[0] = peek(state, HEAD)\n                cuda.atomic.add(state, HEAD, THREADS)",
    ),
    "a stale count of the block": ("            found_here[0] = 0\n", ""),
    "no barrier behind what was taken": ("here[0] = 0\n        cuda.syncthreads()\n", "here[0] = 0\n"),
    "no barrier before the next round": ("& HALF_MASK)\n        cuda.syncthreads()\n", "& HALF_MASK)\n"),
    "no barrier behind the places": ("total >> _LEAVES_OF_BLOCK)\n        cuda.syncthreads()\n", "total >> 16)\n"),
    "a late pair without children is late again": ("fits = found == 0 or first", "fits = first"),
    "slots without a pair are not written": ("for number in range(min(", "for number in range(0 if not fits else min("),
    "children without room are written": ("min(found, max(capacity - first, 0))", "found"),
    "a late pair is lost": ("        if not fits:\n            put(queue, slot, marked_late(word))\n", ""),
    "late pairs have children": ("left if fits else NO_NODE", "left"),
    "waits where there will be nothing": ("or begin >= capacity", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_found(name):
    found, instead = MISTAKES[name]
    assert found in ENDLESS
    mistaken, violations = ENDLESS.replace(found, instead), 0
    for launch in ("room for some children", "no room for children", "blocks of two", "itself"):
        try:
            Queue(**LAUNCHES[launch], text=mistaken).explorer.explore()
        except Violation:
            violations += 1
            break
    assert violations
