"""Which sources a compiled kernel depends on: its module, the modules of what it closes over, and all that they import.

A hash of these tells whether machine code is that of today's sources; an edit elsewhere leaves it valid. The whole
engine has a hash, too: stores of the package carry it.
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
"""What only the engine's command line imports: Blender's extension comes without it."""

_IMPORT = re.compile(rb"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_COMMENT = re.compile(rb"#[^\n]*")
_NAME = re.compile(rb"\w+(?=[ \t]+as\b)|\w+")


def counts(path: Path, engine: Path = ENGINE) -> bool:
    """Whether a source of the engine can change what is compiled: command lines cannot."""
    return path.name != "__main__.py" and path.relative_to(engine).as_posix() not in COMMAND_LINE


def whole_hash(engine: Path = ENGINE) -> str:
    """Sixteen hexadecimal digits that change with every edit of an engine source that ``counts``."""
    digest = hashlib.sha256()
    for path in sorted(engine.rglob("*.py")):
        if counts(path, engine):
            digest.update(f"{path.relative_to(engine).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def hash_of(files: Iterable[Path]) -> str:
    """Sixteen hexadecimal digits that change with every edit of these sources, or of what they import."""
    return _hash_of(frozenset(files))


@cache
def _hash_of(files: frozenset[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(map(str, reached(files))):
        digest.update(_named_hash(path))
    return digest.hexdigest()[:16]


@cache
def _named_hash(path: str) -> bytes:
    """Hash of one source and its place in the engine."""
    place = Path(path).relative_to(ENGINE).as_posix().encode()
    return hashlib.sha256(place + b"\n" + _content(Path(path))).digest()


def reached(files: Iterable[Path]) -> set[Path]:
    """The sources themselves and all that they import, directly or not."""
    found, waiting = set[Path](), list(files)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += imported_by(path)
    return found


@cache
def imported_by(path: Path) -> frozenset[Path]:
    """The engine's sources that one of them imports, also those inside functions; the package's own names aside."""
    found = set[str]()
    for dots, module, names in _IMPORT.findall(_content(path)):
        folder = "/".join((path.parents[len(dots) - 1].as_posix(), *filter(None, module.decode().split("."))))
        places = [f"{folder}/{name.decode()}" for name in _NAME.findall(_COMMENT.sub(b"", names))]
        found.update(file for place in (folder, *places) for file in _files(place))
    return frozenset(map(_sources().__getitem__, found))


def _files(place: str) -> list[str]:
    """The source of a module or package, if it is one; not of the whole engine, which imports names when asked."""
    if place == ENGINE.as_posix():
        return []
    return [file for file in (f"{place}.py", f"{place}/__init__.py") if file in _sources()]


@cache
def _sources() -> dict[str, Path]:
    """The engine's sources by their paths: looking them up in the file system again and again takes longer."""
    return {path.as_posix(): path for path in ENGINE.rglob("*.py")}


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()
