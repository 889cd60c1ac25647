"""A small part of `python -m meshclash.bench continuous`, with data made here."""

import json

import numpy as np
from meshclash.bench.__main__ import main
from meshclash.bench.impact_cases import make_cases
from meshclash.bench.impact_oracle import first_moment


def hits(x, edges):
    return np.array([first_moment(row[:4], row[4:], edges) is not None for row in x])


def write_data(folder):
    """Queries, and a scene of two sheets that pass through each other, with two of its pairs labelled."""
    x = make_cases("integers", 40, seed=2)
    np.savez(folder / "queries.npz", **{"a/vf": x, "a/vf_hit": hits(x, False), "a/ee": x, "a/ee_hit": hits(x, True)})
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(np.arange(5), np.arange(5), indexing="ij"), axis=-1).reshape(-1, 2)
    quads = [(5 * i + j, 5 * i + j + 5, 5 * i + j + 1) for i in range(4) for j in range(4)]
    quads += [(5 * i + j + 1, 5 * i + j + 5, 5 * i + j + 6) for i in range(4) for j in range(4)]
    sheets = [np.column_stack([grid, np.full(25, z) + 0.1 * rng.random(25)]) for z in (0.0, 1.0)]
    start, end = np.concatenate(sheets), np.concatenate(sheets[::-1])
    triangles = np.concatenate([quads, np.add(quads, 25)])
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(sides, axis=1), axis=0)
    pairs = np.array([[0, 40], [3, 41]])
    one, both = np.c_[pairs[:, 0], triangles[pairs[:, 1]]], np.c_[edges[pairs[:, 0]], edges[pairs[:, 1]]]
    np.savez(
        folder / "sheets.npz", start=start, end=end, triangles=triangles, edges=edges, vf=pairs, ee=pairs,
        vf_hit=hits(np.concatenate([start[one], end[one]], axis=1), False),
        ee_hit=hits(np.concatenate([start[both], end[both]], axis=1), True),
    )  # fmt: skip


def test_a_small_run_finds_nothing_wrong(tmp_path, capsys):
    write_data(tmp_path)
    report = tmp_path / "report.json"
    sizes = ["--made", "1", "--candidates", "30", "--scenes", "2", "--certificates", "60", "--steps", "1"]
    assert main(["continuous", "--data", str(tmp_path), *sizes, "--workers", "1", "--json", str(report)]) == 0
    found = json.loads(report.read_text())
    assert "nothing wrong" in capsys.readouterr().out
    assert sum(row["queries"] for row in found["candidates"]) > 10 and sum(r["hits"] for r in found["candidates"])
    assert found["scenes"][0]["pairs"] > 0 and found["scenes"][0]["found by steps"] > 0
    assert sum(row["made"] for row in found["proofs"]) >= 60
    assert found["steps"][0]["pairs"] > 0
