"""Object-space detection breadth first: the algorithm, the host as a backend, and its kernels for CUDA devices."""
