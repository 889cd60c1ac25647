"""The algorithm of a CUDA device, step by step, on the CPU: what tests and measurements compare devices with."""
