"""The folder in which this user keeps compiled kernels, and whether it may be trusted.

Machine code is run as it is read. So, where the system knows owners, a folder into which others may write is not used,
nor one to which others can change the way, nor a file that somebody else can have written.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_MOST_LINKS = 40
_REMEDY = "delete what is in it and take that away (chmod o-w) to keep compiled kernels there"


class KernelFolder(NamedTuple):
    """Where compiled kernels lie."""

    path: Path | None
    """None where no folder can be used."""
    writable: bool
    """Whether new ones are stored there."""
    note: str
    """What a user should know about it; "" for nothing."""


def find_folder(name: str, make: bool = True) -> KernelFolder:
    """The folder of compiled kernels.

    ``MESHCLASH_CACHE_DIR`` goes before ``NUMBA_CACHE_DIR``, and that before the platform's cache folder.

    Args:
        name: of the folder inside the one for all versions.
        make: whether it is made where it is missing; else there is none then.
    """
    try:
        root = _root()
        note = distrust(root) if root.exists() else ""
        if note.startswith("not used"):
            return KernelFolder(None, False, note)
        folder = root / name
        if not make and not folder.exists():
            return KernelFolder(None, False, "")
        try:
            root.mkdir(mode=0o755, parents=True, exist_ok=True)
            folder.mkdir(mode=0o755, exist_ok=True)
        except OSError as error:
            return KernelFolder(None, False, f"{root} cannot be used: {error.strerror or error}")
        note = distrust(folder) or note
    except (OSError, RuntimeError) as error:  # the latter: this user has no home
        return KernelFolder(None, False, str(error))
    if note.startswith("not used"):
        return KernelFolder(None, False, note)
    return KernelFolder(folder, os.access(folder, os.W_OK), note)


def _root() -> Path:
    named = os.environ.get("MESHCLASH_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    return Path(named) if named else _platform_cache_root() / "meshclash"


def _platform_cache_root() -> Path:
    """The user's cache folder on this platform."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def distrust(folder: Path) -> str:
    """Why the files of a folder may not be this user's own; "" where nothing speaks against them.

    Every folder and link that leads to it is looked at: whoever may change one of them chooses the files. A text that
    begins with "not used" forbids them. Windows protects a user's folders by other means, so nothing is looked at
    there. Raises OSError where the folder cannot be looked at.
    """
    if os.name != "posix":
        return ""
    step, found = folder, None
    for step, found in _way_to(folder):
        if found.st_uid not in (os.geteuid(), 0, _outside_user()):
            return f"not used: {step} belongs to user {found.st_uid}, who could put foreign machine code there"
        if not stat.S_ISLNK(found.st_mode) and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
            return f"not used: everybody may write into {step}; {_REMEDY}"
    assert found is not None
    if found.st_uid not in (os.geteuid(), 0):
        return f"not used: {step} belongs to a user outside of this container"
    if found.st_mode & stat.S_IWOTH:
        return f"not used: everybody may write into {step}; {_REMEDY}"
    if found.st_mode & stat.S_IWGRP:
        return f"group {found.st_gid} may write into {folder}, from which compiled kernels are run"
    return ""


def _way_to(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every folder and link on the way to a path, and in the end what it names; raises OSError."""
    left = list(reversed(path.absolute().parts))
    at, links = Path(left[-1]), 0
    while left:
        part = left.pop()
        if part == "..":
            at = at.parent
            continue
        step = at / part
        found = step.lstat()
        yield step, found
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            left += reversed(step.readlink().parts)
        else:
            at = step


@cache
def _outside_user() -> int | None:
    """By which number a container shows who is unknown in it, the machine's root among them; None where it is a user.

    Flatpak's and other user namespaces know one user, and /home belongs to another.
    """
    try:
        number = int(Path("/proc/sys/kernel/overflowuid").read_text("ascii"))
        known = [list(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text("ascii").splitlines()]
    except (OSError, ValueError):
        return None
    return None if any(first <= number < first + count for first, _, count in known) else number


def trusted_bytes(path: Path, shipped: bool = False) -> bytes:
    """The content of a file from which machine code is run, if nobody but this user and root can have written it.

    The owner of a folder cannot answer for files that others put there while it was open to them.

    Args:
        path: the file; no link, unless it was shipped.
        shipped: it came with the package, so whoever may write the package's sources may write it as well.

    Raises:
        PermissionError: somebody else can have written it.
        OSError: it cannot be read.
    """
    if os.name != "posix":
        return path.read_bytes()
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if shipped else os.O_NOFOLLOW))
    try:
        problem = _problem_of(os.fstat(descriptor), shipped)
        if problem:
            raise PermissionError(f"a file in {path.parent} {problem}")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(descriptor)


def _problem_of(found: os.stat_result, shipped: bool) -> str:
    """Who else can have written a file; "" for nobody."""
    owners, writers = {os.geteuid(), 0}, stat.S_IWGRP | stat.S_IWOTH
    if shipped:
        code = Path(__file__).stat()
        owners.add(code.st_uid)
        writers &= ~code.st_mode | (0 if found.st_gid == code.st_gid else stat.S_IWGRP)
    if not stat.S_ISREG(found.st_mode):
        return "is a device or a pipe"
    if found.st_uid not in owners:
        return f"belongs to user {found.st_uid}, who could put foreign machine code there"
    if found.st_mode & writers:
        return "can be written by others"
    if found.st_nlink > 1 and not shipped:
        return "has a second name, by which others may have put it there"
    return ""
