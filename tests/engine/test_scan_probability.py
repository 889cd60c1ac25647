"""Probabilities of interrupted searches of pairs with a point cloud."""

import numpy as np
import pytest
from meshclash.pointcloud.contact_probability import CLOUD_WEIGHTS, MEASURES, MESH_WEIGHTS, contact_probability
from oracles.scan_calibration import scans_of_meshes, scans_of_solids, stopped_scan_searches
from oracles.timecritical_poses import made_trees

KINDS = ("bottle", "chain", "stairs", "egg_crate", "plant")
"""Some of the kinds of shapes that the weights are not fitted to."""


@pytest.fixture(scope="module")
def searches():
    return stopped_scan_searches(scans_of_meshes(made_trees(KINDS, [500], [31]), 6, 31))


def test_stated_probabilities_are_the_shares_that_find_a_contact(searches):
    """Before the weights were fitted, .95 was stated where .55 found one, and .5 where .2 did."""
    for other in ("scan", "mesh"):
        some = searches.chosen(np.char.endswith(searches.families, other))
        assert len(some.stated) > 300
        for low, high in ((0.0, 0.35), (0.35, 0.65), (0.65, 1.0)):
            here = some.chosen((low <= some.stated) & (some.stated < high))
            assert len(here.stated) > 30
            assert here.stated.mean() == pytest.approx(here.collide.mean(), abs=0.2), (other, low)
        assert np.mean((some.stated >= 0.5) != some.collide) < 0.45


def test_no_stopped_search_is_certain(searches):
    assert ((searches.stated > 0.0) & (searches.stated < 1.0)).all()
    for weights in (CLOUD_WEIGHTS, MESH_WEIGHTS):
        for measured in (np.full(MEASURES, -1e9), np.full(MEASURES, 1e9)):
            assert 0.0 < contact_probability(measured, weights) < 1.0


def test_scans_of_solids_are_searched_to_their_ends():
    found = stopped_scan_searches(scans_of_solids(1, 3))
    assert len(np.unique(found.families)) >= 8 and 0.0 < found.collide.mean() < 1.0
    assert found.measures.shape[1] == MEASURES and np.isfinite(found.measures).all()
