"""Correct the depths of solids with curved surfaces, of which only the triangulation was tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .pair_row import PairRow


def with_tolerances(rows: Iterable[PairRow], tolerances: Mapping[str, float]) -> list[PairRow]:
    """Return rows whose depths are valid for the original surfaces, not only for the triangles.

    A ball in both meshes lies in both solids if its radius is reduced by the tolerance of the triangulation, and vice
    versa.

    Args:
        rows: rows of meshes.
        tolerances: maximum distance of an object's triangles from its surface [scene units], by the object's name.
    """
    return [_with_tolerance(row, max(tolerances.get(name, 0.0) for name in row.names)) for row in rows]


def _with_tolerance(row: PairRow, off: float) -> PairRow:
    if not off:
        return row
    depth = None if row.depth is None or row.depth <= 2.0 * off else row.depth - 2.0 * off
    lower = None if row.depth_lower is None else max(0.0, row.depth_lower - 2.0 * off)
    upper = None if row.depth_upper is None else row.depth_upper + 2.0 * off
    return replace(row, depth=depth, depth_lower=lower, depth_upper=upper)
