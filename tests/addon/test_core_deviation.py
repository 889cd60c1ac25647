"""Deviations of scans from models: values known by construction, colours, sums."""

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scans import add_scan, ball, wall

from addon.adapters.source import BlenderSource
from addon.core.deviation import SIGNED_STOPS, UNSIGNED_STOPS, colours, deviation_steps
from addon.core.errors import InputError
from addon.core.job import run_to_end


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
    assert np.allclose(found.values, points[:, 2], atol=1e-6)
    assert np.allclose(found.scans[0].points, points + np.array((5.0, 0.0, 0.0)), atol=1e-6)
    facts = found.summary(0.001)
    assert facts["inside"] == int((points[:, 2] < 0).sum()) and facts["points"] == 400
    assert facts["largest_size"] == pytest.approx(0.0003) and facts["mean"] == pytest.approx(0.0, abs=1e-9)


def test_the_nearest_of_several_models_counts(engine, add_box):
    add_scan("Ball", ball(1000, 0.1)[0])
    add_box("Near", (1.1, -1, -1), (2, 1, 1))
    add_box("Far", (-9, -1, -1), (-3, 1, 1))
    found = measure(engine, "Ball", "all")
    assert np.allclose(found.values, 1.1 - ball(1000, 0.1)[0][:, 0], atol=1e-6)
    assert found.names == {"Ball", "Near", "Far"}
    assert found.usual_range == pytest.approx(1.195, abs=0.01)


def test_an_open_model_has_no_inside(engine):
    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [], [(0, 1, 2, 3)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Sheet", mesh))
    add_scan("Ball", ball(1000)[0])
    found = measure(engine)
    assert not found.signed
    assert np.allclose(found.values, np.abs(ball(1000)[0][:, 2]), atol=1e-6)


def test_what_is_missing_is_named(engine, add_box):
    add_box("Box", (0, 0, 0), (1, 1, 1))
    with pytest.raises(InputError, match=r"set A .everything. holds no visible scan"):
        measure(engine)
    add_scan("Ball", ball(100)[0])
    with pytest.raises(InputError, match=r"set B .'Ball'. holds no visible object with faces"):
        measure(engine, "Ball", "Ball")


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20), st.floats(1e-3, 5), st.booleans())
def test_colours_are_those_of_the_scale(values, reach, signed):
    found = colours(np.array(values), reach, signed)
    assert found.shape == (len(values), 4) and found.dtype == np.float32
    assert (found[:, 3] == 1.0).all() and (found >= 0.0).all() and (found <= 1.0).all()
    beyond = np.array(values) >= reach
    assert np.allclose(found[beyond, :3], SIGNED_STOPS[-1])


def test_ends_and_middle_of_the_scale():
    assert np.allclose(colours(np.array([-1.0, 0.0, 1.0]), 1.0, True)[:, :3], SIGNED_STOPS[[0, 2, 4]])
    assert np.allclose(colours(np.array([-1.0, 0.0, 1.0]), 1.0, False)[:, :3], UNSIGNED_STOPS[[0, 0, 2]])
