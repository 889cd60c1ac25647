"""Rigid motions: the pose of an object at every time of an interval."""

import math
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InvalidPose, UnsupportedOption
from ..messages import shown
from ..types.arguments import one_of
from ..types.copying import Copyable
from ..types.numbers import float_array, real_number, whole_number
from ..types.pose import Pose, PoseLike, pose_of, pose_stack
from .motion_piece import MotionPiece, make_piece, rotation_about

INTERPOLATIONS = "linear", "screw"
_MOST_TURNS = 1e4


class Motion(Copyable):
    """A rigid motion as a sequence of pieces without gaps; the object is at rest before the first and after the last
    piece.
    """

    def __init__(self, spans: list[MotionPiece]) -> None:
        self._spans = spans
        self._starts = [span.start for span in spans]

    @property
    def spans(self) -> list[MotionPiece]:
        """The pieces of the motion, the earliest first."""
        return self._spans

    @property
    def start(self) -> float:
        """Time at which the motion starts."""
        return self._spans[0].start

    @property
    def end(self) -> float:
        """Time at which the motion ends."""
        return self._spans[-1].end

    def place_of(self, time: float) -> int:
        """Return the index of the piece of the motion at a time; -1 before the first piece, the number of pieces after
        the last.
        """
        time = _moment(time)
        return len(self._spans) if time >= self.end else bisect_right(self._starts, time) - 1

    def piece(self, place: int) -> MotionPiece:
        """Return the piece with an index from ``place_of``; for an index before the first or after the last piece, a
        piece at rest.
        """
        place = whole_number("place", place, -1)
        if 0 <= place < len(self._spans):
            return self._spans[place]
        rows = self._spans[0].first if place < 0 else self._spans[-1].last
        return make_piece(0.0, 0.0, rows, rows, False)

    def next_change(self, time: float) -> float:
        """Return the time after ``time`` at which the next piece starts or the motion ends; infinity after the end."""
        time = _moment(time)
        place = bisect_right(self._starts, time)
        if place < len(self._starts):
            return self._starts[place]
        return self.end if time < self.end else math.inf

    def previous_change(self, time: float) -> float:
        """Return the time before ``time`` at which a piece started or the motion ended; -infinity before the start."""
        time = _moment(time)
        if time > self.end:
            return self.end
        place = bisect_left(self._starts, time) - 1
        return self._starts[place] if place >= 0 else -math.inf

    def rows_at(self, time: float) -> np.ndarray:
        """Return the rows (3, 4) of the pose at a time."""
        time = _moment(time)
        return self.piece(self.place_of(time)).rows_at(time)

    def pose(self, time: Any) -> Pose:
        """Return the pose at a time; raise UnsupportedOption unless it is a finite number."""
        return pose_of(self.rows_at(_checked_time("time", time)))

    def poses(self, times: Any) -> np.ndarray:
        """Return the poses (k, 4, 4) at times (k,), which every query accepts; raises as ``pose`` does."""
        given = float_array("times", times, UnsupportedOption).ravel()
        stack = np.tile(np.eye(4), (len(given), 1, 1))
        for k, time in enumerate(given.tolist()):
            stack[k, :3] = self.rows_at(_checked_time("times", time))
        return stack

    def moved(self, shift: np.ndarray) -> "Motion":
        """Return the same motion, translated by a vector (3,)."""
        away = _vector("shift", shift)
        return Motion([span.moved(away) for span in self._spans])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._spans)} pieces from {self.start!r} to {self.end!r})"


class ScrewMotion(Motion):
    """A screw motion from one pose to another. The object rotates about an axis and moves along the same axis, both at
    constant speed. The object rotates by the smallest possible angle, which is at most half a turn. For larger angles,
    create the motion with ``about``.

    Args:
        pose_start, pose_end: None (identity), a Pose, or a rigid (4, 4) matrix.
        start, end: times; ``end`` is later.

    Raises:
        InvalidPose: a pose is invalid.
        UnsupportedOption: times that are not finite or not in ascending order.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> last = np.eye(4)
        >>> last[2, 3] = 2.0
        >>> mc.motion.ScrewMotion(np.eye(4), last, 0.0, 1.0).poses([0.5])[0, 2, 3].item()
        1.0
    """

    def __init__(self, pose_start: Any = None, pose_end: Any = None, start: float = 0.0, end: float = 1.0) -> None:
        times = _ordered("times", [start, end])
        super().__init__(_spans_between(times, _rows_of([pose_start, pose_end]), True))

    @classmethod
    def about(
        cls,
        point: Any,
        direction: Any,
        angle: float,
        advance: float = 0.0,
        pose: PoseLike = None,
        start: float = 0.0,
        end: float = 1.0,
    ) -> Motion:
        """Return a motion that rotates an object by any angle about an axis, and moves it along this axis.

        Args:
            point: point of the axis, (3,) [m], world. direction: direction of the axis, (3,), not zero.
            angle: [rad], may be negative or more than a turn. advance: translation along the direction [m].
            pose: pose of the object at the start. start, end: times.

        Raises:
            InvalidPose: the pose is invalid.
            UnsupportedOption: numbers that are not finite, a direction without length, or more than 10,000 turns.
        """
        times = _ordered("times", [start, end])
        centre, axis = _vector("point", point), _vector("direction", direction)
        length = float(np.linalg.norm(axis))
        if length == 0.0:
            raise UnsupportedOption("direction must not be zero")
        axis, turned, way = axis / length, _checked_time("angle", angle), _checked_time("advance", advance)
        if abs(turned) > _MOST_TURNS * 2.0 * np.pi:
            raise UnsupportedOption(f"angle must be at most {_MOST_TURNS:g} turns, not {turned!r} rad")
        first = _rows_of([pose])[0]
        parts = max(1, int(np.ceil(abs(turned) / 3.0)))
        shares = np.linspace(0.0, 1.0, parts + 1)
        rows = []
        for share in shares:
            turn = rotation_about(axis, share * turned)
            moved = turn @ (first[:, 3] - centre) + centre + share * way * axis
            rows.append(np.column_stack([turn @ first[:, :3], moved]))
        rows[0] = first
        keys = (times[0] + shares * (times[1] - times[0])).tolist()
        if len(set(keys)) < len(keys):
            raise UnsupportedOption(f"the time from {start!r} to {end!r} is too short for {turned!r} rad")
        return Motion(_spans_between(keys, rows, True))


class KeyframedMotion(Motion):
    """A motion that passes through given poses at given times.

    Args:
        times: (k,), increasing, k > 0.
        poses: one pose for each time, (k, 4, 4), or a sequence of poses.
        interpolation: between two poses. "linear": the origin of the object's coordinates moves on a straight line
            while the object rotates, both at constant speed. "screw": as ``ScrewMotion``. With both, the object rotates
            by at most half a turn between two keys, so add keys for larger rotations.

    Raises:
        InvalidPose: a pose is invalid.
        UnsupportedOption: times that are not finite or not increasing, a different number of poses, or an unknown
            interpolation.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> last = np.eye(4)
        >>> last[0, 3] = 2.0
        >>> mc.motion.KeyframedMotion([0.0, 1.0], [np.eye(4), last]).poses([0.25])[0, 0, 3].item()
        0.5
    """

    def __init__(self, times: Any, poses: Any, interpolation: str = "linear") -> None:
        one_of("interpolation", interpolation, INTERPOLATIONS)
        given = _ordered("times", float_array("times", times, UnsupportedOption).ravel().tolist())
        rows, stacked = pose_stack(poses)
        if not stacked or len(rows) != len(given):
            count = len(rows) if stacked else "one pose"
            raise UnsupportedOption(
                f"poses must be a stack with one pose for each of the {len(given)} times, not {count}"
            )
        super().__init__(_spans_between(given, list(rows), interpolation == "screw"))


def as_motion(name: str, motion: Any) -> Motion:
    """Return a motion unchanged, or make a motion at rest from a pose; raise InvalidPose, which names the argument."""
    if isinstance(motion, Motion):
        return motion
    try:
        rows = _rows_of([motion])[0]
    except InvalidPose as error:
        raise InvalidPose(f"{name} must be a ScrewMotion, a KeyframedMotion or a pose: {error}") from None
    return Motion([make_piece(0.0, 0.0, rows, rows, False)])


def _spans_between(times: list[float], rows: list[np.ndarray], is_screw: bool) -> list[MotionPiece]:
    if len(rows) == 1:
        return [make_piece(times[0], times[0], rows[0], rows[0], is_screw)]
    keys = pairwise(zip(times, rows, strict=True))
    return [make_piece(start, end, first, last, is_screw) for (start, first), (end, last) in keys]


def _rows_of(poses: list[Any]) -> list[np.ndarray]:
    found = []
    for pose in poses:
        rows, stacked = pose_stack(pose)
        if stacked:
            raise InvalidPose(
                "a motion needs one start pose and one end pose, not stacks; for several poses use KeyframedMotion"
            )
        found.append(rows[0].copy())
    return found


def _ordered(name: str, times: list[float]) -> list[float]:
    found = [_checked_time(name, time) for time in times]
    if not found or any(late <= early for early, late in pairwise(found)):
        raise UnsupportedOption(f"{name} must be in ascending order, not {shown(times)}")
    if not np.isfinite(found[-1] - found[0]):
        raise UnsupportedOption(f"{name} from {found[0]!r} to {found[-1]!r} are too far apart for float64")
    return found


def _checked_time(name: str, value: Any) -> float:
    number = real_number(value)
    if not np.isfinite(number):
        raise UnsupportedOption(f"{name} must be finite numbers, not {shown(value)}")
    return number


def _moment(time: Any) -> float:
    """Check a time, which may be infinite; raise UnsupportedOption."""
    number = real_number(time)
    if math.isnan(number):
        raise UnsupportedOption(f"time must be a number, not {shown(time)}")
    return number


def _vector(name: str, value: Any) -> np.ndarray:
    array = float_array(name, value, UnsupportedOption)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise UnsupportedOption(f"{name} must be three finite numbers, not {shown(value)}")
    return array
