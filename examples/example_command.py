"""The command line of an example: write its .blend file, or compare a report with the right answer."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import views


def curves_of(item: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The curves that animate an object, whether or not Blender's actions have layers."""
    action = item.animation_data.action
    if bpy.app.version < (4, 4, 0):
        return list(action.fcurves)
    return list(action.layers[0].strips[0].channelbag(item.animation_data.action_slot).fcurves)


def run(
    arguments: list[str],
    description: str,
    build: Callable[[], object],
    check: Callable[[dict[str, Any]], list[str]],
    right: str,
) -> int:
    """Builds the file, or checks a report; returns the exit code.

    Args:
        arguments: of the command line.
        description: of the example; its first line is shown by --help.
        build: fills the scene.
        check: the differences of a report from the right answer.
        right: what to say when there are none.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("blend", nargs="?", type=Path, help="file to write")
    parser.add_argument("--check", type=Path, metavar="REPORT.json", help="compare a report with the right answer")
    given = parser.parse_args(arguments)
    if given.check is not None:
        differences = check(json.loads(given.check.read_text(encoding="utf-8")))
        print("\n".join(differences) or right)
        return 1 if differences else 0
    if given.blend is None:
        parser.error("name the .blend file to write")
    build()
    views.look_at_everything()
    bpy.ops.wm.save_as_mainfile(filepath=str(given.blend.resolve()), check_existing=False)
    print(f"{len(bpy.data.objects)} objects written to {given.blend}")
    return 0
