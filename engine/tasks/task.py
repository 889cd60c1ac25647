"""What a task is, who works tasks off, and the works that there are.

A task is plain data: the name of a work and what it is given (paths, numbers, text, arrays). Its answer is plain data,
too. Answers are handed on in the order of the tasks, so a result does not depend on who worked when.
"""

from collections.abc import Callable, Generator, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from meshclash import __version__
from meshclash.errors import WorkersUnavailable
from meshclash.jit import SOURCES
from meshclash.types.results import Progress

VERSION = f"{__version__} (sources {SOURCES})"
"""That client and workers must have in common."""
WORKS = {"contacts": ".contacts:contacts_of_tile", "program": ".program:ask_program", "command": ".program:run_command"}
"""Where in this folder the function is that a work calls; it takes and returns a dict of plain data."""


class Task(NamedTuple):
    """A part of some work."""

    work: str
    """A key of WORKS."""
    given: dict[str, Any]
    """Plain data."""
    name: str
    """For people: what errors and progress call it."""


Take = Callable[[dict[str, Any]], object]
"""Is given the answers in the order of the tasks, each as soon as all before it are there."""


class Workers(Protocol):
    """Who works off tasks."""

    def run_steps(self, tasks: Sequence[Task], take: Take) -> Generator[Progress, None, None]:
        """Work off tasks; closing this gives up those that are not done.

        Raises:
            MeshClashError: what a task raised.
            WorkersUnavailable: the workers cannot do it; the message says why.
        """
        ...


class ThisProcess:
    """Works off one task after the other."""

    def run_steps(self, tasks: Sequence[Task], take: Take) -> Generator[Progress, None, None]:
        """As ``Workers``."""
        for k, task in enumerate(tasks):
            yield Progress(k / len(tasks), task.name)
            take(work_off(VERSION, task.work, task.given))


def work_off(version: str, work: str, given: dict[str, Any]) -> dict[str, Any]:
    """The answer of a task of a client of some version; raises WorkersUnavailable where that is not this one."""
    if version != VERSION:
        raise WorkersUnavailable(f"the client is meshclash {version}, this worker is meshclash {VERSION}")
    module, _, name = WORKS[work].partition(":")
    answer: dict[str, Any] = getattr(import_module(module, __package__), name)(given)
    return answer
