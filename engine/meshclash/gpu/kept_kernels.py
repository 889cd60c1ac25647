"""A disk cache of compiled GPU kernels that replaces numba-cuda's own: plain data with a hash, no pickles.

To launch a kernel, its PTX and its machine code (CUDA's "cubin") for one compute capability are needed, and two names.
The kernels here have fixed argument types, return nothing, and link no other files.
"""

import importlib
import importlib.metadata
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from ..jit import FOLDER, SOURCES
from ..kernels.cache import note, origins
from ..kernels.code import Unstorable
from ..kernels.files import Fields, Identity, file_name, forget_old, read_kernel, write_kernel

LIBRARIES = ("numba-cuda", "cuda-core", "nvidia-nvvm", "nvidia-nvjitlink")
"""Libraries whose versions affect the compiled code of a kernel."""


class KeptKernel:
    """The cache entry of one kernel, with the interface of numba-cuda's cache.

    Args:
        function: the kernel's Python function.
        signature: argument types of the kernel, in Numba's notation.
    """

    def __init__(self, function: Callable[..., None], signature: str) -> None:
        self._function, self._signature = function, signature
        self.cache_path = str(FOLDER.path)
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        self._label = re.sub(r"[^\w.]", "", name)

    def load_overload(self, _signature: Any, context: Any) -> Any:
        """Return the cached kernel, or None; in that case numba-cuda compiles the kernel."""
        context.refresh()
        if FOLDER.path is None:
            return None
        try:
            identity = self._identity()
            name = file_name(self._label, identity)
            found = loaded(read_kernel(FOLDER.path / name, identity)[1], self._signature)
        except FileNotFoundError:
            return None
        except Exception as error:  # other versions may reject the code with any error
            note(f"a compiled kernel was not used: {error or type(error).__name__}")
            return None
        origins[name] = "cached"
        return found

    def save_overload(self, _signature: Any, compiled: Any) -> None:
        """Save a kernel that numba-cuda has compiled, if possible."""
        name = self._label
        try:
            identity = self._identity()
            name = file_name(self._label, identity)
            if FOLDER.path is not None and FOLDER.writable:
                write_kernel(FOLDER.path / name, identity, fields_of(compiled))
                forget_old(FOLDER.path / name, self._label, SOURCES)
        except OSError as error:
            note(f"compiled kernels cannot be stored in {FOLDER.path}: {error.strerror or error}")
        except Exception as error:  # private names of numba-cuda may have changed in an unknown version
            note(f"{self._label} is compiled in every process: {error or type(error).__name__}")
        origins[name] = "compiled"

    def _identity(self) -> Identity:
        major, minor = _capability()
        versions = [f"{library} {importlib.metadata.version(library)}" for library in LIBRARIES]
        file = Path(self._function.__code__.co_filename)
        return {
            "kernel": f"{file.stem}:{self._function.__qualname__}:{self._function.__code__.co_firstlineno}",
            "arguments": self._signature,
            "sources": SOURCES,
            "numba": numba.__version__,
            "libraries": ", ".join(versions),
            "python": f"{sys.version_info[0]}.{sys.version_info[1]}",
            "processor": f"{major}.{minor}",
        }


def _capability() -> tuple[int, int]:
    devices: Any = importlib.import_module("numba.cuda.cudadrv.devices")
    found = devices.get_context().device.compute_capability
    return int(found[0]), int(found[1])


def code_of(compiled: Any) -> Any:
    """Return numba-cuda's object with the PTX and the machine code of a kernel."""
    return compiled._codelibrary


def fields_of(compiled: Any) -> Fields:
    """Return the data of a kernel that numba-cuda has just compiled for one device.

    Raises:
        Unstorable: the kernel links other files, or its code depends on how it is launched.
    """
    library = code_of(compiled)
    if library._linking_files or compiled.cooperative or compiled.launch_config_sensitive or compiled.extensions:
        raise Unstorable("the kernel refers to other code")
    [(capability, texts)] = library._ptx_cache.items()
    return {
        "name": library.name,
        "entry": compiled.entry_name,
        "capability": list(capability),
        "ptx": list(texts),
        "machine_code": bytes(library.get_cubin(capability).code),
    }


def loaded(fields: Fields, signature: str) -> Any:
    """Return a kernel from its data, in the form that numba-cuda's dispatcher expects.

    Args:
        fields: the kernel's data.
        signature: argument types of the kernel.
    """
    codegen, dispatcher, core, sigutils, types, typing = map(
        importlib.import_module,
        ("numba.cuda.codegen", "numba.cuda.dispatcher", "cuda.core", "numba.core.sigutils", "numba.core.types",
         "numba.core.typing"),
    )  # fmt: skip
    capability = tuple(fields["capability"])
    library = codegen.CUDACodeLibrary._rebuild(
        codegen=None, name=fields["name"], entry_name=fields["entry"], llvm_strs=None,
        ptx_cache={capability: fields["ptx"]},
        cubin_cache={capability: core.ObjectCode.from_cubin(fields["machine_code"])},
        linkerinfo_cache={}, max_registers=None, nvvm_options={}, needs_cudadevrt=False, nrt=False,
        use_cooperative=False, lto=False,
    )  # fmt: skip
    arguments, _ = sigutils.normalize_signature(signature)
    return dispatcher._Kernel._rebuild(
        cooperative=False, name=fields["entry"], signature=typing.signature(types.none, *arguments),
        codelibrary=library, debug=False, lineinfo=False, call_helper=None, extensions=[],
    )  # fmt: skip
