"""``PairList``: the pairs of objects in a scene's result, as a sequence and as a table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np

from ..errors import MeshClashError
from ..solid.pair_verdict import COLUMNS, PairVerdict
from ..types.copying import Copyable
from ..types.pair_keys import no_pairs
from ..types.results import QueryStats

_T = TypeVar("_T", bound=PairVerdict)


class PairList(Copyable, Generic[_T], Sequence[_T]):
    """A sequence of pairs of objects, with the work of the query and the pairs that cannot be compared."""

    _columns: tuple[str, ...] = COLUMNS

    def __init__(self, pairs: list[_T], stats: QueryStats, unanswered: np.ndarray | None = None) -> None:
        self.pairs = pairs
        self.stats = stats
        self.unanswered = no_pairs() if unanswered is None else unanswered

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[_T]:
        return iter(self.pairs)

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> list[_T]: ...
    def __getitem__(self, index: int | slice) -> _T | list[_T]:
        return self.pairs[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary of plain values for each pair, for ``json`` and tables.

        The keys are a, b (names of objects, or their ids), verdict (a word), depth, depth_lower, depth_upper,
        certainty, flush, contacts (the number of them), x, y, z (the location of the pair), and gap in the result of a
        distance or clearance query. Lengths are in metres.
        """
        return [pair.to_dict() for pair in self.pairs]

    def to_pandas(self) -> Any:
        """Return the values of ``to_dicts`` as a pandas ``DataFrame`` with a row for each pair.

        Raises:
            MeshClashError: pandas is not installed.
        """
        try:
            import pandas  # noqa: PLC0415 - optional dependency
        except ImportError as error:
            raise MeshClashError("DataFrames need pandas: pip install pandas, or use to_dicts()") from error
        return pandas.DataFrame(self.to_dicts(), columns=self._columns)

    def __repr__(self) -> str:
        counts = Counter(pair.verdict for pair in self.pairs)
        told = ", ".join(f"{counts[verdict]} {verdict.name.lower()}" for verdict in sorted(counts, reverse=True))
        return f"{type(self).__name__}({len(self.pairs)} pairs{': ' * bool(told)}{told})"
