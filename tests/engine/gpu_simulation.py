"""Runs the kernels in Numba's simulator, in Python: NUMBA_ENABLE_CUDASIM=1 python gpu_simulation.py OUT.npz"""

import re
import sys

import numpy as np
from gpu_cases import cases, steps
from meshclash.gpu.machine_gpu import Machine
from meshclash.gpu.shim_gpu import SIMULATED, Kernel
from meshclash.gpu.state import OutOfDeviceMemory
from meshclash.gpu.trees import needed_bytes, plant_trees

assert SIMULATED
sys.setswitchinterval(2e-5)  # the simulator's main thread polls, and would hold the interpreter for 5 ms each time


def checked_launch(self, blocks, stream, *arguments):
    """Launch after a look at the arguments: on a device, what has another type than the kernel's is not noticed."""
    declared = re.findall(r"(\w+)(\[[^\]]*\])?", self.signature.removeprefix("void"))
    assert len(declared) == len(arguments), self.function
    for (scalar, axes), argument in zip(declared, arguments, strict=True):
        if axes:
            assert argument.dtype == np.dtype("bool" if scalar == "boolean" else scalar), (
                self.function,
                argument.dtype,
            )
            assert argument.ndim == axes.count(",") + 1, (self.function, argument.shape)
        else:
            kinds = {"boolean": (bool, np.bool_), "float64": (float,)}.get(scalar, (int, np.integer))
            assert isinstance(argument, kinds), (self.function, type(argument))
    launch(self, blocks, stream, *arguments)


launch, Kernel.launch = Kernel.launch, checked_launch


def memory():
    """Whether a full device refuses, forgets what it refused, and holds trees that take what they should need."""
    meshes = cases()["flush boxes"][0]
    full = Machine(limit=4000)
    try:
        plant_trees(full, meshes)
        refused = False
    except OutOfDeviceMemory as fault:
        refused = "may be used" in str(fault)
    fitting = Machine(limit=needed_bytes(meshes) + 20_000)
    kept = [plant_trees(fitting, meshes)]
    took = fitting.used
    kept.clear()
    return np.array([refused, full.used == 0, 0 < took <= needed_bytes(meshes) + 20_000, fitting.used == 0])


np.savez(sys.argv[1], memory=memory(), **steps(Machine(), with_fast=True))
