"""What the user asked for: the sets, the test and its parameters."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from .errors import InputError
from .rules import Rules

TESTS = ("intersection", "clearance", "distance", "time-critical")
AVAILABLE_TESTS = ("intersection",)


@dataclass(frozen=True)
class DetectOptions:
    """One question to the detection.

    Attributes:
        set_a: "all", "selection", "collection:NAME", "object:NAME" or just a NAME.
        set_b: the same for the other side of each pair.
        test: one of `TESTS`.
        permitted_overlap: depth up to which a clash counts as touching [m].
        touch_tolerance: gap up to which objects count as touching [m].
        budget: seconds for the time-critical test, else None.
        frames: the frames to test, or None for the current one.
        rules: pairs that are left out.

    Raises:
        InputError: a value is out of range, or the test is not available.
    """

    set_a: str = "all"
    set_b: str = "all"
    test: str = "intersection"
    permitted_overlap: float = 0.0
    touch_tolerance: float = 0.0
    budget: float | None = None
    frames: range | None = None
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise InputError(f"there is no test '{self.test}'; choose one of {', '.join(TESTS)}")
        if self.test not in AVAILABLE_TESTS:
            raise InputError(
                f"the test '{self.test}' is not available in this version; available: {', '.join(AVAILABLE_TESTS)}"
            )
        if self.budget is not None:
            raise InputError("a time budget belongs to the time-critical test, which is not available in this version")
        _check_length("permitted overlap", self.permitted_overlap)
        _check_length("touch tolerance", self.touch_tolerance)
        if self.frames is not None and not len(self.frames):
            raise InputError("the frame range is empty")

    def as_dict(self) -> dict[str, Any]:
        """The options as the report shows them; lengths in metres."""
        rules = self.rules
        named = {
            "same-parent": rules.same_parent,
            "same-armature": rules.same_armature,
            "same-collection": rules.same_collection,
        }
        return {
            "set_a": self.set_a,
            "set_b": self.set_b,
            "test": self.test,
            "permitted_overlap": self.permitted_overlap,
            "touch_tolerance": self.touch_tolerance,
            "budget": self.budget,
            "frames": None if self.frames is None else format_frames(self.frames),
            "exclude": [name for name, on in named.items() if on],
            "exclude_pairs": sorted(sorted(pair) for pair in rules.listed_pairs),
        }


def parse_frames(text: str) -> range:
    """Reads "5", "1-250" or "1-250:5"; frames may be negative.

    Raises:
        InputError: it is not such a range, or it is empty.
    """
    match = re.fullmatch(r"\s*(-?\d+)(?:-(-?\d+))?(?::(\d+))?\s*", text)
    if match is None:
        raise InputError(f"'{text}' is not a range of frames: write 5, 1-250 or 1-250:5")
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    step = int(match[3]) if match[3] else 1
    if step < 1 or last < first:
        raise InputError(
            f"the range of frames '{text}' is empty: its last frame comes before the first, or its step is 0"
        )
    return range(first, last + 1, step)


def format_frames(frames: range) -> str:
    """The text from which `parse_frames` makes the same range."""
    if len(frames) == 1:
        return str(frames[0])
    step = f":{frames.step}" if frames.step != 1 else ""
    return f"{frames[0]}-{frames[-1]}{step}"


def _check_length(name: str, metres: float) -> None:
    if not math.isfinite(metres) or metres < 0.0:
        raise InputError(f"the {name} must be a length of at least 0 m, not {metres}")
