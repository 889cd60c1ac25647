"""Compute any question about pairs of trees, in slices."""

from collections.abc import Generator

from ..traversal.question import Answer, Goal, Question
from .exact_contacts import contacts_steps
from .exact_distances import nearest_steps, within_steps

_ANSWERS = {Goal.CONTACTS: contacts_steps, Goal.NEAREST: nearest_steps, Goal.WITHIN: within_steps}


def answer_steps(question: Question) -> Generator[float, None, Answer]:
    """Compute a question in slices of a few milliseconds; yields the finished fraction of jobs.

    All engines give identical results, byte for byte. ``device`` and ``note`` tell which engine was used, and why.
    """
    steps = contacts_steps if question.first_only else _ANSWERS[question.goal]
    return (yield from steps(question))
