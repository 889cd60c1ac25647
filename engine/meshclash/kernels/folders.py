"""Find the user's folder of compiled kernels, and check that other users cannot write into it.

Machine code from these files is executed. On systems with file owners, a folder is not used if other users may write
into it or replace one of its parent folders. A file is not used if another user could have written it.
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
    """A folder of compiled kernels."""

    path: Path | None
    """None if there is no usable folder."""
    writable: bool
    """Whether new kernels can be stored there."""
    note: str
    """Message for the user about the folder; "" for none."""


def find_folder(name: str, make: bool = True) -> KernelFolder:
    """Return the user's folder of compiled kernels.

    The folder is ``MESHCLASH_CACHE_DIR``, else ``NUMBA_CACHE_DIR``, else the platform's cache folder.

    Args:
        name: name of the folder, inside the folder for all versions.
        make: whether to create a missing folder; if False, ``path`` is None for a missing folder.
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
    except (OSError, RuntimeError) as error:  # RuntimeError: this user has no home folder
        return KernelFolder(None, False, str(error))
    if note.startswith("not used"):
        return KernelFolder(None, False, note)
    return KernelFolder(folder, os.access(folder, os.W_OK), note)


def _root() -> Path:
    named = os.environ.get("MESHCLASH_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    return Path(named) if named else _platform_cache_root() / "meshclash"


def _platform_cache_root() -> Path:
    """Return the user's cache folder on this platform."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def distrust(folder: Path) -> str:
    """Return why another user could have written files of a folder; "" if no reason is found.

    Every folder and link on the path is checked, because a user who can change one of them chooses the files. If the
    text begins with "not used", the folder must not be used; otherwise it is a warning. Windows protects a user's
    folders by other means, so no checks are made there. Raises OSError if the folder cannot be inspected.
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
    """Yield every folder and link along a path, and finally the target of the path; raises OSError."""
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
    """Return the user id that a container shows for unknown users; None if that id is a known user.

    The machine's root is among the unknown users. User namespaces such as Flatpak's know only one user, and /home
    belongs to another user.
    """
    try:
        number = int(Path("/proc/sys/kernel/overflowuid").read_text("ascii"))
        known = [list(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text("ascii").splitlines()]
    except (OSError, ValueError):
        return None
    return None if any(first <= number < first + count for first, _, count in known) else number


def trusted_bytes(path: Path, shipped: bool = False) -> bytes:
    """Return the content of a file with machine code, if only this user and root can have written it.

    Checking the folder is not enough: other users may have put files into it while it was open to them.

    Args:
        path: the file. The file must not be a link, unless it was shipped with the package.
        shipped: the file came with the package: users who may write the package's sources may write it as well.

    Raises:
        PermissionError: another user could have written it.
        OSError: the file cannot be read.
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
    """Return why another user could have written a file; "" if no other user could have written it."""
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
