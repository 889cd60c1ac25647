"""Draw points as discs: as large as Blender draws points of a scan, to cover them, but never too small to see.

A disc is moved in front of its point by its radius, because Blender draws points as balls, which would hide the discs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from . import shaders

KIND = shaders.Kind(
    "points",
    (("VEC4", "towards_eye"), ("VEC4", "tint"), ("FLOAT", "pixels"), ("FLOAT", "least_pixels"),
     ("FLOAT", "dot_pixels")),
    (("VEC4", "colour"), ("FLOAT", "radius")),
    (("flat", "VEC4", "light"),),
    """
  gl_Position = to_clip * vec4(pos, 1.0) + radius * towards_eye;
  float least = radius > 0.0 ? least_pixels : dot_pixels;
  gl_PointSize = max(least, 2.0 * radius * pixels / gl_Position.w);
  light = colour * tint;
""",
    """
  if (length(gl_PointCoord - vec2(0.5)) > 0.5) {
    discard;
  }
  seen = light;
""",
)  # fmt: skip
THEME_SIZE = 3  # size of vertices in Blender's default theme


def make(points: np.ndarray, lights: np.ndarray, radii: np.ndarray) -> Any:
    """Return a batch of world points (k, 3), `linear` colours (k, 4) and radii (k,), float32; None without points."""
    return shaders.batch(KIND, "POINTS", points, colour=lights, radius=radii)


def draw(view: Any, batch: Any, least_pixels: float, tint: Sequence[float] = (1.0, 1.0, 1.0, 1.0)) -> None:
    """Draw a batch with the current matrices.

    Args:
        view: the `RegionView3D` that is drawn.
        batch: result of `make`.
        least_pixels: smallest diameter of discs, used for points that Blender draws as dots.
        tint: factor for the colours of the points.
    """
    import gpu

    projection = gpu.matrix.get_projection_matrix()
    shader = shaders.bind(KIND, view)
    shader.uniform_float("towards_eye", projection.col[2])
    shader.uniform_float("pixels", 0.5 * gpu.state.viewport_get()[3] * projection[1][1])
    shader.uniform_float("least_pixels", least_pixels)
    shader.uniform_float("dot_pixels", max(least_pixels, dot_pixels(bpy.context.preferences)))
    shader.uniform_float("tint", shaders.linear(tint).tolist())
    gpu.state.program_point_size_set(True)
    try:
        batch.draw(shader)
    finally:
        gpu.state.program_point_size_set(False)


def dot_pixels(preferences: bpy.types.Preferences) -> float:
    """Return the diameter that covers a vertex drawn by Blender: twice its theme size, and a pixel around it."""
    theme = preferences.themes[0].view_3d.vertex_size if preferences.themes else THEME_SIZE
    return 2.0 * preferences.system.pixel_size * max(1.0, 0.5 * math.sqrt(2.0) * theme) + 2.0
