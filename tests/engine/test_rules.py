"""The rules of a verdict are those of the table in the documents, in its order."""

from pathlib import Path

import pytest
from meshclash.solid.rules import RULES

TABLE = Path(__file__).parents[2] / "docs" / "verdicts.md"


def test_the_table_of_the_documents_has_every_rule_in_its_order():
    lines = TABLE.read_text("utf-8").split("## The rules")[1].splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]
    assert rows[1:] == [rule.name for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_says_when_it_applies_and_by_which_proof_or_certainty(rule):
    text = rule.apply.__doc__
    assert "Applies to" in text
    assert any(word in text for word in ("Proof", "ertainty", "looked at"))
