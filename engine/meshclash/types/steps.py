"""Long work in slices: a question is written once, as a generator, and asked whole or in slices.

``in_slices`` makes an ordinary function of a generator that yields progress and returns the answer. ``steps(function,
arguments)`` is the generator behind it. Type checkers, ``help`` and ``inspect`` see the arguments and the answer.
"""

import ast
from collections.abc import Callable, Generator
from functools import update_wrapper
from inspect import signature
from typing import Any, ParamSpec, TypeVar, cast, get_args

from .results import Progress

_P = ParamSpec("_P")
_T = TypeVar("_T")


def in_slices(question: Callable[_P, Generator[Any, None, _T]]) -> Callable[_P, _T]:
    """An ordinary function that runs a generator function to its end; ``steps`` finds the generator."""
    return in_slices_unless(_no_short_way)(question)


def in_slices_unless(
    at_once: Callable[..., Any],
) -> Callable[[Callable[_P, Generator[Any, None, _T]]], Callable[_P, _T]]:
    """As ``in_slices``, for a question with a short way: a function of the same arguments, None where it has none."""

    def made(question: Callable[_P, Generator[Any, None, _T]]) -> Callable[_P, _T]:
        def answer(*args: _P.args, **options: _P.kwargs) -> _T:
            found: _T | None = at_once(*args, **options)
            return run(question(*args, **options)) if found is None else found

        function = cast(Any, update_wrapper(answer, question))
        asked = signature(question)
        result = _answer_of(asked.return_annotation)
        function.__signature__ = asked.replace(return_annotation=result)
        function.__annotations__ = {**question.__annotations__, "return": result}
        del function.__wrapped__  # tools would show the generator
        function.slices = question
        return cast("Callable[_P, _T]", function)

    return made


def _answer_of(annotation: Any) -> Any:
    """The type that a generator returns, of its annotation: a type, or the text of one."""
    if not isinstance(annotation, str):
        return get_args(annotation)[-1]
    generator = cast(ast.Subscript, ast.parse(annotation, mode="eval").body)  # "Generator[Progress, None, Answer]"
    return ast.unparse(cast(ast.Tuple, generator.slice).elts[-1])


def _no_short_way(*_: object, **__: object) -> None:
    """For ``in_slices``."""


def steps(question: Callable[_P, _T], /, *args: _P.args, **options: _P.kwargs) -> Generator[Progress, None, _T]:
    """Run a query in slices of some milliseconds: a generator that yields ``Progress`` and returns the answer.

    ``run`` takes it to its end; closing it before gives the question up.

    Args:
        question: a function or method of MeshClash that does long work, for instance ``time_of_contact``, or
            ``scene.contacts``.
        args, options: those of the question.

    Raises:
        TypeError: the function does not work in slices.
    """
    slices = getattr(question, "slices", None)  # a bound method has the attributes of its function
    if slices is None:
        raise TypeError(f"{getattr(question, '__qualname__', question)!s:.80} does not work in slices: call it")
    owner = getattr(question, "__self__", None)
    made = slices(*args, **options) if owner is None else slices(owner, *args, **options)
    return cast("Generator[Progress, None, _T]", made)


def run(steps: Generator[Any, None, _T], tell: Callable[[Any], object] | None = None) -> _T:
    """Run a generator to its end and return its result; ``tell`` is called with everything that it yields."""
    while True:
        try:
            told = next(steps)
        except StopIteration as stop:
            return stop.value
        if tell is not None:
            tell(told)


def retold(steps: Generator[Any, None, _T], tell: Callable[[Any], Any]) -> Generator[Any, None, _T]:
    """Run a stage, and yield what ``tell`` makes of each thing that it yields; closing this closes the stage."""
    try:
        while True:
            try:
                told = next(steps)
            except StopIteration as stop:
                return stop.value
            yield tell(told)
    finally:
        steps.close()


def scaled(
    steps: Generator[Any, None, _T], low: float, high: float, text: str | None = None
) -> Generator[Progress, None, _T]:
    """Run a stage as the part from ``low`` to ``high`` of the whole work.

    Args:
        steps: yields fractions, or Progress.
        low, high: where the stage begins and ends, 0 to 1.
        text: what the stage does; None leaves it to the stage's own Progress.
    """

    def tell(told: Any) -> Progress:
        fraction, words = told if isinstance(told, Progress) else (told, "")
        return Progress(low + (high - low) * fraction, words if text is None else text)

    return retold(steps, tell)


def always(value: Any, steps: Generator[Any, None, _T]) -> Generator[Any, None, _T]:
    """Run a stage, and yield one value in place of all that it yields."""
    return retold(steps, lambda _: value)


def shares(steps: Generator[Progress, None, _T]) -> Generator[float, None, _T]:
    """Run a stage, and yield how much of it is done, 0 to 1."""
    return retold(steps, lambda told: told.fraction)
