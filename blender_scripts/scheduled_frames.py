"""Ranges of frames worked off by Dask: on each worker a process that opens the file for itself and is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path

from frame_workers import read_answer
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.frame_scene import Progress
from meshclash.clash.tasks import TaskAnswer, task_text
from meshclash.clash.timeline import RangeTask

HERE = "local"
"""In place of an address: workers on this machine, which are started."""


class ScheduledFrames:
    """`Workers` of a Dask scheduler.

    Args:
        scheduler: its address, or `HERE`.
        count: how many workers to start `HERE`; 1: one for each core.
        command: starts a process for frames; "" stands for the worker's Python.
        question: as `Processes` takes it.
    """

    def __init__(self, scheduler: str, count: int, command: Sequence[str], question: str) -> None:
        self._scheduler = None if scheduler == HERE else scheduler
        self._count = count if scheduler == HERE and count > 1 else None
        self._command, self._question = list(command), question

    def run_steps(
        self, tasks: Iterable[RangeTask], total: int, take: Callable[[TaskAnswer], None]
    ) -> Generator[Progress, None, None]:
        """As `Workers`."""
        from meshclash.errors import InvalidFile, MeshClashError
        from tasks.files import mark_of_file
        from tasks.task import Task

        try:
            from tasks.dask_workers import DaskWorkers

            mark = mark_of_file(Path(json.loads(self._question)["file"]))
            given = {"name": "frame_worker", "command": self._command, "question": self._question, "files": [mark]}
            asked = [Task("program", {**given, "line": task_text(task)}, str(task)) for task in tasks]
            with DaskWorkers(self._scheduler, self._count) as workers:
                for progress in workers.run_steps(asked, lambda answer: take(_answer_of(answer))):
                    yield Progress(progress.fraction, progress.text)
        except InvalidFile as error:
            raise InputError(str(error)) from error
        except MeshClashError as error:
            raise DetectError(str(error)) from error


def _answer_of(answer: dict[str, bytes]) -> TaskAnswer:
    return read_answer(answer["answer"].decode("utf-8", "surrogateescape"))
