"""Clash detection: sets and tests, groups of clashes, decisions and their history, and reports.

The command line and the extension share this package. The package is above the library: no other package imports it.
Importing its modules does not import Numba.
"""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
