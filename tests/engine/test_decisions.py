"""Decisions have their parts and a number of their own."""

import re
from pathlib import Path

import pytest

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"
DECISIONS = sorted((DOCUMENTS / "decisions").glob("*.md"))
PART = re.compile(r"^\*\*(Need|Choice|Rejected)\b", re.MULTILINE)


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_decisions_have_need_choice_and_rejected(path):
    text = path.read_text("utf-8")
    parts = PART.findall(text)
    assert parts[0] == "Need"
    assert set(parts) == {"Need", "Choice", "Rejected"}
    assert text.startswith(f"# {path.stem[:4]}")


def test_numbers_of_decisions_are_given_once():
    numbers = [path.stem[:4] for path in DECISIONS]
    assert numbers
    assert len(set(numbers)) == len(numbers)
