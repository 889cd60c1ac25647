"""Ctrl+C while a program is still being imported, which takes a second or two."""

import os
import signal
from typing import Any

CANCELLED = 130


def leave_at_ctrl_c() -> None:
    """Lets Ctrl+C end the process at once with one line, until the command sets a handler of its own.

    For programs that have not begun anything that needs an end: no file is open, no other process runs.
    """
    signal.signal(signal.SIGINT, _leave)


def raise_at_ctrl_c() -> None:
    """Lets Ctrl+C raise KeyboardInterrupt again, where ``leave_at_ctrl_c`` was called: the work has begun."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_signal: Any) -> None:
    os.write(2, b"meshclash: cancelled\n")
    os._exit(CANCELLED)
