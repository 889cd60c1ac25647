"""Voxels: collision detection on a regular grid, without preparation.

Source: Chen, Wan, Zhang, Bao, Peng, "Interactive Collision Detection for Complex and Deformable Models Using
Programmable Graphics Hardware" (VRST 2004): the region that both objects reach, their voxels in it, the comparison.
Here no voxel is missed, and what shares a voxel is decided exactly."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
