"""How the engine compiles: one decorator, one cache folder named after a hash of the sources.

Numba stamps a cached kernel with the file that holds it, not with the helpers that it calls, so an edit of a helper
would be served stale. A folder per state of the sources cures that. Numba's global cache setting is changed only while
one of our kernels is decorated: other extensions in the same process keep theirs.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as _config
from numba.extending import register_jitable

config: Any = _config  # its settings are attributes made at run time

_F = TypeVar("_F", bound=Callable[..., Any])
_ENGINE = Path(__file__).resolve().parent


def source_hash() -> str:
    """Sixteen hexadecimal digits that change with every edit of an engine source (the benches aside)."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for path in sorted(_ENGINE.rglob("*.py")):
        relative = path.relative_to(_ENGINE)
        if relative.parts[0] != "bench":
            digest.update(str(relative).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _platform_cache_root() -> Path:
    """The user's cache folder on this platform."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))


def _find_cache_directory() -> Path | None:
    """The folder for compiled kernels, made if need be; None where nothing can be written.

    ``MESHCLASH_CACHE_DIR`` goes before ``NUMBA_CACHE_DIR``, and that before the platform's cache folder.
    """
    named = os.environ.get("MESHCLASH_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    root = Path(named) if named else _platform_cache_root() / "meshclash"
    folder = root / f"kernels-{source_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE_DIRECTORY = _find_cache_directory()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call, without the interpreter lock, cached on disk where that is possible."""
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    if CACHE_DIRECTORY is not None and hasattr(dispatcher, "enable_caching"):
        before = config.CACHE_DIR
        config.CACHE_DIR = str(CACHE_DIRECTORY)
        try:
            dispatcher.enable_caching()
        finally:
            config.CACHE_DIR = before
    return dispatcher


def inner(function: Callable[..., Any]) -> Any:
    """Compile a helper that only kernels call: cached as a part of them, and without an entry from Python."""
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(**options)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """As ``inner``, and always compiled into its callers: for short functions on which whole queries wait."""
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(forceinline=True, **options)(function)


def portable(function: _F) -> _F:
    """Let kernels compile a plain function in; it is returned unchanged, so it also runs in Python.

    Kernel factories close over such functions: they pickle by reference, so kernels made from them are cached.
    """
    return register_jitable(function)
