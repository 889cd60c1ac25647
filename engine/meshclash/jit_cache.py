"""Numba's cache of compiled kernels, made so that a bad disk costs a compilation and never an answer.

Numba lets every error of its cache through to the caller of a kernel: a full disk when it stores one, a damaged file
when it loads one. Here such a kernel is compiled, and the reason is kept for the diagnosis.
"""

from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache

_problems: list[str] = []


def problem() -> str:
    """Why compiled kernels could not be stored in this process; "" when they could."""
    return _problems[0] if _problems else ""


class KernelCache(FunctionCache):
    """The cache of one kernel."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The stored machine code; None when there is none or it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged pickle raises errors of any kind
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores machine code where that is possible."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self._give_up(error)

    def _forget(self) -> None:
        """Removes the index, so that the kernel is stored anew."""
        try:
            Path(self._cache_file._index_path).unlink(missing_ok=True)
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.disable()
        _problems.append(f"compiled kernels cannot be stored in {self.cache_path}: {error.strerror or error}")
