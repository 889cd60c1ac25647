"""One pose of each of two meshes on the CPU: the shortest way of the question; builds hierarchies that are missing."""

from collections.abc import Generator
from typing import Any

from ...types.steps import UNANSWERED
from ..shortcuts.record import records_of
from ..table import Request


def solve(asked: Request) -> Generator[float, None, Any]:
    """What ``Query.at_once`` says of the records of both; ``UNANSWERED`` where it does not answer."""
    tell = asked.query.at_once
    if tell is None or asked.stacked or asked.may_use_device:
        return UNANSWERED
    yield 0.0
    records = records_of(*asked.things, asked.options.volume)
    if records is None:
        return UNANSWERED
    named = {name: getattr(asked.options, name) for name in tell.__kwdefaults__ or ()}
    return tell(*records, *asked.poses, **named)
