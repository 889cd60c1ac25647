"""Detects clashes and renders a picture of the faces in contact; the .blend file is left untouched.

python blender_scripts/render_contacts.py scene.blend picture.png [options of detect.py]
blender --background scene.blend --python blender_scripts/render_contacts.py -- picture.png [options]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
from detect import run


def with_picture(arguments: list[str]) -> list[str]:
    """Turns the last leading file name into `--picture`; a wrong list is left for the command line to refuse."""
    leading = next((index for index, text in enumerate(arguments) if text.startswith("-")), len(arguments))
    if not leading:
        return arguments
    return [*arguments[: leading - 1], "--picture", arguments[leading - 1], *arguments[leading:]]


if __name__ == "__main__":
    sys.exit(run(with_picture))
