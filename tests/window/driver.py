"""Runs inside Blender: plays one scenario with real mouse and key events and writes down how it went.

    blender --python driver.py -- SCENARIO OUT ARGUMENT=VALUE...

A scenario is a module of `scenarios/` with a generator `play(window)`. It yields the seconds to wait before it goes on,
so Blender's own loop runs between its steps. OUT gets pictures and result.json.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).parent))  # Blender runs this file, and does not import it

from window import Window

FIRST_STEP = 1.0  # seconds after which the window stands
Play = Generator[float, None, None]


def main(name: str, out: Path, arguments: dict[str, str]) -> None:
    """Starts the scenario; it goes on in a timer that also survives loading a file."""
    preferences = bpy.context.preferences
    preferences.use_preferences_save = False  # what one scenario switches off must not be off in the next
    preferences.view.show_splash = False
    preferences.view.use_save_prompt = False
    preferences.view.show_tooltips = False
    preferences.filepaths.use_auto_save_temporary_files = False
    window = Window(out, arguments)
    play = importlib.import_module(f"scenarios.{name}").play(window)
    bpy.app.timers.register(_stepper(play, window), first_interval=FIRST_STEP, persistent=True)


def _stepper(play: Play, window: Window) -> Callable[[], float | None]:
    started = time.perf_counter()

    def step() -> float | None:
        try:
            return next(play)
        except StopIteration:
            error = ""
        except BaseException:
            error = traceback.format_exc()
            _picture_of_failure(window)
        _write_result(window, error, time.perf_counter() - started)
        window.quit()
        return None

    return step


def _picture_of_failure(window: Window) -> None:
    try:
        window.picture("failure")
    except (OSError, ValueError):
        traceback.print_exc()


def _write_result(window: Window, error: str, seconds: float) -> None:
    result: dict[str, Any] = {
        "passed": not error,
        "error": error,
        "seconds": round(seconds, 1),
        "blender": bpy.app.version_string,
        "notes": window.notes,
        "pictures": window.pictures,
        "python": f"cp{sys.version_info[0]}{sys.version_info[1]}",
        "kernels": sorted(window.kernels.items()),
    }
    (window.out / "result.json").write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    scenario, folder, *rest = sys.argv[sys.argv.index("--") + 1 :]
    main(scenario, Path(folder), dict(item.split("=", 1) for item in rest))
