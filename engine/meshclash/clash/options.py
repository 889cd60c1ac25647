"""The options of a detection: the sets, the test and its parameters."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

from ..messages import Sentence
from .errors import InputError
from .fits import Fit, checked_fits
from .option_table import AUTO, EXACT, OPTIONS, default
from .queries.registry import TESTS, test_named
from .rules import Rules
from .verdicts import MEETS, NEAR
from .words import counted

DEFAULT_TEST = next(iter(TESTS))
UNASKED_RESOLUTION = 1e-4
"""Maximum overlap that is permitted to a pair by default [m]: objects with a coarser resolution cause a warning."""
MOST_MISPLACED = 0.25 * UNASKED_RESOLUTION
"""Most that a part of a large whole is taken to be off its place [m]."""
SELECTION, CLEARANCE, PARTIAL_TEST = "selection", "clearance", "distance"
AT_LEAST = ">="
"""Mark before the smallest volume in a key for the history; names of tests do not contain it."""
"""The last of these is the test that lists only the nearest pairs, so pairs that it does not list may meet."""
LAST_FRAME, LONGEST_NUMBER = 1_048_574, 12
"""Frames range from minus this number to this number."""


@dataclass(frozen=True)
class DetectOptions:
    """The options of one detection.

    Attributes:
        set_a: "all", "selection", "collection:NAME", "object:NAME" or just a NAME.
        set_b: the set for the second object of each pair; a test of single objects uses `set_a` for both.
        test: the name of one of `queries.TESTS`.
        frames: the frames to test, or None for the current frame.
        rules: pairs that are left out.

    `option_table.OPTIONS` describes the other fields, with their units and the tests that accept them. Of `fits`, the
    first entry that matches a pair is used.

    Raises:
        InputError: a value is out of range, missing, or not supported by the test.
    """

    set_a: str = "all"
    set_b: str = "all"
    test: str = DEFAULT_TEST
    permitted_overlap: float | str = default("permitted_overlap")
    touch_tolerance: float = default("touch_tolerance")
    tolerance: float | None = default("tolerance")
    budget: float | None = default("budget")
    frames: range | None = None
    rules: Rules = field(default_factory=Rules)
    point_budget: int = default("point_budget")
    scan_bandwidth: float = default("scan_bandwidth")
    scan_surface: str = default("scan_surface")
    overlap_volume: bool = default("overlap_volume")
    ignore_fasteners: bool = default("ignore_fasteners")
    min_volume: float = default("min_volume")
    fits: tuple[Fit, ...] = default("fits")

    def __post_init__(self) -> None:
        test = test_named(self.test)
        if not test.of_pairs:
            object.__setattr__(self, "set_b", self.set_a)
        object.__setattr__(self, "fits", checked_fits(self.fits))
        if self.min_volume:
            object.__setattr__(self, "overlap_volume", True)
        for option in OPTIONS.values():
            value = getattr(self, option.name)
            if value != option.default and not option.is_for(test.name):
                text = Sentence("the {test} test takes no {option}", test=test.name, option=option.title)
                raise InputError(text + "; " + Sentence("it belongs to {tests}", tests=", ".join(option.tests)))
            if value == option.default and option.required and option.is_for(test.name):
                raise InputError(Sentence("the {test} test needs a {option}", test=test.name, option=option.title))
            option.check(value)
        if self.frames is not None and not self.frames:
            raise InputError("the frame range is empty")
        if self.frames is not None and max(abs(self.frames[0]), abs(self.frames[-1])) > LAST_FRAME:
            raise InputError(_beyond_frames(format_frames(self.frames)))

    def question(self, verdict: str) -> str:
        """Key for the history: the kind of test, the smallest volume, and the sets with which a pair was found."""
        what = NEAR if verdict == NEAR else MEETS if self.test in EXACT else self.test
        volume = f"{AT_LEAST}{self.min_volume!r}" if self.min_volume else ""
        return f"{what}{volume}|{self.set_a}|{self.set_b}"

    def answers(self, question: str) -> bool:
        """Return whether a detection with these options finds all pairs of `question`; a selection differs each
        time.
        """
        sets = self.set_a, self.set_b
        kind, _, asked_sets = question.partition("|")
        what, _, least = kind.partition(AT_LEAST)
        if SELECTION in sets or self.test == PARTIAL_TEST or self.min_volume > float(least or 0.0):
            return False
        every = replace(self, min_volume=0.0)
        own = {every.question(""), every.question(NEAR)} if self.test == CLEARANCE else {every.question("")}
        whole = sets == ("all", "all") and self.test in EXACT
        return f"{what}|{asked_sets}" in own or (whole and what in ("", *(text.partition("|")[0] for text in own)))

    @property
    def permitted_length(self) -> float:
        """The permitted overlap if the same length applies to all pairs, otherwise 0 [m]."""
        return 0.0 if isinstance(self.permitted_overlap, str) else self.permitted_overlap

    @property
    def measures(self) -> tuple[str, ...]:
        """Fields of `PairRow` for sorting rows; a list shows the first one that a row has."""
        named = test_named(self.test).measures
        return tuple("volume" if name == "depth" else name for name in named) if self.overlap_volume else named

    @property
    def coarsest(self) -> float:
        """The coordinate resolution from which an object permits no overlap [m]; a pair uses the resolutions of its two
        objects.
        """
        return 0.5 * UNASKED_RESOLUTION if self.permitted_overlap == AUTO else math.inf

    def roundings(self, scale: float) -> tuple[float, float]:
        """Return `coarsest` and `MOST_MISPLACED` in scene units, for `EngineScene.update_steps`."""
        return self.coarsest / scale, MOST_MISPLACED / scale

    def clouds(self, scale: float) -> tuple[int, float, str]:
        """Return the arguments of `CloudScene` for creating clouds from scans, in scene units."""
        return self.point_budget, self.scan_bandwidth / scale, self.scan_surface

    def as_dict(self) -> dict[str, Any]:
        """Return the options for the report; lengths in metres."""
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
            "permitted_overlap": self.permitted_length,
            "permitted_by": self.permitted_overlap if isinstance(self.permitted_overlap, str) else "length",
            "frames": None if self.frames is None else format_frames(self.frames),
            **{name: getattr(self, name) for name in OPTIONS if name not in ("permitted_overlap", "fits")},
            "fits": [list(fit) for fit in self.fits],
            "pairs": rules.models,
            "exclude": [name for name, on in named.items() if on],
            "exclude_pairs": sorted(sorted(pair) for pair in rules.listed_pairs),
        }


def changed_settings(asked: DetectOptions, now: DetectOptions) -> list[str]:
    """Return the names of the settings that changed; empty if a result with the settings `asked` is still valid for
    `now`.

    Newly excluded pairs need no new query: they are removed from the old result.
    """
    test = test_named(now.test)
    same_test = asked.test == now.test
    options = [option for option in OPTIONS.values() if option.in_window or option.kind == "fits"]
    labels = {"set_a": "Set A", **({"set_b": "Set B"} if test.of_pairs else {}), "test": "Test"}
    labels |= {option.name: option.label.partition(" (")[0] for option in options if option.of_scans}
    labels |= {option.name: option.label for option in options if same_test and option.is_for(test.name)}
    changed = [label for name, label in labels.items() if getattr(asked, name) != getattr(now, name)]
    if replace(asked.rules, listed_pairs=frozenset()) != replace(now.rules, listed_pairs=frozenset()):
        changed.append("Exclude")
    count = len(_unordered(asked.rules) - _unordered(now.rules))
    if count:
        changed.append(Sentence("{pairs} no longer excluded", pairs=counted(count, "pair")))
    return changed


def _unordered(rules: Rules) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in rules.listed_pairs}


def parse_frames(text: str) -> range:
    """Parse "5", "1:250", "1:250:5", and the older form "1-250:5"; frames may be negative.

    Raises:
        InputError: the text is not a frame range, the range is empty, or the frames do not exist.
    """
    match = re.fullmatch(r"\s*(-?\d+)(?:[-:](-?\d+)(?::(\d+))?)?\s*", text)
    if match is None:
        raise InputError(Sentence("'{text}' is not a range of frames: write 5, 1:250 or 1:250:5", text=text))
    if any(len(number) > LONGEST_NUMBER for number in match.groups(default="")):
        raise InputError(_beyond_frames(text if len(text) <= 60 else f"{text[:60]}..."))
    first = int(match[1])
    return frame_range(first, int(match[2]) if match[2] else first, int(match[3]) if match[3] else 1)


def frame_range(first: int, last: int, step: int = 1) -> range:
    """Return the frames from the first one to the last.

    Raises:
        InputError: the range contains no frames; the message names the range.
    """
    if step < 1 or last < first:
        why = Sentence("its step must be at least 1" if step < 1 else "it ends before it begins")
        named = f"{first}:{last}" if step == 1 else f"{first}:{last}:{step}"
        raise InputError(Sentence("the range of frames {range} is empty: {why}", range=named, why=why))
    return range(first, last + 1, step)


def _beyond_frames(text: str) -> str:
    first, last = f"{-LAST_FRAME:,}", f"{LAST_FRAME:,}"
    return Sentence("there are no frames '{text}': frames go from {first} to {last}", text=text, first=first, last=last)


def format_frames(frames: range) -> str:
    """Return the text that `parse_frames` converts to the same range; "" for no frames."""
    if not frames:
        return ""
    if len(frames) == 1:
        return str(frames[0])
    step = f":{frames.step}" if frames.step != 1 else ""
    return f"{frames[0]}-{frames[-1]}{step}"


def set_in_words(expression: str) -> str:
    """Describe a set for people: "collection:Pipes" becomes "collection 'Pipes'"."""
    kind, colon, name = expression.partition(":")
    if colon and kind in ("collection", "object"):
        return f"{kind} '{name}'"
    return {"all": "everything", "selection": "the selection"}.get(expression, f"'{expression}'")
