"""The table of verdicts, which lists, filters, reports, pictures and overlays use.

A new verdict is a new entry. Its place in the table is its place in lists: the worst first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

CLASH, DUPLICATE, CONTAINED, TOUCHING = "clash", "duplicate", "contained", "touching"  # the engine's verdicts
UNDECIDED = "undecided"  # a scan is too coarse to tell whether the two meet; the engine's verdict is then "touching"
NEAR = "near"  # apart, but nearer than asked for
APART = "apart"
CONTACT = "contact"  # in Live only: the two meet, and what that means is still to be found out
MEETS, LIKELY, UNLIKELY = "meets", "likely", "unlikely"  # surfaces, in the time-critical test

RED, AMBER, GREEN = "color: #b00020; font-weight: 600;", "color: #8a5a00; font-weight: 600;", "color: #1b6e3c;"
"""Styles of a verdict on the page of a report."""


@dataclass(frozen=True)
class VerdictEntry:
    """The name, count and display of a verdict.

    Attributes:
        name: name in rows and reports.
        label: label in lists.
        counted: text after the number of pairs with this verdict.
        filter_tip: tooltip of the filter button.
        icon: name of the icon in the window.
        counts_as: the engine's verdict with the same severity; "apart" is the least severe.
        of_engine: whether the engine returns this verdict for two objects that meet.
        clash: whether `--fail-on clash` counts the verdict; true if a clash cannot be excluded.
        solid: whether the two may have volume in common.
        no_volume: whether the objects have no common volume, or none that counts.
        quiet: whether only the selected pair is drawn: in an assembly nearly all parts touch other parts.
        guess: whether only a probability is known.
        pictured: whether pictures show this verdict where they show others.
        provisional: whether the verdict belongs to an incomplete result, which is not stored.
        style: style of the verdict on the page of a report; "" for the default style.
    """

    name: str
    label: str
    counted: str
    filter_tip: str
    icon: str
    counts_as: str
    of_engine: bool = False
    clash: bool = False
    solid: bool = False
    no_volume: bool = False
    quiet: bool = False
    guess: bool = False
    pictured: bool = False
    provisional: bool = False
    style: str = ""


VERDICTS: dict[str, VerdictEntry] = {
    entry.name: entry
    for entry in (
        VerdictEntry(
            CLASH, "Clash", "clashing", "List clashes", "COLLECTION_COLOR_01", CLASH,
            of_engine=True, clash=True, solid=True, pictured=True, style=RED,
        ),
        VerdictEntry(
            CONTAINED, "Inside", "inside another", "List objects that lie inside another object", "COLLECTION_COLOR_02",
            CONTAINED, of_engine=True, clash=True, solid=True, pictured=True, style=RED,
        ),
        VerdictEntry(
            DUPLICATE, "Duplicate", "duplicate", "List objects that occupy the same space", "COLLECTION_COLOR_06",
            DUPLICATE, of_engine=True, clash=True, solid=True, pictured=True, style=RED,
        ),
        VerdictEntry(
            UNDECIDED, "Undecided", "undecided", "List pairs whose scan is too coarse to decide whether they meet",
            "COLLECTION_COLOR_07", TOUCHING, of_engine=True, clash=True, pictured=True, style=AMBER,
        ),
        VerdictEntry(
            TOUCHING, "Touching", "touching", "List pairs that touch without common volume", "COLLECTION_COLOR_04",
            TOUCHING, of_engine=True, no_volume=True, quiet=True, style=GREEN,
        ),
        VerdictEntry(
            NEAR, "Near", "too near", "List pairs that are closer than the tolerance", "COLLECTION_COLOR_03", APART,
            no_volume=True, pictured=True, style=AMBER,
        ),
        VerdictEntry(
            APART, "Apart", "apart", "List pairs that are apart, with their distance", "COLLECTION_COLOR_05", APART,
            no_volume=True, quiet=True,
        ),
        VerdictEntry(
            MEETS, "Meets", "meeting", "List pairs that certainly meet", "COLLECTION_COLOR_01", CLASH,
            clash=True, pictured=True,
        ),
        VerdictEntry(
            LIKELY, "Likely", "likely to meet", "List pairs that meet more likely than not", "COLLECTION_COLOR_02",
            TOUCHING, clash=True, guess=True, pictured=True,
        ),
        VerdictEntry(
            UNLIKELY, "Unlikely", "unlikely to meet", "List pairs that may meet, but probably do not",
            "COLLECTION_COLOR_04", APART, guess=True,
        ),
        VerdictEntry(
            CONTACT, "Contact", "in contact", "List pairs that meet and that Live has not judged yet",
            "COLLECTION_COLOR_08", CLASH, provisional=True,
        ),
    )
}  # fmt: skip
"""By their names, in the order of lists."""


def _those(chosen: Callable[[VerdictEntry], bool]) -> tuple[str, ...]:
    return tuple(entry.name for entry in VERDICTS.values() if chosen(entry))


FINAL_VERDICTS = _those(lambda entry: not entry.provisional)
"""All verdicts of the rows of a complete result."""
PROVISIONAL_VERDICTS = _those(lambda entry: entry.provisional)
ENGINE_VERDICTS = _those(lambda entry: entry.of_engine)
CLASH_VERDICTS = _those(lambda entry: entry.clash)
SOLID_VERDICTS = frozenset(_those(lambda entry: entry.solid))
NO_VOLUME_VERDICTS = frozenset(_those(lambda entry: entry.no_volume))
QUIET_VERDICTS = frozenset(_those(lambda entry: entry.quiet))
GUESSES = frozenset(_those(lambda entry: entry.guess))
PICTURED_VERDICTS = frozenset(_those(lambda entry: entry.pictured))


def severity_of(engine: ModuleType, verdict: str) -> int:
    """Return the severity of a verdict in the engine's order; each verdict of a test counts as one of the engine's."""
    return int(getattr(engine.Verdict, VERDICTS[verdict].counts_as.upper()).severity)


def probability_verdict(probability: float, certain: bool) -> str:
    """Return the verdict on two surfaces that may meet."""
    if certain:
        return MEETS
    return LIKELY if probability >= 0.5 else UNLIKELY
