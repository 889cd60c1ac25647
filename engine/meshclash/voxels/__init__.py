"""Voxels: collision detection on a regular grid, without building a hierarchy.

Source: Chen, Wan, Zhang, Bao, Peng, "Interactive Collision Detection for Complex and Deformable Models Using
Programmable Graphics Hardware" (VRST 2004): find the region that both objects reach, mark the voxels of both objects in
this region, and compare these voxels. Here no voxel is missed, and triangles that share a voxel are compared exactly.
"""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
