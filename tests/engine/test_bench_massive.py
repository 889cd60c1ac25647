"""The bench of massive meshes: a table, and that it notices an answer that differs."""

import json
import os
import signal
import sys

import meshclash as mc
import numpy as np
import pytest
from bench import massive, massive_figures, massive_pairs
from bench.__main__ import main

pytestmark = [pytest.mark.needs_jit, pytest.mark.slow]


def test_the_table_and_the_verdict(capsys, tmp_path, monkeypatch):
    options = ["massive", "--sizes", "20k", "--kinds", "pipes", "--frames", "3", "--share", "0.5", "--levels"]
    assert main([*options, "--folder", str(tmp_path), "--json", str(tmp_path / "out.json")]) == 0
    assert "in memory, ms" in capsys.readouterr().out and not list(tmp_path.glob("*.mcl"))
    honest = massive.collide

    def wrong(a, b, *poses):
        found = honest(a, b, *poses)
        if isinstance(a, massive.ClusteredMesh) and len(found):
            found.kinds = found.kinds[::-1] + np.uint8(1)
        return found

    monkeypatch.setattr(massive, "collide", wrong)
    assert main(options) == 1


def test_both_modes_are_drawn(capsys, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    options = ["massive", "--sizes", "5k", "--kinds", "part", "--frames", "5", "--figures", str(tmp_path)]
    assert main(options) == 0
    assert " pm " in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.glob("*.png")) == [
        f"massive-{what}-part-5k.png" for what in ("epsilon", "front", "memory", "time")
    ]
    honest = massive_figures.massive_collide

    def wrong(a, b, *poses, **lengths):
        found = honest(a, b, *poses, **lengths)
        monkeypatch.setattr(type(found), "answer", "apart")
        return found

    monkeypatch.setattr(massive_figures, "massive_collide", wrong)
    assert main(options) == 1


def test_a_pair_is_built_once_and_asked(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(massive_pairs, "_alone", lambda function, *arguments: function(*arguments))
    options = ["massive-pairs", "--first", "pipes:9k", "--second", "scan:2k", "--frames", "4"]
    options += ["--folder", str(tmp_path)]
    assert main(options) == 0
    first = capsys.readouterr().out
    assert "levels, bytes a triangle" in first and "massive_collide, 0.04 %" in first
    assert main([*options, "--no-levels", "--json", str(tmp_path / "out.json")]) == 0
    assert "levels" not in capsys.readouterr().out
    asked = json.loads((tmp_path / "out.json").read_text())["asked"]
    assert [row["question"] for row in asked] == ["collide"] and 0 < asked[0]["frames with any"] < 4
    assert main([*options, "--no-levels", "--deeper", "0.2", "--json", str(tmp_path / "deep.json")]) == 0
    deep = json.loads((tmp_path / "deep.json").read_text())["asked"]
    assert deep[0]["frames with any"] == 4 and deep[0]["rows a frame"] > 2.0 * asked[0]["rows a frame"]


def killed_build(path):
    """Build levels in a process that is killed as soon as some of them are written down."""
    with mc.massive.ClusteredMesh.open(path) as mesh:
        for _ in mc.steps(mc.massive.MeshLevels.build, mesh, threads=1):
            if list(path.parent.glob("*.levels.building/stack-*")):
                os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told by Linux")
def test_a_lost_process_is_named_and_the_next_one_goes_on(tmp_path):
    path = tmp_path / "a.mcl"
    with mc.massive.ClusteredMesh.build(massive.KINDS["scan"](6000, 1), path, cluster_triangles=16) as mesh:
        with mc.massive.MeshLevels.build(mesh) as levels:
            expected = levels.path.read_bytes()
        levels.path.unlink()
        with pytest.raises(RuntimeError, match=r"'killed_build' ended by SIGKILL .*memory.* goes on from there"):
            massive_pairs._alone(killed_build, path)
        assert not levels.path.exists()
        with (tmp_path / "a.mcl.levels.building" / "journal.json").open() as journal:
            assert 0 < json.load(journal)["clusters"] < mesh.cluster_count
        row = massive_pairs._alone(massive_pairs._leveled, path)
        assert row["levels, bytes a triangle"] > 0.0 and levels.path.read_bytes() == expected
    with pytest.raises(mc.InvalidFile, match="cannot be read"):
        massive_pairs._alone(massive_pairs._leveled, tmp_path / "b.mcl")
    with pytest.raises(RuntimeError, match="ended with exit status 7"):
        massive_pairs._alone(os._exit, 7)
