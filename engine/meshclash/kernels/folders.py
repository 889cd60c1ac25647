"""The folder in which this user keeps compiled kernels, and whether it may be trusted.

Machine code is run as it is read. So, where the system knows owners, a folder into which others may write is not used.
"""

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple


class KernelFolder(NamedTuple):
    """Where compiled kernels lie."""

    path: Path | None
    """None where no folder can be used."""
    writable: bool
    """Whether new ones are stored there."""
    note: str
    """What a user should know about it; "" for nothing."""


def find_folder(name: str) -> KernelFolder:
    """The folder of compiled kernels, made if need be.

    ``MESHCLASH_CACHE_DIR`` goes before ``NUMBA_CACHE_DIR``, and that before the platform's cache folder.

    Args:
        name: of the folder inside the one for all versions.
    """
    try:
        root = _root()
        note = distrust(root) if root.exists() else ""
        if note.startswith("not used"):
            return KernelFolder(None, False, note)
        folder = root / name
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

    A text that begins with "not used" forbids them. Windows protects a user's folders by other means, so nothing is
    looked at there. Raises OSError where the folder cannot be looked at.
    """
    if os.name != "posix":
        return ""
    found = folder.stat()
    if found.st_uid not in (os.getuid(), 0):
        return f"not used: {folder} belongs to user {found.st_uid}, who could put foreign machine code there"
    if found.st_mode & stat.S_IWOTH:
        return f"not used: everybody may write into {folder}; take that away (chmod o-w) to keep compiled kernels there"
    if found.st_mode & stat.S_IWGRP:
        return f"group {found.st_gid} may write into {folder}, from which compiled kernels are run"
    return ""
