"""The bench of point clouds on tiny clouds: its shapes, its procedure and what it reports."""

import json

import meshclash as mc
import numpy as np
import pytest
from meshclash.bench.__main__ import main
from meshclash.bench.cloud_shapes import SHAPES, load_shapes, sample
from meshclash.bench.clouds import _pose, _roots_overlap


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_shapes_are_of_their_kind_and_size(name, tmp_path):
    ((_, kind, (vertices, triangles)),) = load_shapes([name], [])
    np.savez(tmp_path / "model.npz", v=vertices * 3 + 1, f=triangles)
    ((stem, found, again),) = load_shapes([], [tmp_path / "model.npz"])
    # The sheets of the grid cross, which their edges do not tell.
    assert (stem, found) == ("model", "open" if name == "grid" else kind)
    assert np.allclose(again[0], vertices)
    extent = vertices[triangles.ravel()].max(axis=0) - vertices[triangles.ravel()].min(axis=0)
    assert extent.max() == pytest.approx(2.0)
    assert mc.TriangleMesh(vertices, triangles).is_closed == (kind == "closed")


def test_samples_lie_evenly_on_the_surface():
    vertices = np.array([[0.0, 0, 0], [3, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]])
    points = sample((vertices, np.array([[0, 1, 2], [3, 4, 5]])), 20000, seed=1)
    flat = points[:, 2] == 0.0
    assert flat.mean() == pytest.approx(0.75, abs=0.02)
    assert (points.min(axis=0) >= 0.0).all()
    assert (points[flat, 0] / 3 + points[flat, 1]).max() <= 1.0 + 1e-12
    assert points[flat].mean(axis=0) == pytest.approx([1.0, 1 / 3, 0.0], abs=0.02)


def test_only_poses_with_overlapping_root_boxes_count():
    cloud = mc.PointCloud(np.random.default_rng(0).uniform(-1, 1, (500, 3)))
    assert _roots_overlap(cloud, _pose(1.9, 0.3))
    assert not _roots_overlap(cloud, _pose(4.0, 0.3))


def test_the_bench_runs_and_reports(tmp_path, capsys):
    path = tmp_path / "clouds.json"
    arguments = ["clouds", "--shapes", "bumpy", "--points", "3000", "--angles", "1", "--peer-queries", "0"]
    assert main([*arguments, "--scaling", "1000", "--json", str(path)]) == 0
    report = json.loads(path.read_text())
    (sweep,) = report["sweeps"]
    assert sweep["queries"] > 5
    assert sweep["differ [%]"] <= 10.0
    assert [row["points"] for row in report["builds"]] == [3000, 1000]
    assert len(report["budgets"]) == 6
    assert report["budgets"][-1]["complete [%]"] == 100.0
    assert "distance sweep" in capsys.readouterr().out
