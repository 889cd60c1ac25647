"""What the CUDA module makes of drivers and devices: every state a sentence, every error of a driver a fault."""

import importlib
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from gpu_cases import needs_cuda_target
from meshclash.gpu.state import DeviceFault, OutOfDeviceMemory

pytestmark = needs_cuda_target


@pytest.fixture
def cuda_module():
    return importlib.import_module("meshclash.gpu.cuda_gpu")


class Driver:
    """Enough of a driver to be asked what there is."""

    initialization_error = None
    is_available = True

    def __init__(self, version=(13, 0), devices=1):
        self.version, self.devices = version, devices

    def get_version(self):
        return self.version

    def get_device_count(self):
        return self.devices


class NoDriver(Driver):
    is_available = False
    initialization_error = "\nCUDA driver library cannot be found.\nEnsure that a driver is installed.\n"


class BrokenDriver(Driver):
    initialization_error = "CUDA_ERROR_NO_DEVICE (100)"

    @property
    def is_available(self):
        error = importlib.import_module("numba.cuda.cudadrv.error")
        raise error.CudaSupportError("Error at driver init: CUDA_ERROR_NO_DEVICE (100)")


def context(capability=(9, 0)):
    device = SimpleNamespace(name=b"Some GPU", compute_capability=capability)
    return SimpleNamespace(device=device, get_memory_info=lambda: (1 << 30, 2 << 30))


@pytest.mark.parametrize(
    ("driver", "capability", "reason"),
    [
        (NoDriver(), (9, 0), "no NVIDIA driver was found"),
        (BrokenDriver(), (9, 0), "NO_DEVICE"),
        (Driver(version=(12, 4)), (9, 0), "too old: it supports CUDA 12.4, 13.0 is needed"),
        (Driver(devices=0), (9, 0), "finds no device"),
        (Driver(), (6, 1), "Some GPU is too old: it has compute capability 6.1, 7.5 is needed"),
    ],
)
def test_why_a_device_cannot_be_used(cuda_module, monkeypatch, driver, capability, reason):
    monkeypatch.setattr(cuda_module, "_driver", lambda: driver)
    monkeypatch.setattr(cuda_module.cuda, "current_context", lambda: context(capability))
    state = cuda_module.look()
    assert not state.usable
    assert reason in state.reason
    assert "\n" not in state.reason


def test_a_device_that_can_be_used(cuda_module, monkeypatch):
    monkeypatch.setattr(cuda_module, "_driver", Driver)
    monkeypatch.setattr(cuda_module.cuda, "current_context", context)
    state = cuda_module.look()
    assert state.usable
    assert (state.name, state.capability, state.memory) == ("Some GPU", (9, 0), 2 << 30)
    assert "driver for CUDA 13.0, numba-cuda 0." in state.versions


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (2, "Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY", OutOfDeviceMemory),
        (700, "CUDA_ERROR_ILLEGAL_ADDRESS", DeviceFault),
        (999, "the device fell off\nthe bus", DeviceFault),
    ],
)
def test_what_drivers_raise_is_one_kind_of_fault(cuda_module, code, text, kind):
    driver = importlib.import_module("numba.cuda.cudadrv.driver")
    with pytest.raises(kind, match=str(code)) as caught, cuda_module.faults():
        raise driver.CudaAPIError(code, text)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("CUDA_ERROR_NO_DEVICE", "the GPU is no longer available"),
        ("CUDA_ERROR_LAUNCH_TIMEOUT", "kept the display waiting"),
        ("CUDA_ERROR_CONTEXT_IS_DESTROYED", "another part of this program"),
        ("CUDA_ERROR_INVALID_CONTEXT", "from this thread"),
        ("CUDA_ERROR_DEVICE_UNAVAILABLE", "another program"),
        ("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "update it"),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", "the device failed"),
    ],
)
def test_what_users_are_told(cuda_module, error, words):
    assert error in dir(importlib.import_module("cuda.bindings.driver").CUresult)  # no name that drivers do not have
    fault = cuda_module.fault_of(RuntimeError(f"Call to cuLaunchKernel results in {error}"))
    assert str(fault).count(words) == str(fault).count(error) == 1


def test_words_are_of_errors_that_there_are(cuda_module):
    assert set(cuda_module._WORDS) <= set(dir(importlib.import_module("cuda.bindings.driver").CUresult))


def test_launches_raise_an_error_of_another_library(cuda_module):
    core = importlib.import_module("cuda.core._utils.cuda_utils")
    with pytest.raises(OutOfDeviceMemory), cuda_module.faults():
        raise core.CUDAError("CUDA_ERROR_OUT_OF_MEMORY: not enough. Remarks follow.")
    with pytest.raises(DeviceFault, match="LAUNCH_FAILED: an exception occurred") as caught, cuda_module.faults():
        raise core.CUDAError("CUDA_ERROR_LAUNCH_FAILED: an exception occurred. Common causes include everything.")
    assert type(caught.value) is DeviceFault
    assert "Common" not in str(caught.value)


def test_small_grids_are_no_reason_to_warn(cuda_module):
    class Compiled:
        def __getitem__(self, key):
            return key, cuda_module.cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS

    before = cuda_module.cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS
    assert cuda_module._configured(Compiled(), 3, "stream") == ((3, cuda_module.THREADS, "stream"), 0)
    assert before == cuda_module.cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS


def test_a_lost_device_is_left_alone_until_it_is_looked_for_again(cuda_module, monkeypatch):
    driver = importlib.import_module("numba.cuda.cudadrv.driver")
    deallocations = driver._PendingDeallocs(0)
    assert not deallocations.is_disabled
    cuda_module.abandon(SimpleNamespace(memory_manager=SimpleNamespace(deallocations=deallocations)))
    assert deallocations.is_disabled
    kernel, closed = cuda_module.Kernel(lambda: None, "void()"), []
    kernel._compiled = "loaded on the lost device"

    def close():
        closed.append(kernel.ready)
        raise driver.CudaAPIError(700, "CUDA_ERROR_ILLEGAL_ADDRESS")

    monkeypatch.setattr(cuda_module, "KERNELS", {"one": kernel})
    monkeypatch.setattr(cuda_module, "_driver", Driver)
    monkeypatch.setattr(cuda_module.cuda, "current_context", context)
    monkeypatch.setattr(cuda_module.cuda, "close", close)
    for _ in range(2):
        assert cuda_module.look().usable
        assert closed == [False]  # once, and no kernel stays
        assert not deallocations.is_disabled


def test_mistakes_of_our_own_are_no_faults(cuda_module):
    with pytest.raises(KeyError), cuda_module.faults():
        raise KeyError("a bug")


def test_a_compiler_that_fuses_is_refused(cuda_module, monkeypatch):
    library = SimpleNamespace(get_asm_str=lambda: "fma.rn.f64 %d1;")
    compiled = SimpleNamespace(overloads={"signature": SimpleNamespace(_codelibrary=library)})
    monkeypatch.setattr(cuda_module.cuda, "jit", lambda *signature, **options: lambda function: compiled)
    kernel = cuda_module.Kernel(lambda: None, "void()")
    with pytest.raises(DeviceFault, match="in another way than the CPU"):
        kernel.launch(1, None)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what is loaded")
def test_the_libraries_are_those_of_the_packages(cuda_module):
    """Not those of a toolkit that this backend may have and another has not."""
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if line.count(" ") > 4}
    for package, beginnings in cuda_module._LIBRARIES.items():
        assert importlib.metadata.version(package)
        files = {str(Path(f.locate()).resolve()) for f in importlib.metadata.files(package)}
        loaded = [name for name in mapped if Path(name).name.startswith(beginnings)]
        assert loaded, package
        assert set(loaded) <= files, package


def test_every_package_is_named_wherever_packages_are_named(cuda_module):
    root = Path(__file__).parents[2]
    extra = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["gpu"]
    builder = (root / "blender_scripts" / "build_extension.py").read_text("utf-8")
    named = {re.match(r"[\w-]+", requirement)[0] for requirement in extra}
    assert set(cuda_module._LIBRARIES) == {name for name in named if name.startswith("nvidia-")}
    for name in named:
        assert f'"{name}==' in builder, name
