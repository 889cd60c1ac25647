"""MeshClash: exact collision detection between triangle meshes, compiled by Numba.

``import meshclash as mc`` gives the main functions. ``mc.clouds``, ``mc.voxels``, ``mc.massive``, ``mc.manifold``,
``mc.motion``, ``mc.clash``, ``mc.shapes`` and ``mc.lab`` contain the functions of one subject each.
"""

from .lazy import public_names

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = public_names(__name__, __file__)
