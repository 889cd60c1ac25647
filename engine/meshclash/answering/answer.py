"""Answer any question about pairs of trees, in slices."""

from collections.abc import Generator

from ..traversal.question import Answer, Goal, Question
from .exact_contacts import contacts_steps
from .exact_distances import nearest_steps, within_steps

_ANSWERS = {Goal.CONTACTS: contacts_steps, Goal.NEAREST: nearest_steps, Goal.WITHIN: within_steps}


def answer_steps(question: Question) -> Generator[float, None, Answer]:
    """Answer a question in slices of a few milliseconds; yields the fraction of jobs done.

    All engines give the same answer, byte by byte. ``device`` and ``note`` tell which engine was used, and why.
    """
    steps = contacts_steps if question.first_only else _ANSWERS[question.goal]
    return (yield from steps(question))
