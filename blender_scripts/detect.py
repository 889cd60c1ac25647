"""Headless clash detection; `--help` shows the options, and docs/report-format.md describes the report.

blender --background scene.blend --python blender_scripts/detect.py -- [options]
python blender_scripts/detect.py scene.blend [options]          # on the bpy wheel, no Blender needed
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = ROOT / "blender_scripts" / "quickstart.py"
MISSING_BPY = """meshclash: Blender's Python module bpy cannot be imported: {error}
Run this script inside Blender:  blender --background scene.blend --python {script} -- [options]
or let the repository set up a Python with bpy:  python3 {quickstart} demo
On a bare Linux machine bpy needs some system libraries:
  apt-get install libx11-6 libxext6 libxfixes3 libxi6 libxrender1 libxxf86vm1 \\
      libxkbcommon0 libsm6 libice6 libgl1 libgomp1"""


def arguments(argv: list[str], inside_blender: bool) -> list[str]:
    """Return the script's own arguments: inside Blender those after "--", otherwise all but the script's name."""
    if inside_blender:
        return argv[argv.index("--") + 1 :] if "--" in argv else []
    return argv[1:]


def run(adapt: Callable[[list[str]], list[str]] | None = None) -> int:
    """Run the command line of the extension from this checkout.

    Args:
        adapt: changes the arguments first.

    Returns:
        The exit code; on the bpy wheel the process is left here and now.
    """
    sys.path[:0] = [str(ROOT), str(ROOT / "engine"), str(ROOT / "blender_scripts")]
    if "bpy" not in sys.modules:  # Blender is a process of its own, which begins nothing here
        from meshclash.early_exit import leave_at_ctrl_c

        leave_at_ctrl_c()
    try:
        import bpy
    except ImportError as error:
        print(MISSING_BPY.format(error=error, script=__file__, quickstart=QUICKSTART), file=sys.stderr)
        return 2
    from frame_workers import Processes
    from meshclash.clash.terminal import say
    from scheduled_frames import ScheduledFrames

    from addon import commandline

    inside_blender = bool(bpy.app.binary_path)  # the bpy wheel has no Blender executable
    given = arguments(sys.argv, inside_blender)
    script = str(ROOT / "blender_scripts" / "frame_worker.py")
    command = [sys.executable, script]
    if inside_blender:
        command = [bpy.app.binary_path, "--background", "--python-exit-code", "1", "--python", script, "--"]

    def make_workers(count: int, scheduler: str | None, question: str) -> commandline.Workers:
        if scheduler is None:
            return Processes(count, command, question)
        there = command if inside_blender else ["", *command[1:]]
        return ScheduledFrames(scheduler, count, there, question)

    code = commandline.main(adapt(given) if adapt else given, make_workers)
    if not inside_blender:
        say(sys.stdout)
        say(sys.stderr)
        os._exit(code)  # the wheel's tear-down can hang or crash, which would change the exit code
    return code


if __name__ == "__main__":
    sys.exit(run())
