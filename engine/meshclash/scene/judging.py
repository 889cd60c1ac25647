"""The second stage of an answer: what the contacts of a case mean for each pair of objects, in portions."""

from collections.abc import Generator

import numpy as np

from ..solid.judge import Case, Judgement, Limits, judge_steps
from ..traversal.contacts import Contacts
from ..types.results import APART, QueryStats
from ..types.steps import always
from .results import FirstContact, ObjectContacts

_PORTION_PAIRS, _PORTION_CONTACTS = 256, 16384  # judged together
_NOTHING_COUNTED = QueryStats()


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
    start = np.searchsorted(case.answer.jobs, np.arange(total + 1))
    begin = 0
    while begin < total:
        enough = int(np.searchsorted(start, start[begin] + _PORTION_CONTACTS, "right")) - 1
        end = min(max(enough, begin + 1), begin + _PORTION_PAIRS, total)
        part = _portion(case, begin, end)
        judgement = yield from always((begin, []), judge_steps(part, limits))
        found = _results(part, judgement, identifiers[begin:])
        begin = end
        yield begin, found


def first_contact_of(case: Case, job: int, a: int, b: int) -> FirstContact:
    """The contact of one pair of a case that was asked for first contacts only, and that meets."""
    return FirstContact(a, b, contacts_of(case, job))


def contacts_of(case: Case, job: int) -> Contacts:
    """The contacts of one pair of a case."""
    begin, end = np.searchsorted(case.answer.jobs, (job, job + 1))
    return _contacts_between(case, job, begin, end)


def _contacts_between(case: Case, job: int, begin: int, end: int) -> Contacts:
    """The contacts of one pair of a case, rows ``begin`` to ``end`` of its answer."""
    first, second = case.jobs[job].tolist()
    return Contacts(
        case.answer.pairs[begin:end], case.answer.kinds[begin:end], np.zeros(end - begin, np.int32),
        _NOTHING_COUNTED, (case.meshes[first], case.meshes[second]),
        (case.rows_a[job : job + 1], case.rows_b[job : job + 1]),
    )  # fmt: skip


def _results(case: Case, judgement: Judgement, identifiers: np.ndarray) -> list[ObjectContacts]:
    start, ids = judgement.start.tolist(), identifiers[: len(case.jobs)].tolist()
    return [
        ObjectContacts(a, b, verdict, _contacts_between(case, job, *start[job : job + 2]), judgement.locations, job)
        for job, ((a, b), verdict) in enumerate(zip(ids, judgement.verdicts(), strict=True))
        if verdict != APART
    ]


def _portion(case: Case, begin: int, end: int) -> Case:
    """Object pairs begin to end of a case."""
    low, high = np.searchsorted(case.answer.jobs, (begin, end))
    answer = case.answer._replace(
        pairs=case.answer.pairs[low:high], kinds=case.answer.kinds[low:high], jobs=case.answer.jobs[low:high] - begin
    )
    part = slice(begin, end)
    return case._replace(
        jobs=case.jobs[part], rows_a=case.rows_a[part], rows_b=case.rows_b[part],
        boxes_a=case.boxes_a[part], boxes_b=case.boxes_b[part], answer=answer,
        resolutions=case.resolutions[part],
    )  # fmt: skip
