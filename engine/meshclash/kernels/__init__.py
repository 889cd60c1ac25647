"""Compiled kernels on disk: those shipped with the package, and those compiled on the user's machine."""
