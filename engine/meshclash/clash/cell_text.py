"""Format the values of a pair for reports: lengths, depths, volumes, probabilities, verdicts."""

from __future__ import annotations

from typing import Any

from .review.lengths import MILLIMETRES_BELOW
from .units import at_most, length_in_words, volume_between, volume_in_words
from .verdicts import SOLID_VERDICTS

NO_SOLID = "not a solid"
"""Instead of a volume."""


def format_length(metres: float | None) -> str:
    """Format a length: in millimetres if it is small, otherwise in metres; "<0.001 mm" for rounding errors, "" for
    None.
    """
    if metres is None:
        return ""
    return length_in_words(metres, "METRIC", "MILLIMETERS" if abs(metres) < MILLIMETRES_BELOW else "METERS", 4)


def format_depth(pair: dict[str, Any]) -> str:
    """Format the proved depth, otherwise the upper bound, such as "at most 0.002 mm"; "" without a depth and a
    bound.
    """
    if pair["depth"] is None and pair["depth_upper"] is not None:
        return at_most(format_length(pair["depth_upper"]))
    return format_length(pair["depth"])


def format_volume(cubic_metres: float | None) -> str:
    """Format a volume in m³, cm³ or mm³; "<0.001 mm³" for rounding errors, "" if unknown."""
    return "" if cubic_metres is None else volume_in_words(cubic_metres, "METRIC", digits=4)


def format_volume_of(pair: dict[str, Any]) -> str:
    """Format the bounds of the common volume of a pair; "not a solid" if one of the two objects is open.

    Of several named tests, some may not measure volumes: there, nothing is said about the objects.
    """
    if pair["volume"] is None:
        return NO_SOLID if pair["verdict"] in SOLID_VERDICTS and not pair.get("test") else ""
    return volume_between(pair["volume_lower"], pair["volume_upper"], "METRIC", digits=4)


def format_share(share: float, digits: int = 0) -> str:
    """Format a probability in percent; only certain values are written as 0 % and 100 %."""
    step = 10.0 ** -(digits + 2)
    if 1.0 - 0.5 * step <= share < 1.0:
        return f">{1.0 - step:.{digits}%}"
    return f"<{step:.{digits}%}" if 0.0 < share < 0.5 * step else f"{share:.{digits}%}"


def format_probability(pair: dict[str, Any]) -> str:
    """Format the probability that a pair meets, in percent, with its interval: "62% (30% to 87%)"; "" if the test does
    not compute it.
    """
    if pair["probability"] is None:
        return ""
    return format_share(pair["probability"]) + format_interval(
        pair.get("probability_lower"), pair.get("probability_upper")
    )


def format_interval(lower: float | None, upper: float | None) -> str:
    """Format an interval of probabilities, to follow the probability: " (30% to 87%)"; "" if it is one value."""
    return "" if lower is None or upper is None or lower == upper else f" ({lower:.0%} to {upper:.0%})"


def format_verdict(pair: dict[str, Any]) -> str:
    """Format a verdict with its notes: "touching (flush)", "contained (87% certain)"."""
    notes = ["flush"] if pair["flush"] else []
    if pair["certainty"] < 1.0:
        notes.append(f"{format_share(pair['certainty'])} certain")
    return f"{pair['verdict']} ({', '.join(notes)})" if notes else str(pair["verdict"])


def format_count(pair: dict[str, Any], side: str) -> str:
    """Format the number of faces in contact on side "a" or "b"; of a scan, the number of points."""
    points = len(pair[f"points_{side}"])
    return f"{points} points" if points else str(pair[f"count_{side}"])


def format_point(point: list[float] | None) -> str:
    """Format three coordinates in metres; "" if unknown."""
    return "" if point is None else " ".join(f"{round(x, 4) + 0.0:.4f}" for x in point)  # no -0.0000
