"""The bench of voxels finds the same contacts on all sides, and volumes within their bounds."""

import json

import pytest
from bench.__main__ import main


@pytest.mark.needs_jit
def test_the_bench_finds_nothing_wrong(tmp_path, capsys):
    pytest.importorskip("manifold3d")
    target = tmp_path / "report.json"
    options = [
        "--sizes",
        "2000",
        "--runs",
        "1",
        "--frames",
        "--volumes",
        "3",
        "--lattices",
        "60",
        "--json",
        str(target),
    ]
    assert main(["voxels", *options]) == 0
    report = json.loads(target.read_text())
    assert len(report["frames"]) == 4
    assert [row["poses"] for row in report["volumes"]] == [3] * 4
    assert sum(row["pairs"] for row in report["lattices"]) == 60
    assert {row["auto takes"] for row in report["frames"]} == {"hierarchies"}  # so small that building is free
    assert "rebuild" in capsys.readouterr().out
