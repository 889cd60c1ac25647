"""Review: lists of clashes as decisions - groups with one cause, who decided what, and whether it is still true."""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
