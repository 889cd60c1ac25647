"""Worker process of `detect.py --workers`: opens the file, and processes ranges of frames until none are left.

A line of stdin names a task; its answer is a file of the folder that is the only argument.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Work until stdin ends; with the bpy module, exit the process then."""
    sys.path[:0] = [str(ROOT), str(ROOT / "engine"), str(ROOT / "blender_scripts")]
    import bpy
    from frame_workers import WRONG
    from meshclash.clash.errors import DetectError
    from meshclash.clash.tasks import answer_text, task_of
    from meshclash.types.steps import run_to_end
    from tasks.program import QUESTION, answer_file

    from addon import commandline

    folder = Path(sys.argv[-1])
    question = json.loads((folder / QUESTION).read_text(encoding="utf-8", errors="surrogateescape"))
    worker = None
    for line in sys.stdin:
        number, _, task = line.partition(" ")
        try:
            if worker is None:
                worker = commandline.worker(question)
            text = answer_text(run_to_end(worker.task_steps(task_of(task))))
        except DetectError as error:
            text = f"{WRONG}{error}"
        path = answer_file(folder, int(number))
        temporary = path.with_suffix(".part")
        temporary.write_text(text, encoding="utf-8", errors="surrogateescape")
        temporary.replace(path)
    sys.stdout.flush()
    sys.stderr.flush()
    if not bpy.app.binary_path:
        os._exit(0)  # the tear-down of Blender's Python module can hang


if __name__ == "__main__":
    main()
