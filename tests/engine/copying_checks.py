"""Is a copy right when its original is gone? Objects are used, copied, asked, and the original's memory overwritten.

``fault_of`` checks one state of use of one class in one way of copying; ``answers`` asks objects in another process.
"""

import copy
import ctypes
import functools
import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import copied_things
import meshclash as mc
import numpy as np
from copied_things import EXAMPLES, WAYS, Example, state

SHARING = "copy", "pickle 5, shared buffers"
"""Ways whose copies share what does not change."""
_LOWEST_ADDRESS = 1 << 20
_PASSED_BY = type, types.ModuleType, types.GeneratorType, types.BuiltinFunctionType, str, bytes, float, bool


def reached(root: Any) -> Iterator[Any]:
    """An object and all that hangs on it: attributes, items, what functions close over, bases of arrays."""
    seen, waiting = {}, [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, _PASSED_BY) or type(thing).__module__.startswith("numba"):
            continue
        seen[id(thing)] = thing
        yield thing
        waiting += _held_by(thing)


def _held_by(thing: Any) -> list[Any]:
    if isinstance(thing, np.ndarray):
        return [thing.base]
    if isinstance(thing, dict):
        return [*thing.keys(), *thing.values()]
    held = list(thing) if isinstance(thing, list | tuple | set | frozenset) else []
    if isinstance(thing, types.FunctionType):
        return [cell.cell_contents for cell in thing.__closure__ or ()] + list(thing.__defaults__ or ())
    if isinstance(thing, functools.partial):
        return [thing.func, thing.args, thing.keywords]
    if isinstance(thing, types.MethodType):
        return [thing.__self__]
    held += getattr(thing, "__dict__", {}).values()
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names = (slots,) if isinstance(slots, str) else slots
        held += [getattr(thing, name) for name in names if hasattr(thing, name)]
    return held


def arrays_of(root: Any) -> list[np.ndarray]:
    """The arrays among them."""
    return [thing for thing in reached(root) if isinstance(thing, np.ndarray) and thing.nbytes]


@functools.cache
def _constants() -> tuple[set[int], list[np.ndarray]]:
    """Addresses of the arrays of modules and of what all questions share, and these arrays, which so stay alive."""
    modules = [m for name, m in list(sys.modules.items()) if name.split(".")[0] == "meshclash"]
    roots = [vars(module) for module in modules], vars(copied_things)
    classes = [vars(value) for module in modules for value in vars(module).values() if isinstance(value, type)]
    functions = [value for module in modules for value in vars(module).values() if callable(value)]
    arrays = arrays_of([*roots, [dict(given) for given in classes], functions])
    return {array.ctypes.data for array in arrays}, arrays


def shared_memory() -> set[int]:
    """Addresses of arrays that belong to no single object."""
    part = copied_things.part()
    trees = [kept for kept in part.derived.values() if isinstance(kept, mc.Hierarchy)]
    caches = [part.__dict__, part.derived, *(tree.derived for tree in trees), *(tree.parts.derived for tree in trees)]
    return _shared_memory(tuple(id(kept) for cache in caches for kept in cache.values()))


@functools.lru_cache(1)
def _shared_memory(_kept: tuple[int, ...]) -> set[int]:
    """The same, found anew when what is kept with the shared mesh changes."""
    return _constants()[0] | {array.ctypes.data for array in arrays_of([copied_things.part()])}


def overwrite(root: Any) -> None:
    """Fill the memory of all arrays of an object with a pattern that is no answer."""
    kept = shared_memory()
    for array in arrays_of(root):
        if array.ctypes.data not in kept and array.flags.c_contiguous and array.dtype.kind != "O":
            ctypes.memset(array.ctypes.data, 0xA5, array.nbytes)


def has_address(made: Any, original: Any) -> bool:
    """Whether a number in a copy is an address of an array of its original, or of one of its own."""
    numbers = [array.ctypes.data for array in [*arrays_of(original), *arrays_of(made)]]
    addresses = np.array([n for n in numbers if n >= _LOWEST_ADDRESS], np.uint64)
    for thing in reached(made):
        if isinstance(thing, int) and thing >= _LOWEST_ADDRESS and thing in numbers:
            return True
        whole = isinstance(thing, np.ndarray) and thing.dtype in (np.int64, np.uint64)
        if whole and np.isin(thing.astype(np.uint64), addresses).any():
            return True
    return False


def fault_of(kind: type, seed: int, way: str, *, look_for_addresses: bool = False) -> str:
    """What is wrong with a copy of an object in one state of use; "" where all is well."""
    example, rng, pick = EXAMPLES[kind], np.random.default_rng(seed + 1), seed % 997
    assert isinstance(example, Example)
    thing = state(kind, seed)
    copied = example.shallow if way == "copy" else WAYS[way]
    made = copied(thing)
    if look_for_addresses and way != "copy" and has_address(made, thing):
        return "the copy holds an address"
    wanted = example.ask(thing if way in WAYS else copy.deepcopy(thing), pick)
    if example.change is not None:
        example.change(thing, rng)
    if way not in SHARING:
        overwrite(thing)
    del thing
    found = example.ask(made, pick)
    return "" if found == wanted else f"wanted {wanted!r:.300}, found {found!r:.300}"


def kind_named(name: str) -> type:
    """A class of the examples by its full name."""
    return next(kind for kind in EXAMPLES if f"{kind.__module__}.{kind.__qualname__}" == name)


def name_of(kind: type) -> str:
    """The full name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def digest(answer: Any) -> str:
    """Of an answer, so that little is sent back."""
    return hashlib.sha256(repr(answer).encode()).hexdigest()[:16]


def answer_elsewhere(job: tuple[str, Any, int]) -> str:
    """The answer of an object that was sent here with the name of its class and a pick."""
    name, thing, pick = job
    example = EXAMPLES[kind_named(name)]
    assert isinstance(example, Example)
    return digest(example.ask(thing, pick))


def jobs_of(states: list[tuple[type, int]]) -> tuple[list[tuple[str, Any, int]], list[str]]:
    """Objects to send to another process, and what they answer here: the originals are copied by being sent."""
    jobs, wanted = [], []
    for kind, seed in states:
        example, pick = EXAMPLES[kind], seed % 997
        assert isinstance(example, Example)
        jobs.append((name_of(kind), state(kind, seed), pick))
        wanted.append(digest(example.ask(copy.deepcopy(jobs[-1][1]), pick)))
    return jobs, wanted


def _by_pool(method: str) -> Callable[[list[Any]], list[str]]:
    def ask(jobs: list[Any]) -> list[str]:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
            return list(pool.map(answer_elsewhere, jobs, chunksize=16))

    return ask


def _by_joblib(jobs: list[Any]) -> list[str]:
    """Arrays of a kilobyte are files that the other process maps, read-only."""
    import joblib

    given = joblib.Parallel(n_jobs=2, max_nbytes="1K", batch_size=16)
    return list(given(joblib.delayed(answer_elsewhere)(job) for job in jobs))


def _by_dask(jobs: list[Any]) -> list[str]:
    from distributed import Client

    with Client(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as client:
        return list(client.gather(client.map(answer_elsewhere, jobs, pure=False)))


ELSEWHERE: dict[str, Callable[[list[Any]], list[str]]] = {
    "spawn": _by_pool("spawn"),
    "forkserver": _by_pool("forkserver"),
    "joblib": _by_joblib,
    "dask": _by_dask,
}
"""What asks objects in other processes."""


def faults_elsewhere(way: str, states: list[tuple[type, int]]) -> list[str]:
    """What objects in some states of use answer otherwise in another process."""
    jobs, wanted = jobs_of(states)
    found = ELSEWHERE[way](jobs)
    rows = zip(states, wanted, found, strict=True)
    return [f"{way}: {name_of(kind)}, seed {seed}" for (kind, seed), there, here in rows if there != here]
