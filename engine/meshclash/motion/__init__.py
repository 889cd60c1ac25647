"""Rigid motion: when objects that move and turn first touch, how long they stay in contact, when to look again."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
