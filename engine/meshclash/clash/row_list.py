"""The rows of a report, made when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, MutableSequence, Sequence
from typing import overload

import numpy as np

from ..types.slices import portions
from ..types.steps import run_to_end
from .pair_row import PairRow
from .surface_regions import region_numbers

_KEYS_AT_ONCE = 512  # sort keys of rows: some milliseconds


def sort_steps(rows: Sequence[PairRow]) -> Generator[None, None, list[PairRow]]:
    """Return the rows worst first, as sorted by `PairRow.order`, in steps.

    The keys are columns: a tuple for each row would take 300 bytes, and comparing tuples ten times as long.
    """
    names = {name: rank for rank, name in enumerate(sorted({name for row in rows for name in row.names}))}
    regions = {key: rank for rank, key in enumerate(sorted({region_numbers(row.region) for row in rows}))}
    keys = []
    for some in portions(rows, _KEYS_AT_ONCE):
        yield
        orders = [row.order for row in some]
        told = [(*key[:-3], names[key[-3]], names[key[-2]], regions[key[-1]]) for key in orders]
        keys.append(np.array(told, np.float64))
    order = np.lexsort(np.concatenate(keys).T[::-1]).tolist() if keys else []
    return [rows[place] for place in order]


def sorted_rows(rows: Sequence[PairRow]) -> list[PairRow]:
    """Return the rows worst first, as sorted by `PairRow.order`."""
    return run_to_end(sort_steps(rows))


class RowList(MutableSequence[PairRow]):
    """Rows, worst first, that are created and sorted when one of them is first displayed.

    While thousands of objects move, Live has hundreds of new rows in every frame, and most rows are never displayed.

    Args:
        count: number of rows.
        make: creates the rows in steps, and returns them in any order; called once.
    """

    def __init__(self, count: int, make: Callable[[], Generator[None, None, Sequence[PairRow]]]) -> None:
        self._count = count
        self._make: Callable[[], Generator[None, None, Sequence[PairRow]]] | None = make
        self._rows: list[PairRow] = []

    def make_steps(self) -> Generator[None, None, None]:
        """Create and sort the rows in steps, unless that was done before."""
        if self._make is None:
            return
        rows = yield from self._make()
        rows = yield from sort_steps(rows)
        if self._make is not None:  # else the rows were displayed in the meantime
            self._rows, self._make = rows, None

    @property
    def _made(self) -> list[PairRow]:
        run_to_end(self.make_steps())
        return self._rows

    def __eq__(self, other: object) -> bool:
        return self._made == (other._made if isinstance(other, RowList) else other)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return self._count if self._make is not None else len(self._rows)

    def __iter__(self) -> Iterator[PairRow]:
        return iter(self._made)

    @overload
    def __getitem__(self, index: int) -> PairRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[PairRow]: ...
    def __getitem__(self, index: int | slice) -> PairRow | list[PairRow]:
        return self._made[index]

    def __setitem__(self, index: int | slice, value: PairRow | Iterable[PairRow]) -> None:  # type: ignore[override]
        self._made[index] = value  # type: ignore[index, assignment]

    def __delitem__(self, index: int | slice) -> None:
        del self._made[index]

    def insert(self, index: int, value: PairRow) -> None:
        """Insert a row before an index."""
        self._made.insert(index, value)
