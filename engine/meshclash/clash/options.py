"""What the user asked for: the sets, the test and its parameters."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

from .errors import InputError
from .fits import Fit, checked_fits
from .queries.registry import TESTS, test_named
from .rules import Rules
from .verdicts import MEETS, NEAR

DEFAULT_TEST = next(iter(TESTS))
AUTO, RESOLUTION = "auto", "resolution"
"""Overlaps that the stored coordinates cannot tell from flush are permitted: within `UNASKED_RESOLUTION`, or all."""
UNASKED_RESOLUTION = 1e-4
"""Most that is permitted to a pair unasked [m]: what is stored more coarsely is warned of."""
MOST_MISPLACED = 0.25 * UNASKED_RESOLUTION
"""Most that a part of a large whole is taken to be off its place [m]."""
TEST_OPTIONS = {
    "permitted_overlap": AUTO, "touch_tolerance": 0.0, "tolerance": None, "budget": None, "overlap_volume": False,
    "fits": (),
}  # fmt: skip
"""Options that only some tests take, and what they are when they are not given."""
SELECTION, CLEARANCE, PARTIAL_TEST = "selection", "clearance", "distance"
EXACT_TESTS = ("intersection", CLEARANCE, PARTIAL_TEST)
"""Tests that find which pairs meet; the last one lists the nearest pairs only, so what it does not list may meet."""
LEAST_POINTS = 1000
"""Fewest points of a scan that say anything about a surface."""
SCAN_SURFACES = ("twicing", "wls", "apss")
"""What the points of a scan may stand for, as the engine's `PointCloud` takes it."""
LABELS = {
    "permitted_overlap": "Ignore Overlaps", "overlap_volume": "Common Volume", "point_budget": "Points per Scan",
    "scan_bandwidth": "Bandwidth", "scan_surface": "Surface",
}  # fmt: skip
"""What the panel calls options that have another name there."""
LAST_FRAME, LONGEST_NUMBER = 1_048_574, 12
"""Frames go from minus this to this."""


@dataclass(frozen=True)
class DetectOptions:
    """One question to the detection.

    Attributes:
        set_a: "all", "selection", "collection:NAME", "object:NAME" or just a NAME.
        set_b: the same for the other side of each pair; of a test about one object it is `set_a`, whatever is given.
        test: the name of one of `queries.TESTS`, which says which of the following it takes.
        permitted_overlap: depth up to which a clash counts as touching [m], or `AUTO` or `RESOLUTION`.
        touch_tolerance: gap up to which objects count as touching [m].
        tolerance: distance up to which objects are too near [m].
        budget: seconds that an answer may take.
        frames: the frames to test, or None for the current one.
        rules: pairs that are left out.
        point_budget: most points of a scan that are used; more are thinned out evenly. 0 uses all.
        scan_bandwidth: bandwidth of the surface of scans [m]; 0: as their spacing says.
        scan_surface: what surface points stand for, one of `SCAN_SURFACES`.
        overlap_volume: whether the common volume of each pair of solids is measured.
        min_volume: pairs that certainly have less volume in common are left out [m3]; 0 leaves out none.
        fits: pairs of names to which another overlap is permitted; the first one that means a pair counts.

    Raises:
        InputError: a value is out of range, missing, or not for this test.
    """

    set_a: str = "all"
    set_b: str = "all"
    test: str = DEFAULT_TEST
    permitted_overlap: float | str = AUTO
    touch_tolerance: float = 0.0
    tolerance: float | None = None
    budget: float | None = None
    frames: range | None = None
    rules: Rules = field(default_factory=Rules)
    point_budget: int = 0
    scan_bandwidth: float = 0.0
    scan_surface: str = SCAN_SURFACES[0]
    overlap_volume: bool = False
    min_volume: float = 0.0
    fits: tuple[Fit, ...] = ()

    def __post_init__(self) -> None:
        test = test_named(self.test)
        if not test.of_pairs:
            object.__setattr__(self, "set_b", self.set_a)
        object.__setattr__(self, "fits", checked_fits(self.fits))
        for name, default in TEST_OPTIONS.items():
            given = getattr(self, name) != default
            if given and name not in test.takes:
                others = " and ".join(other.name for other in TESTS.values() if name in other.takes)
                hint = f"; it belongs to {others}" if others else ""
                raise InputError(f"the {test.name} test takes no {_words(name)}{hint}")
            if not given and name in test.required:
                raise InputError(f"the {test.name} test needs a {_words(name)}")
        if self.scan_surface not in SCAN_SURFACES:
            raise InputError(f"the scan surface must be {' or '.join(SCAN_SURFACES)}, not {self.scan_surface!r}")
        for name in ("permitted_overlap", "touch_tolerance", "tolerance", "scan_bandwidth"):
            _check_length(_words(name), getattr(self, name))
        if self.budget is not None and not (math.isfinite(self.budget) and self.budget > 0.0):
            raise InputError(f"the budget must be a time above 0 s, not {self.budget}")
        if self.point_budget and self.point_budget < LEAST_POINTS:
            raise InputError(f"the point budget must be 0 (all) or at least {LEAST_POINTS}, not {self.point_budget}")
        if not (math.isfinite(self.min_volume) and self.min_volume >= 0.0):
            raise InputError(f"the min volume must be a volume of at least 0 m3, not {self.min_volume}")
        if self.min_volume and not self.overlap_volume:
            raise InputError("a min volume needs the overlap volume")
        if self.frames is not None and not self.frames:
            raise InputError("the frame range is empty")
        if self.frames is not None and max(abs(self.frames[0]), abs(self.frames[-1])) > LAST_FRAME:
            raise InputError(_beyond_frames(format_frames(self.frames)))

    def question(self, verdict: str) -> str:
        """What a history calls the question that found a pair: what was looked for, in which sets."""
        what = NEAR if verdict == NEAR else MEETS if self.test in EXACT_TESTS else self.test
        return f"{what}|{self.set_a}|{self.set_b}"

    def answers(self, question: str) -> bool:
        """Whether who asks this is told of all pairs that `question` finds; a selection is another each time."""
        sets = self.set_a, self.set_b
        if SELECTION in sets or self.test == PARTIAL_TEST:
            return False
        own = {self.question(""), self.question(NEAR)} if self.test == CLEARANCE else {self.question("")}
        whole = sets == ("all", "all") and self.test in EXACT_TESTS
        return question in own or (
            whole and question.partition("|")[0] in ("", *(text.partition("|")[0] for text in own))
        )

    @property
    def permitted_length(self) -> float:
        """The permitted overlap where it is one length for all pairs, else 0 [m]."""
        return 0.0 if isinstance(self.permitted_overlap, str) else self.permitted_overlap

    @property
    def measures(self) -> tuple[str, ...]:
        """Fields of `PairRow` that rows are compared by; a list shows the first one that a row has."""
        named = test_named(self.test).measures
        return tuple("volume" if name == "depth" else name for name in named) if self.overlap_volume else named

    @property
    def coarsest(self) -> float:
        """The resolution from which on an object's coordinates permit no overlap [m]; a pair has those of its two."""
        return 0.5 * UNASKED_RESOLUTION if self.permitted_overlap == AUTO else math.inf

    def roundings(self, scale: float) -> tuple[float, float]:
        """`coarsest` and `MOST_MISPLACED` in scene units of so many metres, for `EngineScene.update_steps`."""
        return self.coarsest / scale, MOST_MISPLACED / scale

    def clouds(self, scale: float) -> tuple[int, float, str]:
        """What makes a cloud of a scan, as `CloudScene` takes it, in scene units of so many metres."""
        return self.point_budget, self.scan_bandwidth / scale, self.scan_surface

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
            "permitted_overlap": self.permitted_length,
            "permitted_by": self.permitted_overlap if isinstance(self.permitted_overlap, str) else "length",
            "touch_tolerance": self.touch_tolerance,
            "tolerance": self.tolerance,
            "budget": self.budget,
            "frames": None if self.frames is None else format_frames(self.frames),
            "point_budget": self.point_budget,
            "scan_bandwidth": self.scan_bandwidth,
            "scan_surface": self.scan_surface,
            "overlap_volume": self.overlap_volume,
            "min_volume": self.min_volume,
            "fits": [list(fit) for fit in self.fits],
            "exclude": [name for name, on in named.items() if on],
            "exclude_pairs": sorted(sorted(pair) for pair in rules.listed_pairs),
        }


def changed_settings(asked: DetectOptions, now: DetectOptions) -> list[str]:
    """What is asked differently now, in the words of the panel; empty where an answer to `asked` still answers `now`.

    Pairs that were excluded since need no new answer: they are left out of the old one.
    """
    test = test_named(now.test)
    compared = [
        "set_a",
        *(["set_b"] if test.of_pairs else []),
        "test",
        "point_budget",
        "scan_bandwidth",
        "scan_surface",
    ]
    if asked.test == now.test:
        compared += (name for name in TEST_OPTIONS if name in test.takes)
    differing = (name for name in compared if getattr(asked, name) != getattr(now, name))
    changed = [LABELS.get(name, _words(name).title()) for name in differing]
    if replace(asked.rules, listed_pairs=frozenset()) != replace(now.rules, listed_pairs=frozenset()):
        changed.append("Exclude")
    count = len(_unordered(asked.rules) - _unordered(now.rules))
    if count:
        changed.append(f"{count} pair{'' if count == 1 else 's'} no longer excluded")
    return changed


def _unordered(rules: Rules) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in rules.listed_pairs}


def parse_frames(text: str) -> range:
    """Reads "5", "1:250", "1:250:5", and "1-250:5" as it was written first; frames may be negative.

    Raises:
        InputError: it is not such a range, it is empty, or there are no such frames.
    """
    match = re.fullmatch(r"\s*(-?\d+)(?:[-:](-?\d+)(?::(\d+))?)?\s*", text)
    if match is None:
        raise InputError(f"'{text}' is not a range of frames: write 5, 1:250 or 1:250:5")
    if any(len(number) > LONGEST_NUMBER for number in match.groups(default="")):
        raise InputError(_beyond_frames(text if len(text) <= 60 else f"{text[:60]}..."))
    first = int(match[1])
    return frame_range(first, int(match[2]) if match[2] else first, int(match[3]) if match[3] else 1)


def frame_range(first: int, last: int, step: int = 1) -> range:
    """The frames from the first one to the last.

    Raises:
        InputError: there are none; the message names the range.
    """
    if step < 1 or last < first:
        why = "its step must be at least 1" if step < 1 else "it ends before it begins"
        raise InputError(f"the range of frames {first}:{last}{'' if step == 1 else f':{step}'} is empty: {why}")
    return range(first, last + 1, step)


def _beyond_frames(text: str) -> str:
    return f"there are no frames '{text}': frames go from {-LAST_FRAME:,} to {LAST_FRAME:,}"


def format_frames(frames: range) -> str:
    """The text from which `parse_frames` makes the same range."""
    if len(frames) == 1:
        return str(frames[0])
    step = f":{frames.step}" if frames.step != 1 else ""
    return f"{frames[0]}-{frames[-1]}{step}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _check_length(name: str, metres: float | str | None) -> None:
    if isinstance(metres, str):
        if name != "permitted overlap" or metres not in (AUTO, RESOLUTION):
            raise InputError(f"the {name} must be a length, not '{metres}'")
    elif metres is not None and (not math.isfinite(metres) or metres < 0.0):
        raise InputError(f"the {name} must be a length of at least 0 m, not {metres}")


def set_in_words(expression: str) -> str:
    """A set for people: "collection:Pipes" is collection 'Pipes'."""
    kind, colon, name = expression.partition(":")
    if colon and kind in ("collection", "object"):
        return f"{kind} '{name}'"
    return {"all": "everything", "selection": "the selection"}.get(expression, f"'{expression}'")
