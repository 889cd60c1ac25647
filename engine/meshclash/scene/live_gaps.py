"""``LiveGaps`` keeps the gaps between objects of a scene up to date while the objects move and deform.

Every measured pair is in a ``PairMemory``. An update measures only pairs with an object that has changed since the last
update and that may be among the pairs to list, starting from the triangles that were nearest then. An update can be
cancelled at any time; the next update continues with the remaining pairs.
"""

from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np

from ..query.limits import checked_limits
from ..query.options import check_length
from ..types.pair_keys import different_pairs
from ..types.results import Progress, QueryStats
from .clock import Clock
from .gaps import Gap, GapOptions, GapRecord, Pair, PairGap
from .live_contacts import LiveChanges, LivePairs, Sets
from .pair_memory import PairMemory
from .proximity import beyond_nearest, check_most, measure_nearest_steps, measure_within_steps
from .results import FirstContact
from .verdict_stage import stays

if TYPE_CHECKING:
    from .scene import Scene


class LiveGaps(LivePairs):
    """Keeps a list of the pairs in a scene that are within a tolerance, or of the nearest pairs, and returns how the
    list changes when objects move.

    Args:
        scene: the scene to watch; LiveGaps does not change the scene.
        tolerance: [m], at least 0: list the pairs within this distance, with the triangles within this distance (as
            ``Scene.clearances``). None: list all pairs, or the ``most`` nearest ones.
        most: maximum number of pairs to list, at least 1; None for all pairs; the limit applies only if there is no
            tolerance.
        permitted_overlap: see ``verdict``.

    Attributes:
        left_out: number of pairs that the last update did not list because of ``most``.
        beyond: lower bound of the gaps of these pairs [m]; infinite if no pair is left out.

    Raises:
        UnsupportedOption: a length is negative or not finite, or ``most`` is not a whole number of at least 1.
    """

    def __init__(
        self,
        scene: "Scene",
        tolerance: float | None = None,
        most: int | None = None,
        permitted_overlap: float | str = 0.0,
    ) -> None:
        super().__init__(scene)
        self._tolerance = None if tolerance is None else check_length("tolerance", tolerance)
        self._most = check_most(most)
        self._limits = checked_limits(permitted_overlap)
        self._memory = PairMemory[Gap]()
        self._listed: dict[Pair, Gap] = {}
        self._reported: dict[Pair, Gap] = {}
        self.left_out, self.beyond = 0, np.inf

    def change_limits(self, permitted_overlap: float | str = 0.0, tolerance: float | None = None) -> None:
        """Change the limits. Only pairs whose result may change are measured again.

        Args:
            permitted_overlap, tolerance: as in the constructor.

        Raises:
            UnsupportedOption: a length is negative or not finite.
        """
        limits = checked_limits(permitted_overlap)
        reach = None if tolerance is None else check_length("tolerance", tolerance)
        if (limits, reach) == (self._limits, self._tolerance):
            return
        other_reach, self._limits, self._tolerance = reach != self._tolerance, limits, reach
        memory = self._memory
        meets = np.fromiter((isinstance(gap, PairGap) and gap.gap == 0.0 for gap in memory.answers), np.bool_)
        if other_reach:
            memory.doubt(~meets)
        found = np.flatnonzero(meets)
        among = self._scene.with_special(memory.pairs[found]), self._scene.rounding_of(memory.pairs[found])
        for place, alone, rounding in zip(found.tolist(), *(column.tolist() for column in among), strict=True):
            if alone or not stays(memory.answers[place], limits, rounding):
                memory.doubt(np.array([place]))

    @property
    def incomplete(self) -> int:
        """The number of pairs for which only the first contact is known, in first-contact mode."""
        memory = self._memory
        return int(np.count_nonzero(~memory.complete & (memory.revisions[:, 0] >= 0)))

    def _steps(self, sets: Sets, first_contact: bool, device: str) -> Generator[Progress, None, QueryStats]:
        clock, record = Clock(), GapRecord(self._scene, self._memory)
        options = GapOptions(*sets, self._limits, self._tolerance, first_contact, device)
        if self._tolerance is None:
            total = yield from measure_nearest_steps(self._scene, self._most, options, record, clock)
            listed = record.nearest(self._most)
            self.left_out, self.beyond = beyond_nearest(listed, total)
        else:
            yield from measure_within_steps(self._scene, options, record, clock)
            listed = record.gaps
        record.forget_unused()
        self.unanswered = different_pairs(record.unanswered)
        self._listed = {(gap.a, gap.b): gap for gap in listed}
        return record.stats(clock)

    def take_changes(self) -> LiveChanges:
        """Return the changes between the list at your last call of this method and the list after the last finished
        update.
        """
        old, new = self._reported, self._listed
        changed = {pair: gap for pair, gap in new.items() if old.get(pair) is not gap}
        self._reported = new
        return LiveChanges(
            {pair: gap for pair, gap in changed.items() if not isinstance(gap, FirstContact)},
            {pair: gap for pair, gap in changed.items() if isinstance(gap, FirstContact)},
            old.keys() - new.keys(),
        )
