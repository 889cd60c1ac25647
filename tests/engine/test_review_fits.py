"""Screws and press fits are recognised by their common solid, and other overlaps are not."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash import coaxial_fit, interference

pytest.importorskip("manifold3d")


def ring(inner, outer, height, count=32):
    """A closed tube about z, its foot at 0."""
    turn = 2 * np.pi * np.arange(count) / count
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=1)
    levels = [inner * circle, outer * circle, outer * circle + [0, 0, height], inner * circle + [0, 0, height]]
    vertices, triangles = np.concatenate(levels), []
    for level in range(4):
        for k in range(count):
            a, b = level * count + k, level * count + (k + 1) % count
            c, d = ((level + 1) % 4) * count + k, ((level + 1) % 4) * count + (k + 1) % count
            triangles += [(a, b, d), (a, d, c)]
    return mc.TriangleMesh(vertices, np.array(triangles)[:, ::-1])


def thread(minor, major, pitch, turns, count=24):
    """A closed helical ridge about z between two radii: what a modelled thread has in common with a plain hole."""
    steps = np.arange(turns * count + 1)
    turn = 2 * np.pi * steps / count
    rows = []
    for radius, up in ((minor, 0.0), (major, 0.35), (minor, 0.7)):
        rows.append(np.stack([radius * np.cos(turn), radius * np.sin(turn), pitch * (steps / count + up)], axis=1))
    n = len(steps)
    triangles = []
    for row in range(3):
        for k in range(n - 1):
            a, b = row * n + k, row * n + k + 1
            c, d = ((row + 1) % 3) * n + k, ((row + 1) % 3) * n + k + 1
            triangles += [(a, b, d), (a, d, c)]
    triangles += [(0, n, 2 * n), (n - 1, 3 * n - 1, 2 * n - 1)]
    return mc.TriangleMesh(np.concatenate(rows), triangles)


def turned(seed):
    generator = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = np.linalg.qr(generator.normal(size=(3, 3)))[0]
    if np.linalg.det(pose[:3, :3]) < 0:
        pose[:3, 0] *= -1
    pose[:3, 3] = generator.normal(size=3) * 10
    return pose


def common(a, b, pose_a, pose_b):
    return interference(a, b, pose_a, pose_b).mesh


def placed(x=0.0, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


@given(st.integers(0, 10_000), st.floats(0.02, 0.2), st.floats(0.4, 6.0), st.sampled_from([24, 32, 48]))
def test_a_shaft_in_a_tight_hub_is_a_fit_wherever_it_stands(seed, overlap, height, count):
    hub, shaft = ring(1.0 - overlap, 2.0, height, count), mc.shapes.cylinder(1.0, height + 3.0, 0.002)
    world = turned(seed)
    fit = coaxial_fit(common(hub, shaft, world, world @ placed(z=0.5 * height)))
    assert fit is not None
    assert fit.overlap == pytest.approx(overlap, rel=0.6) and fit.length == pytest.approx(height, rel=1e-6)
    assert abs(fit.axis @ world[:3, 2]) == pytest.approx(1.0, abs=1e-6)


def test_a_modelled_thread_is_a_fit():
    fit = coaxial_fit(thread(0.9, 1.0, 0.25, 5))
    assert fit is not None and fit.radius == pytest.approx(0.95, abs=0.03)


@given(st.integers(0, 10_000), st.floats(0.06, 0.5))
def test_a_shaft_that_is_off_the_axis_is_none(seed, offset):
    hub, shaft = ring(0.95, 2.0, 1.0), mc.shapes.cylinder(1.0, 4.0, 0.002)
    world = turned(seed)
    assert coaxial_fit(common(hub, shaft, world, world @ placed(x=offset, z=0.5))) is None


@pytest.mark.parametrize("place", [(0.9, 0.8, 0.7), (0.95, 0, 0), (0, 0, 0.9)])
def test_overlaps_of_boxes_are_none(place):
    box = mc.shapes.box(1.0)
    assert coaxial_fit(common(box, box, placed(), placed(*place))) is None


def test_a_rod_through_a_plate_without_a_hole_is_none():
    plate, rod = mc.shapes.box((4.0, 4.0, 0.5)), mc.shapes.cylinder(0.5, 3.0)
    assert coaxial_fit(common(plate, rod, placed(), placed())) is None


def test_half_a_hub_is_none():
    hub, shaft = ring(0.9, 2.0, 1.0), mc.shapes.cylinder(1.0, 4.0, 0.002)
    whole = common(hub, shaft, placed(), placed(z=0.5))
    half = interference(whole, mc.shapes.box(10.0), None, placed(x=5.0)).mesh
    assert coaxial_fit(whole) is not None and coaxial_fit(half) is None
