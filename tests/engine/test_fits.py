"""Parts that fit but for rounding are not deep, and parts a hair too large clash: a few of each kind of ``fits.py``."""

import fits
import meshclash as mc
import numpy as np
import pytest
from fit_shapes import KINDS
from oracles.solid_oracle import have_common_volume
from solids import box

CASES = range(6)
FEW_TRIANGLES = 64
"""Up to which exact arithmetic says quickly whether two solids share volume."""


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_parts_that_fit_are_no_deeper_than_roundings_and_larger_ones_are_as_deep_as_they_are(kind, single):
    found = [(number, *fault) for number in CASES for fault in fits.faults(kind, 7, number, single)]
    assert [fault for fault in found if fault[1] in fits.WRONG] == []


def test_a_thread_in_single_precision_is_shrunk_by_steps_that_stay_below_its_bound():
    """Four times the move that did not do bounded it by 17.4 spacings."""
    assert [fault for fault in fits.faults("thread", 202, 1061, single=True) if fault[0] in fits.WRONG] == []


def test_a_thread_whose_tip_only_one_way_takes_inward_is_bounded_by_roundings():
    """By least squares a plane of the tip moved outward: bounded by 42.8 spacings."""
    assert [fault for fault in fits.faults("thread", 503, 9687, single=False) if fault[0] in fits.WRONG] == []


@pytest.mark.parametrize("single", [False, True])
def test_what_an_exact_depth_denies_is_not_permitted(single):
    """A thread where the search for what is permitted found a smaller ball than that for the exact depth."""
    _, large, _ = fits.case("thread", 301, 643, single)
    permitted = 0.8 * large.verdict(depth="exact").depth_lower
    assert large.verdict(permitted_overlap=permitted) == mc.Verdict.CLASH


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_shapes_are_solids_that_share_no_volume(kind):
    for number in range(10):
        shapes = KINDS[kind](np.random.default_rng(number))
        for mesh in (shapes.a, shapes.b):
            corners = mesh[0][mesh[1]]
            assert mc.TriangleMesh(*mesh).is_closed
            assert np.linalg.det(corners - corners.mean(axis=(0, 1))).sum() > 0
        if len(shapes.a[1]) + len(shapes.b[1]) <= FEW_TRIANGLES:
            assert not have_common_volume(*(mesh[0][mesh[1]] for mesh in (shapes.a, shapes.b)))


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_oracle_knows_of_larger_parts_does_not_contradict_itself(kind):
    for number in CASES:
        _, large, _ = fits.case(kind, 7, number, single=False)
        assert 0.0 <= large.least <= large.most


@pytest.mark.parametrize("kind", ["stack", "groove", "nested"])
def test_known_depths_are_those_of_balls(kind):
    """In the slab on a brick, the edge of a groove, the corner of a cavity; no ball near is larger."""
    rng = np.random.default_rng(1)
    shapes = KINDS[kind](rng)
    place = fits.Place(np.eye(3), np.zeros(3), (None, None), single=False)
    e = 1 / 64
    grown = fits.fitted(shapes, place, shapes.b[0] + e * fits.outward(shapes.b))
    a, b = (mesh.vertices[mesh.triangles] for mesh in grown.meshes)
    low = b.min(axis=(0, 1))
    centre = 0.5 * (np.maximum(low, a.min(axis=(0, 1))) + np.minimum(b.max(axis=(0, 1)), a.max(axis=(0, 1))))
    flush = {"stack": [2], "groove": [0, 1], "nested": [0, 1, 2]}[kind]
    centre[flush] = low[flush] + 0.5 * shapes.factor * e
    assert fits.largest_ball(a, b, centre[None], rng) == pytest.approx(shapes.factor * e)
    near = centre + rng.normal(size=(fits.BALLS, 3)) * 0.1 * e
    assert 0.0 < fits.largest_ball(a, b, near, rng) <= shapes.factor * e * (1 + 1e-12)


def test_balls_of_the_oracle_are_those_of_fractions():
    a, b = (np.asarray(v)[t] for v, t in (box((0, 0, 0), (4, 4, 4)), box((3, 1, 1), (6, 3, 3))))
    centres = np.array([[3.5, 2, 2], [3.25, 2, 2], [5, 2, 2], [-1, 2, 2]])
    assert fits.largest_ball(a, b, centres, np.random.default_rng(0)) == 1.0
    assert fits.windings(a, centres).round(9).tolist() == [1, 1, 0, 0]
    assert fits.distances(b, centres) == pytest.approx([0.5, 0.25, 1.0, np.sqrt(16)])
