"""Breadth-first object-space collision detection: the algorithm, and its kernels for CUDA devices."""
