"""Build a store in child processes, which share a folder and take one part of the warm-up after another.

Each run has its own temporary folder, which only this user can enter. Its file ``wanted`` lists the parts to compile,
in order, and may change during the run. Each part that a process has taken has a file with its progress. Kernels are
compiled in that folder. When a part is finished, its kernels are copied into the store with a new manifest, so they can
be loaded even if the rest of the build fails. A process ends when no part is left, or when its parent process has
ended, which it notices because writing to its output fails. The processes run ``__main__.py``.
"""

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import store
from .folders import find_folder
from .processors import levels_here, processor_of

PATIENCE = 300.0
"""Seconds without a new kernel after which the build counts as stuck. The slowest kernel takes about 15 seconds."""
WORK, GENTLY = "work", "--gently"
_WANTED, _LOG, _LOCK = "wanted", "log.txt", "locked"
_LOG_LINES = 3
_UNFINISHED, _DONE = ".part", "1"
_USUAL_SECONDS = 1.0
_SECONDS = {
    "contacts": 8, "scenes": 3, "depths": 15, "verdicts": 6, "points": 3, "large": 6, "more": 15, "gaps": 2,
    "distances": 4, "clouds": 16, "probabilities": 6, "continuous": 25, "voxels": 5, "motion": 3, "massive": 15,
    "paper": 2, "seldom": 2, "penetration": 4, "boxtree contacts": 3, "dop6 contacts": 2,
}  # fmt: skip
"""Seconds of processor time for each part, compiled in this order on a machine of 2024.

Only their ratios matter once a build has run for a while.
"""


class Run:
    """The folder that the processes of a build share.

    Args:
        folder: an existing folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def want(self, parts: Sequence[str]) -> None:
        """Set the parts to compile, in this order."""
        self._write(_WANTED, json.dumps(list(parts)))

    def wanted(self) -> list[str]:
        """Return the parts to compile, as last set by ``want``."""
        return list(json.loads((self.folder / _WANTED).read_text(encoding="utf-8")))

    def take(self) -> str | None:
        """Take the next part that no process has taken, and return it; None if all parts are taken."""
        for part in self.wanted():
            with contextlib.suppress(FileExistsError):
                self._file(part).touch(exist_ok=False)
                return part
        return None

    def tell(self, part: str, fraction: float) -> None:
        """Record which share of a part has been compiled."""
        self._write(self._file(part).name, f"{fraction:.3f}")

    def tell_done(self, part: str) -> None:
        """Record that a part is in the store."""
        self._write(self._file(part).name, _DONE)

    def beat(self, part: str) -> None:
        """Record that a kernel was compiled."""
        with contextlib.suppress(OSError):
            os.utime(self._file(part))

    def told(self) -> dict[str, float]:
        """Return the progress of each part that was taken: 1.0 when the part is in the store."""
        found = {}
        for path in self.folder.glob(f"*{_UNFINISHED}"):
            with contextlib.suppress(OSError, ValueError):
                text = path.read_text(encoding="utf-8")
                found[path.stem] = 1.0 if text == _DONE else min(max(0.0, float(text or 0.0)), 0.99)
        return found

    def last_beat(self) -> float:
        """Return when a kernel was last compiled, as a file's modification time; 0.0 if no kernel was compiled."""
        times = [0.0]
        for path in self.folder.glob(f"*{_UNFINISHED}"):
            with contextlib.suppress(OSError):
                times.append(path.stat().st_mtime)
        return max(times)

    @contextlib.contextmanager
    def alone(self, beat: Callable[[], None]) -> Any:
        """Lock the run: only one process at a time can be inside this block. The function calls ``beat`` while it
        waits.
        """
        lock = self.folder / _LOCK
        while True:
            try:
                lock.mkdir()
                break
            except FileExistsError:
                beat()
                time.sleep(0.02)
        try:
            yield
        finally:
            lock.rmdir()

    def _file(self, part: str) -> Path:
        return self.folder / f"{part}{_UNFINISHED}"

    def _write(self, name: str, text: str) -> None:
        unfinished = self.folder / f"{name}.{uuid.uuid4().hex[:16]}"  # unique: a signal handler may write, too
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(self.folder / name)


class BuildState(NamedTuple):
    """Progress of a build."""

    fraction: float
    seconds: float
    """Estimated seconds that are left."""
    running: str
    """Names of the parts that are being compiled."""


class Builder:
    """Processes that build one store; ``add_process`` starts them.

    Args:
        target: folder of the store; created if missing.
        level: processor level.
        parts: parts of the warm-up, in the order in which they are compiled.
        gently: lower the priority of the processes.
        command: command that starts a process, for tests; the arguments are appended.

    Attributes:
        problem: why the build has failed; "" if it has not failed.
        wanted: the parts, in the order in which they are compiled.
    """

    def __init__(
        self, target: Path, level: str, parts: Sequence[str], gently: bool = False, command: Sequence[str] = ()
    ) -> None:
        self.target, self.level = target, level
        self.problem = ""
        self._command = command or (sys.executable, "-P", "-s", "-m", f"{Path(__file__).parents[1].name}.kernels")
        self._options = (GENTLY,) if gently else ()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._started = time.monotonic()
        self._seen = 0.0, self._started
        self.run = Run(Path(tempfile.mkdtemp(prefix="meshclash-kernels-")))
        self.wanted = list(parts)
        self.run.want(self.wanted)

    def want_first(self, parts: Sequence[str]) -> None:
        """Compile these parts before all other parts that were not begun."""
        self.wanted = [*parts, *(part for part in self.wanted if part not in parts)]
        self.run.want(self.wanted)

    def add_process(self) -> None:
        """Start one more process. If the process cannot be started, ``problem`` contains the reason."""
        arguments = [WORK, str(self.run.folder), str(self.target), self.level, *self._options]
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        try:
            with (self.run.folder / _LOG).open("ab") as log:
                self._processes.append(
                    subprocess.Popen(
                        [*self._command, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                        env=_environment(self.run.folder, self.level), cwd=self.run.folder, creationflags=flags,
                    )
                )  # fmt: skip
        except OSError as error:
            self._fail(f"'{self._command[0]}' cannot be started: {error.strerror or error}")

    @property
    def open_parts(self) -> int:
        """Number of parts that wait for a process, minus the processes that have not taken a part yet."""
        told = self.run.told()
        waiting = sum(part not in told for part in self.wanted)
        busy = sum(share < 1.0 for share in told.values())
        return waiting - (len(self._processes) - busy)

    @property
    def processes(self) -> int:
        """Number of running processes. Also checks whether one has failed, or the build is stuck."""
        if self.problem:
            return 0
        for process in list(self._processes):
            code = process.poll()
            if code is not None:
                self._processes.remove(process)
                _close(process)
                if code:
                    self._fail(self._last_words(code))
                    return 0
        if self._seen[0] != self.run.last_beat():
            self._seen = self.run.last_beat(), time.monotonic()
        if self._processes and time.monotonic() - self._seen[1] > PATIENCE:
            self._fail(f"no kernel was compiled for {PATIENCE:.0f} seconds")
        return len(self._processes)

    def missing(self, parts: Sequence[str]) -> list[str]:
        """Return the given parts that are not in the store yet."""
        told = self.run.told() if self.run.folder.exists() else {}
        return [part for part in parts if told.get(part) != 1.0]

    def state(self, parts: Sequence[str] | None = None) -> BuildState:
        """Return the progress of some parts, or of all wanted parts."""
        told, wanted = self.run.told(), self.wanted if parts is None else list(parts)
        done = sum(told.get(part, 0.0) * cost(part) for part in wanted)
        whole = sum(map(cost, wanted))
        begun = sum((1.0 - share) * cost(part) for part, share in told.items() if part not in wanted)
        everything = sum(share * cost(part) for part, share in told.items())
        elapsed = time.monotonic() - self._started
        pace = (elapsed + cost("contacts")) / (everything + cost("contacts"))  # at first as on the machine of _SECONDS
        running = ", ".join(part for part, share in told.items() if share < 1.0)
        return BuildState(done / max(whole, 1e-9), (whole - done + begun) * pace, running)

    def stop(self) -> None:
        """End the processes and remove their folder. Kernels in the store are kept."""
        for process in self._processes:
            process.kill()
            process.wait()
            _close(process)
        self._processes.clear()
        shutil.rmtree(self.run.folder, ignore_errors=True)

    def _fail(self, why: str) -> None:
        self.problem = why
        self.stop()

    def _last_words(self, code: int) -> str:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        with contextlib.suppress(OSError):
            said = (self.run.folder / _LOG).read_text(encoding="utf-8", errors="replace").splitlines()
            return ": ".join([f"a process that compiles {how}", *filter(None, ["; ".join(said[-_LOG_LINES:])])])
        return f"a process that compiles {how}"


def own_builder(parts: Sequence[str]) -> Builder:
    """Start a low-priority process that builds this user's store for this processor, and return its builder.

    Args:
        parts: parts of the warm-up, in the order in which they are compiled.

    Raises:
        OSError: this user has no writable folder, or the processor has no known level.
    """
    folder, levels = find_folder(store.OWN_NAME), levels_here()
    if not levels:
        raise OSError("there are no kernels for this type of processor")
    if folder.path is None or not folder.writable:
        raise OSError(folder.note or f"{folder.path} can only be read")
    builder = Builder(folder.path / store.store_name(levels[0]), levels[0], parts, gently=True)
    builder.add_process()
    return builder


def cost(part: str) -> float:
    """Estimated seconds of processor time for a part."""
    return _SECONDS.get(part, _USUAL_SECONDS)


def _environment(folder: Path, level: str) -> dict[str, str]:
    """Return the environment variables of a process.

    The process imports the engine and its libraries from the same folders as this process; other Python settings are
    removed.
    """
    name, features = processor_of(level)
    places = [Path(__file__).resolve().parents[2]]
    for library in ("numba", "llvmlite", "numpy"):
        spec = importlib.util.find_spec(library)
        if spec is not None and spec.origin is not None:
            places.append(Path(spec.origin).parents[1])
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return {
        **kept, "NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "MESHCLASH_CACHE_DIR": str(folder),
        "NUMBA_NUM_THREADS": "2",  # even on one core, so that parallel kernels are compiled
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(map(str, places))),
    }  # fmt: skip


def _close(process: subprocess.Popen[bytes]) -> None:
    if process.stdout is not None:
        process.stdout.close()
