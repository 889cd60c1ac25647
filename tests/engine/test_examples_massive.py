"""The examples of massive models give what is known by construction, and notice what is not."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import massive_drop
import massive_models
import massive_plant


@pytest.mark.parametrize("triangles", [400, 9_000])
def test_the_models_lie_where_they_are_said_to(triangles):
    ball = np.concatenate(list(massive_models.ball(triangles)))
    ground = np.concatenate(list(massive_models.ground(triangles)))
    assert abs(len(ball) - triangles) < 0.1 * triangles and abs(len(ground) - triangles) < 0.1 * triangles
    sizes = np.linalg.norm(ball.reshape(-1, 3), axis=1)
    assert sizes.max() <= 1.0 and sizes.min() >= 1.0 - massive_models.DENTS
    assert ground[..., 2].max() <= 0.0 and ground[..., 2].min() >= -massive_models.DENTS
    middles = np.linalg.norm(ball.mean(axis=1), axis=1)
    assert triangles < 1000 or middles.min() >= 1.0 - massive_models.DENTS


@pytest.mark.slow
def test_the_drop(capsys):
    assert massive_drop.main(["--triangles", "5000", "--steps", "60"]) == 0
    assert "steps in contact" in capsys.readouterr().out
    good = [massive_drop.Moment(1.2, -1.0, 0), massive_drop.Moment(0.98, 1.0, 5)]
    assert massive_drop.wrong(good) == []
    for bad in ((1.2, -1.0, 3), (0.5, 1.0, 0)):
        assert len(massive_drop.wrong([*good, massive_drop.Moment(*bad)])) == 1
    assert len(massive_drop.wrong(good[:1])) == 2


@pytest.mark.slow
def test_the_plant(capsys, monkeypatch):
    options = ["--triangles", "5000", "--vessels", "40"]
    assert massive_plant.main(options) == 0
    assert "as constructed" in capsys.readouterr().out
    monkeypatch.setattr(massive_plant, "expected", lambda middles: [[0, 1]])
    assert massive_plant.main(options) == 1
