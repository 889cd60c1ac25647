"""The judges of the bench ``ifc-rows``: common volumes of solids, by manifold3d and by a grid of points."""

import numpy as np
import pytest
from oracles.common_volume import common_volume, sampled_volume
from solids import box, joined, shell

SOLID = box((0, 0, 0), (4, 4, 4))
CASES = [
    (SOLID, box((3, 1, 1), (6, 3, 3)), 4.0),
    (SOLID, box((4, 1, 1), (6, 3, 3)), 0.0),
    (shell((0, 0, 0), (4, 4, 4), 1), box((1, 1, 1), (3, 3, 3)), 0.0),
    (shell((0, 0, 0), (4, 4, 4), 1), box((0, 0, 0), (4, 4, 4)), 56.0),
    (joined(SOLID, box((6, 0, 0), (8, 4, 4))), box((3, 1, 1), (7, 3, 3)), 8.0),
]


@pytest.mark.parametrize(("a", "b", "volume"), CASES)
@pytest.mark.parametrize("away", [0.0, 1e6])
def test_common_volumes_of_bodies_that_are_known(a, b, volume, away):
    manifold3d = pytest.importorskip("manifold3d")
    rng = np.random.default_rng(1)
    first, second = (mesh[0][mesh[1]] + away for mesh in (a, b))
    second = np.take_along_axis(second, rng.permuted(np.tile(np.arange(3), (len(second), 1)), axis=1)[:, :, None], 1)
    for pair in ((first, second), (second, first)):
        assert common_volume(manifold3d, *pair) == pytest.approx(volume)
        assert sampled_volume(*pair) == pytest.approx(volume, rel=0.02)


def test_an_open_mesh_has_no_volume():
    manifold3d = pytest.importorskip("manifold3d")
    corners = SOLID[0][SOLID[1]]
    assert common_volume(manifold3d, corners[1:], corners) is None
