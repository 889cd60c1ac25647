"""How the engine compiles: a few decorators, one cache folder named after a hash of the sources, one parallel region.

Numba stamps a cached kernel with the file that holds it, not with the helpers that it calls, so an edit of a helper
would be served stale. A folder per state of the sources cures that. Numba's global cache setting is changed only while
one of our kernels is decorated: other extensions in the same process keep theirs.

Several cores. A kernel that pays on several cores has two forms: ``kernel`` with an ordinary loop over parts of work
and ``parallel_kernel`` with ``prange`` over them; the caller takes the second one only inside ``parallel_region``, when
that gives more than one thread. What a part computes must not depend on who computes it, and how the work is cut must
not depend on the number of threads; then neither does the answer.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as _config
from numba.extending import register_jitable

from . import jit_cache
from .errors import UnsupportedOption

PIPELINE_KNOWS = "0.68."
"""Beginning of the versions of Numba whose insides ``jit_pipeline.py`` knows."""

_KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_HELPER: dict[str, Any] = {**_KERNEL, "no_cpython_wrapper": True}
if numba.__version__.startswith(PIPELINE_KNOWS):
    from .jit_pipeline import HelperCompiler, KernelCompiler, PlainCompiler, take_for_helper, without_literals

    _KERNEL["pipeline_class"], _HELPER["pipeline_class"] = KernelCompiler, HelperCompiler

config: Any = _config  # its settings are attributes made at run time

prange = numba.prange
"""``range`` over parts of the work that ``parallel_kernel`` gives to several cores."""

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
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _find_cache_directory() -> Path | None:
    """The folder for compiled kernels, made if need be; None where nothing can be written.

    ``MESHCLASH_CACHE_DIR`` goes before ``NUMBA_CACHE_DIR``, and that before the platform's cache folder.
    """
    named = os.environ.get("MESHCLASH_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    try:
        root = Path(named) if named else _platform_cache_root() / "meshclash"
        folder = root / f"kernels-{source_hash()}"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # the latter: this user has no home
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE_DIRECTORY = _find_cache_directory()


def cache_problem() -> str:
    """Why compiled kernels are not kept for the next session; "" while they are."""
    if CACHE_DIRECTORY is None:
        return "no folder for compiled kernels can be written: every session compiles them anew"
    return jit_cache.problem()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call, without the interpreter lock, cached on disk where that is possible."""
    return _cached(numba.njit(**_KERNEL)(function))


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """As ``kernel``, with ``prange`` loops on several cores; to be called in a ``parallel_region`` only.

    Compiles several times slower than a kernel, so what small inputs need must have a serial form.
    """
    return _cached(numba.njit(nogil=True, error_model="numpy", parallel=True)(function))


def _cached(dispatcher: Any) -> Any:
    """A dispatcher that keeps its machine code in our folder; Numba's own setting is put back."""
    if CACHE_DIRECTORY is not None and hasattr(dispatcher, "enable_caching"):
        before = config.CACHE_DIR
        config.CACHE_DIR = str(CACHE_DIRECTORY)
        try:
            dispatcher._cache = jit_cache.KernelCache(dispatcher.py_func)  # as enable_caching does with Numba's class
        finally:
            config.CACHE_DIR = before
    return dispatcher


def inner(function: Callable[..., Any]) -> Any:
    """Compile a helper that only kernels call: cached as a part of them, and without an entry from Python."""
    return _helper(function, forceinline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """As ``inner``, and always compiled into its callers: for short functions on which whole queries wait."""
    return _helper(function, forceinline=True)


def _helper(function: Callable[..., Any], forceinline: bool) -> Any:
    dispatcher = numba.njit(forceinline=forceinline, **_HELPER)(function)
    known = "pipeline_class" in _HELPER and not config.DISABLE_JIT
    return without_literals(dispatcher) if known else dispatcher


def _plain(function: Callable[..., Any]) -> Any:
    return without_literals(numba.njit(**{**_HELPER, "pipeline_class": PlainCompiler})(function))


def portable(function: _F) -> _F:
    """Let kernels compile a plain function in; it is returned unchanged, so it also runs in Python.

    Kernel factories close over such functions: they pickle by reference, so kernels made from them are cached.
    """
    if "pipeline_class" in _HELPER and not config.DISABLE_JIT:
        take_for_helper(function, _plain)
        return function
    return register_jitable(function)


def is_compiled(dispatcher: Any) -> bool:
    """Whether a kernel has been compiled: in this process, or by another one that kept it on disk."""
    if dispatcher.signatures:
        return True
    if CACHE_DIRECTORY is None or dispatcher in _missing:
        return False
    function = dispatcher.py_func
    found = any(CACHE_DIRECTORY.rglob(f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-*.nbi"))
    if not found:
        _missing.add(dispatcher)
    return found


_missing: set[Any] = set()
"""Kernels that were not on disk when last looked for."""


def thread_limit(threads: int | None) -> int:
    """How many threads an option allows: all that this process may use for None, otherwise at most ``threads``.

    Raises:
        UnsupportedOption: neither None nor a positive whole number.
    """
    if threads is not None and (not isinstance(threads, Integral) or threads is True or threads < 1):
        raise UnsupportedOption(f"threads must be None or a whole number from 1 on, not {threads!r}")
    available = 1 if config.DISABLE_JIT else int(config.NUMBA_NUM_THREADS)
    return available if threads is None else min(int(threads), available)


_token = [True]
"""Taken by the running parallel region. Popping a list is atomic, and needs no module that starts threads."""


@contextmanager
def parallel_region(threads: int) -> Iterator[int]:
    """Ask for several threads; gives how many there are, from 1 to ``threads``.

    Numba's own pool ("workqueue") ends the process when two parallel kernels overlap, nested or from two Python
    threads. So one region runs at a time, and whoever finds it taken is given 1 and goes on with serial kernels: with 1
    a parallel kernel must not be called, not even for one part. The token covers this engine only.

    Usage::

        with parallel_region(thread_limit(threads)) as count:
            (_all_parts_parallel if count > 1 else _all_parts)(arrays, parts)
    """
    if threads < 2:
        yield 1
        return
    try:
        token = _token.pop()
    except IndexError:
        yield 1
        return
    try:
        _start_threads()
        yield threads
    finally:
        _token.append(token)


def _start_threads() -> None:
    """Start Numba's threads if nobody has; unless the user chose a layer, its own pool.

    Numba looks for TBB first; one that is not Blender's own, loaded earlier, keeps Blender's module from loading.
    """
    if config.THREADING_LAYER != "default":
        return
    before = config.THREADING_LAYER_PRIORITY
    config.THREADING_LAYER_PRIORITY = ["workqueue", "omp", "tbb"]
    try:
        numba.get_num_threads()
    finally:
        config.THREADING_LAYER_PRIORITY = before
