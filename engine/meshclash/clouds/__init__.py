"""Point clouds: scans as implicit surfaces, what they touch, and how far from a design they are."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
