"""The bench of massive meshes: a table, and that it notices an answer that differs."""

import numpy as np
import pytest
from bench import massive
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
