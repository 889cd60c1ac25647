"""Compiles every kernel to PTX without a device and prints what matters of each, as JSON: python gpu_ptx.py"""

import json
import re
import sys

from meshclash.gpu import build_gpu, traverse_gpu
from meshclash.gpu.shim_gpu import FUSED, KERNELS, cuda


class Stub:
    """In the place of the current device, which is asked what to compile helpers for."""

    compute_capability = (9, 0)


for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("numba.cuda") and hasattr(module, "get_current_device"):
        module.get_current_device = lambda: Stub

found = {}
for name, kernel in KERNELS.items():
    assert kernel in (getattr(build_gpu, name, None), getattr(traverse_gpu, name, None))
    ptx = kernel.ptx(tuple(map(int, sys.argv[1:3])) or (9, 0))
    found[name] = {
        "entries": ptx.count(".entry"),
        "fused": FUSED in ptx,
        "loose": len(re.findall(r"\b(?:add|sub|mul)\.f(?:32|64)\b", ptx)),
        "target": re.search(r"^\.target (\w+)", ptx, re.MULTILINE)[1],
    }
count = KERNELS["count_pairs"]
plain, _ = cuda.compile(count.function, count.signature, cc=(9, 0), device=False, abi="numba", output="ptx")
print(json.dumps({"kernels": found, "fused without the option": FUSED in str(plain)}))
