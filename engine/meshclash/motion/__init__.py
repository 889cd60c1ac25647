"""Moving objects: times of contact, contacts between two frames, and scenes that change."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
