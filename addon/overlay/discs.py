"""Points as discs: as large as Blender draws the points of a scan, to cover these, but never too small to see.

A disc stands before its point by its radius: Blender draws points as balls, and what lies inside one would be hidden.
"""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

VERTEX = """
void main()
{
  gl_Position = to_clip * vec4(pos, 1.0) + radius * towards_eye;
  float least = radius > 0.0 ? least_pixels : dot_pixels;
  gl_PointSize = max(least, 2.0 * radius * pixels / gl_Position.w);
  disc_colour = colour * tint;
}
"""
FRAGMENT = """
void main()
{
  if (length(gl_PointCoord - vec2(0.5)) > 0.5) {
    discard;
  }
  seen_colour = disc_colour;
}
"""


THEME_SIZE = 3  # of vertices in Blender's own theme


class _State:
    """The shader, once it was needed."""

    shader: Any = None


def free() -> None:
    """Frees the shader."""
    _State.shader = None


def make(points: np.ndarray, lights: np.ndarray, radii: np.ndarray) -> Any:
    """A batch of points (k, 3) with colours as `linear` light (k, 4) and radii (k,), float32, world; None for none."""
    from gpu_extras.batch import batch_for_shader

    if not len(points):
        return None
    return batch_for_shader(_shader(), "POINTS", {"pos": points, "colour": lights, "radius": radii})


def linear(colours: np.ndarray) -> np.ndarray:
    """Colours (..., 4) as light: what a shader of one's own gives to the viewport is encoded as sRGB afterwards."""
    light = np.array(colours, np.float32)
    rgb = light[..., :3]
    light[..., :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return light


def draw(batch: Any, least_pixels: float, tint: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)) -> None:
    """Draws a batch with the matrices that are set.

    Args:
        batch: made by `make`.
        least_pixels: diameter of the smallest discs; those of points that Blender draws as dots cover these.
        tint: times the colours of the points.
    """
    import gpu

    projection, view = gpu.matrix.get_projection_matrix(), gpu.matrix.get_model_view_matrix()
    shader = _shader()
    shader.bind()
    shader.uniform_float("to_clip", projection @ view)
    shader.uniform_float("towards_eye", projection @ Vector((0.0, 0.0, 1.0, 0.0)))
    shader.uniform_float("pixels", 0.5 * gpu.state.viewport_get()[3] * projection[1][1])
    shader.uniform_float("least_pixels", least_pixels)
    shader.uniform_float("dot_pixels", max(least_pixels, dot_pixels(bpy.context.preferences)))
    shader.uniform_float("tint", linear(np.array(tint)).tolist())
    gpu.state.program_point_size_set(True)
    try:
        batch.draw(shader)
    finally:
        gpu.state.program_point_size_set(False)


def dot_pixels(preferences: bpy.types.Preferences) -> float:
    """Diameter that covers a vertex that Blender draws: twice the size in its overlays, and a pixel around it."""
    theme = preferences.themes[0].view_3d.vertex_size if preferences.themes else THEME_SIZE
    return 2.0 * preferences.system.pixel_size * max(1.0, 0.5 * math.sqrt(2.0) * theme) + 2.0


def _shader() -> Any:
    """The shader; raises RuntimeError where the driver cannot make it."""
    import gpu

    if _State.shader is None:
        passed = gpu.types.GPUStageInterfaceInfo("meshclash_discs")
        passed.flat("VEC4", "disc_colour")
        info = gpu.types.GPUShaderCreateInfo()
        for kind, name in (("MAT4", "to_clip"), ("VEC4", "towards_eye"), ("VEC4", "tint")):
            info.push_constant(kind, name)
        for name in ("pixels", "least_pixels", "dot_pixels"):
            info.push_constant("FLOAT", name)
        for place, (kind, name) in enumerate((("VEC3", "pos"), ("VEC4", "colour"), ("FLOAT", "radius"))):
            info.vertex_in(place, kind, name)
        info.vertex_out(passed)
        info.fragment_out(0, "VEC4", "seen_colour")
        info.vertex_source(VERTEX)
        info.fragment_source(FRAGMENT)
        try:
            _State.shader = gpu.shader.create_from_info(info)
        except Exception as error:  # Blender raises nothing more special
            raise RuntimeError(f"points cannot be drawn: {error}") from error
    return _State.shader
