"""Object-space detection breadth first: the algorithm, its twin on the CPU, and its kernels for CUDA devices."""
