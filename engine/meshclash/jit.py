"""Compilation: decorators for kernels and helpers, one cache of compiled kernels, one parallel region at a time.

Numba validates a cached kernel by the file that contains it, but not by the helpers that it calls. So after an edit of
a helper, Numba would load outdated code. ``kernels/`` replaces Numba's cache with one that uses a hash of all sources
of a kernel. Numba's settings stay unchanged for other extensions in the same process.

Multithreading: a kernel that benefits from several cores has two forms, ``kernel`` with an ordinary loop over parts of
the work and ``parallel_kernel`` with ``prange``. Callers use the second form only inside ``parallel_region``, if that
gives more than one thread. The result of a part must not depend on the thread that computes it, and the division into
parts must not depend on the number of threads. Then the result does not depend on the number of threads, either.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as _config
from numba.extending import register_jitable

from .errors import UnsupportedOption
from .kernels import cache, store
from .kernels.folders import KernelFolder, find_folder
from .kernels.sources import whole_hash
from .messages import shown

PIPELINE_KNOWS = "0.68."
"""Prefix of the Numba versions whose internals ``jit_pipeline.py`` knows."""

_KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_HELPER: dict[str, Any] = {**_KERNEL, "no_cpython_wrapper": True}
if numba.__version__.startswith(PIPELINE_KNOWS):
    try:
        from .jit_pipeline import HelperCompiler, KernelCompiler, PlainCompiler, take_for_helper, without_literals

        _KERNEL["pipeline_class"], _HELPER["pipeline_class"] = KernelCompiler, HelperCompiler
    except ImportError as error:
        cache.note(f"Numba {numba.__version__} is not as this engine knows it, so it compiles slowly: {error}")

config: Any = _config  # its attributes are made at run time

prange = numba.prange
"""``range`` over parts of the work, which ``parallel_kernel`` distributes to several cores."""

_F = TypeVar("_F", bound=Callable[..., Any])
SOURCES = whole_hash()
"""Hash of the engine's sources."""
FOLDER_NAME = "kernels-1"
"""Name of the folder of compiled kernels inside the cache folder; the number is the version of the format."""
FOLDER: KernelFolder = find_folder(FOLDER_NAME)
"""Folder of this user's compiled kernels."""
CACHE_DIRECTORY: Path | None = FOLDER.path if FOLDER.writable else None
"""The same folder if it is writable, else None."""


def cache_problem() -> str:
    """Return the reason why compiled kernels are not cached for the next session; "" if they are."""
    if FOLDER.path is None:
        return f"no folder for compiled kernels can be written: every session compiles them anew ({FOLDER.note})"
    if CACHE_DIRECTORY is None:
        return f"{FOLDER.path} can only be read: what it lacks is compiled in every session"
    return next((note for note in cache.notes if "cannot be stored" in note), "")


def kernel_notes() -> list[str]:
    """Return notes about compiled kernels for diagnostics, one sentence each."""
    return [note for note in dict.fromkeys((cache_problem(), FOLDER.note, *cache.notes)) if note]


def kernel_counts() -> dict[str, int]:
    """Return the number of kernels that this process has loaded or compiled, by their origin as in
    ``cache.origins``.
    """
    found = list(cache.origins.values())
    return {kind: found.count(kind) for kind in ("cached", "shipped", "built", "compiled")}


def look_for_new_kernels() -> None:
    """Look again for kernel stores that were built since the last search of this process."""
    store.forget_stores()
    _stored.clear()


def missing_parts(parts: Sequence[str]) -> list[str]:
    """Return the parts of the warm-up to compile, because no store contains their kernels for this processor and
    Python.
    """
    return store.missing_parts(parts, SOURCES)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call, without the interpreter lock, cached on disk if possible."""
    return _cached(numba.njit(**_KERNEL)(function))


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """Like ``kernel``, with ``prange`` loops on several cores; call it only inside a ``parallel_region``.

    A parallel kernel compiles several times slower than a kernel, so code for small inputs must have a serial form.
    """
    return _cached(numba.njit(nogil=True, error_model="numpy", parallel=True)(function))


def _cached(dispatcher: Any) -> Any:
    """Return a dispatcher that caches machine code in our folders; Numba's own setting is unchanged."""
    if hasattr(dispatcher, "enable_caching"):
        dispatcher._cache = cache.KernelCache(dispatcher.py_func, FOLDER, SOURCES)  # as enable_caching does
    return dispatcher


def inner(function: Callable[..., Any]) -> Any:
    """Compile a helper that only kernels call: cached as part of them, without a Python entry point."""
    return _helper(function, forceinline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """Like ``inner``, but always inlined: for short functions in the inner loops of queries."""
    return _helper(function, forceinline=True)


def _helper(function: Callable[..., Any], forceinline: bool) -> Any:
    dispatcher = numba.njit(forceinline=forceinline, **_HELPER)(function)
    known = "pipeline_class" in _HELPER and not config.DISABLE_JIT
    return without_literals(dispatcher) if known else dispatcher


def _plain(function: Callable[..., Any]) -> Any:
    return without_literals(numba.njit(**{**_HELPER, "pipeline_class": PlainCompiler})(function))


def portable(function: _F) -> _F:
    """Let kernels compile a plain function; the function is returned unchanged, so it also runs in Python.

    Kernel factories close over such functions. They are pickled by reference, so the resulting kernels can be cached.
    """
    if "pipeline_class" in _HELPER and not config.DISABLE_JIT:
        take_for_helper(function, _plain)
        return function
    return register_jitable(function)


def is_compiled(dispatcher: Any) -> bool:
    """Return whether a kernel is compiled: in this process, or by another process that cached it on disk."""
    if config.DISABLE_JIT or dispatcher.signatures:
        return True
    if dispatcher not in _stored:
        _stored[dispatcher] = dispatcher._cache.is_stored()
    return _stored[dispatcher]


_stored: dict[Any, bool] = {}
"""Whether kernels were found on disk; cached because reading their folder takes half a millisecond."""


def thread_limit(threads: int | None) -> int:
    """Return the number of threads that an option allows: at most ``threads``; for None, all threads of this process.

    Raises:
        UnsupportedOption: the value is neither None nor a positive integer.
    """
    if threads is not None and (not isinstance(threads, Integral) or threads is True or threads < 1):
        raise UnsupportedOption(f"threads must be None or a positive whole number, not {shown(threads)}")
    available = 1 if config.DISABLE_JIT else int(config.NUMBA_NUM_THREADS)
    return available if threads is None else min(int(threads), available)


_token = [True]
"""Empty while a parallel region runs. Popping from a list is atomic and needs no module that starts threads."""


@contextmanager
def parallel_region(threads: int) -> Iterator[int]:
    """Request several threads; yields the number of threads, from 1 to ``threads``.

    Numba's own threading layer ("workqueue") ends the process if two parallel kernels overlap, whether nested or from
    two Python threads. So only one region runs at a time. If another region is running, this function yields 1 and the
    caller uses serial kernels: in this case a parallel kernel must not be called, not even for one part. The lock
    applies only to this engine.

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
    """Start Numba's threads if they are not running, with Numba's own threading layer unless the user chose another
    one.

    By default Numba tries TBB first. If a TBB library other than Blender's were loaded earlier, Blender's module could
    not be loaded.
    """
    if config.THREADING_LAYER != "default":
        return
    before = config.THREADING_LAYER_PRIORITY
    config.THREADING_LAYER_PRIORITY = ["workqueue", "omp", "tbb"]
    try:
        numba.get_num_threads()
    finally:
        config.THREADING_LAYER_PRIORITY = before
