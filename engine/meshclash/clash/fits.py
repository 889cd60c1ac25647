"""Fits are pairs of names with their own permitted overlap, such as press fits."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from ..messages import Sentence
from .errors import InputError
from .verdicts import CLASH, TOUCHING, severity_of

if TYPE_CHECKING:
    from .pair_row import PairRow
    from .queries.question import DetectQuestion

BETWEEN, EQUALS = "::", "="


class Fit(NamedTuple):
    """The permitted overlap of two kinds of objects, in either order.

    Attributes:
        name_a, name_b: names of the objects or their instancers; * stands for any letters and ? for one letter.
        permitted: depth up to which a clash of this pair counts as touching, instead of the general value [m].
    """

    name_a: str
    name_b: str
    permitted: float

    def means(self, row: PairRow) -> bool:
        """Return whether the fit applies to a pair."""

        def meant(names: set[str], pattern: str) -> bool:
            return any(name == pattern or fnmatchcase(name, pattern) for name in names)

        first, second = ({side.name, side.owner} for side in row.sides)
        ways = (first, second), (second, first)
        return any(meant(one, self.name_a) and meant(other, self.name_b) for one, other in ways)


def parse_fit(text: str) -> Fit:
    """Parse "A::B=METRES".

    Raises:
        InputError: the text does not consist of two names and a length.
    """
    names, equals, length = text.rpartition(EQUALS)
    parts = names.split(BETWEEN)
    try:
        metres = float(length)
    except ValueError:
        metres = math.nan
    if not equals or len(parts) != 2 or math.isnan(metres):
        raise InputError(Sentence("'{text}' is not a fit: write A::B=METRES, as in Pin*::Plate*=0.00002", text=text))
    return checked_fits([(parts[0], parts[1], metres)])[0]


def checked_fits(fits: Iterable[Sequence[Any]]) -> tuple[Fit, ...]:
    """Create fits from (name, name, length in metres); raises InputError for invalid ones."""
    found = tuple(Fit(*fit) for fit in fits)
    for fit in found:
        if not (fit.name_a and fit.name_b):
            raise InputError("a permitted overlap needs the names of two objects; * stands for any letters")
        if not (math.isfinite(fit.permitted) and fit.permitted >= 0.0):
            raise InputError(
                Sentence("the overlap that a fit permits must be at least 0 m, not {length}", length=fit.permitted)
            )
    return found


def fitted_steps(question: DetectQuestion, pair: tuple[int, int], row: PairRow) -> Generator[Any, None, PairRow]:
    """Judge a row again with the permitted overlap of the first fit that applies; other rows and scans stay unchanged.

    Args:
        question: the query that found the row.
        pair: ids of the two objects in its scene.
        row: the row without fits.
    """
    engine, options = question.engine, question.options
    fit = next((fit for fit in options.fits if fit.means(row)), None)
    if fit is None or row.verdict not in (CLASH, TOUCHING) or row.scans:
        return row
    things, poses = zip(*map(question.world.scene.posed, pair), strict=True)
    if not all(isinstance(thing, engine.TriangleMesh | engine.Hierarchy) for thing in things):
        return row
    permitted = question.units(fit.permitted)
    found = yield from engine.steps(engine.verdict, *things, *poses, permitted_overlap=permitted)
    verdict = found.verdict.name.lower()
    if verdict not in (CLASH, TOUCHING):  # the two are only near
        return row
    return replace(row, verdict=verdict, severity=severity_of(engine, verdict), flush=False)
