"""Find the sources on which a compiled kernel depends: the modules of the kernel and of its closure, and all their
imports.

A hash of these sources tells whether machine code is up to date; an edit of any other source does not invalidate it.
Stores record a hash of the whole engine, too.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[1]
"""Folder of the engine's package."""

COMMAND_LINE = (
    "__main__.py", "commands.py", "clash/detect_files.py", "clash/report_command.py", "clash/tests_command.py",
    "clash/files/pictures.py",
)  # fmt: skip
"""Sources that only the engine's command line imports; Blender's extension does not contain them."""

_IMPORT = re.compile(rb"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_COMMENT = re.compile(rb"#[^\n]*")
_NAME = re.compile(rb"\w+(?=[ \t]+as\b)|\w+")


def counts(path: Path, engine: Path = ENGINE) -> bool:
    """Return whether a source of the engine can affect compiled kernels; sources of the command line cannot."""
    return path.name != "__main__.py" and path.relative_to(engine).as_posix() not in COMMAND_LINE


def whole_hash(engine: Path = ENGINE) -> str:
    """Hash all engine sources for which ``counts`` is true; return sixteen hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(engine.rglob("*.py")):
        if counts(path, engine):
            digest.update(f"{path.relative_to(engine).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def hash_of(files: Iterable[Path]) -> str:
    """Hash these sources and all sources that they import; return sixteen hexadecimal digits."""
    return _hash_of(frozenset(files))


@cache
def _hash_of(files: frozenset[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(map(str, reached(files))):
        digest.update(_named_hash(path))
    return digest.hexdigest()[:16]


@cache
def _named_hash(path: str) -> bytes:
    """Hash one source and its path in the engine."""
    place = Path(path).relative_to(ENGINE).as_posix().encode()
    return hashlib.sha256(place + b"\n" + _content(Path(path))).digest()


def reached(files: Iterable[Path]) -> set[Path]:
    """Return the sources and all engine sources that they import, directly or indirectly."""
    found, waiting = set[Path](), list(files)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += imported_by(path)
    return found


@cache
def imported_by(path: Path) -> frozenset[Path]:
    """Return the engine's sources that a source imports, also inside functions.

    Names imported from the engine's top-level package itself are ignored.
    """
    found = set[str]()
    for dots, module, names in _IMPORT.findall(_content(path)):
        folder = "/".join((path.parents[len(dots) - 1].as_posix(), *filter(None, module.decode().split("."))))
        places = [f"{folder}/{name.decode()}" for name in _NAME.findall(_COMMENT.sub(b"", names))]
        found.update(file for place in (folder, *places) for file in _files(place))
    return frozenset(map(_sources().__getitem__, found))


def _files(place: str) -> list[str]:
    """Return the source file of a module or package, if it exists.

    The engine's top-level package is ignored, because it imports its names lazily.
    """
    if place == ENGINE.as_posix():
        return []
    return [file for file in (f"{place}.py", f"{place}/__init__.py") if file in _sources()]


@cache
def _sources() -> dict[str, Path]:
    """The engine's sources by path, kept because repeated lookups in the file system are slower."""
    return {path.as_posix(): path for path in ENGINE.rglob("*.py")}


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()
