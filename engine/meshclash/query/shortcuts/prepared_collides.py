"""Fast path of ``collides`` for prepared meshes."""

from math import inf
from typing import Any

from ...traversal.pairs import STEPS_DONE
from ...types.numbers import truth
from ...types.steps import UNANSWERED, Unanswered
from .kernels import MEETING, OPEN, REFUSED, meet_single
from .record import Record
from .workspace import spare


def meeting_of_records(
    a: Record, b: Record, pose_a: Any, pose_b: Any, *, touching: Any = True, **others: Any
) -> bool | Unanswered:
    """Return whether two meshes meet; ``UNANSWERED`` to use the general path.

    Args:
        a, b: records of the two meshes.
        pose_a, pose_b: one pose each, in a form that ``put_single_pose`` accepts.
        touching: as for ``collides``; not checked.
        others: options that this fast path does not support.
    """
    if others:
        return UNANSWERED
    anything = touching is True or truth("touching", touching)
    space, met = spare.take(), REFUSED
    if space.take_poses(pose_a, pose_b):
        met = meet_single(a.address, b.address, space.anything if anything else space.crossing)
    if not a.orients_at == b.orients_at == inf:
        steps = 0.5 * float(space.counts[STEPS_DONE]) if met != REFUSED else 0.0
        a.note_steps(steps)
        b.note_steps(steps)
    spare.give(space)
    return met == MEETING if met < OPEN else UNANSWERED
