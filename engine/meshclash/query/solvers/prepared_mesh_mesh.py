"""One pose of each of two meshes on the CPU: the shortest way of the question; builds hierarchies that are missing."""

from collections.abc import Callable, Generator
from typing import Any

from ..shortcuts.record import records_of
from ..table import Asked


def solve(asked: Asked) -> Generator[float, None, Any] | None:
    """What ``Query.at_once`` says of the records of both; None where it does not answer."""
    if asked.query.at_once is None or asked.stacked or asked.may_use_device:
        return None
    return _told_steps(asked, asked.query.at_once)


def _told_steps(asked: Asked, tell: Callable[..., Any]) -> Generator[float, None, Any]:
    yield 0.0
    records = records_of(*asked.things, asked.options.volume)
    if records is None:
        return None
    named = {name: getattr(asked.options, name) for name in tell.__kwdefaults__ or ()}
    return tell(*records, *asked.poses, **named)
