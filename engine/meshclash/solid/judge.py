"""Verdicts of many object pairs at once, from their contacts, the meshes' boundaries and the rules of ``rules.py``.

All work that grows with the contacts or triangles of a pair is divided into spans, so that even a very large pair does
not block the caller.
"""

import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from ..types.steps import in_slices
from ..types.verdict import Verdict
from .case import Case, Limits
from .contact_centres import Locations
from .open_judge import as_drawn_steps, drawn_meshes_steps
from .pair_verdict import Findings, FoundPairs, PairVerdict
from .readings import agree_steps, doubted_steps
from .rules import State, applied_steps

_VERDICTS = tuple(Verdict)


class Judgement(NamedTuple):
    """Verdicts of k object pairs."""

    codes: np.ndarray
    """Index of each verdict, (k,) int8."""
    depths: np.ndarray
    """Diameter of the ball, lower and upper bound, (k, 3) float64 [m]; NaN if there is no ball or the bound is unknown.
"""
    start: np.ndarray
    """The contacts of pair j are the rows start[j]:start[j + 1] of the result, (k + 1,) int64."""
    locations: Locations
    """Points to look at, one of each pair."""
    permitted: np.ndarray
    """Permitted overlap, (k,) float64 [m]."""
    flush: np.ndarray
    """Which pairs would have another verdict if their resolution permitted no overlap, (k,) bool."""
    certainties: np.ndarray
    """Probability that the verdict is correct, (k,) float64; below 1 if an open mesh is judged as the solid that it
    represents."""

    def found(self, case: Case, names: Mapping[int, str]) -> FoundPairs:
        """Return the findings for the pairs of the judged case; ``names`` maps ids of objects to names."""
        answer = case.answer
        return FoundPairs(
            case.jobs, case.rows_a, case.rows_b, answer.pairs, answer.kinds, self.start, case.meshes, self.locations,
            names,
        )  # fmt: skip

    def records(self, ids: Sequence[tuple[int, int]], found: Findings) -> list[PairVerdict]:
        """Return the verdicts of all object pairs (k, 2), with their measures and findings."""
        measures: Iterable[tuple[float | None, ...]] = repeat((None, None, None))
        if not np.isnan(self.depths).all():
            measures = [tuple(map(_known, row)) for row in self.depths.tolist()]
        columns = (column.tolist() for column in (self.codes, self.certainties, self.flush, self.permitted))
        return [
            PairVerdict(
                a, b, _VERDICTS[code], depth, lower, upper, certainty, flush, permitted if code else 0.0, found, job
            )
            for job, ((a, b), code, certainty, flush, permitted, (depth, lower, upper)) in enumerate(
                zip(ids, *columns, measures, strict=False)
            )
        ]


def _known(length: float) -> float | None:
    return None if math.isnan(length) else length


@in_slices
def judge(case: Case, limits: Limits) -> Generator[None, None, Judgement]:
    """Compute verdicts and depths of all object pairs of a case.

    Pairs with a mesh that represents another mesh are judged by that mesh: by the contacts of its faces, and of the
    faces that were added.
    """
    drawn = yield from drawn_meshes_steps(case)
    doubted = yield from doubted_steps(case, drawn)
    if not drawn:
        state = yield from applied_steps(case, limits)
        yield from agree_steps(case, limits, state, doubted, drawn)
        middles = None if state.sampled.any() else state.middles
        locations = Locations(case, state.start, state.codes, state.swapped, middles)
        return _judgement(case, locations, state, doubted.highest)
    others: np.ndarray = (np.isin(case.jobs[:, 0], list(drawn))) | (np.isin(case.jobs[:, 1], list(drawn)))
    sure = np.ones(int(case.jobs.max()) + 1)
    sure[list(drawn)] = [found.certainty for found in drawn.values()]
    meant = yield from as_drawn_steps(case.chosen(others), drawn)
    states = [(others, (yield from applied_steps(meant, limits)))]
    if not others.all():
        states.append((~others, (yield from applied_steps(case.chosen(~others), limits))))
    both = State(case, limits)
    for own, state in states:
        for name in ("codes", "certainties", "flush", "depths", "balls"):
            getattr(both, name)[own] = getattr(state, name)
    yield from agree_steps(case, limits, both, doubted, drawn)
    highest = np.minimum(doubted.highest, sure[case.jobs].min(axis=1))
    return _judgement(case, Locations(case, both.start, both.codes, both.swapped, None), both, highest)


def _judgement(case: Case, locations: Locations, state: State, sure: np.ndarray) -> Judgement:
    """Return the results for the pairs of a case.

    ``sure`` (k,) is the probability that the meshes represent the judged solids.
    """
    depths = np.column_stack([np.where(state.balls > 0.0, state.balls, np.nan), state.depths])
    certainties = np.minimum(state.certainties, sure)
    return Judgement(state.codes, depths, state.start, locations, state.permitted, state.flush, certainties)
