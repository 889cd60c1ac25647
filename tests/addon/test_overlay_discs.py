"""Discs without a window: the colours that the shader is given."""

import bpy
import numpy as np

from addon.overlay import discs, shaders


def test_colours_become_light_and_alpha_stays():
    """The standard's own figures: half of the light is 73.5 % of the code, and the ends stay."""
    given = np.array([[0.0, 1.0, 0.735357, 0.25], [0.04, 0.5, 0.2, 1.0]], np.float32)
    light = shaders.linear(given)
    assert np.allclose(light[0], [0.0, 1.0, 0.5, 0.25], atol=1e-4)
    assert np.allclose(light[1], [0.04 / 12.92, 0.214041, 0.033105, 1.0], atol=1e-4)
    assert given[0, 2] == np.float32(0.735357), "what was given is left"


def test_no_points_need_no_shader():
    assert discs.make(np.empty((0, 3), np.float32), np.empty((0, 4), np.float32), np.empty(0, np.float32)) is None


def test_discs_cover_the_dots_of_vertices(registered):
    """A vertex of 3 in the theme is drawn 4.2 pixels wide; the smallest ones 2."""
    theme = bpy.context.preferences.themes[0].view_3d
    assert 5.0 < discs.dot_pixels(bpy.context.preferences) < 8.0 or bpy.context.preferences.system.pixel_size != 1.0
    sizes = []
    for size in (1, 3, 10):
        theme.vertex_size = size
        sizes.append(discs.dot_pixels(bpy.context.preferences))
    theme.vertex_size = 3
    assert sizes == sorted(set(sizes))
