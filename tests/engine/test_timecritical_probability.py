"""The probability that a stopped search states."""

import hashlib

import meshclash as mc
import numpy as np
import pytest
from bench.public_models import PARTS, public_models
from meshclash.timecritical import collision_probability, search
from meshclash.timecritical import traversal as layout
from meshclash.timecritical.trees import adb_tree
from oracles.pipes import MODELS
from oracles.rigid_poses import make_poses
from oracles.timecritical_calibration import calibration
from oracles.timecritical_poses import made_trees

pytestmark = pytest.mark.needs_jit


def test_what_is_stated_is_the_curve_over_the_measures_of_both():
    """Of two different objects, whichever is first, and in a search for both."""
    trees = [mc.build(mc.TriangleMesh(*MODELS[kind](2000, 1))) for kind in ("bumpy", "pipes")]
    made = [adb_tree(tree) for tree in trees]
    jobs = np.array([[0, 1], [1, 0], [0, 0]])
    pose = make_poses(trees[0]).light[:3]
    asked = search.Search(trees[0].volume, search.Criterion(p_min=2.0))
    asked.begin(made, jobs, np.array([[np.eye(4)[:3], pose]] * 3))
    asked.run(search.Limit(steps=40))
    stated = asked.estimates().probabilities
    for job in range(len(jobs)):
        row = asked.rows[job]
        assert row[layout.STATUS] == layout.OPEN
        fillings = made[jobs[job, 0]].filling, made[jobs[job, 1]].filling
        spread = np.mean([each.spread for each in fillings])
        highest = sum(int(each.heights[0]) for each in fillings)
        left, opened, heights, filled = row[[layout.LEFT, layout.OPENED, layout.HEIGHTS, layout.FILLED]]
        terms = np.empty(collision_probability.PRODUCTS)
        values = collision_probability.measures(asked.hazards[job], left, opened, heights, highest, filled, spread)
        collision_probability.products(values, terms)
        expected = np.interp(
            terms @ collision_probability.WEIGHTS, collision_probability.KNOTS, collision_probability.SHARES
        )
        assert stated[job] == (collision_probability.UNKNOWN if opened == 0 else pytest.approx(expected, abs=1e-9))
    asked.end()


def test_weights_and_shares_are_as_many_as_products_and_knots():
    assert collision_probability.WEIGHTS.shape == (collision_probability.PRODUCTS,)
    assert collision_probability.SHARES.shape == collision_probability.KNOTS.shape
    assert (np.diff(collision_probability.SHARES) >= 0).all()


@pytest.mark.slow
def test_probabilities_of_made_bodies_are_calibrated_decile_by_decile():
    """Of shapes that the fit did not see; real models count twice as much there as made ones (decision 0014)."""
    rows = calibration(made_trees(MODELS, [1500, 3000], range(111, 127)), 50)["all"]
    assert len(rows) == 10
    assert min(row["queries"] for row in rows) >= 200
    assert max(abs(row["difference"]) for row in rows) < 0.22


def test_the_split_of_public_models_keeps_families_together():
    parts = {part: {model.family for model in public_models(part)} for part in PARTS}
    assert sum(map(len, parts.values())) == len(set.union(*parts.values())) >= 60 and len(parts["test"]) >= 40
    looked_at = {"bunny", "armadillo", "elephant", "fandisk", "rocker", "spot", "suzanne", "teapot", "two-cylinder"}
    assert looked_at <= parts["fit"]
    for part, families in parts.items():
        for family in families - looked_at:
            tenth = int(hashlib.sha256(family.encode()).hexdigest(), 16) % 10
            assert part == ("fit" if tenth < 4 else "choose" if tenth < 5 else "test")
