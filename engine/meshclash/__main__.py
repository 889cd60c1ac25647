"""The command `meshclash`, also `python -m meshclash`; `commands.py` implements it.

Imports are inside the function, so that Ctrl+C also works while the rest is imported.
"""

import sys
from collections.abc import Sequence

from .early_exit import leave_at_ctrl_c


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the arguments after the program's name; None: those of this process.

    Returns:
        The exit code.
    """
    if arguments is None:
        leave_at_ctrl_c()
    from .commands import main as act  # noqa: PLC0415 - see above

    return act(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
