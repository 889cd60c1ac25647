"""Run tasks in several processes of this machine; if one is killed, only its task is repeated."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.frame_scene import Progress
from meshclash.clash.tasks import TaskAnswer, answer_of, task_text
from meshclash.clash.timeline import RangeTask
from tasks.program import ATTEMPTS, QUESTION, Program, answer_file

PAUSE = 0.02  # seconds between two looks at the processes
WRONG = "wrong: "  # begins an answer that is the message of an InputError


@dataclass
class _Worker:
    program: Program
    task: int | None = None


class Processes:
    """Runs tasks in processes that each open the file.

    Args:
        count: how many processes.
        command: starts one; the folder with the question is put behind it.
        question: the text that each of them is given, as `question.json`.
    """

    def __init__(self, count: int, command: Sequence[str], question: str) -> None:
        self._count, self._command, self._question = count, list(command), question
        self._workers: list[_Worker] = []
        self._started = 0

    def run_steps(
        self, tasks: Iterable[RangeTask], total: int, take: Callable[[TaskAnswer], None]
    ) -> Generator[Progress, None, None]:
        """Implement `Workers.run_steps`; no process is left when it ends, is closed or fails."""
        folder = Path(tempfile.mkdtemp(prefix="meshclash-"))
        try:
            (folder / QUESTION).write_text(self._question, encoding="utf-8", errors="surrogateescape")
            yield from self._run_steps(folder, list(tasks), total, take)
        finally:
            for worker in self._workers:
                worker.program.end()
            self._workers = []
            shutil.rmtree(folder, ignore_errors=True)

    def _run_steps(
        self, folder: Path, tasks: list[RangeTask], total: int, take: Callable[[TaskAnswer], None]
    ) -> Generator[Progress, None, None]:
        waiting, attempts, taken, done = list(range(len(tasks)))[::-1], [0] * len(tasks), 0, 0
        while taken < len(tasks):
            for worker in [worker for worker in self._workers if not worker.program.running]:
                self._workers.remove(worker)
                waiting += self._lost(worker, folder, tasks, attempts)
            while waiting and len(self._workers) < min(self._count, len(tasks) - taken):
                self._workers.append(self._start(folder))
            for worker in self._workers:
                if worker.task is not None and answer_file(folder, worker.task).exists():
                    done += len(tasks[worker.task].frames)
                    worker.task = None
                if worker.task is None and waiting:
                    worker.task = waiting.pop()
                    attempts[worker.task] += 1
                    worker.program.ask(worker.task, task_text(tasks[worker.task]))
            while taken < len(tasks) and answer_file(folder, taken).exists():
                take(_read_answer(answer_file(folder, taken)))
                taken += 1
            yield Progress(done / total, f"{len(self._workers)} processes, {done:,} of {total:,} frames")
            if taken < len(tasks):
                time.sleep(PAUSE)

    def _start(self, folder: Path) -> _Worker:
        number, self._started = self._started, self._started + 1
        threads = max(1, (os.cpu_count() or 1) // self._count)
        try:
            return _Worker(Program(self._command, folder, f"log-{number}.txt", threads))
        except OSError as error:
            raise DetectError(f"a process cannot be started with '{self._command[0]}': {error.strerror}") from error

    def _lost(self, worker: _Worker, folder: Path, tasks: list[RangeTask], attempts: list[int]) -> list[int]:
        """Return the tasks to repeat after a process has ended.

        Raises:
            DetectError: it was tried often enough, or the process could not even begin.
        """
        worker.program.end()
        task = worker.task
        if task is None or answer_file(folder, task).exists():
            return []
        if attempts[task] < ATTEMPTS:
            return [task]
        raise DetectError(f"{tasks[task]} cannot be asked: the process for them {worker.program.ending()}")


def _read_answer(path: Path) -> TaskAnswer:
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    path.unlink()
    return read_answer(text)


def read_answer(text: str) -> TaskAnswer:
    """Return the answer that a worker process has written; raises InputError if it reports an error."""
    if text.startswith(WRONG):
        raise InputError(text.removeprefix(WRONG))
    return answer_of(text)
