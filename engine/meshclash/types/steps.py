"""Long computations in slices: a query is written once, as a generator, and can be called at once or in slices.

``in_slices`` converts a generator, which yields progress and returns the result, to an ordinary function.
``steps(function, arguments)`` returns the generator of the function. For type checkers, ``help`` and ``inspect``, the
function has the arguments of the generator and the type of its result.
"""

import ast
from collections.abc import Callable, Collection, Generator, Mapping
from enum import Enum
from functools import update_wrapper
from inspect import GEN_CLOSED, getgeneratorstate, signature
from types import GeneratorType
from typing import Any, Final, Literal, ParamSpec, TypeVar, cast, get_args

from ..errors import UnsupportedOption
from ..messages import a_type, shown, suggestion
from .results import Progress

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Q = TypeVar("_Q")


class _Unanswered(Enum):
    UNANSWERED = "unanswered"


Unanswered = Literal[_Unanswered.UNANSWERED]
"""The type of ``UNANSWERED``, for type checkers."""
UNANSWERED: Final = _Unanswered.UNANSWERED
"""A solver returns this value to pass the query on to the next solver; None is a valid result."""


def in_slices(question: Callable[_P, Generator[Any, None, _T]]) -> Callable[_P, _T]:
    """Return an ordinary function that runs a generator function to its end; ``steps`` finds the generator."""
    return in_slices_unless(_no_short_way)(question)


def in_slices_unless(
    at_once: Callable[..., Any],
) -> Callable[[Callable[_P, Generator[Any, None, _T]]], Callable[_P, _T]]:
    """Like ``in_slices``, with a fast path: a function of the same arguments, which may return ``UNANSWERED``."""

    def made(question: Callable[_P, Generator[Any, None, _T]]) -> Callable[_P, _T]:
        asked = signature(question)
        known = frozenset(asked.parameters)

        def slices(*args: _P.args, **options: _P.kwargs) -> Generator[Any, None, _T]:
            if not known.issuperset(options):
                raise _unknown_option(question, options, known)
            return question(*args, **options)

        def answer(*args: _P.args, **options: _P.kwargs) -> _T:
            if not known.issuperset(options):
                raise _unknown_option(question, options, known)
            try:
                found: _T | Unanswered = at_once(*args, **options)
            except TypeError:
                question(*args, **options)  # tells the public name if the arguments do not fit
                raise
            return run(question(*args, **options)) if found is UNANSWERED else found

        function = cast(Any, update_wrapper(answer, question))
        result = _answer_of(asked.return_annotation)
        function.__signature__ = asked.replace(return_annotation=result)
        function.__annotations__ = {**question.__annotations__, "return": result}
        del function.__wrapped__  # otherwise tools would show the generator
        function.slices = slices
        return cast("Callable[_P, _T]", function)

    return made


def _answer_of(annotation: Any) -> Any:
    """Return the return type in a generator's annotation, which is a type or a string."""
    if not isinstance(annotation, str):
        return get_args(annotation)[-1]
    generator = cast(ast.Subscript, ast.parse(annotation, mode="eval").body)  # "Generator[Progress, None, Answer]"
    return ast.unparse(cast(ast.Tuple, generator.slice).elts[-1])


def _no_short_way(*_: object, **__: object) -> Unanswered:
    """Return ``UNANSWERED``: the fast path of functions without one."""
    return UNANSWERED


def _unknown_option(question: Callable[..., Any], options: Mapping[str, Any], known: Collection[str]) -> TypeError:
    """Return Python's error for an unknown option of a query, with the most similar option."""
    name = next(name for name in options if name not in known)
    near = suggestion(name, (option for option in known if option != "self"))
    return TypeError(f"{question.__name__}() got an unexpected keyword argument {shown(name)}{near}")


def steps(question: Callable[_P, _T], /, *args: _P.args, **options: _P.kwargs) -> Generator[Progress, None, _T]:
    """Run a query in slices of some milliseconds. Return a generator that yields ``Progress`` after each slice and
    finally returns the result of the query.

    The function ``run`` runs the generator to its end. To cancel the query, close the generator.

    Args:
        question: a function or method of MeshClash for long computations, for instance ``time_of_contact`` or
            ``scene.contacts``.
        args, options: the arguments of the query.

    Raises:
        UnsupportedOption: the function does not work in slices.

    Example:
        >>> import meshclash as mc
        >>> sphere = mc.shapes.sphere(1.0)
        >>> pose = [[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        >>> work = mc.steps(mc.distance, sphere, sphere, pose_b=pose)
        >>> print(round(mc.run(work).distance, 2))
        1.0
    """
    slices = getattr(question, "slices", None)  # a bound method has the attributes of its function
    if slices is None:
        name = getattr(question, "__qualname__", None)
        raise UnsupportedOption(f"{shown(question) if name is None else name} cannot run in steps: call it directly")
    owner = getattr(question, "__self__", None)
    made = slices(*args, **options) if owner is None else slices(owner, *args, **options)
    return cast("Generator[Progress, None, _T]", made)


def run(steps: Generator[Any, None, _T], tell: Callable[[Any], object] | None = None) -> _T:
    """Run a generator to its end, and return its result. The function ``tell`` is called with each value that the
    generator yields.

    Raises:
        UnsupportedOption: not a generator, or one that has already ended and lost its result; ``tell`` is not callable.

    Example:
        >>> import meshclash as mc
        >>> mc.run(mc.steps(mc.collides, mc.shapes.box(1.0), mc.shapes.box(0.5)), tell=None)
        False
    """
    if not isinstance(steps, Generator):
        raise UnsupportedOption(f"steps must be a generator from meshclash.steps, not {a_type(steps)}")
    if isinstance(steps, GeneratorType) and getgeneratorstate(steps) == GEN_CLOSED:
        raise UnsupportedOption("the generator has already ended or was closed: create a new one with meshclash.steps")
    if tell is not None and not callable(tell):
        raise UnsupportedOption(f"tell must be None or a function, not {shown(tell)}")
    return run_to_end(steps, tell)


def run_to_end(steps: Generator[Any, None, _T], tell: Callable[[Any], object] | None = None) -> _T:
    """Run a generator to its end and return its result, as ``run`` does, without checking the arguments."""
    while True:
        try:
            told = next(steps)
        except StopIteration as stop:
            return stop.value
        if tell is not None:
            tell(told)


def map_progress(steps: Generator[Any, None, _T], tell: Callable[[Any], Any]) -> Generator[Any, None, _T]:
    """Run a stage and yield ``tell(value)`` for each value that it yields; closing this generator closes the stage."""
    try:
        while True:
            try:
                told = next(steps)
            except StopIteration as stop:
                return stop.value
            yield tell(told)
    finally:
        steps.close()


def scale_progress(
    steps: Generator[Any, None, _T], low: float, high: float, text: str | None = None, prefix: str = ""
) -> Generator[Progress, None, _T]:
    """Run a stage and scale its progress to the part from ``low`` to ``high`` of the whole work.

    Args:
        steps: the stage, which yields fractions or Progress.
        low, high: fractions of the whole work at which the stage begins and ends, 0 to 1.
        text: description of the stage; None keeps the text of its Progress.
        prefix: prepended to that text.
    """

    def tell(told: Any) -> Progress:
        fraction, words = told if isinstance(told, Progress) else (told, "")
        words = words if text is None else text
        return Progress(low + (high - low) * fraction, prefix + words if prefix else words)

    return map_progress(steps, tell)


def hold_progress(steps: Generator[Any, None, _T], progress: _Q) -> Generator[_Q, None, _T]:
    """Run a stage and yield the same progress instead of each value that it yields."""
    return map_progress(steps, lambda _: progress)


def progress_fractions(steps: Generator[Progress, None, _T]) -> Generator[float, None, _T]:
    """Run a stage and yield the fraction of it that is done, 0 to 1."""
    return map_progress(steps, lambda told: told.fraction)
