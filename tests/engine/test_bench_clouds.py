"""The bench of point clouds on tiny clouds: its shapes, its procedure and what it reports."""

import json

import meshclash as mc
import numpy as np
import pytest
from bench.__main__ import main
from bench.clouds import _missed_rows
from clouds import sphere
from oracles.cloud_borders import KINDS, border_rows
from oracles.cloud_grazing import grazing_row, newton_meets
from oracles.cloud_oracle import closest_approach
from oracles.cloud_shapes import SHAPES, load_shapes, sample
from oracles.cloud_sweep import pose_at, prepare, roots_overlap, sweep
from oracles.cloud_touching import OFFSETS, touching_row


@pytest.mark.slow
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


@pytest.mark.slow
def test_only_poses_with_overlapping_root_boxes_count():
    cloud = mc.clouds.PointCloud(np.random.default_rng(0).uniform(-1, 1, (500, 3)))
    assert roots_overlap(cloud, pose_at(1.9, 0.3))
    assert not roots_overlap(cloud, pose_at(4.0, 0.3))


def test_a_shape_whose_boxes_never_overlap_is_named(tmp_path, capsys):
    """A thin triangle along the axis about which the copies turn: they are apart from the first distance on."""
    np.savez(tmp_path / "rod.npz", v=[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.0]], f=[[0, 1, 2]])
    assert main(["clouds", "--mesh", str(tmp_path / "rod.npz"), "--points", "300", "--angles", "1"]) == 0
    assert "no pose of the sweep has boxes that overlap: rod" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("apart", [0.5, 1.5, 3.0])
def test_the_oracle_sees_how_near_two_sheets_come(apart):
    """Parallel sheets are nearest to both in the middle between them; crossed ones meet."""
    line = np.linspace(0.0, 1.0, 14)
    x, y = np.meshgrid(line, line)
    cloud = mc.clouds.PointCloud(np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1))
    pose = np.eye(4)
    pose[2, 3] = apart * cloud.sampling_radius
    approach = closest_approach(cloud, pose)
    assert approach.apart and 0.5 * apart <= approach.nearest + 1e-9 <= 0.5 * apart + 0.4
    crossed = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0.5], [0, 1, 0, -0.5], [0, 0, 0, 1]])
    approach = closest_approach(cloud, crossed)
    assert not approach.apart and approach.nearest < 0.02
    pose[2, 3] = 3.0 * cloud.horizon
    assert closest_approach(cloud, pose) == (np.inf, True, 0)


def test_newtons_method_meets_where_spheres_do():
    """The surface of a sphere's points lies a little inside of it, here by a tenth of the sampling radius."""
    rng = np.random.default_rng(1)
    cloud = mc.clouds.PointCloud(sphere(rng, 2000)[0])
    for gap, meets in ((-0.5, True), (-0.3, True), (0.1, False), (3.0, False)):
        pose = np.eye(4)
        pose[0, 3] = 2.0 + gap * cloud.sampling_radius
        assert newton_meets(cloud, pose, rng) == meets, gap


@pytest.mark.slow
def test_smooth_shapes_are_answered_rightly_close_to_the_first_touch():
    (made,) = load_shapes(["bumpy"], [])
    row = touching_row(prepare(*made, 6000), 6)
    assert [row[f"{offset:+g}"] for offset in OFFSETS if abs(offset) >= 0.5] == [0, 0, 0, 0, 0]


@pytest.mark.slow
def test_hardly_a_grazing_contact_of_sharp_edges_is_missed():
    """Of those that Newton's method by whole clouds finds, from every point nearby."""
    (made,) = load_shapes(["part"], [])
    row = grazing_row(prepare(*made, 4000), 4)
    assert row["surfaces touch"] >= 20
    assert row["missed"] <= 0.2 * row["surfaces touch"]


@pytest.mark.slow
def test_misses_are_shown_with_how_near_the_surfaces_come():
    shape = prepare(*load_shapes(["bumpy"], [])[0], 2000)
    found = [q for q in sweep(shape, 2) if q.truth and q.answer]
    assert found and _missed_rows(shape, found) == []
    (row,) = _missed_rows(shape, [found[-1]._replace(answer=False)])
    assert row["common point"] == "perhaps"
    assert row["meshes meet over [radii]"] > 0.0


def test_the_bench_runs_and_reports(tmp_path, capsys):
    path = tmp_path / "clouds.json"
    arguments = ["clouds", "--shapes", "bumpy", "--points", "3000", "--angles", "1", "--peer-queries", "0"]
    assert main([*arguments, "--grazing", "2", "--json", str(path)]) == 0
    report = json.loads(path.read_text())
    (sweep,) = report["sweeps"]
    assert sweep["queries"] > 5
    assert sweep["differ [%]"] <= 10.0
    assert [row["points"] for row in report["builds"]] == [3000]
    (grazing,) = report["grazing"]
    assert grazing["poses"] == 24
    assert 10 <= grazing["surfaces touch"] <= 24 and grazing["missed"] <= 6
    assert "distance sweep" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_surfaces_that_meet_beyond_their_points_are_found(kind):
    """Where a refined grid over both functions says that they vanish somewhere, and nowhere else."""
    start = 5000 + KINDS.index(kind)
    rows = [row for k in range(9) for row in border_rows(1, start + len(KINDS) * k) if row["cases"]]
    assert {row["kind"] for row in rows} == {kind}
    assert 0 < sum(row["surfaces meet"] for row in rows) < len(rows)
    assert sum(row["missed"] + row["false"] + row["undecided"] for row in rows) == 0
