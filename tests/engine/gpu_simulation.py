"""Runs the kernels in Numba's simulator, in Python: NUMBA_ENABLE_CUDASIM=1 python gpu_simulation.py OUT.npz"""

import importlib
import re
import sys
import threading

import numpy as np
import simulated_blocks
from gpu_cases import TIGHT, cases, of_queue, steps
from meshclash.gpu import queue_gpu
from meshclash.gpu.backend_gpu import CudaBackend
from meshclash.gpu.cuda_gpu import KERNELS, SIMULATED, Kernel
from meshclash.gpu.state import OutOfDeviceMemory
from meshclash.gpu.trees import build_trees, needed_bytes

assert SIMULATED
sys.setswitchinterval(1e-4)  # threads of a block take turns
simulated_blocks.use()
simulator = simulated_blocks.simulator


def array_of_a_block(self, shape, dtype):
    """Shared memory is a block's own, also when blocks run at the same time."""
    frame, block = sys._getframe(1), threading.current_thread().blockIdx
    return self._allocations.setdefault((frame.f_code, frame.f_lineno, tuple(block)), np.empty(shape, dtype))


api = importlib.import_module("numba.cuda.simulator.kernelapi")
api.FakeCUDAShared.array = array_of_a_block
for name in ("addlock", "exchlock", "minlock", "caslock"):  # each operation's own, so two at once can undo each other
    assert hasattr(api, name)
    setattr(api, name, api.addlock)


class AtOnce(simulator.BlockManager):
    """Blocks of a launch at the same time, as on a device; the simulator's own run one after the other."""

    blocks = ()
    faults = ()

    def run(self, grid_point, *arguments):
        block = threading.Thread(target=self._run, args=(grid_point, *arguments), daemon=True)
        block.start()
        AtOnce.blocks += (block,)
        if grid_point == tuple(n - 1 for n in self._grid_dim):
            for block in AtOnce.blocks:
                block.join()
            AtOnce.blocks = ()
            assert not AtOnce.faults, AtOnce.faults

    def _run(self, grid_point, *arguments):
        try:
            super().run(grid_point, *arguments)
        except Exception as fault:
            AtOnce.faults += (fault,)


one_after_the_other = simulator.BlockManager


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
    launched.add(self.function.__name__)
    simulator.BlockManager = AtOnce if self.function.__name__ == "run_queue" else one_after_the_other
    launch(self, blocks, stream, *arguments)


launch, Kernel.launch = Kernel.launch, checked_launch
launched = set()


def memory():
    """Whether a full device refuses, forgets what it refused, and holds trees that take what they should need."""
    meshes = cases()["flush boxes"][0]
    full = CudaBackend(limit=4000)
    try:
        build_trees(full, meshes)
        refused = False
    except OutOfDeviceMemory as fault:
        refused = "may be used" in str(fault)
    fitting = CudaBackend(limit=needed_bytes(meshes) + 20_000)
    kept = [build_trees(fitting, meshes)]
    took = fitting.used
    kept.clear()
    return np.array([refused, full.used == 0, 0 < took <= needed_bytes(meshes) + 20_000, fitting.used == 0])


def tight(**settings):
    """The queue's answers where there is room for next to nothing, or where blocks give up at once."""
    before = {name: getattr(queue_gpu, name) for name in settings}
    for name, value in settings.items():
        setattr(queue_gpu, name, value)
    for case in TIGHT:
        meshes_a, meshes_b, asked = cases()[case]
        for key, array in of_queue(CudaBackend(), meshes_a, meshes_b, asked):
            yield f"{case}: {key}, {', '.join(settings)}", array
    for name, value in before.items():
        setattr(queue_gpu, name, value)


found = steps(CudaBackend(), with_fast=True)
found.update(tight(_FIRST_CAPACITY=2, LAST_EPOCH=2))
found.update(tight(_PATIENCE=0))
found.update(tight(_FIRST_CAPACITY=2, _MOST_QUEUED=8))
missing = [name for name, kernel in KERNELS.items() if name not in launched]
np.savez(sys.argv[1], memory=memory(), missing=np.array(missing, str), **found)
