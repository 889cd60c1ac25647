"""Exclusion rules: decide which pairs of objects are not tested, as a vectorised mask over many pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..messages import Sentence
from .errors import InputError
from .frame_scene import SourceObject

NO_GROUP = -1
ALL_PAIRS, BETWEEN, WITHIN = MODEL_PAIRS = ("all", "between-models", "within-models")
"""Selections of pairs to test: all pairs, pairs of two models, or pairs within one model."""

if TYPE_CHECKING:
    from .pair_row import PairRow

KeepMask = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Rules:
    """Rules that exclude pairs of objects.

    Attributes:
        same_parent: two children of one parent (or instances of one instancer), and a child with its parent.
        same_armature: whether to exclude two objects that one armature deforms or carries.
        same_collection: two objects of one collection; the scene's own root collection does not count.
        listed_pairs: pairs of names; the order of the two does not matter. The name of an instancer represents all its
            instances.
        models: which pairs are tested by the models of their objects, one of `MODEL_PAIRS`. An object that several
            models share belongs to each of these models. Of objects without models, their collections count.
    """

    same_parent: bool = False
    same_armature: bool = False
    same_collection: bool = False
    listed_pairs: frozenset[tuple[str, str]] = frozenset()
    models: str = ALL_PAIRS

    @property
    def is_empty(self) -> bool:
        """Whether no pair is excluded."""
        groups = self.same_parent or self.same_armature or self.same_collection
        return not (groups or self.listed_pairs or self.models != ALL_PAIRS)


def parse_pair(text: str) -> tuple[str, str]:
    """Parse "A::B".

    Raises:
        InputError: the text does not contain exactly one "::" with a name on both sides.
    """
    names = text.split("::")
    if len(names) != 2 or not all(names):
        raise InputError(Sentence("'{text}' is not a pair of names: write A::B", text=text))
    return names[0], names[1]


def excludes(listed: Iterable[tuple[str, str]]) -> Callable[[PairRow], bool]:
    """Return a function that tells whether a row is one of the listed pairs of names, as in `Rules.listed_pairs`."""
    pairs = {frozenset(pair) for pair in listed}

    def excluded(row: PairRow) -> bool:
        return any(frozenset((a, b)) in pairs for a in (row.a.name, row.a.owner) for b in (row.b.name, row.b.owner))

    return excluded if pairs else lambda _row: False


def keep_mask(rules: Rules, objects: Sequence[SourceObject]) -> KeepMask | None:
    """Return a function that computes the mask of `rules` for pairs of indices into `objects`.

    Returns:
        Return None if no pair is excluded, else a function from (k, 2) indices to (k,) bool, True = test the pair.
    """
    tests = []
    if rules.same_parent:
        tests.append(_same_parent(objects))
    if rules.same_armature:
        tests.append(_sharing([item.armatures for item in objects]))
    if rules.same_collection:
        tests.append(_sharing([item.collections for item in objects]))
    if rules.models == BETWEEN:  # one that several models share is between any two of them
        groups = [item.models or item.collections for item in objects]
        tests.append(
            _sharing([() if len(item.models) > 1 else some for item, some in zip(objects, groups, strict=True)])
        )
    elif rules.models == WITHIN:
        tests.append(_not_sharing([item.models or item.collections for item in objects]))
    if rules.listed_pairs:
        tests.append(_listed(rules.listed_pairs, objects))
    if not tests:
        return None

    def keep(pairs: np.ndarray) -> np.ndarray:
        excluded = np.zeros(len(pairs), dtype=bool)
        for test in tests:
            excluded |= test(pairs)
        return ~excluded

    return keep


class _Codes:
    """Numbers names in the order of their first use."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def of(self, name: str | None) -> int:
        return NO_GROUP if name is None else self._codes.setdefault(name, len(self._codes))


def _same_parent(objects: Sequence[SourceObject]) -> KeepMask:
    codes = _Codes()
    owner = np.array([codes.of(item.owner) for item in objects], dtype=np.int64)
    parent = np.array([codes.of(item.parent) for item in objects], dtype=np.int64)

    def excluded(pairs: np.ndarray) -> np.ndarray:
        a, b = pairs[:, 0], pairs[:, 1]
        siblings = (parent[a] == parent[b]) & (parent[a] != NO_GROUP)
        return siblings | (parent[a] == owner[b]) | (parent[b] == owner[a])

    return excluded


def _sharing(groups: Sequence[Iterable[str]]) -> KeepMask:
    """Return which pairs have a group in common; the table of codes is narrow because objects are in few groups."""
    codes = _Codes()
    rows = [[codes.of(name) for name in sorted(names)] for names in groups]
    table = np.full((len(rows), max(map(len, rows), default=0)), NO_GROUP, dtype=np.int64)
    for index, row in enumerate(rows):
        table[index, : len(row)] = row

    def excluded(pairs: np.ndarray) -> np.ndarray:
        a, b = table[pairs[:, 0]], table[pairs[:, 1]]
        result = np.zeros(len(pairs), dtype=bool)
        for column in range(table.shape[1]):
            code = a[:, column, None]
            result |= ((code == b) & (code != NO_GROUP)).any(axis=1)
        return result

    return excluded


def _not_sharing(groups: Sequence[Iterable[str]]) -> KeepMask:
    sharing = _sharing(groups)
    return lambda pairs: ~sharing(pairs)


def _listed(listed: Iterable[tuple[str, str]], objects: Sequence[SourceObject]) -> KeepMask:
    codes = _Codes()
    listed_codes = np.array([sorted((codes.of(a), codes.of(b))) for a, b in listed], dtype=np.int64)
    names = np.array([codes.of(item.name) for item in objects], dtype=np.int64)
    owners = np.array([codes.of(item.owner) for item in objects], dtype=np.int64)
    width = len(codes)
    keys = listed_codes[:, 0] * width + listed_codes[:, 1]

    def excluded(pairs: np.ndarray) -> np.ndarray:
        result = np.zeros(len(pairs), dtype=bool)
        for first in (names, owners):
            for second in (names, owners):
                a, b = first[pairs[:, 0]], second[pairs[:, 1]]
                result |= np.isin(np.minimum(a, b) * width + np.maximum(a, b), keys)
        return result

    return excluded
