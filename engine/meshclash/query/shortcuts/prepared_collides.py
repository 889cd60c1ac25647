"""``collides`` and ``verdict`` of prepared meshes at once: whether they meet."""

from typing import Any

from ...types.numbers import truth
from ...types.steps import UNANSWERED, Unanswered
from .kernels import MEETING, OPEN, REFUSED, meet_single
from .record import Record
from .workspace import spare


def meeting_of_records(
    a: Record, b: Record, pose_a: Any, pose_b: Any, *, touching: Any = True, **others: Any
) -> bool | Unanswered:
    """Whether two meshes meet; ``UNANSWERED`` where that is to be asked in full.

    Args:
        a, b: their records.
        pose_a, pose_b: one for each, as ``put_single_pose`` takes it.
        touching: as ``collides``; not checked.
        others: options that it does not know.
    """
    if others:
        return UNANSWERED
    anything = touching is True or truth("touching", touching)
    space, met = spare.take(), REFUSED
    if space.take_poses(pose_a, pose_b):
        met = meet_single(a.address, b.address, space.anything if anything else space.crossing)
    spare.give(space)
    return met == MEETING if met < OPEN else UNANSWERED
