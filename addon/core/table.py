"""The rows of a report are stored as columns, so that lists of any length are filtered and sorted quickly.

A row is identified by its position in the report, which lists the worst pair first. Other criteria for filtering and
sorting, such as groups or the history of a pair, are further columns or masks over these positions.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from meshclash.clash.column_table import KEPT, SORTED, Notes
from meshclash.clash.row_list import RowList
from meshclash.clash.verdicts import NO_VOLUME_VERDICTS, SOLID_VERDICTS, VERDICTS
from numpy.typing import NDArray

if TYPE_CHECKING:
    from meshclash.clash.pair_row import PairRow

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]

WORST, NAME_A, NAME_B, FACES, MEASURE, STATUS = "WORST", "A", "B", "FACES", "MEASURE", "STATUS"
FRAME, VERDICT, GROUP, PROGRESS, TEST, VOLUME = "FRAME", "VERDICT", "GROUP", "PROGRESS", "TEST", "VOLUME"
"""Sort keys; `WORST` is the order of the report."""
_SOLID = np.array([name in SOLID_VERDICTS for name in VERDICTS])
_NO_VOLUME = np.array([name in NO_VOLUME_VERDICTS for name in VERDICTS])
NO_STATUS = "OPEN"
KEPT_NAMES = 1 << 15
"""Names whose keys for sorting are kept: Live sorts the same names again and again."""
NUMBERS = re.compile(r"(\d{1,300})")  # Python refuses numbers of more than 4300 digits


@dataclass(frozen=True)
class ListQuery:
    """The filters and the sort order of a list of pairs.

    Attributes:
        verdicts: the verdicts to list.
        text: words that the two names must contain, in any order and case.
        statuses: the statuses to list; None for all statuses.
        owners: full names of objects, one of which must be in the pair; None for all pairs.
        key: one of the sort keys above.
        reverse: whether the order is reversed; rows without a value stay at the end.
        least_volume: rows whose common volume is certainly smaller are not listed [cubic Blender units]; only if
            volumes were measured.
        pairs: ids of the pairs to list, such as those of a group; None for all.
        test: name of the test whose rows are listed; "" for all.
        progress: progress of the pairs to list, by the names of the filter; empty for all.
        frames: frames whose rows are listed; None for all frames.
    """

    verdicts: frozenset[str]
    text: str = ""
    statuses: frozenset[str] | None = None
    owners: frozenset[str] | None = None
    key: str = WORST
    reverse: bool = False
    least_volume: float = 0.0
    pairs: frozenset[str] | None = None
    test: str = ""
    progress: frozenset[str] = frozenset()
    frames: range | None = None


class RowTable:
    """The columns of some rows; read-only except for `refine`.

    Attributes:
        names: all names of objects in natural order, "Bolt 2" before "Bolt 10"; columns of names are indices.
        positions: position of each pair's first row, by the pair's id.
        verdicts: (n,) int8 indices into `VERDICTS`.
        frames, severities: (n,) int64 frames and severities of the rows.
        test_names: names of the tests that found the rows, in natural order; "" for a single question.
        tests: (n,) int32 indices into `test_names`.
        faces: (n,) int64 numbers of faces and points in contact, of both objects.
        a, b: (n,) int32 indices of the names of the two objects.
        owners: (4, n) int32 indices of the names of the owners and the sources of both.
        measures: (n,) float64 by name: the numbers of `KEPT` and the proved depth; NaN if unknown. Numbers that need an
            option are left out if no row has such a number.
    """

    def __init__(self, rows: Sequence[PairRow]) -> None:
        for _ in self._fill(rows):
            pass

    @classmethod
    def steps(cls, rows: Sequence[PairRow]) -> Generator[None, None, RowTable]:
        """Create the table in steps."""
        made = cls.__new__(cls)
        yield from made._fill(rows)
        return made

    def _fill(self, rows: Sequence[PairRow]) -> Iterator[None]:
        number = {name: index for index, name in enumerate(VERDICTS)}
        count = len(rows)
        if isinstance(rows, RowList):
            yield from rows.make_steps()
        sides = [[row.a for row in rows], [row.b for row in rows]]
        called = [[side.name for side in some] for some in sides]
        owned = [[getattr(side, of) for side in some] for of in ("owner", "source") for some in sides]
        yield
        self.names = sorted(set().union(*called, *owned), key=natural)
        yield
        folded = [name.casefold() for name in self.names]
        self._folded = "\n".join(folded)
        self._begins = np.cumsum([0, *(len(name) + 1 for name in folded)])[:-1]
        yield
        code = {name: index for index, name in enumerate(self.names)}
        self.positions = dict(zip([row.id for row in reversed(rows)], range(count - 1, -1, -1), strict=True))
        yield
        self.verdicts = np.array([number[row.verdict] for row in rows], np.int8)
        self.frames = np.array([row.frame for row in rows], np.int64)
        self.severities = np.array([row.severity for row in rows], np.int64)
        tests = [row.test for row in rows]
        self.test_names = sorted(set(tests), key=natural)
        test_code = {name: index for index, name in enumerate(self.test_names)}
        self.tests = np.array([test_code[name] for name in tests], np.int32)
        yield
        faces = [[side.count for side in some] for some in sides]
        self.faces = np.array(faces, np.int64).sum(axis=0)
        yield
        self.a, self.b = (np.array([code[name] for name in some], np.int32) for some in called)
        yield
        self.owners = np.array([[code[name] for name in some] for some in owned], np.int32)
        yield
        self.measures, nothing = {}, Notes()
        for column in KEPT:
            assert column.read is not None
            values = [column.read(row, nothing) for row in rows]
            if not column.option or any(value is not None for value in values):
                self.measures[column.name] = np.array(values, np.float64)  # None becomes NaN
            yield
        self.measures["depth"] = np.array([row.proved_depth for row in rows], np.float64)
        self.has_scans = any(side.is_scan for some in sides for side in some)

    def __len__(self) -> int:
        return len(self.verdicts)

    def refine(self, position: int, row: PairRow) -> None:
        """Update the depth of a row with closer bounds."""
        for name, value in (("depth", row.proved_depth), ("depth_upper", row.depth_upper)):
            self.measures[name][position] = np.nan if value is None else value

    @cached_property
    def has_frames(self) -> bool:
        """Whether the rows come from more than one frame."""
        return bool(len(self) and (self.frames != self.frames[0]).any())

    @property
    def has_volumes(self) -> bool:
        """Whether common volumes were measured."""
        return "volume" in self.measures

    @property
    def nbytes(self) -> int:
        """Bytes of the columns, without names and ids."""
        whole = (self.verdicts.nbytes, self.faces.nbytes, self.a.nbytes, self.b.nbytes, self.owners.nbytes)
        return sum(whole) + sum(column.nbytes for column in self.measures.values())

    @cached_property
    def owner_names(self) -> frozenset[str]:
        """Full names of the scene's objects in the rows."""
        return frozenset(self.names[index] for index in np.unique(self.owners[:2]).tolist())

    def statuses(self, reviews: Mapping[str, str], order: Sequence[str]) -> NDArray[np.int8]:
        """Return the status of each row as an index into ``order``.

        Args:
            reviews: statuses by pair id; all other pairs have `NO_STATUS`.
            order: all statuses.
        """
        code = {status: index for index, status in enumerate(order)}
        found = np.full(len(self), code[NO_STATUS], np.int8)
        known = [(self.positions[pair], code[status]) for pair, status in reviews.items() if pair in self.positions]
        if known:
            at, statuses = zip(*known, strict=True)
            found[list(at)] = statuses
        return found

    def about(self, names: Iterable[str]) -> Mask:
        """Return the rows in which one of the given objects is owner or source."""
        wanted = frozenset(names)
        hit = np.fromiter((name in wanted for name in self.names), np.bool_, len(self.names))
        return np.asarray(hit[self.owners].any(axis=0)) if len(self) else np.empty(0, np.bool_)

    def has_clash_below(self, depth: float) -> bool:
        """Return whether a row with common volume is known to be less deep than ``depth`` [Blender units]."""
        return bool((_SOLID[self.verdicts] & (self.measures["depth"] < depth)).any())

    def find(
        self,
        query: ListQuery,
        measures: Sequence[str],
        reviews: Mapping[str, str],
        statuses: Sequence[str],
        column: NDArray[Any] | None = None,
        kept: Mask | None = None,
    ) -> Positions:
        """Return the positions of the rows to list, in the order of the list.

        Args:
            query: the filters and the order.
            measures: measures by which the test's rows are compared; the first one that a row has is used.
            reviews, statuses: as for `statuses`.
            kept: (n,) which rows may be listed; None for all rows.
            column: (n,) values to sort by if the key is not in this table; NaN if unknown.
        """
        listed = np.array([name in query.verdicts for name in VERDICTS])
        mask = listed[self.verdicts] if kept is None else listed[self.verdicts] & kept
        for word in query.text.casefold().split():
            mask &= self._contains(word)
        if query.owners is not None:
            mask &= self.about(query.owners)
        if query.pairs is not None:
            mask &= self._of_pairs(query.pairs)
        if query.frames is not None:
            first, last, step = query.frames[0], query.frames[-1], query.frames.step
            mask &= (self.frames >= first) & (self.frames <= last) & ((self.frames - first) % step == 0)
        if query.test:
            mask &= np.array([name == query.test for name in self.test_names], np.bool_)[self.tests]
        if query.least_volume > 0.0 and self.has_volumes:
            mask &= ~_NO_VOLUME[self.verdicts] & ~(self.measures["volume_upper"] < query.least_volume)
        needs_status = query.statuses is not None or query.key == STATUS
        status = self.statuses(reviews, statuses) if needs_status else np.zeros(len(self), np.int8)
        if query.statuses is not None:
            mask &= np.array([name in query.statuses for name in statuses])[status]
        found = np.flatnonzero(mask)
        if query.key == WORST:
            return found[::-1] if query.reverse else found
        unknown = np.full(len(self), np.nan)
        keys: dict[str, NDArray[Any]] = {
            column.key: -self.measures.get(column.name, unknown) for column in SORTED if column in KEPT
        }
        keys |= {NAME_A: self.a, NAME_B: self.b, FACES: -self.faces, STATUS: status}
        keys |= {FRAME: self.frames, VERDICT: -self.severities, TEST: self.tests}
        keys[VOLUME] = -self.measures.get("volume_upper", unknown)
        if column is not None:
            keys[query.key] = column
        deepest = -np.nan_to_num(self.measures["depth_upper"])
        columns = [keys[query.key]] if query.key in keys else [self.badness(measures), deepest]
        return found[_order([column[found] for column in columns], query.reverse)]

    def badness(self, measures: Sequence[str]) -> NDArray[np.float64]:
        """Return a value to sort rows by their measures, lowest for the worst; NaN if unknown.

        Distances are returned unchanged, all other measures (depths, probabilities) with the opposite sign.
        """
        found = np.full(len(self), np.nan)
        for name in (name for name in measures if name in self.measures):
            values = self.measures[name]
            found = np.where(np.isnan(found), values if name == "distance" else -values, found)
        return found

    def _of_pairs(self, pairs: Iterable[str]) -> Mask:
        hit = np.zeros(len(self), np.bool_)
        hit[[self.positions[pair] for pair in pairs if pair in self.positions]] = True
        return hit

    def _contains(self, word: str) -> Mask:
        """Return the rows in which a name contains a word. The word has no space, so a match never spans two names."""
        places = [found.start() for found in re.finditer(re.escape(word), self._folded)]
        hit = np.zeros(len(self.names), np.bool_)
        hit[np.searchsorted(self._begins, places, side="right") - 1] = True
        return np.asarray(hit[self.a] | hit[self.b])


def _order(columns: Sequence[NDArray[Any]], reverse: bool) -> Positions:
    """Return the sort order by several columns, the first one being most significant, lowest or highest first.

    Equal rows keep their order; unknown values come last.
    """
    numbers = [np.asarray(column, np.float64) for column in columns]
    return np.lexsort([-column if reverse else column for column in reversed(numbers)])


@lru_cache(KEPT_NAMES)
def natural(name: str) -> str:
    """Return a key for natural sorting: numbers by value, letters without regard to case.

    Numbers come before letters, and short numbers before long ones.
    """
    parts = NUMBERS.split(name.casefold())
    for at in range(1, len(parts), 2):
        digits = str(int(parts[at]))
        parts[at] = f"\0{chr(len(digits))}{digits}"
    return "".join((*parts, "\0\0", name))
