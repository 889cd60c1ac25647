"""Contact manifolds: points, normals and depths of contacts, for physics and motion planning."""

from .contact_geometry import ContactPoints as ContactPoints
from .contact_geometry import contact_points as contact_points
from .curves import IntersectionCurve as IntersectionCurve
from .curves import intersection_curves as intersection_curves
from .regions import ContactRegion as ContactRegion
from .regions import contact_regions as contact_regions
