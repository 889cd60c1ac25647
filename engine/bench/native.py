"""Small C++ programs (``cpp/``) that ask Embree and GMP what a bench asks us.

They are compiled when a bench is told to, with the system's compiler and Debian's libraries, and run as processes of
their own: a library loaded here may bring another TBB than Blender's module needs. A driver answers one question after
the other (``cpp/driver.h``), so that a bench can ask it and ourselves in turn.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from meshclash.jit import CACHE_DIRECTORY

SOURCES = Path(__file__).parent / "cpp"
COMPILER = ("g++", "-std=c++17", "-O3", "-march=native", "-ffp-contract=off")
PACKAGES = {
    "embree": "libembree-dev and libtbb-dev",
    "gmp": "libgmp-dev",
}
"""Libraries that drivers are linked with, and what Debian calls them."""


class DriverUnavailable(RuntimeError):
    """A driver could not be compiled; the message says what to install."""


def _flags(library: str) -> list[str]:
    """What the compiler needs to know of a library, at the end of its command."""
    return {"embree": ["-lembree3", "-ltbb"], "gmp": ["-lgmpxx", "-lgmp"]}[library]


def compiled(name: str, libraries: Sequence[str] = ()) -> Path:
    """The program made of ``cpp/NAME.cpp``, compiled unless that was done before.

    Args:
        name: a source without its ending.
        libraries: keys of ``PACKAGES``.

    Raises:
        DriverUnavailable: no compiler, a missing library, or a source that does not compile.
    """
    source = SOURCES / f"{name}.cpp"
    command = [*COMPILER, str(source), *(flag for library in libraries for flag in _flags(library))]
    state = hashlib.sha256(" ".join(command).encode())
    for path in (source, *sorted(SOURCES.glob("*.h"))):
        state.update(path.read_bytes())
    folder = (CACHE_DIRECTORY.parent if CACHE_DIRECTORY else Path(tempfile.gettempdir())) / "drivers"
    program = folder / f"{name}-{state.hexdigest()[:16]}"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _compile(command, program, libraries)
    return program


def _compile(command: list[str], program: Path, libraries: Sequence[str]) -> None:
    if shutil.which(command[0]) is None:
        raise DriverUnavailable(f"{command[0]} is not installed")
    partial = program.with_name(f"{program.name}.{os.getpid()}")
    done = subprocess.run([*command, "-o", str(partial)], capture_output=True, text=True, check=False)
    if done.returncode:
        wanted = ", ".join(PACKAGES[library] for library in libraries)
        raise DriverUnavailable(f"{program.name} does not compile; Debian packages: {wanted}\n{done.stderr[-2000:]}")
    partial.replace(program)


class Driver:
    """A running driver; a context manager.

    Args:
        name, libraries: as ``compiled``.
        arguments: of the program, mostly paths of meshes written by ``write_mesh``.

    Raises:
        DriverUnavailable.
    """

    def __init__(self, name: str, libraries: Sequence[str], *arguments: str | Path) -> None:
        self.name = name
        program = [str(compiled(name, libraries)), *map(str, arguments)]
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, question: str) -> list[float]:
        """The numbers that answer a question, the processor seconds it took first.

        Raises:
            RuntimeError: the driver has ended.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        print(question, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"driver {self.name} ended at {question!r} with status {self._process.wait()}")
        return [float(word) for word in line.split()]

    def close(self) -> None:
        """End the driver."""
        self._process.communicate()

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def write_mesh(path: Path, vertices: np.ndarray, triangles: np.ndarray) -> None:
    """Write what drivers read: two int64 (vertices, triangles), float32 coordinates, int32 indices."""
    with path.open("wb") as file:
        np.array([len(vertices), len(triangles)], np.int64).tofile(file)
        np.ascontiguousarray(vertices, np.float32).tofile(file)
        np.ascontiguousarray(triangles, np.int32).tofile(file)
