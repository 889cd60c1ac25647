"""How the engine compiles: a few decorators, one cache of compiled kernels, one parallel region.

Numba stamps a cached kernel with the file that holds it, not with the helpers that it calls, so an edit of a helper
would be served stale. ``kernels/`` keeps compiled kernels in place of Numba's own cache, with a hash of all sources
that they are made of; Numba's settings stay as other extensions in the same process want them.

Several cores. A kernel that pays on several cores has two forms: ``kernel`` with an ordinary loop over parts of work
and ``parallel_kernel`` with ``prange`` over them; the caller takes the second one only inside ``parallel_region``, when
that gives more than one thread. What a part computes must not depend on the thread that computes it, and how the work
is cut must not depend on the number of threads; then neither does the answer.
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
"""Beginning of the versions of Numba whose insides ``jit_pipeline.py`` knows."""

_KERNEL: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_HELPER: dict[str, Any] = {**_KERNEL, "no_cpython_wrapper": True}
if numba.__version__.startswith(PIPELINE_KNOWS):
    try:
        from .jit_pipeline import HelperCompiler, KernelCompiler, PlainCompiler, take_for_helper, without_literals

        _KERNEL["pipeline_class"], _HELPER["pipeline_class"] = KernelCompiler, HelperCompiler
    except ImportError as error:
        cache.note(f"Numba {numba.__version__} is not as this engine knows it, so it compiles slowly: {error}")

config: Any = _config  # its settings are attributes made at run time

prange = numba.prange
"""``range`` over parts of the work that ``parallel_kernel`` gives to several cores."""

_F = TypeVar("_F", bound=Callable[..., Any])
SOURCES = whole_hash()
"""Hash of the engine's sources."""
FOLDER_NAME = "kernels-1"
"""Of compiled kernels, inside the folder for the cache; the number is that of their format."""
FOLDER: KernelFolder = find_folder(FOLDER_NAME)
"""Where this user's compiled kernels lie."""
CACHE_DIRECTORY: Path | None = FOLDER.path if FOLDER.writable else None
"""The same folder where new ones can be stored, else None."""


def cache_problem() -> str:
    """Why compiled kernels are not kept for the next session; "" while they are."""
    if FOLDER.path is None:
        return f"no folder for compiled kernels can be written: every session compiles them anew ({FOLDER.note})"
    if CACHE_DIRECTORY is None:
        return f"{FOLDER.path} can only be read: what it lacks is compiled in every session"
    return next((note for note in cache.notes if "cannot be stored" in note), "")


def kernel_notes() -> list[str]:
    """What a diagnosis should say about compiled kernels, a sentence each."""
    return [note for note in dict.fromkeys((cache_problem(), FOLDER.note, *cache.notes)) if note]


def kernel_counts() -> dict[str, int]:
    """How many kernels this process has loaded or "compiled"; ``cache.origins`` says what the other words mean."""
    found = list(cache.origins.values())
    return {kind: found.count(kind) for kind in ("cached", "shipped", "built", "compiled")}


def look_for_new_kernels() -> None:
    """Takes note of a store that was built since this process looked for one."""
    store.forget_stores()
    _stored.clear()


def missing_parts(parts: Sequence[str]) -> list[str]:
    """The parts of the warm-up whose kernels no store has for this processor and Python, so that they are compiled."""
    return store.missing_parts(parts, SOURCES)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call, without the interpreter lock, cached on disk where that is possible."""
    return _cached(numba.njit(**_KERNEL)(function))


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """As ``kernel``, with ``prange`` loops on several cores; to be called in a ``parallel_region`` only.

    Compiles several times slower than a kernel, so what small inputs need must have a serial form.
    """
    return _cached(numba.njit(nogil=True, error_model="numpy", parallel=True)(function))


def _cached(dispatcher: Any) -> Any:
    """A dispatcher that looks for its machine code in our folders; Numba's own setting is left alone."""
    if hasattr(dispatcher, "enable_caching"):
        dispatcher._cache = cache.KernelCache(dispatcher.py_func, FOLDER, SOURCES)  # as enable_caching does
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
    if config.DISABLE_JIT or dispatcher.signatures:
        return True
    if dispatcher not in _stored:
        _stored[dispatcher] = dispatcher._cache.is_stored()
    return _stored[dispatcher]


_stored: dict[Any, bool] = {}
"""Whether kernels were on disk when they were looked for: reading a folder of them takes half a millisecond."""


def thread_limit(threads: int | None) -> int:
    """How many threads an option allows: all that this process may use for None, otherwise at most ``threads``.

    Raises:
        UnsupportedOption: neither None nor a positive whole number.
    """
    if threads is not None and (not isinstance(threads, Integral) or threads is True or threads < 1):
        raise UnsupportedOption(f"threads must be None or a whole number from 1 on, not {shown(threads)}")
    available = 1 if config.DISABLE_JIT else int(config.NUMBA_NUM_THREADS)
    return available if threads is None else min(int(threads), available)


_token = [True]
"""Taken by the running parallel region. Popping a list is atomic, and needs no module that starts threads."""


@contextmanager
def parallel_region(threads: int) -> Iterator[int]:
    """Ask for several threads; gives how many there are, from 1 to ``threads``.

    Numba's own pool ("workqueue") ends the process when two parallel kernels overlap, nested or from two Python
    threads. So one region runs at a time, and a caller that finds it taken is given 1 and goes on with serial kernels:
    with 1 a parallel kernel must not be called, not even for one part. The token covers this engine only.

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
