"""Tasks worked off by several processes of this machine; one that is killed costs its task's time and nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from addon.core.errors import DetectError, InputError
from addon.core.frame_scene import Progress
from addon.core.tasks import TaskAnswer, answer_of, task_text
from addon.core.timeline import RangeTask

ATTEMPTS = 3
"""How often a task is begun before it is given up: a task that ends its process would do so for ever."""
PAUSE = 0.02  # seconds between two looks at the processes
LOG_LINES = 12  # of a process that ended, in the message
QUESTION = "question.json"
WRONG = "wrong: "  # begins an answer that is the message of an InputError


@dataclass
class _Worker:
    process: subprocess.Popen[str]
    log: IO[bytes]
    number: int
    task: int | None = None


class Processes:
    """Works off tasks in processes that each open the file for themselves.

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
        """As `Workers`; when it ends, is closed or fails, no process is left."""
        folder = Path(tempfile.mkdtemp(prefix="meshclash-"))
        try:
            (folder / QUESTION).write_text(self._question, encoding="utf-8", errors="surrogateescape")
            yield from self._run_steps(folder, list(tasks), total, take)
        finally:
            for worker in self._workers:
                _end(worker)
            self._workers = []
            shutil.rmtree(folder, ignore_errors=True)

    def _run_steps(
        self, folder: Path, tasks: list[RangeTask], total: int, take: Callable[[TaskAnswer], None]
    ) -> Generator[Progress, None, None]:
        waiting, attempts, taken, done = list(range(len(tasks)))[::-1], [0] * len(tasks), 0, 0
        while taken < len(tasks):
            for worker in [worker for worker in self._workers if worker.process.poll() is not None]:
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
                    _give(worker, tasks[worker.task])
            while taken < len(tasks) and answer_file(folder, taken).exists():
                take(_read_answer(answer_file(folder, taken)))
                taken += 1
            yield Progress(done / total, f"{len(self._workers)} processes, {done:,} of {total:,} frames")
            if taken < len(tasks):
                time.sleep(PAUSE)

    def _start(self, folder: Path) -> _Worker:
        number, self._started = self._started, self._started + 1
        log = (folder / f"log-{number}.txt").open("wb")
        threads = str(max(1, (os.cpu_count() or 1) // self._count))
        environment = {"NUMBA_NUM_THREADS": threads, **os.environ}
        try:
            process = subprocess.Popen(
                [*self._command, str(folder)], stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT,
                env=environment, text=True, encoding="utf-8",
            )  # fmt: skip
        except OSError as error:
            log.close()
            raise DetectError(f"a process cannot be started with '{self._command[0]}': {error.strerror}") from error
        return _Worker(process, log, number)

    def _lost(self, worker: _Worker, folder: Path, tasks: list[RangeTask], attempts: list[int]) -> list[int]:
        """What is to be done again after a process has ended.

        Raises:
            DetectError: it was tried often enough, or the process could not even begin.
        """
        _end(worker)
        task = worker.task
        if task is None or answer_file(folder, task).exists():
            return []
        if attempts[task] < ATTEMPTS:
            return [task]
        said = (folder / f"log-{worker.number}.txt").read_text(encoding="utf-8", errors="replace").splitlines()
        raise DetectError(
            "\n".join(
                [
                    f"{tasks[task]} cannot be asked: the process for them {_ending(worker.process.returncode)}, "
                    f"{ATTEMPTS} times; its last lines:",
                    *said[-LOG_LINES:],
                ]
            )
        )


def _give(worker: _Worker, task: RangeTask) -> None:
    with contextlib.suppress(OSError):  # it has just ended: the next look finds that
        assert worker.process.stdin is not None
        worker.process.stdin.write(f"{worker.task} {task_text(task)}\n")
        worker.process.stdin.flush()


def _end(worker: _Worker) -> None:
    if worker.process.poll() is None:
        worker.process.kill()
    worker.process.wait()
    with contextlib.suppress(OSError):  # what was not written to it any more
        assert worker.process.stdin is not None
        worker.process.stdin.close()
    worker.log.close()


def _ending(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"


def answer_file(folder: Path, task: int) -> Path:
    """Where the answer of a task is put, and seen as soon as it is complete."""
    return folder / f"answer-{task}.json"


def _read_answer(path: Path) -> TaskAnswer:
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    path.unlink()
    if text.startswith(WRONG):
        raise InputError(text.removeprefix(WRONG))
    return answer_of(text)
