"""Python's bytecode of packages, written a file at a time.

A wheel brings none. Python would write it while the package is imported: two seconds in one step, for Numba. Here each
file is a step of some milliseconds, which a window does not notice.
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
    """Writes what is missing for some modules and all that they import from the same packages.

    Where the packages have their bytecode, or none can be written, this ends at once.

    Args:
        roots: folders of packages, by name.
        first: dotted names of modules to begin with; a package's own file is written when all is done.

    Yields:
        None after each file.
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
    """Whether the bytecode of a source could be written."""
    try:
        py_compile.compile(str(file), doraise=True)
    except (OSError, py_compile.PyCompileError):
        return False
    return True


def _imported(file: Path, roots: dict[str, Path]) -> list[Path]:
    """The sources that a module imports when it is imported, as far as its text tells."""
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
    """The source of a module or a package, if it is one."""
    return [file for file in (place.with_name(f"{place.name}.py"), place / "__init__.py") if file.is_file()]
