"""Point clouds as implicit surfaces: contacts, distances and deviations of scans."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
