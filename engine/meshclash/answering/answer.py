"""The answer to any question, in slices."""

from collections.abc import Generator

from ..traversal.question import Answer, Goal, Question
from .exact_contacts import contacts_steps
from .exact_distances import nearest_steps, within_steps

_ANSWERS = {Goal.CONTACTS: contacts_steps, Goal.NEAREST: nearest_steps, Goal.WITHIN: within_steps}


def answer_steps(question: Question) -> Generator[float, None, Answer]:
    """Answer in slices of a few milliseconds, yielding the share of jobs done.

    The bytes of the answer are the same whichever engine gives it; ``device`` and ``note`` say which it was, and why.
    """
    steps = contacts_steps if question.first_only else _ANSWERS[question.goal]
    return (yield from steps(question))
