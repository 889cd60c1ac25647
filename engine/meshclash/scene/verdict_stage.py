"""The second stage of a scene query: compute the verdict of each pair from the contacts of a case, in portions."""

from collections.abc import Generator, Mapping
from functools import partial
from itertools import repeat

import numpy as np

from ..solid.case import Case, Limits
from ..solid.judge import judge
from ..solid.pair_verdict import NO_PLACES, FoundPairs, PairVerdict, verdict_of_alike
from ..types.steps import hold_progress, steps
from ..types.verdict import APART, CLASH, TOUCHING
from .alike_pairs import AlikePairs
from .results import FirstContact

_FIRST_CONTACT = partial(tuple.__new__, FirstContact)  # calls no Python for each of thousands in a frame
_PORTION_PAIRS, _PORTION_CONTACTS = 1024, 65536  # maximum per portion
_ALIKE = 4096  # verdicts of alike pairs that are written together
_SURELY = 1.0 + 1e-6  # bounds the rounding error when lengths are compared with permitted ones


def verdict_portions(
    case: Case, identifiers: np.ndarray, limits: Limits, names: Mapping[int, str]
) -> Generator[tuple[int, list[PairVerdict]], None, None]:
    """Yield the pairs of a case that are not apart, in portions: the number of pairs done, and the new verdicts.

    Args:
        case: as returned by ``Members.case_steps``.
        identifiers: the ids (k, 2) of its pairs.
        limits: the limits of the verdicts.
        names: names of objects by id.
    """
    total = len(case.jobs)
    start = case.starts
    begin = 0
    while begin < total:
        enough = int(np.searchsorted(start, start[begin] + _PORTION_CONTACTS, "right")) - 1
        end = min(max(enough, begin + 1), begin + _PORTION_PAIRS, total)
        part = _portion(case, start, begin, end)
        judgement = yield from hold_progress(steps(judge, part, limits), (begin, []))
        ids = [(a, b) for a, b in identifiers[begin:end].tolist()]
        found = [pair for pair in judgement.records(ids, judgement.found(part, names)) if pair.verdict is not APART]
        begin = end
        yield begin, found


def alike_portions(
    case: Case, alike: AlikePairs, limits: Limits, names: Mapping[int, str]
) -> Generator[tuple[np.ndarray, list[PairVerdict]], None, None]:
    """Judge the first pair of each group; yield all pairs in portions: their ids (n, 2), and the verdicts of those not
    apart.

    Args:
        case: the first pairs of the groups, as returned by ``Members.case_steps``.
        alike: the groups.
        limits, names: as for ``verdict_portions``.
    """
    begin = 0
    for end, found in verdict_portions(case, alike.first, limits, names):
        if end == begin:  # the judge works on
            yield alike.pairs[:0], []
            continue
        some, begin = alike.chosen(begin, end), end
        if len(some.first) == len(some.pairs):
            yield some.pairs, found
            continue
        known = {(item.a, item.b): item for item in found}
        judged = [known.get(pair) for pair in map(tuple, some.first.tolist())]
        group = np.repeat(np.arange(len(judged)), np.diff(some.start))
        for first in range(0, len(group), _ALIKE):
            pairs = some.pairs[first : first + _ALIKE]
            rows = zip(pairs.tolist(), group[first : first + _ALIKE].tolist(), strict=True)
            yield (
                pairs,
                [verdict_of_alike(item, a, b) for (a, b), own in rows if (item := judged[own]) is not None],
            )


def stays(pair: PairVerdict, limits: Limits, rounding: float) -> bool:
    """Return whether the known measures of a verdict prove that the verdict stays the same with other limits.

    Args:
        pair: the verdict of two meshes that are not apart.
        limits: the new limits.
        rounding: the sum of the resolutions of both meshes [m].
    """
    if pair.flush:
        return False
    touching = pair.verdict is TOUCHING
    if touching and pair.depth is None and pair.depth_upper is None:
        return True  # there is no common volume
    if limits.by_resolution:
        return False
    permitted = limits.permitted_overlap
    if touching:
        return pair.depth_upper is not None and pair.depth_upper <= permitted
    at_least = pair.depth if pair.depth_lower is None else pair.depth_lower  # open meshes have no bounds
    if pair.verdict is CLASH and permitted > pair.permitted_overlap < rounding:
        return False  # a larger part of the protruding pieces may be rounding error
    return pair.verdict is not CLASH or (at_least is not None and at_least > _SURELY * permitted)


def case_findings(case: Case, names: Mapping[int, str]) -> FoundPairs:
    """Return the contacts of all pairs of a case; ``names`` maps ids of objects to names."""
    answer = case.answer
    return FoundPairs(
        case.jobs, case.rows_a, case.rows_b, answer.pairs, answer.kinds, case.starts, case.meshes, NO_PLACES, names
    )


def first_contacts_of(found: FoundPairs, meet: np.ndarray, alike: AlikePairs) -> list[FirstContact]:
    """Return the first contacts of all pairs of some groups.

    Args:
        found: contacts of the first pairs of the groups, one of each.
        meet: whether the pairs of a group meet, (u,) bool.
        alike: all groups of equal pairs.
    """
    some = alike.masked(meet)
    return first_contacts(found, np.repeat(np.flatnonzero(meet), np.diff(some.start)), some.pairs)


def first_contacts(found: FoundPairs, jobs: np.ndarray, pairs: np.ndarray) -> list[FirstContact]:
    """Return the first contacts of pairs of ids (n, 2); ``jobs`` (n,) are their numbers in ``found``."""
    columns = zip(pairs[:, 0].tolist(), pairs[:, 1].tolist(), repeat(found), jobs.tolist(), strict=False)
    return list(map(_FIRST_CONTACT, columns))


def _portion(case: Case, start: np.ndarray, begin: int, end: int) -> Case:
    """Return the object pairs ``begin`` to ``end`` of a case; the contacts of pair j begin at ``start[j]``."""
    low, high = start[begin], start[end]
    answer = case.answer._replace(
        pairs=case.answer.pairs[low:high], kinds=case.answer.kinds[low:high], jobs=case.answer.jobs[low:high] - begin
    )
    part = slice(begin, end)
    return case._replace(
        jobs=case.jobs[part], rows_a=case.rows_a[part], rows_b=case.rows_b[part],
        boxes_a=case.boxes_a[part], boxes_b=case.boxes_b[part], answer=answer,
        resolutions=case.resolutions[part],
    )  # fmt: skip
