"""Programs that workers run: a process that is asked by lines and answers by files, and one that runs once for a task.

A command begins with the program, "" for the Python of this process. Where a worker's machine has it elsewhere, an
environment variable of the worker says so: for the program called "detect" it is ``MESHCLASH_DETECT``.
"""

import atexit
import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from meshclash.errors import WorkersUnavailable

from .files import FileMark, check_file

QUESTION = "question.json"
"""What a program finds in its folder when it starts."""
ATTEMPTS = 3
"""How often a task is begun before it is given up: a task that ends its process would do so for ever."""
_PAUSE = 0.02
_LOG_LINES = 12


class Program:
    """A process with a folder, its only argument: a line "NUMBER TEXT" on stdin asks for the file answer-NUMBER.json.

    Answers are renamed when they are complete, so the process may be killed at any time.

    Args:
        command: starts it.
        folder: exists.
        log: what the process prints, a file of the folder.
        threads: of the engine, unless the environment says how many.
    """

    def __init__(self, command: Sequence[str], folder: Path, log: str, threads: int) -> None:
        self._folder, self._log = folder, folder / log
        environment = {"NUMBA_NUM_THREADS": str(threads), **os.environ}
        with self._log.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, str(folder)], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
                env=environment, text=True, encoding="utf-8",
            )  # fmt: skip

    def ask(self, number: int, text: str) -> None:
        """Give it a task."""
        with contextlib.suppress(OSError):  # it has just ended: the next look finds that
            assert self.process.stdin is not None
            self.process.stdin.write(f"{number} {text}\n")
            self.process.stdin.flush()

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def end(self) -> None:
        """Kill it."""
        if self.running:
            self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # what was not written to it any more
            assert self.process.stdin is not None
            self.process.stdin.close()

    def ending(self) -> str:
        """How it ended, and its last lines."""
        code = self.process.returncode
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([f"{how}, {ATTEMPTS} times; its last lines:", *said[-_LOG_LINES:]])


def answer_file(folder: Path, number: int) -> Path:
    """Where the answer of a task is put, and seen as soon as it is complete."""
    return folder / f"answer-{number}.json"


class _Kept:
    """The program of this worker, which the next task may ask again."""

    def __init__(self, key: tuple[Any, ...], command: list[str], question: str) -> None:
        self.key = key
        self.folder = Path(tempfile.mkdtemp(prefix="meshclash-"))
        (self.folder / QUESTION).write_text(question, encoding="utf-8", errors="surrogateescape")
        self.program = Program(command, self.folder, "log.txt", 1)
        self.asked = 0

    def close(self) -> None:
        self.program.end()
        shutil.rmtree(self.folder, ignore_errors=True)


_kept: list[_Kept] = []
"""At most one."""


@atexit.register
def _close() -> None:
    while _kept:
        _kept.pop().close()


def ask_program(given: dict[str, Any]) -> dict[str, Any]:
    """The answer of a program that stays open between tasks: what a worker does for frames.

    Args:
        given: "name" and "command" of the program; "files" that must be the client's; "question" for its folder, and
            the "line" to ask.

    Raises:
        InvalidFile: a file is another one here.
        WorkersUnavailable: the program cannot be started, or ended by itself again and again.
    """
    for attempt in range(1, ATTEMPTS + 1):
        kept = _program_of(given)
        kept.asked += 1
        kept.program.ask(kept.asked, given["line"])
        path = answer_file(kept.folder, kept.asked)
        while kept.program.running and not path.exists():
            time.sleep(_PAUSE)
        if path.exists():
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            path.unlink()
            return {"answer": text.encode("utf-8", "surrogateescape")}
        kept.program.end()
        ending = kept.program.ending()
        _close()
        if attempt == ATTEMPTS:
            raise WorkersUnavailable(f"the process for it {ending}")
    raise AssertionError("the last attempt returns or raises")


def _program_of(given: dict[str, Any]) -> _Kept:
    key = tuple(given["command"]), given["question"], tuple(map(tuple, given["files"]))
    if not _kept or _kept[0].key != key:
        _close()
        for mark in given["files"]:
            check_file(FileMark(*mark))
        command = command_here(given["name"], given["command"])
        try:
            _kept.append(_Kept(key, command, given["question"]))
        except OSError as error:
            raise _no_program(given["name"], command, error) from None
    return _kept[0]


def command_here(name: str, command: Sequence[str]) -> list[str]:
    """How a program is started on this machine."""
    own = os.environ.get(_variable(name))
    if own:
        return shlex.split(own)
    return [command[0] or sys.executable, *command[1:]]


def _variable(name: str) -> str:
    return f"MESHCLASH_{name.upper()}"


def _no_program(name: str, command: Sequence[str], error: OSError) -> WorkersUnavailable:
    return WorkersUnavailable(
        f"{command[0]} cannot be started on this worker: {error.strerror}; set {_variable(name)} there to the command"
    )


def run_command(given: dict[str, Any]) -> dict[str, Any]:
    """Run a program once: what a worker does for a file of a batch.

    Args:
        given: "name" and "command" of the program; "files" that must be the client's; "arguments" for it, of which
            "{folder}" stands for a new folder; the "output" that it writes there.

    Returns:
        Its exit "code", what it "said" on stdout and on stderr, and the "output" as bytes, None where it wrote none.

    Raises:
        As ``ask_program``.
    """
    for mark in given["files"]:
        check_file(FileMark(*mark))
    command = command_here(given["name"], given["command"])
    with tempfile.TemporaryDirectory(prefix="meshclash-") as folder:
        arguments = [argument.replace("{folder}", folder) for argument in given["arguments"]]
        try:
            done = subprocess.run([*command, *arguments], capture_output=True, stdin=subprocess.DEVNULL, check=False)
        except OSError as error:
            raise _no_program(given["name"], command, error) from None
        path = Path(folder) / given["output"]
        output = path.read_bytes() if path.exists() else None
    return {"code": done.returncode, "said": (done.stdout, done.stderr), "output": output}
