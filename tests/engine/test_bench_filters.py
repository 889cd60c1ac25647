"""The bench ``filters``: its counts, and that it fails when a filter drops a contact or is wrongly sure."""

import json

import pytest
from bench import filters
from bench.__main__ import main

pytestmark = pytest.mark.needs_jit


@pytest.mark.slow
def test_command_counts_a_round_and_finds_nothing(tmp_path):
    report = tmp_path / "filters.json"
    assert main(["filters", "--calls", "1", "--seed", "7", "--json", str(report)]) == 0
    counts = json.loads(report.read_text())
    assert counts["pairs"] == filters.CALLS
    assert counts["contacts"] > 20_000
    assert counts["contacts dropped"] == counts["boxes wrongly apart"] == counts["wrongly sure"] == 0
    assert counts["contacts dropped without slack"] > 100


@pytest.mark.parametrize("wrong", ["undecided", "boxes"])
def test_a_filter_that_drops_contacts_fails(monkeypatch, wrong):
    attacked = filters.attacked

    def careless(seed, count):
        attack = attacked(seed, 50)
        nothing = getattr(attack, wrong) & False
        return attack._replace(**{wrong: nothing, "crossing": attack.crossing & (attack.kinds == 1)})

    monkeypatch.setattr(filters, "attacked", careless)
    assert main(["filters", "--calls", "1"]) == 1
