"""The second stage of an answer: what the contacts of a case mean for each pair of objects, in portions."""

from collections.abc import Generator, Iterator, Mapping

import numpy as np

from ..solid.case import Case, Limits
from ..solid.judge import judge
from ..solid.pair_verdict import PairVerdict, contacts_between
from ..types.steps import hold_progress, steps
from ..types.verdict import APART, CLASH, TOUCHING
from .results import FirstContact

_PORTION_PAIRS, _PORTION_CONTACTS = 1024, 65536  # judged together
_SURELY = 1.0 + 1e-6  # permitted lengths are compared with a rounding of less than this


def verdict_portions(
    case: Case, identifiers: np.ndarray, limits: Limits, names: Mapping[int, str]
) -> Generator[tuple[int, list[PairVerdict]], None, None]:
    """The pairs of a case that are not apart, in portions: how many pairs are done, and what was found since.

    Args:
        case: as ``Scene.case_steps`` gives it.
        identifiers: the ids (k, 2) of its pairs.
        limits: lengths that a verdict allows for.
        names: of objects, by their ids.
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


def stays(pair: PairVerdict, limits: Limits, rounding: float) -> bool:
    """Whether the measures of two meshes that are not apart prove the same verdict with other permitted overlaps.

    Args:
        pair: what was answered.
        limits: the new ones.
        rounding: what the resolutions of both meshes come to [m].
    """
    if pair.flush:
        return False
    touching = pair.verdict is TOUCHING
    if touching and pair.depth is None and pair.depth_upper is None:
        return True  # there is no common volume to permit
    if limits.by_resolution:
        return False
    permitted = limits.permitted_overlap
    if touching:
        return pair.depth_upper is not None and pair.depth_upper <= permitted
    at_least = pair.depth if pair.depth_lower is None else pair.depth_lower  # of open meshes without bounds
    if pair.verdict is CLASH and permitted > pair.permitted_overlap < rounding:
        return False  # more of what sticks out may be rounding
    return pair.verdict is not CLASH or (at_least is not None and at_least > _SURELY * permitted)


def first_contacts_of(case: Case, jobs: np.ndarray, pairs: np.ndarray) -> Iterator[FirstContact]:
    """The contacts of some pairs (n,) of a case that was asked for first contacts only, and that meet.

    Args:
        case: the pairs, asked for first contacts only.
        jobs: which of them meet.
        pairs: the ids (k, 2) of all.
    """
    starts, answer, trees = case.starts.tolist(), case.answer, case.jobs
    for job, (a, b) in zip(jobs.tolist(), pairs[jobs].tolist(), strict=True):
        own, rows = slice(starts[job], starts[job + 1]), slice(job, job + 1)
        placed = case.rows_a[rows], case.rows_b[rows]
        contacts = contacts_between(answer.pairs[own], answer.kinds[own], trees[job], case.meshes, placed)
        yield FirstContact(a, b, contacts)


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
