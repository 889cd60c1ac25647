"""The command `meshclash`, also `python -m meshclash`; `commands.py` implements it.

Imports are inside the function, so that Ctrl+C also works while the rest is imported.
"""

import sys
from collections.abc import Sequence

from .early_exit import ignore_ctrl_c, leave_at_ctrl_c

_NEEDED = "numpy", "numba", "llvmlite"
"""Packages without which no command works. A Python that was started under another name may not find them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the arguments after the program's name; None: the arguments of this process.

    Returns:
        The exit code.
    """
    if arguments is None:
        leave_at_ctrl_c()
        _announce(sys.argv[1:])
    try:
        from .commands import main as act  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        print(f"meshclash: {sys.executable or 'this Python'} has no {error.name}: install MeshClash there with "
              "pip, or start the Python in which it is installed by its full path", file=sys.stderr)  # fmt: skip
        return 2

    if arguments is not None:
        return act(arguments)
    code = act(sys.argv[1:])
    ignore_ctrl_c()
    return code


def _announce(given: Sequence[str]) -> None:
    """Shows a first line on a terminal, because imports take seconds on a computer that has just been started."""
    stream = sys.stderr
    if given[:1] == ["detect"] and not {"--quiet", "--help", "-h"} & {*given} and stream and stream.isatty():
        stream.write("\r  0 %  Loading MeshClash")
        stream.flush()


if __name__ == "__main__":
    sys.exit(main())
