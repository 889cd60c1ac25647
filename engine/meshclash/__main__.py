"""The command `meshclash`, also `python -m meshclash`; `commands.py` is what it does.

Imports are within: Ctrl+C is to end the command also while the rest is imported.
"""

import sys
from collections.abc import Sequence

from .early_exit import leave_at_ctrl_c


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for.

    Args:
        arguments: behind the name of the program; None: those of this process.

    Returns:
        The exit code.
    """
    if arguments is None:
        leave_at_ctrl_c()
    from .commands import main as act  # noqa: PLC0415 - see above

    return act(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
