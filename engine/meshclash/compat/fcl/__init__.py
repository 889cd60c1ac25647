"""The interface of python-fcl, implemented by this engine: ``from meshclash.compat import fcl``.

The names, arguments and results are the same as in python-fcl 0.7. Spheres and capsules are exact: a point or a segment
with a radius. Distances of cylinders, cones and ellipsoids have an error of at most 1e-12 of the size. Against a
half-space or a plane, and for contacts and depths beside a ``BVHModel``, these three shapes are replaced by meshes that
contain the true shape and exceed it by at most ``TOLERANCE`` of the radius. So no overlap is missed, and distances may
be too small by this error, but never too large. Primitives and closed ``BVHModel`` objects are solids. Normals point
from the first object to the second. ``docs/python.md`` lists the differences from python-fcl.
"""

from ...lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
