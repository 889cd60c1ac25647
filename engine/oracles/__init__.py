"""Independent answers, and made cases whose answer is known: what tests and benches compare the engine with."""

from typing import Any

Row = dict[str, Any]
"""One line of a table: heading to value."""
