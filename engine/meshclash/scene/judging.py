"""The second stage of an answer: what the contacts of a case mean for each pair of objects, in portions."""

from collections.abc import Generator

import numpy as np

from ..solid.case import Case, Limits
from ..solid.judge import Judgement, judge
from ..traversal.contacts import Contacts
from ..types.results import APART, CLASH, TOUCHING, Verdict
from ..types.steps import always, steps
from .results import FirstContact, FoundPairs, ObjectContacts, contacts_between

_PORTION_PAIRS, _PORTION_CONTACTS = 256, 16384  # judged together
_SURELY = 1.0 + 1e-6  # permitted lengths are compared with a rounding of less than this


def judged_portions(
    case: Case, identifiers: np.ndarray, limits: Limits
) -> Generator[tuple[int, list[ObjectContacts]], None, None]:
    """The pairs of a case that are not apart, in portions: how many pairs are done, and what was found since.

    Args:
        case: as ``Scene.case_steps`` gives it.
        identifiers: the ids (k, 2) of its pairs.
        limits: lengths that a verdict allows for.
    """
    total = len(case.jobs)
    start = case.starts
    begin = 0
    while begin < total:
        enough = int(np.searchsorted(start, start[begin] + _PORTION_CONTACTS, "right")) - 1
        end = min(max(enough, begin + 1), begin + _PORTION_PAIRS, total)
        part = _portion(case, start, begin, end)
        judgement = yield from always((begin, []), steps(judge, part, limits))
        found = _results(part, judgement, identifiers[begin:])
        begin = end
        yield begin, found


def stays(verdict: Verdict, limits: Limits) -> bool:
    """Whether the measures of a verdict on two meshes prove that it is the same with other permitted overlaps."""
    if verdict == TOUCHING and verdict.depth is None and verdict.depth_upper is None:
        return True  # there is no common volume to permit
    if verdict.flush or limits.by_resolution:
        return False
    permitted = limits.permitted_overlap
    if verdict == TOUCHING:
        return verdict.depth_upper is not None and verdict.depth_upper <= permitted
    at_least = verdict.depth if verdict.depth_lower is None else verdict.depth_lower  # of open meshes without bounds
    return verdict != CLASH or (at_least is not None and at_least > _SURELY * permitted)


def first_contact_of(case: Case, job: int, a: int, b: int) -> FirstContact:
    """The contact of one pair of a case that was asked for first contacts only, and that meets."""
    return FirstContact(a, b, contacts_of(case, job))


def contacts_of(case: Case, job: int) -> Contacts:
    """The contacts of one pair of a case."""
    begin, end = np.searchsorted(case.answer.jobs, np.array((job, job + 1), case.answer.jobs.dtype))
    return contacts_between(
        case.answer.pairs[begin:end], case.answer.kinds[begin:end], case.jobs[job], case.meshes,
        (case.rows_a[job : job + 1], case.rows_b[job : job + 1]),
    )  # fmt: skip


def _results(case: Case, judgement: Judgement, identifiers: np.ndarray) -> list[ObjectContacts]:
    ids, codes = identifiers[: len(case.jobs)].tolist(), judgement.codes.tolist()
    found = FoundPairs(
        case.jobs, case.rows_a, case.rows_b, case.answer.pairs, case.answer.kinds, judgement.start, case.meshes,
        judgement.locations,
    )  # fmt: skip
    return [
        ObjectContacts(a, b, verdict, found, job)
        for job, ((a, b), verdict) in enumerate(zip(ids, judgement.verdicts(), strict=True))
        if codes[job] != APART.severity
    ]


def _portion(case: Case, start: np.ndarray, begin: int, end: int) -> Case:
    """Object pairs begin to end of a case, of which contacts of pair j begin at start[j]."""
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
