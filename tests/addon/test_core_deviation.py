"""Deviations of scans from models: values known by construction, colours, sums."""

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash.errors import InputError
from meshclash.types.steps import run_to_end
from scans import add_scan, ball, values_of, wall

from addon.adapters.source import BlenderSource
from addon.core import chunks
from addon.core.deviation import SHADES, SIGNED_STOPS, UNSIGNED_STOPS, deviation_steps, scale_colours, shades
from addon.overlay.shaders import linear


def measure(engine, set_a="all", set_b="all"):
    return run_to_end(deviation_steps(BlenderSource.from_context(bpy.context), set_a, set_b, engine))


def test_a_wall_above_and_inside_a_box(engine, add_box):
    """The top of the box is at 0; the wall tilts from 0.3 below to 0.3 above it."""
    points = wall(20, size=1.0)
    points[:, 2] = 0.6 * points[:, 0]
    add_scan("Wall", points, location=(5.0, 0.0, 0.0))
    add_box("Box", (0, -5, -5), (10, 5, 0))
    found = measure(engine)
    assert found.signed and found.models == ("Box",)
    assert np.allclose(values_of(found), points[:, 2], atol=1e-6)
    assert np.allclose(found.scans[0].points, points + np.array((5.0, 0.0, 0.0)), atol=1e-6)
    facts = found.summary(0.001)
    assert facts["inside"] == int((points[:, 2] < 0).sum()) and facts["points"] == 400
    assert facts["largest_size"] == pytest.approx(0.0003) and facts["mean"] == pytest.approx(0.0, abs=1e-9)


def test_the_nearest_of_several_models_counts(engine, add_box):
    add_scan("Ball", ball(1000, 0.1)[0])
    add_box("Near", (1.1, -1, -1), (2, 1, 1))
    add_box("Far", (-9, -1, -1), (-3, 1, 1))
    found = measure(engine, "Ball", "all")
    assert np.allclose(values_of(found), 1.1 - ball(1000, 0.1)[0][:, 0], atol=1e-6)
    assert found.names == {"Ball", "Near", "Far"}
    assert found.usual_range == pytest.approx(1.195, abs=0.01)


def test_slices_change_no_value(engine, add_box, monkeypatch):
    points = ball(1000, 0.5)[0]
    add_scan("Ball", points, location=(0.0, 0.0, 3.0))
    add_box("Box", (0.1, -1, -1), (2, 1, 5))
    whole = measure(engine)
    steps = []
    monkeypatch.setattr(chunks, "CHUNK", 13)
    source = BlenderSource.from_context(bpy.context)
    found = run_to_end(deviation_steps(source, "all", "all", engine), lambda progress: steps.append(progress.text))
    assert np.array_equal(values_of(found), values_of(whole)) and np.array_equal(
        found.scans[0].points, whole.scans[0].points
    )
    assert found.lengths == pytest.approx(whole.lengths) and found.inside == whole.inside > 0
    assert steps.count("Placing Ball") == -(-1000 // 13) and steps.count("Summarising the deviations") > 2 * 1000 // 13
    size = np.abs(values_of(found).astype(np.float64))
    assert found.lengths["median_size"] == pytest.approx(np.median(size))
    assert found.lengths["rms"] == pytest.approx(np.sqrt((size**2).mean()))
    assert found.lengths["largest_size"] == size.max()


def test_an_open_model_has_no_inside(engine):
    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [], [(0, 1, 2, 3)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Sheet", mesh))
    add_scan("Ball", ball(1000)[0])
    found = measure(engine)
    assert not found.signed
    assert np.allclose(values_of(found), np.abs(ball(1000)[0][:, 2]), atol=1e-6)


def test_what_is_missing_is_named(engine, add_box):
    add_box("Box", (0, 0, 0), (1, 1, 1))
    with pytest.raises(InputError, match=r"set A .everything. contains no visible scan: points without"):
        measure(engine)
    add_scan("Ball", ball(100)[0])
    with pytest.raises(InputError, match=r"set B .'Ball'. contains no visible object with faces"):
        measure(engine, "Ball", "Ball")


def coloured(values, reach, signed):
    return scale_colours(signed)[shades(np.array(values), reach, signed)][:, :3]


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20), st.floats(1e-3, 5), st.booleans())
def test_colours_are_those_of_the_scale(values, reach, signed):
    """Within half of what one of them spans, and the ends beyond."""
    found = coloured(values, reach, signed)
    stops = SIGNED_STOPS if signed else UNSIGNED_STOPS
    low = -reach if signed else 0.0
    at = (np.clip(values, low, reach) - low) / (reach - low) * (len(stops) - 1)
    exact = np.stack([np.interp(at, np.arange(len(stops)), stops[:, k]) for k in range(3)], axis=1)
    assert found.dtype == np.float32 and np.abs(found - exact).max() <= 0.6 * (len(stops) - 1) / SHADES
    beyond = np.array(values) >= reach
    assert np.allclose(found[beyond], SIGNED_STOPS[-1])


def test_ends_and_middle_of_the_scale():
    assert np.allclose(coloured([-1.0, 0.0, 1.0], 1.0, True), SIGNED_STOPS[[0, 2, 4]])
    assert np.allclose(coloured([-1.0, 0.0, 1.0], 1.0, False), UNSIGNED_STOPS[[0, 0, 2]])


# Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009), table
# of severity 1.0: what eyes without one kind of cones see, in linear light.
VISIONS = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(light):
    """CIELAB of linear sRGB (n, 3)."""
    xyz = light @ TO_XYZ.T / WHITE
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("signed", [True, False])
def test_eyes_with_fewer_cones_tell_the_scale_apart(vision, signed):
    """Nine places along it look different (a difference of 2 is just seen), and lighter the less the deviation is."""
    places = np.linspace(0, SHADES - 1, 9 if signed else 5).astype(int)
    seen = lab(np.clip(linear(scale_colours(signed)[places])[:, :3] @ np.array(VISIONS[vision]).T, 0.0, 1.0))
    differences = np.linalg.norm(seen[:, None] - seen[None], axis=-1)
    assert differences[~np.eye(len(seen), dtype=bool)].min() > 15.0
    zero = len(seen) // 2 if signed else 0
    assert (np.diff(seen[: zero + 1, 0]) > 5.0).all() and (np.diff(seen[zero:, 0]) < -5.0).all()
