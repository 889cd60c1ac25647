"""Builds a store in processes beside this one: they share a folder, in which each takes the next part of the warm-up.

Such a run has a folder of its own that nobody else may enter. ``wanted`` says which parts are to be compiled, in which
order, and may be changed meanwhile; the file of a part says that a process has taken it, and how much of it is done.
Kernels are compiled in that folder, and copied into the store with a new manifest when a part is done: what is there
can be loaded, whatever becomes of the rest. A process ends when nothing is left, or when the one that started it is
gone: it notices that nobody could read what it prints. ``__main__.py`` is what runs in these processes.
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
"""Seconds after which a process that has compiled no kernel is taken for stuck; the longest takes some 15."""
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
"""Processor time of parts, each after those before it, on a machine of 2024: only their ratios count for long."""


class Run:
    """The folder that processes share.

    Args:
        folder: it exists.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def want(self, parts: Sequence[str]) -> None:
        """Say which parts are to be compiled, in this order."""
        self._write(_WANTED, json.dumps(list(parts)))

    def wanted(self) -> list[str]:
        """What was wanted last."""
        return list(json.loads((self.folder / _WANTED).read_text(encoding="utf-8")))

    def take(self) -> str | None:
        """The next part that no process has taken, which is taken now; None when there is none."""
        for part in self.wanted():
            with contextlib.suppress(FileExistsError):
                self._file(part).touch(exist_ok=False)
                return part
        return None

    def tell(self, part: str, fraction: float) -> None:
        """Say how much of a part is compiled."""
        self._write(self._file(part).name, f"{fraction:.3f}")

    def tell_done(self, part: str) -> None:
        """Say that a part is in the store."""
        self._write(self._file(part).name, _DONE)

    def beat(self, part: str) -> None:
        """Say that something was compiled."""
        with contextlib.suppress(OSError):
            os.utime(self._file(part))

    def told(self) -> dict[str, float]:
        """The parts that were taken, and how much of each is done: 1.0 when it is in the store."""
        found = {}
        for path in self.folder.glob(f"*{_UNFINISHED}"):
            with contextlib.suppress(OSError, ValueError):
                text = path.read_text(encoding="utf-8")
                found[path.stem] = 1.0 if text == _DONE else min(max(0.0, float(text or 0.0)), 0.99)
        return found

    def last_beat(self) -> float:
        """When something was compiled last, by the clock of files; 0.0 before."""
        times = [0.0]
        for path in self.folder.glob(f"*{_UNFINISHED}"):
            with contextlib.suppress(OSError):
                times.append(path.stat().st_mtime)
        return max(times)

    @contextlib.contextmanager
    def alone(self, beat: Callable[[], None]) -> Any:
        """While inside, no other process of this run is."""
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
        unfinished = self.folder / f"{name}.{uuid.uuid4().hex[:16]}"  # a signal may come in between, and write, too
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(self.folder / name)


class BuildState(NamedTuple):
    """How far a build is."""

    fraction: float
    seconds: float
    """About how many are left."""
    running: str
    """Parts that are being compiled."""


class Builder:
    """Processes that build one store; ``add_process`` starts them.

    Args:
        target: folder of the store; made if need be.
        level: of processors.
        parts: of the warm-up, in the order in which they are to be ready.
        gently: whether other processes of this machine go first.
        command: what starts a process, for tests; its arguments are put behind it.

    Attributes:
        problem: why it has failed, "" while it has not.
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
        """Let these parts be compiled before all others that were not begun."""
        self.wanted = [*parts, *(part for part in self.wanted if part not in parts)]
        self.run.want(self.wanted)

    def add_process(self) -> None:
        """Start one more process; where it cannot be started, ``problem`` says why."""
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
        """Parts that wait for a process, without those that a process which was just started will take."""
        told = self.run.told()
        waiting = sum(part not in told for part in self.wanted)
        busy = sum(share < 1.0 for share in told.values())
        return waiting - (len(self._processes) - busy)

    @property
    def processes(self) -> int:
        """How many of them run; looks whether they are well."""
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
        """Those of some parts that are not in the store yet."""
        told = self.run.told() if self.run.folder.exists() else {}
        return [part for part in parts if told.get(part) != 1.0]

    def state(self, parts: Sequence[str] | None = None) -> BuildState:
        """How far some parts are, or all that were wanted."""
        told, wanted = self.run.told(), self.wanted if parts is None else list(parts)
        done = sum(told.get(part, 0.0) * cost(part) for part in wanted)
        whole = sum(map(cost, wanted))
        begun = sum((1.0 - share) * cost(part) for part, share in told.items() if part not in wanted)
        everything = sum(share * cost(part) for part, share in told.items())
        elapsed = time.monotonic() - self._started
        pace = (elapsed + cost("contacts")) / (everything + cost("contacts"))  # as on the usual machine, to begin with
        running = ", ".join(part for part, share in told.items() if share < 1.0)
        return BuildState(done / max(whole, 1e-9), (whole - done + begun) * pace, running)

    def stop(self) -> None:
        """End the processes, and remove their folder; what is in the store stays."""
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
    """One process that builds this user's store for this processor, beside whatever else the machine does.

    Args:
        parts: of the warm-up, in the order in which they are to be ready.

    Raises:
        OSError: this user has no folder for it, or no level is known for the processor.
    """
    folder, levels = find_folder(store.OWN_NAME), levels_here()
    if not levels:
        raise OSError("no level is known for this processor")
    if folder.path is None or not folder.writable:
        raise OSError(folder.note or f"{folder.path} can only be read")
    builder = Builder(folder.path / store.store_name(levels[0]), levels[0], parts, gently=True)
    builder.add_process()
    return builder


def cost(part: str) -> float:
    """About how many seconds a part takes."""
    return _SECONDS.get(part, _USUAL_SECONDS)


def _environment(folder: Path, level: str) -> dict[str, str]:
    """Of a process: the engine and its libraries as this process has them, and nothing else for Python."""
    name, features = processor_of(level)
    places = [Path(__file__).resolve().parents[2]]
    for library in ("numba", "llvmlite", "numpy"):
        spec = importlib.util.find_spec(library)
        if spec is not None and spec.origin is not None:
            places.append(Path(spec.origin).parents[1])
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return {
        **kept, "NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "MESHCLASH_CACHE_DIR": str(folder),
        "NUMBA_NUM_THREADS": "2",  # on one core, too: kernels for several are to be compiled
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(map(str, places))),
    }  # fmt: skip


def _close(process: subprocess.Popen[bytes]) -> None:
    if process.stdout is not None:
        process.stdout.close()
