"""Compiles the engine before it is needed, in processes of its own, so that Blender's window never waits for it.

Two or four children run Blender's own Python on `prepare_child.py`, fill the cache of compiled kernels and report
through files. Parts that few need, of scans, of a GPU and of other volumes than boxes, get a child of their own when
they are asked for. A mark in the cache says that they succeeded for this state of the engine on this machine. Where a
child cannot run or cannot store what it compiled, the engine is compiled in Blender instead, in slices, as it is
without a window.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import IO

from .core.frame_scene import Progress

# Of as many processes as there are cores for, see the engine's warm_up: what a detection needs comes first.
_OF_TWO = (("contacts", "scenes", "gaps", "chances"), ("depths", "verdicts", "more", "distances"))
_OF_FOUR = (("contacts", "gaps", "more"), ("scenes", "chances"), ("depths", "distances"), ("verdicts",))
SHARES = _OF_FOUR if (os.cpu_count() or 1) > len(_OF_FOUR) else _OF_TWO
ENGINE = "engine"
"""The kind of what everyone needs; other kinds are parts by their own names."""
EVERYONES = frozenset(part for share in _OF_TWO for part in share)
GPU_PART = "gpu"
LIBRARIES = ("numba", "llvmlite", "numpy")
CHILD = Path(__file__).with_name("prepare_child.py")
PAUSE = 0.02  # seconds; a slice that waits takes no time from the children
LAST_WORDS = 300  # characters of a dead child's output

_notes: list[str] = []


class Child:
    """One process that compiles some parts."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], output: Path, parts: Sequence[str]) -> None:
        self.parts = parts
        self.done: set[str] = set()
        self.fraction = 0.0
        self.doing = "starting"
        self.failed = ""
        self._output = output
        self._rest = ""
        self._strange = ""
        with output.open("wb") as sink:
            self._process = subprocess.Popen(
                [*command, *parts], stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, env=environment,
                creationflags=_creation_flags(),
            )  # fmt: skip
        self._reader: IO[str] = output.open(encoding="utf-8", errors="replace")

    def poll(self) -> None:
        """Reads what the child said since the last call."""
        ended = self._process.poll() is not None
        *lines, self._rest = (self._rest + self._reader.read()).split("\n")
        for line in lines:
            self._hear(line)
        if ended and not self.failed and self.done != set(self.parts):
            self.failed = f"ended with status {self._process.returncode}: {self._strange[-LAST_WORDS:].strip()}"

    def _hear(self, line: str) -> None:
        try:
            said = json.loads(line)
        except ValueError:
            self._strange += line + "\n"
            return
        if "failed" in said:
            self.failed = said["failed"]
        elif "done" in said:
            self.done.add(said["done"])
        else:
            self.doing = said["doing"]
            if "part" in said:
                self.fraction = (self.parts.index(said["part"]) + said["fraction"]) / len(self.parts)

    def stop(self) -> None:
        """Ends the process; what it has compiled stays."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.close()


class Preparation:
    """The children that compile the engine.

    Args:
        engine: its module name in this Blender.
        folder: the folder that holds its package.
        cache_folder: where compiled kernels are kept.
        python: the interpreter to run.
        kinds: what is prepared: `ENGINE` alone, or parts, for one child.

    Raises:
        OSError: the processes cannot be started.
    """

    def __init__(
        self, engine: str, folder: Path, cache_folder: str, python: str, kinds: Sequence[str] = (ENGINE,)
    ) -> None:
        self.kinds = tuple(kinds)
        self._marks = [mark(folder / engine.rpartition(".")[2], cache_folder, kind) for kind in kinds]
        self._scratch = Path(tempfile.mkdtemp(prefix="meshclash-"))
        self._children: list[Child] = []
        environment = {**os.environ, "MESHCLASH_CACHE_DIR": cache_folder, "PYTHONPATH": _library_path()}
        command = [python, "-s", "-P", str(CHILD), engine, str(folder)]
        try:
            for k, parts in enumerate(SHARES if self.kinds == (ENGINE,) else (self.kinds,)):
                self._children.append(Child(command, environment, self._scratch / f"{k}.txt", parts))
        except OSError:
            self.stop()
            raise

    def poll(self) -> None:
        """Hears the children; marks the cache when all are through."""
        for child in self._children:
            child.poll()
        if self.finished:
            with contextlib.suppress(OSError):  # without the marks it is all done once more next time
                for path in self._marks:
                    path.touch()

    @property
    def finished(self) -> bool:
        """Whether all is in the cache."""
        return bool(self._children) and all(child.done == set(child.parts) for child in self._children)

    def lacks(self, parts: Sequence[str]) -> bool:
        """Whether the children have not done yet what they are to do of some parts."""
        return any(part in child.parts and part not in child.done for child in self._children for part in parts)

    @property
    def done(self) -> set[str]:
        """The parts that are in the cache."""
        return set().union(*(child.done for child in self._children))

    @property
    def failed(self) -> str:
        """What went wrong, or nothing."""
        return next((child.failed for child in self._children if child.failed), "")

    def reached(self, parts: Sequence[str]) -> tuple[float, str]:
        """How far the children are with what is asked for, 0 to 1, and what the one does that is least far."""
        reached = [(1.0, "")]
        for child in self._children:
            wanted = [child.parts.index(part) + 1 for part in parts if part in child.parts]
            if wanted:
                reached.append((child.fraction * len(child.parts) / max(wanted), child.doing))
        return min(reached)

    def stop(self) -> None:
        """Ends the children and removes their reports."""
        for child in self._children:
            child.stop()
        self._children = []
        shutil.rmtree(self._scratch, ignore_errors=True)


_running: list[Preparation] = []


def begin(
    engine: tuple[str, Path], cache_folder: str | None, python: str = sys.executable, kinds: Sequence[str] = (ENGINE,)
) -> None:
    """Starts the children, unless they run, the cache is filled, or there is no cache folder of our own.

    Args:
        engine: module name, and the folder that holds the package.
        cache_folder: where compiled kernels are kept.
        python: the interpreter to run.
        kinds: what to prepare: `ENGINE`, and parts that are not everyone's.
    """
    if cache_folder is None:
        return
    package, running = engine[1] / engine[0].rpartition(".")[2], {kind for found in _running for kind in found.kinds}
    missing = [kind for kind in kinds if kind not in running and not mark(package, cache_folder, kind).exists()]
    special = tuple(kind for kind in missing if kind != ENGINE)
    for group in ((ENGINE,) if ENGINE in missing else (), special):
        try:
            if group:
                Path(cache_folder).mkdir(parents=True, exist_ok=True)
                _running.append(Preparation(*engine, cache_folder, python, group))
        except OSError as error:
            _note(f"Compiling beside Blender is not possible: {error}")


def steps(parts: Sequence[str]) -> Generator[Progress, None, None]:
    """Waits for the parts that a question needs, as far as they are being prepared.

    A step of the compiler takes seconds, so it is told what is being done and for how long.

    Args:
        parts: names of the engine's ``PARTS``, and "gpu".

    Yields:
        Progress; a step takes 20 ms and no work.
    """
    begun = time.monotonic()
    while True:
        _hear()
        reached = _reached(parts)
        if reached is None:
            return
        percent, waited = int(100.0 * reached[0]), int(time.monotonic() - begun)
        yield Progress(0.01 * percent, f"First use: {reached[1]}, {percent} %, {waited} s")
        time.sleep(PAUSE)


def progress(parts: Sequence[str]) -> float | None:
    """How far parts are that are being prepared, 0 to 1; None where none of them is."""
    reached = _reached(parts)
    return None if reached is None else reached[0]


def _reached(parts: Sequence[str]) -> tuple[float, str] | None:
    """As `Preparation.reached`, of all that are running; None where none of the parts is being prepared."""
    return min((running.reached(parts) for running in _running if running.lacks(parts)), default=None)


def _hear() -> None:
    """Hears all children; those that are through or have failed end."""
    for preparation in list(_running):
        preparation.poll()
        if preparation.failed:
            _note(f"Compiling beside Blender failed: {preparation.failed}")
        if preparation.failed or preparation.finished:
            _running.remove(preparation)
            preparation.stop()


def watch() -> bool:
    """Hears the children while nobody waits for them; whether they still work."""
    _hear()
    return bool(_running)


def stop() -> None:
    """Ends the children, if there are any: Blender quits or the extension is disabled."""
    while _running:
        _running.pop().stop()


def notes() -> tuple[str, ...]:
    """What could not be prepared, and why, for the diagnostics."""
    return tuple(_notes)


def mark(package: Path, cache_folder: str, kind: str = ENGINE) -> Path:
    """The file that says that the cache is filled for this state of the engine, its libraries and this machine."""
    versions = [importlib.metadata.version(name) for name in LIBRARIES if importlib.util.find_spec(name)]
    digest = hashlib.sha256(repr([sys.version, platform.node(), platform.machine(), versions]).encode())
    for path in sorted(package.rglob("*.py")):
        state = path.stat()
        digest.update(f"{path} {state.st_size} {state.st_mtime_ns}".encode())
    return Path(cache_folder) / f"prepared-{kind.replace(' ', '-')}-{digest.hexdigest()[:16]}"


def _note(text: str) -> None:
    if text not in _notes:
        _notes.append(text)


def _library_path() -> str:
    """Where Blender's Python finds the libraries: bundled ones lie in a folder that only Blender knows."""
    origins = (importlib.util.find_spec(name) for name in LIBRARIES)
    folders = [str(Path(spec.origin).parents[1]) for spec in origins if spec is not None and spec.origin]
    return os.pathsep.join(dict.fromkeys(folders))


def _creation_flags() -> int:
    """On Windows: no console window, and the window of Blender goes first."""
    return getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
