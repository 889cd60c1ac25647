"""Questions of the engine that note when they are asked in slices."""

import functools


def noted(question, seen):
    """The question as it is; ``seen`` gets its arguments each time that it is asked in slices."""
    owner = getattr(question, "__self__", None)

    def slices(*given, **options):
        seen.append(given)
        return question.slices(*given, **options) if owner is None else question.slices(owner, *given, **options)

    return asked_by(slices, question)


def asked_by(slices, question):
    """A question that is answered by a generator in place of its own."""

    @functools.wraps(question)
    def asked(*given, **options):
        return question(*given, **options)

    asked.slices = slices
    return asked
