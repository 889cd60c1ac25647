"""How finely coordinates are known: what single precision moves, and what meshes and scenes keep of it."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.types.resolution import float32_resolutions
from solids import CORNERS, TETRAHEDRON
from strategies import matrix, rotation


@given(st.integers(0, 2**32 - 1), st.sampled_from((1e-3, 1.0, 37.0, 1e3, 1e6)), st.sampled_from((0.0, 1.0, 1e4)))
def test_points_stored_in_single_precision_are_no_farther_off_than_the_resolution(seed, size, away):
    """Against rationals: a body and its matrix as a modeller means them, and as float32 keeps them."""
    rng = np.random.default_rng(seed)
    meant = rng.uniform(-size, size, (8, 3))
    meant[0, 0] = size
    wanted = matrix(rotation(rng) * rng.choice([1.0, 0.3, 25.0], 3), rng.normal(size=3) * away)
    stored, kept = meant.astype(np.float32).astype(float), wanted.astype(np.float32).astype(float)
    resolution = Fraction(mc.float32_resolution(np.abs(stored).max(), kept))
    for one, other in zip(meant, stored, strict=True):
        differences = [
            sum((Fraction(w) * Fraction(p) - Fraction(k) * Fraction(q) for w, k, p, q in zip(
                wanted[i, :3], kept[i, :3], one, other, strict=True)), Fraction(wanted[i, 3]) - Fraction(kept[i, 3]))
            for i in range(3)
        ]  # fmt: skip
        assert sum(d * d for d in differences) <= resolution * resolution


def test_the_resolution_is_that_of_the_largest_coordinate_and_no_more():
    half = 2.0**-24
    assert mc.float32_resolution(1.0) == pytest.approx(np.sqrt(3) * half, rel=1e-5)
    assert mc.float32_resolution(1.0, matrix(shift=(0.0, 0.0, 1024.0))) == pytest.approx(
        half * np.sqrt(2 + 1025**2), rel=1e-5
    )
    assert mc.float32_resolution(0.0) == 0.0


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5))
def test_many_objects_have_the_resolutions_of_each(seeds):
    draws = [np.random.default_rng(seed) for seed in seeds]
    largest = np.array([rng.choice([0.0, 1e-3, 1.0, 4e5]) for rng in draws])
    matrices = np.stack([matrix(rotation(rng) * rng.choice([1.0, 0.3]), 10.0 * rng.normal(size=3)) for rng in draws])
    alone = [mc.float32_resolution(size, one) for size, one in zip(largest, matrices, strict=True)]
    assert float32_resolutions(largest, matrices).tolist() == alone


@pytest.mark.parametrize("largest", [-1.0, np.nan, np.inf, 1e39, "1", None])
def test_what_float32_cannot_hold_is_refused(largest):
    with pytest.raises(mc.UnsupportedOption, match="largest coordinate"):
        mc.float32_resolution(largest)
    with pytest.raises(mc.InvalidPose, match="shape"):
        mc.float32_resolution(1.0, np.eye(3))


@pytest.mark.parametrize("bad", [-1e-9, np.nan, np.inf, "fine", None, True, [1e-6]])
def test_a_resolution_that_is_no_length_is_refused(bad):
    with pytest.raises(mc.InvalidMesh, match="resolution"):
        mc.TriangleMesh(CORNERS, TETRAHEDRON, resolution=bad)
    scene = mc.Scene()
    with pytest.raises(mc.InvalidMesh, match="resolution"):
        scene.add(mc.TriangleMesh(CORNERS, TETRAHEDRON), resolution=[bad])
    assert len(scene) == 0


def test_a_mesh_keeps_its_resolution_and_a_matrix_stretches_it():
    mesh = mc.TriangleMesh(CORNERS, TETRAHEDRON, resolution=1e-6)
    assert (mesh.resolution, mc.TriangleMesh(CORNERS, TETRAHEDRON).resolution) == (1e-6, 0.0)
    assert mesh.with_vertices(CORNERS + 1).resolution == 1e-6
    turned = rotation(np.random.default_rng(1)) @ np.diag([1.0, -5.0, 0.25])
    assert 5e-6 <= mesh.transformed(matrix(turned)).resolution <= 5.0001e-6
