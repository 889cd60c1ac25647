"""Open the example files with their own windows: the model is to be seen, whole, not a grey wall."""

from collections.abc import Generator
from typing import Any

import bpy
import numpy as np

LEAST, MOST = 0.01, 0.9  # of the picture that is not background


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    for name in ("gearbox", "rack", "room"):
        bpy.ops.wm.open_mainfile(filepath=window.arguments[name], load_ui=True)
        yield 2.0
        yield from window.show(name)
        pixels = window.view_pixels()
        inner = pixels[pixels.shape[0] // 5 :, pixels.shape[1] // 10 :]  # beside the buttons
        background = np.median(inner[:20], axis=(0, 1))  # above the model
        share = float((np.abs(inner - background).max(axis=-1) > 25).mean())
        window.notes[f"share_of_{name}"] = share
        assert name == "room" or LEAST < share < MOST, (name, share)
