"""Explores how the threads of a kernel can be interleaved, in a memory where only fences order what threads see.

Every reachable state is visited once. Programs (``race_programs.py``) are deterministic, so the state of a thread is
where it stands and what its live variables hold; threads are switched at atomic operations, relaxed accesses and
barriers, which suffices because every access to other memory is checked to be ordered with all that it conflicts with.

The memory is that of C11's relaxed operations and fences, by views (as in Kang, Hur, Lahav, Vafeiadis, Dreyer, "A
promising semantics for relaxed-memory concurrency", 2017, without promises): a thread knows of a store only after an
atomic operation that saw what its writer did behind a fence, and a fence of its own; or by a barrier of its block, as
far as threads of the block know it. An ordinary access to what a thread does not know of is a race, a fault whatever
comes of it. A relaxed load may give the value before the last one. Memory that all blocks see is written once by
ordinary stores; that of a block is free for others after a barrier.
"""

from typing import NamedTuple

from race_programs import live_variables

PLAIN = ("load", "store", "fence", "note")


class Cell(NamedTuple):
    """Of memory. Sets of facts, here and below, are numbers: a bit for each."""

    value: object
    version: int
    """How often it was written or, where relaxed loads look, changed; -1 after other atomic operations."""
    told: int
    """What an atomic operation here hears of."""
    before: tuple | None
    """Value and ``told`` before the last change, where relaxed loads look."""


class Knowledge(NamedTuple):
    """Of a thread: writes that it knows of; those that a fence would add; those that its atomic operations tell."""

    now: int = 0
    heard: int = 0
    told: int = 0


class Violation(AssertionError):
    """A property that does not hold, and the way to it."""


class Threads:
    """Programs as automata that grow as they are explored: places, and where a value leads from each."""

    def __init__(self, programs):
        self._programs = programs
        self._places = {}
        self._told = [()]
        self._next = {}
        self.steps = [None]
        """By place: the step that a thread is about to do; None at its end."""

    def start(self, thread):
        """The first place of a thread."""
        return self._reach(thread, ())

    def after(self, place, thread, value):
        """Where a thread comes to when its step has a value."""
        key = place, thread, value
        if key not in self._next:
            self._next[key] = self._reach(thread, (*self._told[place], value))
        return self._next[key]

    def _reach(self, thread, values):
        running = self._programs[thread]()
        try:
            step = next(running)
            for value in values:
                step = running.send(value)
        except StopIteration:
            return 0
        key = (thread, live_variables(running), step)
        place = self._places.setdefault(key, len(self.steps))
        if place == len(self.steps):
            self.steps.append(step)
            self._told.append(values)
        return place


class State:
    """Of all threads and of memory."""

    def __init__(self, places, known, cells, phases, noted):
        self.places, self.known, self.cells, self.phases, self.noted = places, known, cells, phases, noted

    def copy(self):
        """Another one that may be changed."""
        return State(list(self.places), list(self.known), list(self.cells), list(self.phases), self.noted)

    def key(self):
        """What tells states apart."""
        return (tuple(self.places), tuple(self.known), tuple(self.cells), tuple(self.phases), self.noted)


class Explorer:
    """All interleavings of one launch.

    Args:
        programs: for each thread a function that gives its steps.
        blocks: the block of each thread.
        memory: {(array, index): value} of what is there before.
        noted: given (what was noted so far, a frozenset; a function and its arguments), returns what is noted then and
            the value of the step; raises AssertionError.
        ended: given {(array, index): value} and what was noted when all threads have ended; raises AssertionError.
        most: states after which it gives up.

    Attributes:
        states: how many there are.
        endings: how many of them are the end of all threads.
    """

    def __init__(self, programs, blocks, memory, noted=None, ended=None, most=100_000):
        self._threads, self._blocks, self._tell, self._ended, self._most = Threads(programs), blocks, noted, ended, most
        self._mates = [[t for t, own in enumerate(blocks) if own == block] for block in range(max(blocks) + 1)]
        self._numbers, self._bits, self._versions = {}, {}, {}
        cells = []
        for place, value in memory.items():
            self._numbers[place] = len(cells)
            cells.append(Cell(value, 0, 0, None))
        places = [self._threads.start(thread) for thread in range(len(blocks))]
        self._first = State(places, [Knowledge()] * len(blocks), cells, [frozenset()] * len(self._mates), frozenset())
        self.states = self.endings = 0

    def explore(self):
        """Visits every state; raises Violation."""
        self._way = ()
        for thread in range(len(self._blocks)):
            self._run(self._first, thread)
        numbers, before, ends = {self._first.key(): 0}, [[]], []
        waiting = [(self._first, 0, ())]
        while waiting:
            state, number, way = waiting.pop()
            self._way = way
            choices = self._choices(state)
            if not choices:
                self._end(state)
                ends.append(number)
            for thread, variant in choices:
                following = state.copy()
                self._way = way, thread, self._threads.steps[state.places[thread]]
                self._do(following, thread, variant)
                self._run(following, thread)
                key = following.key()
                if key not in numbers:
                    numbers[key] = len(before)
                    before.append([])
                    waiting.append((following, numbers[key], self._way))
                before[numbers[key]].append(number)
            if len(numbers) > self._most:
                raise AssertionError(f"more than {self._most} states")
        self.states, self.endings = len(numbers), len(ends)
        _check_that_all_can_end(before, ends)

    def _choices(self, state):
        """(thread, variant) of all that may go on; only those of one block while no other can interfere."""
        steps = [self._threads.steps[place] for place in state.places]
        able = [thread for thread, step in enumerate(steps) if step is not None and step[0] != "barrier"]
        if not able and any(state.places):
            self._fail("threads wait at a barrier that others of their block do not come to")
        for mates in self._mates:
            own = [thread for thread in mates if thread in able]
            if own and all(steps[thread][1].block is not None for thread in own):
                able = own
                break
        old = [t for t in able if steps[t][0] == "peek" and self._may_be_old(state, t, *steps[t][1:])]
        return [(thread, 0) for thread in able] + [(thread, 1) for thread in old]

    def _may_be_old(self, state, thread, array, index):
        place = array, array.at(index)
        cell = state.cells[self._numbers[place]]
        return cell.before is not None and not state.known[thread].now & self._bit(place, cell.version)

    def _run(self, state, thread):
        """Goes on with a thread as long as nobody else needs to be asked."""
        while True:
            step = self._threads.steps[state.places[thread]]
            if step is not None and step[0] in PLAIN:
                self._do(state, thread, 0)
                continue
            mates = self._mates[self._blocks[thread]]
            at_barrier = [self._is_at_barrier(state, mate) for mate in mates]
            if step is None and any(at_barrier):
                self._fail(f"thread {thread} ends while others of its block wait for it")
            if not all(at_barrier):
                return
            together = 0
            for mate in mates:
                together |= state.known[mate].now
            state.phases[self._blocks[thread]] = frozenset()
            for mate in mates:
                state.known[mate] = state.known[mate]._replace(now=together)
                state.places[mate] = self._threads.after(state.places[mate], mate, None)
            for mate in mates:
                self._run(state, mate)
            return

    def _is_at_barrier(self, state, thread):
        step = self._threads.steps[state.places[thread]]
        return step is not None and step[0] == "barrier"

    def _do(self, state, thread, variant):
        what, *given = self._threads.steps[state.places[thread]]
        try:
            value = getattr(self, f"_{what}")(state, thread, variant, *given)
        except Violation:
            raise
        except (AssertionError, IndexError) as error:
            self._fail(f"thread {thread}: {error}")
        state.places[thread] = self._threads.after(state.places[thread], thread, value)

    def _note(self, state, _thread, _variant, function, arguments):
        state.noted, value = self._tell(state.noted, function, arguments)
        return value

    def _fence(self, state, thread, _variant):
        known = state.known[thread]
        now = known.now | known.heard
        state.known[thread] = Knowledge(now, 0, now)

    def _load(self, state, thread, _variant, array, index):
        place = array, array.at(index)
        cell = state.cells[self._number(state, thread, place)]
        if array.block is not None:
            self._in_phase(state, thread, place, "r")
        elif cell.version and not state.known[thread].now & self._bit(place, cell.version):
            self._fail(f"thread {thread} reads {place} without having heard that it was written")
        return cell.value

    def _number(self, state, thread, place):
        """Where something lies among all cells."""
        number = self._numbers.get(place, len(state.cells))
        if number >= len(state.cells) or state.cells[number] is None:
            self._fail(f"thread {thread} reads {place}, which was never written")
        return number

    def _store(self, state, thread, _variant, array, index, value):
        place = array, array.at(index)
        number = self._numbers.setdefault(place, len(self._numbers))
        state.cells += [None] * (number + 1 - len(state.cells))
        if array.block is not None:
            self._in_phase(state, thread, place, "w")
            state.cells[number] = Cell(value, 0, 0, None)
            return
        if state.cells[number] is not None:
            self._fail(f"thread {thread} writes {place} a second time")
        state.cells[number] = Cell(value if array.read else None, 1, 0, None)
        if array.read:
            known = state.known[thread]
            state.known[thread] = known._replace(now=known.now | self._bit(place, 1))

    def _in_phase(self, state, thread, place, how):
        """Checks a use of a block's memory beside those of other threads since the last barrier; w, r or a."""
        phase = state.phases[self._blocks[thread]]
        for other, seen, by in phase:
            if seen == place and by != thread and (other, how) not in (("r", "r"), ("a", "a")):
                self._fail(f"threads {thread} and {by} use {place} without a barrier between them")
        state.phases[self._blocks[thread]] = phase | {(how, place, thread)}

    def _atomic(self, state, thread, array, index, change):
        place = array, array.at(index)
        number = self._number(state, thread, place)
        cell, known = state.cells[number], state.known[thread]
        changed = change(cell.value)
        if array.block is not None:
            self._in_phase(state, thread, place, "a")
            state.cells[number] = cell._replace(value=changed)
            return cell.value
        now, heard, told = known.now, known.heard | cell.told, cell.told | known.told
        if (changed, told) != (cell.value, cell.told):
            before = (cell.value, cell.told) if array.peeked else None
            state.cells[number] = Cell(changed, cell.version + 1 if array.peeked else -1, told, before)
        if array.peeked:
            now = self._newest(now, place, state.cells[number].version)
        state.known[thread] = Knowledge(now, heard & ~now, known.told)
        return cell.value

    def _put(self, state, thread, _variant, array, index, value):
        place, known = (array, array.at(index)), state.known[thread]
        number = self._numbers[place]
        cell = state.cells[number]
        if not array.peeked:
            state.cells[number] = Cell(value, -1, known.told, None)
            return
        state.cells[number] = Cell(value, cell.version + 1, known.told, (cell.value, cell.told))
        state.known[thread] = known._replace(now=self._newest(known.now, place, cell.version + 1))

    def _add(self, state, thread, _variant, array, index, value):
        return self._atomic(state, thread, array, index, lambda before: before + value)

    def _exch(self, state, thread, _variant, array, index, value):
        return self._atomic(state, thread, array, index, lambda _: value)

    def _min(self, state, thread, _variant, array, index, value):
        return self._atomic(state, thread, array, index, lambda before: min(before, value))

    def _peek(self, state, thread, variant, array, index):
        place = array, array.at(index)
        cell, known = state.cells[self._numbers[place]], state.known[thread]
        value, told = cell.before if variant else (cell.value, cell.told)
        now = self._newest(known.now, place, cell.version) if array.peeked and not variant else known.now
        state.known[thread] = known._replace(now=now, heard=(known.heard | told) & ~now)
        return value

    def _newest(self, now, place, version):
        """What a thread knows when it has seen a version of what is peeked at; older ones are forgotten."""
        bit = self._bit(place, version)
        self._versions[place] = self._versions.get(place, 0) | bit
        return now & ~self._versions[place] | bit

    def _bit(self, place, version):
        return 1 << self._bits.setdefault((place, version), len(self._bits))

    def _end(self, state):
        """All threads have ended."""
        values = {place: state.cells[n] for place, n in self._numbers.items() if n < len(state.cells)}
        try:
            self._ended({place: cell.value for place, cell in values.items() if cell is not None}, state.noted)
        except AssertionError as error:
            self._fail(f"in the end {error}")

    def _fail(self, what):
        way, steps = self._way, []
        while way and len(steps) < 40:
            way, thread, step = way
            steps.append(f"  thread {thread}: {step}")
        raise Violation("\n".join([f"{what}, after", *reversed(steps)]))


def _check_that_all_can_end(before, ends):
    """Whether every state leads to an end; ``before`` are the states that lead to each."""
    reached, waiting = set(ends), list(ends)
    while waiting:
        fresh = set(before[waiting.pop()]) - reached
        reached |= fresh
        waiting += fresh
    if len(reached) < len(before):
        raise Violation("threads can come to where they never end")
