"""Check the references between entities of STEP files (ISO 10303-21, such as IFC) before a library follows them.

Libraries follow references by recursion, so a cycle or a very long chain ends the process.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidFile

DEEPEST = 500
"""Longest permitted chain of references.

Real models stay below 100. ifcopenshell ends the process beyond about 10,000 if a thread has 8 MiB of stack, and macOS
gives threads a sixteenth of that.
"""
_TEXTS = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)
_DIGITS = 18
_SPACES = np.frombuffer(b" \t\r\n", np.uint8)


@dataclass(frozen=True, eq=False)
class References:
    """Directed graph of the entities of a file.

    Attributes:
        ids: (n,) int64, ascending.
        sources, targets: (m,) positions in ``ids``: the source refers to the target.
        missing: positions of the entities that refer to a missing entity.
        label: function from an entity's number to its description in messages.
    """

    ids: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    missing: np.ndarray
    label: Callable[[int], str]

    def refuse_cycles(self, deepest: int = DEEPEST) -> None:
        """Raise InvalidFile if entities refer to each other in a cycle, or in a chain longer than ``deepest``.

        Entities without references are removed repeatedly until none is left, or only cycles are left (Kahn 1962). The
        check takes linear time.
        """
        starts, referring = _grouped(self.targets, self.sources, len(self.ids))
        open_references = np.bincount(self.sources, minlength=len(self.ids))
        leaves = np.flatnonzero(open_references == 0)
        left, rounds = len(self.ids), 0
        while len(leaves):
            left -= len(leaves)
            above, counts = np.unique(_members(starts, referring, leaves), return_counts=True)
            open_references[above] -= counts
            leaves = above[open_references[above] == 0]
            rounds += 1
            if rounds > deepest and len(leaves):
                name = self.label(int(self.ids[leaves[0]]))
                raise InvalidFile(f"{name} starts a chain of more than {deepest} references")
        if left:
            raise InvalidFile(self._cycle(open_references > 0))

    def reaching(self, positions: np.ndarray) -> frozenset[int]:
        """Return the ids of these entities, and of all entities that refer to them, directly or through others."""
        starts, referring = _grouped(self.targets, self.sources, len(self.ids))
        reached = np.zeros(len(self.ids), bool)
        while len(positions):
            reached[positions] = True
            above = np.unique(_members(starts, referring, positions))
            positions = above[~reached[above]]
        return frozenset(self.ids[reached].tolist())

    def _cycle(self, within: np.ndarray) -> str:
        """Describe one cycle among entities, each of which refers to another entity of the cycle."""
        inside = within[self.sources] & within[self.targets]
        following = dict(zip(self.sources[inside].tolist(), self.targets[inside].tolist(), strict=True))
        place, seen = next(iter(following)), dict[int, None]()
        while place not in seen:
            seen[place] = None
            place = following[place]
        path = [self.label(int(self.ids[k])) for k in [*seen][list(seen).index(place) :]]
        through = f" through {', '.join(path[1:4])}{', ...' if len(path) > 4 else ''}" if len(path) > 1 else ""
        return f"{path[0]} refers to itself{through}"


def references(ids: np.ndarray, sources: np.ndarray, targets: np.ndarray, label: Callable[[int], str]) -> References:
    """Return the graph of entities.

    Args:
        ids: (n,) numbers of the entities; each once.
        sources, targets: (m,) numbers: the source, which is one of ``ids``, refers to the target.
        label: as in ``References``.
    """
    ids = np.sort(ids)
    places = np.searchsorted(ids, targets)
    known = ids[np.minimum(places, len(ids) - 1)] == targets if len(ids) else np.zeros(len(targets), bool)
    of = np.searchsorted(ids, sources)
    return References(ids, of[known], places[known], np.unique(of[~known]), label)


def read_references(data: bytes) -> References:
    """Return the graph of references between the entities of a STEP file.

    Raises:
        InvalidFile: the file is not a STEP file or ends too early, or two entities have the same number.
    """
    text = _TEXTS.sub(b"", data)
    for opening, what in ((b"'", "a text"), (b"/*", "a comment")):
        if opening in text:
            raise InvalidFile(f"{what} in the file has no end")
    if b"ISO-10303-21" not in text[:4096]:
        raise InvalidFile("the file is not a STEP file: it does not begin with ISO-10303-21")
    if text.rfind(b"ENDSEC") < max(text.rfind(b"#"), text.rfind(b"DATA")):
        raise InvalidFile("the file is incomplete: the end of its data is missing")
    letters = np.frombuffer(text, np.uint8)
    starts = np.flatnonzero(letters == ord("#"))
    numbers, ends = _numbers(letters, starts + 1)
    defined = letters[_after_spaces(letters, ends)] == ord("=")
    owner = np.cumsum(defined) - 1  # the definition that contains each reference
    ids, counts = np.unique(numbers[defined], return_counts=True)
    if (counts > 1).any():
        raise InvalidFile(f"the entity number #{ids[counts > 1][0]} is used twice")
    refers = ~defined & (owner >= 0)

    def label(number: int) -> str:
        found = re.search(rb"#%d\s*=\s*(\w*)" % number, text)
        return f"#{number}={found[1].decode('ascii', 'replace')}" if found else f"#{number}"

    return references(ids, numbers[defined][owner[refers]], numbers[refers], label)


def _numbers(letters: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers that start at the given positions, and the positions where they end; the number is 0 without a
    digit.
    """
    numbers, ends = np.zeros(len(places), np.int64), places.copy()
    going = np.arange(len(places))
    for _ in range(_DIGITS):
        digits = letters[ends[going]]
        going = going[(digits >= ord("0")) & (digits <= ord("9"))]
        numbers[going] = 10 * numbers[going] + (letters[ends[going]] - ord("0"))
        ends[going] += 1
    if len(going):
        raise InvalidFile(f"an entity number has more than {_DIGITS - 1} digits")
    return numbers, ends


def _after_spaces(letters: np.ndarray, places: np.ndarray) -> np.ndarray:
    places = places.copy()
    going = np.arange(len(places))
    while len(going):
        going = going[np.isin(letters[places[going]], _SPACES)]
        places[going] += 1
    return places


def _grouped(keys: np.ndarray, values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the values of each key start (count + 1), and the values sorted by key."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(keys, minlength=count))))
    return starts, values[np.argsort(keys, kind="stable")]


def _members(starts: np.ndarray, values: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return the values of some keys, one key after another."""
    counts = starts[keys + 1] - starts[keys]
    first = np.repeat(starts[keys] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
    return values[first + np.arange(len(first))]
