"""The interface of python-fcl, implemented by this engine: ``from meshclash.compat import fcl``.

Names, arguments and results are those of python-fcl 0.7. Spheres and capsules are exact: a point or a segment with a
radius. Distances of cylinders, cones and ellipsoids have an error of at most 1e-12 of the size. Against a ``BVHModel``,
a half-space or a plane these three are meshes that contain the true shape and exceed it by at most ``TOLERANCE`` of the
radius. So no overlap is missed, and distances may be too small by that much, but never too large.
Primitives are solids, and so is a closed ``BVHModel``. Normals point from the first object to the second.
``docs/python.md`` lists the differences from python-fcl.
"""

from ...lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
