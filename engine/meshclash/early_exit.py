"""Handling of Ctrl+C while a program is still being imported, which takes a second or two."""

import os
import signal
from typing import Any

CANCELLED = 130


def leave_at_ctrl_c() -> None:
    """Make Ctrl+C end the process at once with one line, until the command installs its own handler.

    Only for programs that have not started anything that needs a clean end: no open files, no other processes.
    """
    signal.signal(signal.SIGINT, _leave)


def raise_at_ctrl_c() -> None:
    """Make Ctrl+C raise KeyboardInterrupt again after ``leave_at_ctrl_c``, once the work has started."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_ctrl_c() -> None:
    """Make Ctrl+C change nothing: the work is done, and Python takes a moment to end, in which its own handler would
    replace the exit code.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def after_work(handler: Any) -> Any:
    """Return the handler of Ctrl+C for the time after a command that replaced the given handler: ``leave_at_ctrl_c``
    would report that work was cancelled which has been done.
    """
    return signal.SIG_IGN if handler is _leave else handler


def _leave(*_signal: Any) -> None:
    os.write(2, b"meshclash: cancelled\n")
    os._exit(CANCELLED)
