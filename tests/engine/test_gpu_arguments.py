"""Arguments of kernels as the driver reads them, beside those that numba-cuda makes of the same."""

import ctypes
import importlib
from types import SimpleNamespace

import numpy as np
import pytest
from gpu_cases import needs_cuda_target
from meshclash.gpu.arguments import Arguments, ptx_sizes

SIGNATURE = "void(int32[:,::1], float64[::1], boolean, int32, int64, float64, uint8[::1], float32, boolean[::1])"


class Array:
    """As much of an array of the device as a launch looks at."""

    def __init__(self, address, array):
        self.device_ctypes_pointer = ctypes.c_void_p(address)
        self.shape, self.strides, self.size, self.dtype = array.shape, array.strides, array.size, array.dtype


def arrays():
    contents = np.zeros((5, 3), np.int32), np.zeros(4), np.zeros(0, np.uint8), np.ones(7, np.bool_)
    return [Array(address, array) for address, array in zip((0x7F00_0000_1000, 2**40, 0, 512), contents, strict=True)]


def given(pairs, lengths, bytes_, flags):
    return pairs, lengths, True, -5, 1 << 40, -0.25, bytes_, 1.5, flags


def as_read(arguments):
    """What a driver finds at the addresses it is given: the bytes of each parameter."""
    addresses = (ctypes.c_uint64 * len(arguments.sizes)).from_address(arguments.address)
    return [ctypes.string_at(address, size) for address, size in zip(addresses, arguments.sizes, strict=True)]


def numbers(read):
    return [int.from_bytes(one, "little", signed=True) for one in read]


def test_each_parameter_is_where_the_driver_is_told():
    arguments = Arguments(SIGNATURE)
    arguments.fill(given(*arrays()))
    read = as_read(arguments)
    assert numbers(read[:9]) == [0, 0, 15, 4, 0x7F00_0000_1000, 5, 3, 12, 4]
    assert numbers(read[9:16]) == [0, 0, 4, 8, 2**40, 4, 8]
    assert (read[16], numbers(read[17:19])) == (b"\x01", [-5, 1 << 40])
    assert np.frombuffer(read[19]) == -0.25
    assert numbers(read[20:26]) == [0, 0, 0, 1, 0, 0]
    assert np.frombuffer(read[27], np.float32) == 1.5
    assert numbers(read[28:]) == [0, 0, 7, 1, 512, 7, 1]


def test_the_next_launch_has_other_arguments_at_the_same_place():
    arguments = Arguments("void(int64[::1], boolean)")
    [*_, flags] = arrays()
    before = arguments.address
    for address, flag in ((64, True), (128, False), (64, True)):
        flags = Array(address, np.zeros(3, np.int64))
        arguments.fill((flags, flag))
        assert arguments.address == before
        assert numbers(as_read(arguments)) == [0, 0, 3, 8, address, 3, 8, int(flag)]
    with pytest.raises(ValueError, match="shorter"):
        arguments.fill((flags,))


@needs_cuda_target
def test_numba_cuda_would_give_the_same():
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    sigutils = importlib.import_module("numba.cuda.core.sigutils")
    devicearray = importlib.import_module("numba.cuda.cudadrv.devicearray")
    of_numba = [
        devicearray.DeviceNDArray(
            a.shape, a.strides, a.dtype, gpu_data=SimpleNamespace(device_ctypes_pointer=a.device_ctypes_pointer)
        )
        for a in arrays()
        if a.size
    ]
    signature = SIGNATURE.replace(" uint8[::1],", "")
    values = [argument for argument in given(*of_numba[:2], None, of_numba[2]) if argument is not None]
    types, _ = sigutils.normalize_signature(signature)
    expected = []
    kernel = SimpleNamespace(extensions=[])
    for declared, value in zip(types, values, strict=True):
        dispatcher._Kernel._prepare_args(kernel, declared, value, 0, [], expected)
    arguments = Arguments(signature)
    arguments.fill(values)
    assert as_read(arguments) == [in_memory(one) for one in expected]


def in_memory(argument):
    """Bytes of an argument as cuda.core passes it: whole numbers as pointers, truths as one byte."""
    if isinstance(argument, bool):
        return bytes([argument])
    return argument.to_bytes(8, "little", signed=True) if isinstance(argument, int) else bytes(argument)


def test_parameters_of_ptx():
    text = (
        ".visible .entry kernel(\n\t.param .u64 kernel_param_0,\n\t.param .u64 .ptr .align 1 kernel_param_1,\n"
        "\t.param .u8 kernel_param_2,\n\t.param .f64 kernel_param_3,\n\t.param .b8 kernel_param_4[16]\n)\n{\n"
        "\tld.param.u64 %rd1, [kernel_param_0];\n.param .u64 other_param_5;\n"
    )
    assert ptx_sizes(text) == [8, 8, 1, 8, 1]
