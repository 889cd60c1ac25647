"""A small part of `python -m bench exactness`: the engine against the oracle, pairs and whole meshes."""

import json

import numpy as np
import pytest
from bench.__main__ import main
from meshclash import TriangleMesh, collide
from meshclash.geometry.triangle_pair import classify_triangle_pairs
from oracles.generators import CLASSES, make_pairs
from oracles.mesh_exactness import MODELS, brute_force, models, results_digest, world_triangles
from oracles.oracle import classify_pairs

BUILT_AS = {  # what nearly all pairs of these classes must be, or the class is not what it says
    "coplanar overlapping": 2,
    "coplanar touching": 3,
    "coplanar apart": 0,
    "identical": 2,
    "shared edge": 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_kinds_of_triangle_pairs_equal_the_oracle(name):
    a, b = make_pairs(name, 1500, seed=2)
    truth = classify_pairs(a, b)
    assert np.array_equal(classify_triangle_pairs(a, b)[0], truth)
    if name in BUILT_AS:
        assert (truth == BUILT_AS[name]).mean() > 0.98


@pytest.mark.parametrize("name", [name for name in MODELS if name != "bumpy spheres"])
def test_collide_equals_brute_force_in_every_pose(name):
    mesh_a, mesh_b, poses = models(name, 8, seed=2)
    a, b = TriangleMesh(*mesh_a), TriangleMesh(*mesh_b)
    met = 0
    for pose_a, pose_b in poses:
        _, pairs, kinds = brute_force(world_triangles(mesh_a, pose_a), world_triangles(mesh_b, pose_b))
        found = collide(a, b, pose_a, pose_b)
        assert np.array_equal(found.pairs, pairs)
        assert np.array_equal(found.kinds, kinds)
        met += len(pairs)
    assert met > 0


def test_two_runs_give_the_same_bytes():
    assert results_digest("soup and soup", 4, seed=2) == results_digest("soup and soup", 4, seed=2)


def test_pairs_of_a_class_depend_on_the_seed_only():
    first, again, other = (make_pairs("far", 200, seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.slow
def test_command_prints_the_table_and_writes_json(tmp_path, capsys):
    report = tmp_path / "exactness.json"
    arguments = ["exactness", "--pairs", "700", "--poses", "2", "--workers", "1", "--no-peers", "--json", str(report)]
    assert main(arguments) == 0
    assert "no disagreement" in capsys.readouterr().out
    rows = json.loads(report.read_text())["pairs"]
    assert [row["class"] for row in rows] == list(CLASSES)


def test_unknown_bench_is_refused(capsys):
    with pytest.raises(SystemExit) as status:
        main(["nothing"])
    assert status.value.code == 2
    assert "nothing" in capsys.readouterr().err
