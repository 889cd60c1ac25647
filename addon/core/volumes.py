"""How much volume the two objects of a pair have in common, between proved bounds."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from .frame_scene import Progress
from .pair_row import PairRow
from .queries.question import Question
from .steps import telling
from .verdicts import NO_VOLUME_VERDICTS, SOLID_VERDICTS

RESOLUTIONS = (64, 256)
"""Voxels along the region that both objects reach; the finer ones where the coarser leave much open."""
CLOSE_ENOUGH = 0.01  # share of the volume that may be left open


def volume_steps(question: Question, pair: tuple[int, int], row: PairRow) -> Generator[Progress, None, PairRow]:
    """The row with the bounds of the common volume, in slices; as it is where these are not asked for, or unknown.

    Args:
        question: the question.
        pair: the engine's ids of the two objects.
        row: the row.
    """
    if not question.options.overlap_volume or row.verdict not in SOLID_VERDICTS or row.scans:
        return row
    if any(question.world.is_massive(key) for key in pair):
        return row  # which of a massive file's sides is inside is not known
    (a, pose_a), (b, pose_b) = (question.world.scene.posed(key) for key in pair)
    low = high = 0.0
    for resolution in RESOLUTIONS:
        steps = question.engine.voxel_collide_steps(a, b, pose_a, pose_b, resolution=resolution, mode="solid")
        progress = Progress(1.0, f"Measuring what {row.a.name} and {row.b.name} have in common")
        try:
            low, high = (yield from telling(steps, progress)).overlap_volume
        except question.engine.errors.NotASolid:
            return row
        if high - low <= CLOSE_ENOUGH * high:
            break
    return replace(row, volume_lower=float(low), volume_upper=float(high))


def has_less(row: PairRow, volume: float) -> bool:
    """Whether a pair certainly has less than a volume in common, cubic Blender units; never where it is 0."""
    if volume <= 0.0:
        return False
    return row.verdict in NO_VOLUME_VERDICTS or (row.volume_upper is not None and row.volume_upper < volume)
