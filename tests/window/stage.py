"""Runs a command with a virtual screen: stage.py SIZE TIMEOUT PROGRAM ARGUMENTS...

Runs inside Debian's Blender or, with a Blender of one's own, on this machine; Xvfb must be there. The command finds the
screen's memory, from which `driver` takes pictures, in the file that MESHCLASH_SCREEN names. Exit status: that of the
command, 124 when the time was over, 125 without a screen.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TIMED_OUT = 124
NO_SCREEN = 125


def main(size: str, timeout: float, command: list[str]) -> int:
    """Runs `command` on a screen of `size` ("1400x900"); returns its exit status."""
    with tempfile.TemporaryDirectory() as folder, _screen(size, Path(folder)) as display:
        if display is None:
            return NO_SCREEN
        environment = {**os.environ, "DISPLAY": display, "MESHCLASH_SCREEN": str(Path(folder, "Xvfb_screen0"))}
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL) as running:
            try:
                return running.wait(timeout)
            except subprocess.TimeoutExpired:
                print(f"stage: not finished after {timeout:.0f} s", file=sys.stderr, flush=True)
                running.kill()
                return TIMED_OUT


@contextlib.contextmanager
def _screen(size: str, folder: Path) -> Iterator[str | None]:
    """A virtual screen with its memory in `folder`; gives the name of its display, None when there is none."""
    read, write = os.pipe()
    options = [
        "-displayfd",
        str(write),
        "-screen",
        "0",
        f"{size}x24",
        "-fbdir",
        str(folder),
        "-nolisten",
        "tcp",
        "-noreset",
    ]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(["Xvfb", *options], pass_fds=(write,), stdout=log, stderr=log)
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()  # empty when the server ends instead
        if not number:
            print(f"stage: no virtual screen\n{(folder / 'log').read_text()}", file=sys.stderr, flush=True)
        yield f":{number}" if number else None
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]), sys.argv[3:]))
