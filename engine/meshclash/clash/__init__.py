"""Clash detection as a user asks for it: what is tested, what is found, what was decided about it, and reports.

The command line and the extension share this package. It stands above the library: nothing else imports it.
Importing its modules does not import Numba.
"""

from ..lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
