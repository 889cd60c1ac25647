"""This is the only module that imports the CUDA target, so that numba-cuda can be replaced in one place.

All other modules import ``cuda``, kernels and errors from this module. Importing this module does not use a device. The
import raises ImportError if no CUDA target is installed; ``device.py`` converts the error to a reason for the user.

Kernels are compiled for the types in their signatures, and without fused multiply-add (``-fma=0``): every product is
rounded, so a device computes bitwise the same coordinates and margins as the CPU. numba-cuda has no option for that. So
the option of NVVM is set while one of our kernels is compiled, and link-time optimisation, which would fuse operations
again, is off. A kernel whose PTX still contains a fused operation is rejected.
"""

import contextlib
import ctypes
import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..messages import Sentence
from .arguments import Arguments, ptx_sizes
from .kept_kernels import KeptKernel, code_of
from .state import DeviceFault, DeviceState, OutOfDeviceMemory

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 needs it on import, but NumPy 2.5 removed it
    np.row_stack = np.vstack  # type: ignore[attr-defined]
_LIBRARIES = {
    "nvidia-nvvm": ("libnvvm.so", "nvvm64"),
    "nvidia-cuda-nvrtc": ("libnvrtc.so", "nvrtc64"),
    "nvidia-cuda-runtime": ("libcudart.so", "cudart64"),
    "nvidia-nvjitlink": ("libnvJitLink.so", "nvJitLink_"),
}
"""Packages of NVIDIA's compiler and linker, and the prefixes of their libraries' names."""


def _load_libraries() -> None:
    """Load the libraries from the folders of their packages.

    Otherwise the libraries would be searched only in site folders, but Blender has other folders.
    """
    for package, beginnings in _LIBRARIES.items():
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            for file in importlib.metadata.files(package) or ():
                if file.name.startswith(beginnings):
                    with contextlib.suppress(OSError):  # for another platform, or damaged: the CUDA target reports it
                        ctypes.CDLL(str(file.locate()))


_load_libraries()
if importlib.util.find_spec("_numba_cuda_redirector"):  # for environments that do not run .pth files, such as Blender
    importlib.import_module("_numba_cuda_redirector")

from numba import cuda as _cuda  # noqa: E402

cuda: Any = _cuda
SIMULATED = bool(cuda.config.ENABLE_CUDASIM)
"""Whether kernels run in Numba's simulator, in Python."""
THREADS = 8 if SIMULATED else 256
"""Threads per block. In the simulator each one is a real thread."""
FUSED = "fma.rn"
"""The fused instruction that PTX must not contain."""


def _one_shared_array(self: Any, shape: Any, dtype: Any) -> np.ndarray:
    """Return one array for all threads of a simulated block, identified by the calling line; Numba may make two."""
    frame = sys._getframe(1)
    return self._allocations.setdefault((frame.f_code, frame.f_lineno), np.empty(shape, dtype))


if SIMULATED:
    _simulator = importlib.import_module("numba.cuda.simulator.kernelapi")
    _simulator.FakeCUDAShared.array = _one_shared_array
    _simulator.FakeCUDAModule.nanosleep = lambda self, nanoseconds: None  # missing in the simulator


def _peek(array: Any, index: int) -> Any:
    """Read a number that other blocks change. The number comes from memory, perhaps slightly old, and never from a
    register.
    """
    return array[index]


def _put(array: Any, index: int, value: Any) -> None:
    """Write a number that other blocks peek at, in one atomic store."""
    array[index] = value


def _relaxed() -> tuple[Any, Any]:
    """Return ``_peek`` and ``_put`` for kernels: PTX's relaxed accesses, because ordinary accesses guarantee
    neither.
    """
    extending, types, cgutils, ir = map(
        importlib.import_module, ("numba.cuda.extending", "numba.cuda.types", "numba.cuda.cgutils", "llvmlite.ir")
    )
    letters = {types.int64: "l", types.float64: "d"}

    def place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
        found = context.make_array(kind)(context, builder, array)
        return cgutils.get_item_pointer(context, builder, kind, found, [index])

    def access(context: Any, builder: Any, result: Any, text: str, constraint: str, values: list[Any]) -> Any:
        kind = ir.FunctionType(result, [value.type for value in values])
        return builder.call(ir.InlineAsm(kind, text, constraint, side_effect=True), values)

    @extending.intrinsic
    def peek(typing: Any, array: Any, index: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            pointer, kind = place(context, builder, array, *given), context.get_value_type(array.dtype)
            letter = letters[array.dtype]
            return access(context, builder, kind, "ld.relaxed.gpu.b64 $0, [$1];", f"={letter},l", [pointer])

        return array.dtype(array, types.intp), code

    @extending.intrinsic
    def put(typing: Any, array: Any, index: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            pointer, letter = place(context, builder, array, *given[:2]), letters[array.dtype]
            access(context, builder, ir.VoidType(), "st.relaxed.gpu.b64 [$0], $1;", f"l,{letter}", [pointer, given[2]])
            return context.get_dummy_value()

        return types.none(array, types.intp, array.dtype), code

    return peek, put


peek, put = (_peek, _put) if SIMULATED else _relaxed()


@contextmanager
def faults() -> Iterator[None]:
    """Turn errors of the device's driver or compiler into DeviceFault."""
    try:
        yield
    except _errors() as error:
        raise fault_of(error) from error


def _errors() -> tuple[type[BaseException], ...]:
    names = {
        "numba.cuda.cudadrv.driver": ("CudaAPIError", "LinkerError"),
        "numba.cuda.cudadrv.error": (
            "CudaDriverError", "CudaRuntimeError", "CudaSupportError", "NvvmError", "NvvmSupportError",
        ),
        "numba.cuda.errors": ("KernelRuntimeError",),
        "cuda.core._utils.cuda_utils": ("CUDAError",),  # of modules and launches, which numba-cuda leaves to it
    }  # fmt: skip
    found = {name: importlib.import_module(name) for name in names if not (SIMULATED and name.startswith("cuda."))}
    return tuple(getattr(found[m], n) for m in found for n in names[m] if hasattr(found[m], n))


_OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"
_WORDS = {
    _OUT_OF_MEMORY: "the device is out of memory",
    "CUDA_ERROR_NO_DEVICE": "the GPU is no longer available",
    "CUDA_ERROR_INVALID_DEVICE": "the GPU is no longer available",
    "CUDA_ERROR_DEVICE_UNAVAILABLE": "another program has the device for itself",
    "CUDA_ERROR_LAUNCH_TIMEOUT": "the system stopped the device, which had kept the display waiting",
    "CUDA_ERROR_ECC_UNCORRECTABLE": "memory of the device is broken",
    "CUDA_ERROR_CONTEXT_IS_DESTROYED": "another part of this program has ended what it does on the device",
    "CUDA_ERROR_INVALID_CONTEXT": "another part of this program has taken the device from this thread",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "the NVIDIA driver was changed: restart the machine",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION": "the NVIDIA driver is older than the compiler: update it",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "the device is not one that kernels were compiled for",
}
"""Names of driver errors, and their meaning for the user."""


def fault_of(error: BaseException) -> DeviceFault:
    """Return the DeviceFault for an error of the driver."""
    text = " ".join(str(error).split()).split(". ")[0] or type(error).__name__  # the rest is general remarks
    means = next((words for name, words in _WORDS.items() if name in text), "the device failed")
    kind = OutOfDeviceMemory if _OUT_OF_MEMORY in text else DeviceFault
    return kind(f"{means}: {text}")


_abandoned: list[Any] = []


def abandon(context: Any) -> None:
    """Disable all deallocations on a lost device for good: each would fail and print an error."""
    if not SIMULATED:
        kept = context.memory_manager.deallocations.disable()
        kept.__enter__()
        _abandoned.append(kept)


def start_anew() -> None:
    """Release everything of a lost device, also the kernels loaded there: a failed context never recovers."""
    if not _abandoned:
        return
    for known in KERNELS.values():
        known.forget()
    with contextlib.suppress(*_errors()):  # closing a lost context raises, too
        cuda.close()
    while _abandoned:
        _abandoned.pop().__exit__(None, None, None)


OLDEST_CAPABILITY = (7, 5)
"""Oldest compute capability that CUDA 13 supports."""


def look() -> DeviceState:
    """Look for a CUDA device, and return its state.

    Exceptions of the libraries are not caught; most of them contain the reason why no device can be used.
    """
    if SIMULATED:
        return DeviceState(True, name="Numba's simulator")
    driver = _driver()
    if not _initialised(driver):
        return DeviceState(False, _no_driver(str(driver.initialization_error)))
    start_anew()
    supported, needed = tuple(driver.get_version()), _needed_cuda()
    if supported[0] < needed:
        return DeviceState(
            False,
            Sentence(
                "the NVIDIA driver is too old: it supports CUDA {supported}, {needed} is needed",
                supported=f"{supported[0]}.{supported[1]}",
                needed=f"{needed}.0",
            ),
        )
    if driver.get_device_count() == 0:
        return DeviceState(False, "the NVIDIA driver finds no device")
    context = cuda.current_context()
    device = context.device
    name = device.name.decode() if isinstance(device.name, bytes) else str(device.name)
    capability = tuple(device.compute_capability)
    if capability < OLDEST_CAPABILITY:
        has, needs = (".".join(map(str, c)) for c in (capability, OLDEST_CAPABILITY))
        return DeviceState(
            False,
            Sentence(
                "{name} is too old: it has compute capability {has}, {needed} is needed",
                name=name,
                has=has,
                needed=needs,
            ),
        )
    libraries = f"numba-cuda {_version('numba-cuda')}, nvvm {_version('nvidia-nvvm')}"
    versions = f"driver for CUDA {supported[0]}.{supported[1]}, {libraries}"
    memory = int(context.get_memory_info()[1])
    return DeviceState(True, "", name, capability, memory, versions)


@cache
def _driver() -> Any:
    return importlib.import_module("numba.cuda.cudadrv.driver").driver


def _initialised(driver: Any) -> bool:
    try:
        return bool(driver.is_available)
    except _errors():
        return False


def _no_driver(error: str) -> str:
    if "cannot be found" in error:
        return "no NVIDIA driver was found: install one, or use the CPU"
    return Sentence("the NVIDIA driver cannot be used: {why}", why=" ".join(error.split()))


def _needed_cuda() -> int:
    """Return the major version of CUDA that the installed libraries need."""
    return int(_version("cuda-bindings").split(".")[0])


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


class Kernel:
    """A kernel for arguments of given types, compiled on its first launch."""

    def __init__(self, function: Callable[..., None], signature: str) -> None:
        self.function = function
        self.signature = signature
        self._compiled: Any = cuda.jit(function) if SIMULATED else None
        self._direct: _Direct | None = None

    @property
    def ready(self) -> bool:
        """Whether the kernel is compiled."""
        return self._compiled is not None

    @property
    def direct(self) -> bool:
        """Whether the kernel is launched through the driver, bypassing numba-cuda's slower launch code."""
        return self._direct is not None

    def prepare(self) -> None:
        """Compile the kernel, or load it from the cache; raise DeviceFault if this fails."""
        if self._compiled is None:
            with faults():
                self._compiled = self._compile()
                self._direct = _direct(self._compiled, self.signature)

    def forget(self) -> None:
        """Remove the loaded kernel, so that it is loaded again before its next launch."""
        self._compiled = self._direct = None

    def launch(self, blocks: int, stream: Any, *arguments: Any) -> None:
        """Run ``blocks`` blocks of THREADS threads; return without waiting."""
        self.prepare()
        with faults():
            if self._direct is None:
                _configured(self._compiled, blocks, stream)(*arguments)
            else:
                self._direct.launch(blocks, stream, arguments)

    def ptx(self, capability: tuple[int, int] = (9, 0)) -> str:
        """Return the kernel as PTX; no device is needed."""
        with _unfused():
            code, _ = cuda.compile(
                self.function, self.signature, cc=capability, device=False, abi="numba", output="ptx"
            )
        return str(code.decode() if isinstance(code, bytes) else code)

    def _compile(self) -> Any:
        with _unfused(), _kept(self.signature):
            compiled = cuda.jit(self.signature, lto=False, cache=True)(self.function)
            assembly = _assembly(compiled)
        if FUSED in assembly:
            raise DeviceFault(
                Sentence(
                    "the compiler for the GPU rounds {function} in another way than the CPU: results would differ",
                    function=self.function.__name__,
                )
            )
        return compiled


class _Direct:
    """Launches a kernel directly through the driver, with the error checks of numba-cuda's driver wrapper."""

    def __init__(self, handle: Any, arguments: Arguments) -> None:
        self._handle, self._arguments = handle, arguments
        self._driver = _driver()

    def launch(self, blocks: int, stream: Any, arguments: tuple[Any, ...]) -> None:
        """Run ``blocks`` blocks of THREADS threads; return without waiting."""
        self._arguments.fill(arguments)
        self._driver.cuLaunchKernel(
            self._handle, blocks, 1, 1, THREADS, 1, 1, 0, stream.handle, self._arguments.address, 0
        )


def _assembly(compiled: Any) -> str:
    """Return the PTX that runs. ``inspect_asm`` would compile again, without the features of this device."""
    [kernel] = compiled.overloads.values()
    return str(code_of(kernel).get_asm_str())


def _direct(compiled: Any, signature: str) -> _Direct | None:
    """Return a direct launcher of a kernel, or None if this numba-cuda is incompatible; in that case numba-cuda
    launches the kernel.
    """
    try:
        [kernel] = compiled.overloads.values()
        assembly = _assembly(compiled)
        handle = importlib.import_module("cuda.bindings.driver").CUfunction(int(kernel.library.get_cufunc().handle))
    except (AttributeError, ImportError, TypeError, ValueError):
        return None
    arguments = Arguments(signature)
    return _Direct(handle, arguments) if arguments.sizes == ptx_sizes(assembly) else None


def _configured(compiled: Any, blocks: int, stream: Any) -> Any:
    """Return a kernel with its grid, without numba-cuda's warning about small grids: first levels are always small."""
    before = cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS
    cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
    try:
        return compiled[blocks, THREADS, stream]
    finally:
        cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = before


def send(target: Any, source: np.ndarray, stream: Any) -> None:
    """Copy a host array over a device array of the same shape and type, both contiguous; return without waiting."""
    if SIMULATED:
        target.copy_to_device(source, stream=stream)
    else:  # takes a tenth of the time of copy_to_device, which checks shapes and strides
        _driver().cuMemcpyHtoDAsync(_address(target), source.ctypes.data, source.nbytes, stream.handle)


def fetch(target: np.ndarray, source: Any, first: int, stream: Any) -> None:
    """Copy rows of a device array, from row ``first`` on, to a contiguous host array; may return without waiting."""
    if SIMULATED:
        source[first : first + len(target)].copy_to_host(target, stream=stream)
    elif target.nbytes:
        address = _address(source) + first * (target.nbytes // len(target))
        _driver().cuMemcpyDtoHAsync(target.ctypes.data, address, target.nbytes, stream.handle)


def copy_rows(target: Any, source: Any, count: int, stream: Any) -> None:
    """Copy the first rows of a device array over those of a similar one; return without waiting."""
    if SIMULATED:
        target[:count].copy_to_device(source[:count], stream=stream)
    elif count:
        size = count * (source.nbytes // source.shape[0])
        _driver().cuMemcpyDtoDAsync(_address(target), _address(source), size, stream.handle)


def _address(array: Any) -> int:
    return int(array.device_ctypes_pointer.value or 0)


KERNELS: dict[str, Kernel] = {}
"""Kernels by name, of all modules that have been imported."""


def all_kernels() -> dict[str, Kernel]:
    """Return all kernels of the engine by name. The modules of these kernels are those whose names end in _gpu."""
    engine, package = Path(__file__).parents[1], __package__.rpartition(".")[0]
    for path in sorted(engine.rglob("*_gpu.py")):
        parts = path.relative_to(engine).with_suffix("").parts
        importlib.import_module(".".join((package, *parts)))
    return dict(KERNELS)


def kernel(signature: str) -> Callable[[Callable[..., None]], Kernel]:
    """Return a decorator that makes a function a kernel; ``signature`` is in Numba's notation."""

    def made(function: Callable[..., None]) -> Kernel:
        found = KERNELS[function.__name__] = Kernel(function, signature)
        return found

    return made


@contextmanager
def _unfused() -> Iterator[None]:
    """Set NVVM's option against fused operations while the context is open."""
    nvvm: Any = importlib.import_module("numba.cuda.cudadrv.nvvm")
    original = nvvm.compile_ir

    def compile_ir(code: Any, **options: Any) -> Any:
        return original(code, **{**options, "fma": False})

    nvvm.compile_ir = compile_ir
    try:
        yield
    finally:
        nvvm.compile_ir = original


@contextmanager
def _kept(signature: str) -> Iterator[None]:
    """Cache compiled kernels as plain data while the context is open.

    Without this class, numba-cuda would pickle the kernels, and would not notice edits of functions that they call.
    """
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher").CUDADispatcher
    usual = dispatcher.enable_caching

    def enable_caching(self: Any) -> None:
        self._cache = KeptKernel(self.py_func, signature)

    dispatcher.enable_caching = enable_caching
    try:
        yield
    finally:
        dispatcher.enable_caching = usual
