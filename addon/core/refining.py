"""Refine the bounds of depths after a detection, pair after pair, while the user reads the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import ModuleType
from typing import Any

from meshclash.clash.followed import Followed
from meshclash.clash.pair_row import PairRow
from meshclash.clash.rows import measures_of

CLOSE = 0.9  # bounds count as close if the lower one is at least this share of the upper one


def refined(engine: ModuleType, scene: Any, pair: tuple[int, int]) -> Any:
    """Return the verdict on two objects with close bounds of the depth.

    Args:
        engine: the meshclash module.
        scene: the engine's scene.
        pair: ids of the two objects.

    Returns:
        The verdict; None for scans and massive models, whose bounds cannot be refined.
    """
    things, poses = zip(*map(scene.posed, pair), strict=True)
    if not all(isinstance(thing, engine.TriangleMesh | engine.Hierarchy) for thing in things):
        return None
    return engine.verdict(*things, *poses, depth="exact")


def is_wide(row: PairRow) -> bool:
    """Return whether lower and upper bound of the depth of a row are far apart."""
    return row.depth_upper is not None and (row.depth_lower or 0.0) < CLOSE * row.depth_upper


class Refinement:
    """The pairs of a detection that are still to be refined.

    Args:
        followed: data of the detection; receives the closer bounds, so that the next detection has them.
        rows: rows of the detection, worst first.
    """

    def __init__(self, followed: Followed, rows: Iterable[PairRow]) -> None:
        self._followed = followed
        pairs = {row.id: pair for pair, row in followed.pairs().items()}
        self._left = {row.id: (pairs[row.id], row) for row in rows if is_wide(row) and row.id in pairs}

    def __len__(self) -> int:
        return len(self._left)

    def refine_next(self, wanted: Iterable[str]) -> PairRow | None:
        """Refine the depth of one of the remaining pairs.

        Args:
            wanted: ids of the pairs that the user sees; the first of them that is not refined is refined next, else the
                worst pair.

        Returns:
            Return the pair's row with closer bounds; None if its bounds cannot be refined.
        """
        pair_id = next((key for key in wanted if key in self._left), None) or next(iter(self._left))
        pair, row = self._left.pop(pair_id)
        found = refined(self._followed.engine, self._followed.world.scene, pair[:2])
        if found is None:
            return None
        measures: dict[str, Any] = measures_of(found)
        rows = self._followed.pairs()
        rows[pair] = replace(rows[pair], **measures)
        return replace(row, **measures)
