"""The documents: what they link to exists, and pictures of the guide are small."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)")
LARGEST = 400_000  # bytes, as tests/window/guide_pictures.py makes them


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    targets = [link for link in LINK.findall(path.read_text("utf-8")) if "://" not in link]
    assert not [link for link in targets if not (path.parent / link).exists()]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_command_needs_the_environment_of_one_python(path):
    assert not re.search(r"^\.venv-\d", path.read_text("utf-8"), re.MULTILINE)


def test_pictures_of_the_guide_are_small():
    pictures = list((ROOT / "docs" / "images" / "guide").glob("*.png"))
    assert pictures
    assert not [path.name for path in pictures if path.stat().st_size > LARGEST]
