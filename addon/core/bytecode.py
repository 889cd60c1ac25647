"""Write the Python bytecode of packages, one file at a time.

Wheels contain no bytecode. Python would write the bytecode during the import, which takes two seconds in one step for
Numba. Here each file is a step of some milliseconds, which does not block the window.
"""

from __future__ import annotations

import importlib.util
import py_compile
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_IMPORT = re.compile(
    rb"^(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([\w.]+))", re.MULTILINE
)
_NAME = re.compile(rb"\w+(?=[ \t]+as\b)|\w+")


def bytecode_steps(roots: dict[str, Path], first: tuple[str, ...]) -> Iterator[None]:
    """Write the missing bytecode of some modules and of all modules that they import from the same packages.

    Ends immediately if the packages have bytecode, or if bytecode cannot be written.

    Args:
        roots: folders of packages, by package name.
        first: dotted names of modules to begin with. A package's own file is written last.

    Yields:
        Yields None after each file.
    """
    last = [file for root in roots.values() for file in _files(root)]
    if sys.dont_write_bytecode or all(map(_is_written, last)):
        return
    waiting = [*last, *(file for name in first for file in _files(_place(roots, name)))]
    seen: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        waiting += _imported(file, roots)
        if file not in last and not _is_written(file):
            if not _write(file):
                return
            yield
    for file in last:
        if not _is_written(file) and not _write(file):
            return
        yield


def _is_written(file: Path) -> bool:
    return Path(importlib.util.cache_from_source(str(file))).exists()


def _write(file: Path) -> bool:
    """Write the bytecode of a source; return whether it could be written."""
    try:
        py_compile.compile(str(file), doraise=True)
    except (OSError, py_compile.PyCompileError):
        return False
    return True


def _imported(file: Path, roots: dict[str, Path]) -> list[Path]:
    """Return the sources that a module imports at its top level, found from its text."""
    found = []
    for dots, module, names, whole in _IMPORT.findall(file.read_bytes()):
        if dots:
            place = file.parents[len(dots) - 1].joinpath(*module.decode().split("."))
        else:
            place = _place(roots, (module or whole).decode())
        for near in (place, *(place / name.decode() for name in _NAME.findall(names))):
            found += _files(near)
    return found


def _place(roots: dict[str, Path], name: str) -> Path:
    package, *rest = name.split(".")
    return roots.get(package, Path("nowhere")).joinpath(*rest)


def _files(place: Path) -> list[Path]:
    """Return the source file of a module or package, if it exists."""
    return [file for file in (place.with_name(f"{place.name}.py"), place / "__init__.py") if file.is_file()]
