"""The table of the options of all tests.

The command line, JSON, saved lists, reports, the window and the tables of the documents read the options from this
table. A new option in this table also needs a typed field of `DetectOptions` and code that uses it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from ..messages import Sentence
from .errors import InputError

AUTO, RESOLUTION = "auto", "resolution"
"""Overlaps within the precision of the coordinates are permitted: up to a limit, or however coarse they are."""
LEAST_POINTS = 1000
"""Minimum number of points of a scan that can define a surface."""
SCAN_SURFACES = ("twicing", "wls", "apss")
"""Types of surfaces that can be fitted to the points of a scan, as the argument of `PointCloud`."""
EXACT = ("intersection", "clearance", "distance")
"""Tests that decide exactly which pairs meet."""
UNITS = {"length": "METRES", "volume": "CUBIC_METRES", "time": "SECONDS", "count": "POINTS", "fits": "A::B=METRES"}
"""Placeholders for values in the help of the command line."""


@dataclass(frozen=True)
class Option:
    """One option of a test.

    Attributes:
        name: the field of `DetectOptions`, and the key in JSON.
        kind: "length" [m], "volume" [m3], "time" [s], "count" (of points of a scan, at most), "flag", "choice" or
            "fits" (pairs of names with a length each).
        default: value of the option if it is not given; None for a number: no value.
        label: label in the window.
        help: one or two sentences for tooltips, for the help of the command line and for the documents.
        tests: names of the tests that accept the option; empty: all tests.
        required: whether these tests require the option.
        words: strings that may be given instead of a number.
        choices: the values of a choice, each with its label and tooltip in the window.
        least: the smallest number except 0; 0 itself is permitted, except for times.
        flag: name of the option on the command line, if it differs from its name.
        of_scans: whether the option controls how scans are read.
        in_window: whether the option is a setting of the window.
    """

    name: str
    kind: Literal["length", "volume", "time", "count", "flag", "choice", "fits"]
    default: Any
    label: str
    help: str
    tests: tuple[str, ...] = ()
    required: bool = False
    words: tuple[str, ...] = ()
    choices: tuple[tuple[str, str, str], ...] = ()
    least: float = 0.0
    flag: str = ""
    of_scans: bool = False
    in_window: bool = True

    @property
    def title(self) -> str:
        """Name of the option in messages and reports: "permitted overlap"."""
        return self.name.replace("_", " ")

    @property
    def argument(self) -> str:
        """Name of the option on the command line: "--permitted-overlap"."""
        return f"--{(self.flag or self.name).replace('_', '-')}"

    @property
    def metavar(self) -> str:
        """Placeholder of the value in the help of the command line; "" for a flag."""
        if self.kind == "choice":
            return "|".join(value for value, *_ in self.choices)
        return "|".join([*([UNITS[self.kind]] if self.kind in UNITS else []), *(self.words[1:])])

    def is_for(self, test: str) -> bool:
        """Return whether a test accepts the option."""
        return not self.tests or test in self.tests

    def check(self, value: Any) -> None:
        """Raise InputError if a value is out of range; the message names the option."""
        if self.kind == "choice":
            known = [name for name, *_ in self.choices]
            if value not in known:
                values = {"name": self.title, "kinds": " or ".join(known), "given": repr(value)}
                raise InputError(Sentence("the {name} must be {kinds}, not {given}", **values))
        elif self.kind == "length" and isinstance(value, str):
            if value not in self.words:
                raise InputError(Sentence("the {name} must be a length, not '{length}'", name=self.title, length=value))
        elif value is None or self.kind in ("flag", "fits"):
            return
        elif self.kind == "time" and not (math.isfinite(value) and value > 0.0):
            raise InputError(Sentence("the {name} must be a time above 0 s, not {time}", name=self.title, time=value))
        elif self.kind == "length" and not (math.isfinite(value) and value >= 0.0):
            raise InputError(
                Sentence("the {name} must be a length of at least 0 m, not {length}", name=self.title, length=value)
            )
        elif self.kind == "volume" and not (math.isfinite(value) and value >= 0.0):
            raise InputError(
                Sentence("the {name} must be a volume of at least 0 m3, not {volume}", name=self.title, volume=value)
            )
        elif self.kind == "count" and value and value < self.least:
            least = f"{self.least:.0f}"
            raise InputError(
                Sentence(
                    "the {name} must be 0 (all) or at least {least}, not {count}",
                    name=self.title, least=least, count=value,
                )
            )  # fmt: skip

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the option's values."""
        if self.kind == "choice":
            return {"enum": [name for name, *_ in self.choices]}
        if self.kind == "flag":
            return {"type": "boolean"}
        if self.kind == "fits":
            fit = [{"type": "string"}, {"type": "string"}, {"type": "number", "minimum": 0}]
            return {"type": "array", "items": {"type": "array", "prefixItems": fit, "minItems": 3, "maxItems": 3}}
        if self.kind == "count":
            return {"type": "integer", "minimum": 0}
        number = {"type": "number", "exclusiveMinimum" if self.kind == "time" else "minimum": 0}
        return {"oneOf": [number, {"enum": list(self.words)}]} if self.words else number


_TABLE = (
    Option(
        "tolerance", "length", None, "Tolerance",
        "Distance below which two objects are too close to each other",
        tests=("clearance",), required=True,
    ),
    Option(
        "budget", "time", None, "Budget",
        "Time that all pairs of a frame may take together. The most likely pairs come first",
        tests=("time-critical",), required=True,
    ),
    Option(
        "permitted_overlap", "length", AUTO, "Ignore Overlaps",
        "Greatest depth of an overlap that counts as touching, such as a press fit or a weld. Default: the precision "
        "of the coordinates, up to 0.1 mm",
        tests=EXACT, words=(AUTO, RESOLUTION),
    ),
    Option(
        "touch_tolerance", "length", 0.0, "Touch Tolerance",
        "Gap up to which two objects count as touching although they share no point",
        tests=("intersection",),
    ),
    Option(
        "overlap_volume", "flag", False, "Common Volume",
        "Measure a lower and an upper bound of the common volume of each pair of closed objects. This takes some "
        "tens of milliseconds per pair; Live does not measure it",
        tests=EXACT,
    ),
    Option(
        "ignore_fasteners", "flag", False, "Ignore Fasteners",
        "Leave out screws, bolts, nuts, washers, pins and rivets, found by name or class, and screws also by shape. "
        "The results say how many",
        tests=(*EXACT, "time-critical", "deforming"),
    ),
    Option(
        "min_volume", "volume", 0.0, "Smallest Common Volume",
        "Leave out pairs that certainly have less volume in common. Includes the common volume",
        in_window=False,
    ),
    Option(
        "fits", "fits", (), "Fits",
        "Overlap that one pair of names may have instead. * stands for any letters",
        tests=EXACT, flag="fit", in_window=False,
    ),
    Option(
        "point_budget", "count", 0, "Points per Scan (0: all)",
        "Maximum number of points used per scan. Larger scans are thinned out evenly",
        least=LEAST_POINTS, of_scans=True,
    ),
    Option(
        "scan_bandwidth", "length", 0.0, "Bandwidth (0: automatic)",
        "Radius around each point of a scan that shapes the surface. Larger values smooth more. If it is 0, the "
        "radius is derived from the spacing and the noise of the points",
        of_scans=True,
    ),
    Option(
        "scan_surface", "choice", SCAN_SURFACES[0], "Surface",
        "How a surface is fitted to the points of a scan",
        choices=(
            ("twicing", "Curved", "Least squares that do not shrink curved parts"),
            ("wls", "Least Squares", "Least squares: smoother, but curved parts shrink"),
            ("apss", "Use Normals", "Spheres that fit points and normals; scans without normals are left out"),
        ),
        of_scans=True,
    ),
)  # fmt: skip
OPTIONS = {option.name: option for option in _TABLE}
"""All options by name, in the order of help and documents."""


def default(name: str) -> Any:
    """Return the default of an option."""
    return OPTIONS[name].default


def taken_by(test: str) -> frozenset[str]:
    """Return the names of the options that this test accepts, but that not all tests accept."""
    return frozenset(option.name for option in _TABLE if test in option.tests)


def required_by(test: str) -> frozenset[str]:
    """Return the names of the options that this test requires."""
    return frozenset(option.name for option in _TABLE if option.required and test in option.tests)
