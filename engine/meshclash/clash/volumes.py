"""Measure proved bounds of the common volume of a pair."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ..messages import Sentence
from ..types.steps import hold_progress
from .frame_scene import Progress
from .options import DetectOptions
from .pair_row import PairRow
from .placed_mesh import drawn
from .queries.question import DetectQuestion
from .verdicts import NO_VOLUME_VERDICTS, SOLID_VERDICTS

RESOLUTIONS = (64, 256)
"""Numbers of voxels along the common region; the finer resolutions are used if the coarser ones leave wide bounds."""
CLOSE_ENOUGH = 0.01  # share of the volume that may be left open


Bounds = tuple[float, float] | None


def may_have_volume(question: DetectQuestion, pair: tuple[int, int], row: PairRow) -> bool:
    """Return whether the common volume of a pair, given by engine ids, can be measured.

    Which side of a massive file's surface is inside is unknown.
    """
    massive = any(question.world.is_massive(key) for key in pair)
    return row.verdict in SOLID_VERDICTS and not row.scans and not massive


def volume_steps(question: DetectQuestion, pair: tuple[int, int], row: PairRow) -> Generator[Progress, None, Bounds]:
    """Compute bounds of the common volume of a pair, in slices; None if an object is not a solid.

    Args:
        question: the question.
        pair: the engine's ids of the two objects, which `may_have_volume`.
        row: row of the pair.
    """
    (a, pose_a), (b, pose_b) = (question.world.scene.posed(key) for key in pair)
    a, b = drawn(a), drawn(b)
    low = high = 0.0
    for resolution in RESOLUTIONS:
        steps = question.engine.steps(
            question.engine.voxels.voxel_collide, a, b, pose_a, pose_b, resolution=resolution, mode="solid"
        )
        progress = Progress(1.0, Sentence("Measuring the common volume of {a} and {b}", a=row.a.name, b=row.b.name))
        try:
            low, high = (yield from hold_progress(steps, progress)).overlap_volume
        except question.engine.errors.NotASolid:
            return None
        if high - low <= CLOSE_ENOUGH * high:
            break
    return float(low), float(high)


def listed_rows(rows: Sequence[PairRow], options: DetectOptions, scale_length: float) -> list[PairRow]:
    """Return the rows that the options do not hide: with ``min_volume``, those whose common volume may reach it.

    An option that hides rows must also change `DetectOptions.question` and `answers`.

    Args:
        rows: of a frame.
        options: of the test.
        scale_length: metres per unit of the scene.
    """
    return [row for row in rows if not has_less(row, options.min_volume / scale_length**3)]


def has_less(row: PairRow, volume: float) -> bool:
    """Return whether the common volume of a pair is certainly below a limit, in cubic scene units; False if the limit
    is 0.
    """
    if volume <= 0.0:
        return False
    return row.verdict in NO_VOLUME_VERDICTS or (row.volume_upper is not None and row.volume_upper < volume)
