"""Cache of compiled kernels for Numba's dispatchers: searches the user's folder, then the stores (``store.py``).

A kernel that is missing or damaged is compiled. Compiling takes seconds, but results stay the same. The reasons are
stored for the diagnosis (``notes``).
"""

import functools
import hashlib
import inspect
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.runtime import rtsys

from . import store
from .code import KernelCode, Unstorable, code_of, load_code
from .files import DamagedKernel, Fields, Identity, file_name, forget_old, parsed, read_kernel, write_kernel
from .folders import KernelFolder, trusted_bytes
from .processors import levels_here, processor_of
from .sources import ENGINE, hash_of
from .sources import counts as counts_as_source

_PACKAGE = __name__.rpartition(".kernels")[0]
_PLAIN = (bool, int, float, str, bytes, type(None))
_Target = tuple[str, str, str]
"""Platform, processor and features that Numba compiles for."""

notes: list[str] = []
"""Problems with kernels on disk in this process, without repetitions."""
origins: dict[str, str] = {}
"""Origin of each kernel of this process, by its file name (or its label if it has no file).

"cached": the user's folder; "shipped": a store of the package; "built": a store of the user; "compiled": Numba.
"""
before_compiling: list[Callable[[], None]] = []
"""Functions that are called once, before this process compiles its first kernel."""


class KernelCache:
    """The compiled forms of one function on disk, one for each tuple of argument types.

    Args:
        function: the Python function.
        folder: the user's folder.
        sources: hash of the engine's sources.
    """

    def __init__(self, function: Callable[..., Any], folder: KernelFolder, sources: str) -> None:
        self._function = function
        self._folder = folder
        self._sources = sources
        self._own = ""
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}".replace("<locals>.", "")
        self._label = name.replace("<", "").replace(">", "")  # "<lambda>" is not a valid file name

    @property
    def cache_path(self) -> str:
        """Path of the user's folder; Numba reads this attribute."""
        return str(self._folder.path)

    def load_overload(self, arguments: Any, context: Any) -> Any:
        """Return the kernel for these argument types, or None to let Numba compile the kernel."""
        rtsys.initialize(context)  # the runtime that machine code calls; for compiling, Numba loads more
        found = self._found(arguments, context)
        if found is None:
            store.forget_stores()  # a store may have been built in the meantime
            found = self._found(arguments, context)
        while found is None and before_compiling:
            before_compiling.pop()()
        return found

    def _found(self, arguments: Any, context: Any) -> Any:
        """Load the kernel from disk; None if no file exists for the kernel."""
        for kind, target, read in self._places(context.codegen().magic_tuple()):
            try:
                identity = self._identity(arguments, target)
                name = file_name(self._label, identity)
                code = read(name, identity)
                found = load_code(KernelCode(**code), self._function, arguments, context)
            except FileNotFoundError:
                continue
            except Exception as error:  # other versions of Numba and LLVM refuse code with errors of any kind
                note(f"a compiled kernel was not used: {error or type(error).__name__}")
                continue
            origins[name] = kind
            return found
        return None

    def save_overload(self, arguments: Any, compiled: Any) -> None:
        """Store a kernel that Numba has compiled, if possible; otherwise keep a note of the reason."""
        name = self._label
        try:
            identity = self._identity(arguments, compiled.codegen.magic_tuple())
            name = file_name(self._label, identity)
            if self._folder.path is not None and self._folder.writable:
                write_kernel(self._folder.path / name, identity, code_of(compiled)._asdict())
                forget_old(self._folder.path / name, self._label, self._own_sources())
        except OSError as error:
            note(f"compiled kernels cannot be stored in {self._folder.path}: {error.strerror or error}")
        except Exception as error:  # private names of Numba may be missing in an unknown version
            note(f"{self._label} is compiled in every process: {error or type(error).__name__}")
        origins[name] = "compiled"

    def is_stored(self) -> bool:
        """Return whether a form of this kernel is on disk, for any argument types."""
        beginning = f"{self._label}-{self._own_sources()}-"
        if self._folder.path is not None and any(self._folder.path.glob(f"{beginning}*")):
            return True
        return any(name.startswith(beginning) for files in stored(self._sources).values() for name in files)

    def _places(self, target: _Target) -> Iterator[tuple[str, _Target, Callable[[str, Identity], Fields]]]:
        """Yield the places to search: kind of place, target of its kernels, and function that reads a file."""
        folder = self._folder.path
        if folder is not None:
            yield "cached", target, lambda name, identity: read_kernel(folder / name, identity)[1]
        for place, files in stored(self._sources).items():
            level = place.folder.name.removeprefix(store.store_name(""))
            read = functools.partial(_read_stored, place, files)
            yield "shipped" if place.shipped else "built", (target[0], *processor_of(level)), read

    def _own_sources(self) -> str:
        """Hash the sources that this kernel depends on; the whole engine if a function is defined elsewhere."""
        if not self._own:
            files = {Path(function.__code__.co_filename) for function in _functions_in(self._function)}
            inside = all(file.is_relative_to(ENGINE) and counts_as_source(file) for file in files)
            self._own = hash_of(files) if inside else self._sources
        return self._own

    def _identity(self, arguments: Any, target: _Target) -> Identity:
        triple, processor, features = target
        code = self._function.__code__
        file = Path(code.co_filename)
        foreign = hashlib.sha256(file.read_bytes()).hexdigest() if self._own_sources() == self._sources else ""
        return {
            "kernel": f"{_relative(self._function.__module__)}:{self._function.__qualname__}:{code.co_firstlineno}",
            "arguments": hashlib.sha256(str(tuple(arguments)).encode()).hexdigest(),
            "closure": _described(self._function),
            "sources": self._own_sources(),
            "file": foreign,
            "numba": numba.__version__,
            "llvmlite": llvmlite.__version__,
            "python": store.store_name(""),
            "triple": triple,
            "processor": processor,
            "features": features,
        }


def stored(sources: str) -> dict[store.Store, dict[str, str]]:
    """Return the names and hashes of the kernels in each store, best processor level first.

    Args:
        sources: hash of the engine's sources; stores built from other sources are not used.
    """
    found = {}
    for place in store.stores_here():
        try:
            files = store.usable_manifest(place, sources)["files"]
        except (DamagedKernel, OSError) as error:
            note(f"the {'shipped' if place.shipped else 'built'} kernels were not used: {error}")
            continue
        if files:
            found[place] = files
    if not found:
        _note_foreign_stores()
    return found


@functools.cache
def _note_foreign_stores() -> None:
    """Record a note if the package has kernels, but none for this Python and processor. Checks only once."""
    wanted = {store.store_name(level) for level in levels_here()}
    others = store.names()
    if others and not wanted & set(others):
        best = store.store_name(levels_here()[0] if levels_here() else "unknown")
        note(f"the shipped kernels were not used: they are for {', '.join(others)}, and this is {best}")


def _read_stored(place: store.Store, files: dict[str, str], name: str, identity: Identity) -> Fields:
    if name not in files:
        raise FileNotFoundError(name)
    path = place.folder / name
    content = trusted_bytes(path, place.shipped)
    if hashlib.sha256(content).hexdigest() != files[name]:
        raise DamagedKernel(f"{path} is not the file that {'came with the package' if place.shipped else 'was built'}")
    return parsed(content, path, identity)[1]


def _relative(module: str) -> str:
    """Remove the package's name from a module's name, because it differs between an engine and Blender's extension."""
    return module.removeprefix(_PACKAGE)


def _functions_in(value: Any) -> Iterator[types.FunctionType]:
    """Yield a function and all functions that it closes over, directly or indirectly."""
    value = getattr(value, "py_func", value)
    if inspect.isfunction(value):
        yield value
        for cell in value.__closure__ or ():
            yield from _functions_in(cell.cell_contents)
    elif isinstance(value, tuple):
        for item in value:
            yield from _functions_in(item)


def _described(value: Any) -> str:
    """Describe a function and the values it closes over, as text that is the same in every process.

    Raises:
        Unstorable: a value cannot be identified by a text.
    """
    if hasattr(value, "py_func"):
        return _described(value.py_func)
    if inspect.isfunction(value):
        cells = [_described(cell.cell_contents) for cell in value.__closure__ or ()]
        return f"{_relative(value.__module__)}:{value.__qualname__}:{value.__code__.co_firstlineno}({', '.join(cells)})"
    if isinstance(value, tuple):
        return f"{type(value).__name__}({', '.join(map(_described, value))})"
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, types.ModuleType):
        return _relative(value.__name__)
    raise Unstorable(
        f"the kernel refers to an object of type {type(value).__name__}, which cannot be identified in another process"
    )


def note(text: str) -> None:
    """Store a sentence for the diagnosis, unless it is already stored."""
    if text not in notes:
        notes.append(text)
