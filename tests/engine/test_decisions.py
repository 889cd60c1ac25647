"""Decisions are short, have their parts, and laboratory notes belong to them."""

import re
from pathlib import Path

import pytest

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"
DECISIONS = sorted((DOCUMENTS / "decisions").glob("*.md"))
NOTES = sorted((DOCUMENTS / "notes").glob("*.md"))
MOST_WORDS = 400
PART = re.compile(r"^\*\*(Need|Choice|Rejected)\b", re.MULTILINE)


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_decisions_have_need_choice_and_rejected_in_few_words(path):
    text = path.read_text("utf-8")
    parts = PART.findall(text)
    assert parts[0] == "Need"
    assert set(parts) == {"Need", "Choice", "Rejected"}
    assert len(text.split()) <= MOST_WORDS
    assert text.startswith(f"# {path.stem[:4]}")


def test_numbers_of_decisions_are_given_once():
    numbers = [path.stem[:4] for path in DECISIONS]
    assert numbers
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_the_decision_of_a_note_ends_with_a_link_to_it(path):
    decision = DOCUMENTS / "decisions" / path.name
    assert decision.exists()
    assert f"](../notes/{path.name})" in decision.read_text("utf-8").splitlines()[-1]
    assert path.read_text("utf-8").startswith(f"# Laboratory note of decision {path.stem[:4]}: ")
