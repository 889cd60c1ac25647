"""Types of common options, for type checkers and readers."""

from typing import Literal

Device = Literal["auto", "cpu", "cuda"]
"""The processor on which a query is computed."""
Depth = bool | Literal["exact"]
"""Whether depths are measured, and how precisely."""
Permitted = float | Literal["resolution"]
"""Depth [m] up to which a clash counts as touching."""
