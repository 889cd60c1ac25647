"""The bench of common solids: its truth of convex pairs, and that it finds a volume that is beyond its bounds."""

import argparse

import numpy as np
import pytest
from bench import interference as bench
from solids import box


@pytest.fixture
def options(tmp_path):
    pytest.importorskip("manifold3d")
    vertices, triangles = box((0, 0, 0), (1, 2, 3))
    np.savez(tmp_path / "box.npz", v=vertices, f=triangles)
    return argparse.Namespace(models=[tmp_path], pairs=20, seed=3)


def test_hulls_have_the_box_in_common_that_is_known():
    a, b = (np.array(box(low, high)[0]) for low, high in (((0, 0, 0), (1, 1, 1)), ((0.25, 0.5, 0.9), (2, 2, 2))))
    assert bench._convex_volume(a, b) == pytest.approx(0.75 * 0.5 * 0.1)
    assert bench._convex_volume(a, b + 5.0) == 0.0


def test_it_finds_a_volume_beyond_its_bounds(options, monkeypatch, capsys):
    assert bench.run(options) == 0
    right = bench.interference

    def wrong(*asked):
        found = right(*asked)
        return found._replace(volume=found.volume + 0.01)

    monkeypatch.setattr(bench, "interference", wrong)
    assert bench.run(options) == 1
    assert "beyond bounds" in capsys.readouterr().out
