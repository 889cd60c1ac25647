"""Short names of what options may be, for type checkers and readers."""

from typing import Literal

Device = Literal["auto", "cpu", "cuda"]
"""Who answers."""
Depth = bool | Literal["exact"]
"""Whether depths are measured, and how closely."""
Permitted = float | Literal["resolution"]
"""Depth [m] up to which a clash counts as touching."""
