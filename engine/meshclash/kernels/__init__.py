"""Compiled kernels on disk: those that came with the package, and those that this user's machine compiled."""
