"""After a detection: depths whose bounds are far apart get closer ones, pair after pair, while somebody reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import ModuleType
from typing import Any

from meshclash.clash.followed import Followed
from meshclash.clash.pair_row import PairRow
from meshclash.clash.rows import measures_of

CLOSE = 0.9  # share of the upper bound that the lower one is at least, where no more is to be found out


def refined(engine: ModuleType, scene: Any, pair: tuple[int, int]) -> Any:
    """The verdict on two objects with close bounds of its depth.

    Args:
        engine: the meshclash module.
        scene: the engine's scene.
        pair: the ids of the two.

    Returns:
        The verdict; None where there are no closer bounds: of scans and massive models.
    """
    things, poses = zip(*map(scene.posed, pair), strict=True)
    if not all(isinstance(thing, engine.TriangleMesh | engine.Hierarchy) for thing in things):
        return None
    return engine.verdict(*things, *poses, depth="exact")


def is_wide(row: PairRow) -> bool:
    """Whether the bounds of a row's depth are far apart."""
    return row.depth_upper is not None and (row.depth_lower or 0.0) < CLOSE * row.depth_upper


class Refinement:
    """The pairs of a detection that are still to be refined.

    Args:
        followed: what the detection knows; it is told of closer bounds, so that the next one has them.
        rows: of the detection, worst first.
    """

    def __init__(self, followed: Followed, rows: Iterable[PairRow]) -> None:
        self._followed = followed
        pairs = {row.id: pair for pair, row in followed.pairs().items()}
        self._left = {row.id: (pairs[row.id], row) for row in rows if is_wide(row) and row.id in pairs}

    def __len__(self) -> int:
        return len(self._left)

    def refine_next(self, wanted: Iterable[str]) -> PairRow | None:
        """Refines one pair that is left.

        Args:
            wanted: ids of the pairs that are looked at; the first of them that is left comes first, else the worst.

        Returns:
            Its row with closer bounds; None where there are none.
        """
        pair_id = next((key for key in wanted if key in self._left), None) or next(iter(self._left))
        pair, row = self._left.pop(pair_id)
        found = refined(self._followed.engine, self._followed.world.scene, pair)
        if found is None:
            return None
        measures: dict[str, Any] = measures_of(found)
        rows = self._followed.pairs()
        rows[pair] = replace(rows[pair], **measures)
        return replace(row, **measures)
