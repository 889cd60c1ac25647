"""Marks voxels in Numba's simulator: NUMBA_ENABLE_CUDASIM=1 python gpu_voxel_simulation.py OUT.npz"""

import sys

import numpy as np
from gpu_voxel_cases import steps
from meshclash.gpu.backend_gpu import CudaBackend
from meshclash.gpu.cuda_gpu import SIMULATED

assert SIMULATED
sys.setswitchinterval(2e-5)  # the simulator's main thread polls, and would hold the interpreter for 5 ms each time
np.savez(sys.argv[1], **steps(CudaBackend()))
