"""The bench of volumes and split rules: poses, fitted costs, and that it notices differing pairs."""

import meshclash as mc
import numpy as np
import pytest
from bench import procedure
from bench.__main__ import main
from bench.mesh_generators import bumpy_sphere
from solids import box, joined, moved


def test_a_turn_is_full_rigid_and_at_the_distance():
    poses = procedure.turns(1.5, 12)
    rotations = poses[:, :3, :3]
    assert np.allclose(rotations @ rotations.transpose(0, 2, 1), np.eye(3))
    assert np.allclose(np.linalg.det(rotations), 1.0)
    assert (poses[:, :3, 3] == (1.5, 0.0, 0.0)).all()
    assert len(np.unique(rotations.round(9), axis=0)) == 12


@pytest.mark.parametrize("gap", [0.01, 0.7])
def test_true_distances_are_what_is_prescribed(gap):
    tree = mc.build(mc.TriangleMesh(*bumpy_sphere(300)))
    poses = procedure.turns_at_gap(tree, gap, 5)
    assert (poses[:, :3, :3] == procedure.turns(0.0, 5)[:, :3, :3]).all()
    assert mc.distance(tree, tree, None, poses).distance == pytest.approx(gap, rel=1e-5)


def test_poses_that_come_no_nearer_are_left_out():
    """Two small boxes on the y axis: turned by a quarter they pass between those of the other copy."""
    parts = [moved(box((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)), (0, y, 0)) for y in (-1, 1)]
    tree = mc.build(mc.TriangleMesh(*joined(*parts)))
    assert (procedure.turns_at_gap(tree, 0.05, 4)[:, :3, :3] == procedure.turns(0.0, 4)[::2, :3, :3]).all()


@pytest.mark.parametrize("gap", ["0", "-1", "nan", "inf", "wide"])
def test_gaps_that_make_no_sense(gap, capsys):
    with pytest.raises(SystemExit):
        main(["procedure", "--gaps", gap])
    assert "is not a number above 0" in capsys.readouterr().err


def test_costs_are_found_again_and_never_negative():
    rng = np.random.default_rng(0)
    tests = rng.uniform(1e3, 1e5, (20, 3))
    for own in ((27, 110, 5), (27, 0, 5), (0, 110, 0)):
        costs, explained = procedure.fitted_costs(tests, tests @ own * 1e-6)
        assert costs == pytest.approx(own, abs=1e-9)
        assert explained == pytest.approx(1.0)
    costs, explained = procedure.fitted_costs(tests, tests @ (30.0, -2.0, 0.0) * 1e-6)
    assert costs[1] == 0.0
    assert costs[0] > 0.0
    assert 0.9 < explained <= 1.0
    assert procedure.fitted_costs(tests * (1, 1, 0), tests @ (30.0, 2.0, 0.0) * 1e-6)[0][2] == 0.0


@pytest.mark.slow
@pytest.mark.needs_jit
def test_the_table_and_the_verdict(capsys, tmp_path, monkeypatch):
    options = ["procedure", "--size", "300", "--steps", "2", "--volumes", "aabb", "--splits", "sah,kah"]
    assert main([*options, "--json", str(tmp_path / "out.json")]) == 0
    table = capsys.readouterr().out
    assert table.count("aabb") == 6
    assert (tmp_path / "out.json").stat().st_size > 500
    assert main([*options, "--gaps", "0.1", "0.5"]) == 0
    gaps = capsys.readouterr().out
    assert gaps.count("aabb") == 6 and gaps != table
    assert main([*options, "--refit"]) == 0
    assert "C_u [ns]" in capsys.readouterr().out
    honest = procedure._ask

    def forgetful(a, b, poses):
        answer, seconds = honest(a, b, poses)
        return (answer._replace(pairs=answer.pairs[1:]) if a.split == "kah" else answer), seconds

    monkeypatch.setattr(procedure, "_ask", forgetful)
    assert main(options) == 1
