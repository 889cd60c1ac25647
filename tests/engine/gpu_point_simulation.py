"""Measures points in Numba's simulator: NUMBA_ENABLE_CUDASIM=1 python gpu_point_simulation.py GIVEN.npz OUT.npz"""

import sys

import numpy as np
from gpu_point_cases import steps
from meshclash.gpu.backend_gpu import CudaBackend
from meshclash.gpu.cuda_gpu import SIMULATED

assert SIMULATED
sys.setswitchinterval(2e-5)  # the simulator's main thread polls, and would hold the interpreter for 5 ms each time
np.savez(sys.argv[2], **steps(CudaBackend(), dict(np.load(sys.argv[1]))))
