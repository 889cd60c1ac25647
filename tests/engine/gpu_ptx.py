"""Compiles every kernel without a device and prints what matters of each as JSON: python gpu_ptx.py [briefly | budget]

For compute capability 7.5 as far as PTX, for 9.0 as far as backend code, as a launch does it: with NVIDIA's linker, and
in the engine's cache.
"""

import json
import re
import sys

from cuda.core import Linker, LinkerOptions, ObjectCode
from gpu_budget import budget
from meshclash.gpu.arguments import Arguments, ptx_sizes
from meshclash.gpu.cuda_gpu import FUSED, Kernel, all_kernels, cuda
from meshclash.gpu.kept_kernels import code_of
from meshclash.kernels.cache import origins

BRIEFLY = 8
"""Kernels that are compiled by processes that share a cache."""


class Device:
    """In the place of the current device, which is asked what to compile for."""

    compute_capability = (9, 0)


class Context:
    """In the place of the current context."""

    device = Device


all_kernels()  # imports all of CUDA's target
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("numba.cuda") and hasattr(module, "get_current_device"):
        module.get_current_device = lambda: Device
sys.modules["numba.cuda.codegen"].devices.get_context = lambda: Context
Compiled = sys.modules["numba.cuda.dispatcher"]._Kernel
Compiled.bind = lambda self: None  # would load the backend code into a device


def machine_code(kernel):
    """The compiled kernel as a launch makes it, and the size of its backend code."""
    assert not kernel.ready
    kernel.prepare()
    assert kernel.ready
    [compiled] = kernel._compiled.overloads.values()
    return code_of(compiled).get_asm_str(), bytes(code_of(compiled).get_cubin().code)


def kept(kernel, *expected):
    """Whether the file on disk is taken, and is what was compiled."""
    origins.clear()
    found = machine_code(Kernel(kernel.function, kernel.signature))
    return found == expected and list(origins.values()) == ["cached"]


def budgets(older, code):
    """What a kernel takes of devices of both capabilities, from the PTX of the older one and the newer one's code."""
    linked = Linker(ObjectCode.from_ptx(older.encode()), options=LinkerOptions(arch="sm_75")).link("cubin")
    return {"7.5": budget(bytes(linked.code)), "9.0": budget(code)}


found = {}
kernels = all_kernels()
if sys.argv[1:] == ["briefly"]:  # only whether there is backend code, of some
    some = list(kernels.items())[:BRIEFLY]
    print(json.dumps({name: len(machine_code(kernel)[1]) > 1000 for name, kernel in some}))
    sys.exit()
if sys.argv[1:] == ["budget"]:
    taken = {name: budgets(kernel.ptx((7, 5)), machine_code(kernel)[1]) for name, kernel in kernels.items()}
    print(json.dumps(taken))
    sys.exit()
for name, kernel in kernels.items():
    older = kernel.ptx((7, 5))
    newer, code = machine_code(kernel)
    found[name] = {
        "targets": [re.search(r"^\.target (\w+)", ptx, re.MULTILINE)[1] for ptx in (older, newer)],
        "entries": [ptx.count(".entry") for ptx in (older, newer)],
        "fused": any(FUSED in ptx for ptx in (older, newer)),
        "read-only cache": any(".global.nc" in ptx for ptx in (older, newer)),
        "approximate": any(re.search(r"\.approx|\.full|__nv_", ptx) is not None for ptx in (older, newer)),
        "loose": sum(len(re.findall(r"\b(?:add|sub|mul)\.f(?:32|64)\b", ptx)) for ptx in (older, newer)),
        "parameters as launched": all(ptx_sizes(ptx) == Arguments(kernel.signature).sizes for ptx in (older, newer)),
        "kept": kept(kernel, newer, code),
        "budget": budgets(older, code),
        "backend code": len(code) > 1000,  # which size depends on what was compiled before: names hold counters
    }
count = kernels["count_pairs"]
plain, _ = cuda.compile(count.function, count.signature, cc=(9, 0), device=False, abi="numba", output="ptx")
print(json.dumps({"kernels": found, "fused without the option": FUSED in str(plain)}))
