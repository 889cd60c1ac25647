"""Words of public names and of file names are those of the glossary, or plain English."""

import re
from pathlib import Path

import meshclash as mc
import pytest

GLOSSARY = (Path(__file__).resolve().parents[2] / "docs" / "glossary.md").read_text("utf-8").lower()
ENGINE = Path(mc.__file__).parent
MODULES = sorted(ENGINE.rglob("*.py"))
PLAIN = """
    adjacent approach arguments assert baseline batches bcf branch build capacities chance changed climb clipping clock
    code coincidence command comparable compiling configure control cover criteria cuda culling curves deforming detect
    driving elementary entries estimating events exactly expanding fans files fingerprints float32 folders followed
    followers foreign formed forms fractions generic glb grouping halves identity ifc incremental init inputs
    intersection json judge judging junit lazy like limits line loops main map marking measure meeting middles moving
    nearby nearness neighbours once option options output page paper part parts patches picture pictures pipeline placed
    placing polygons prepared processors proving proximity quality random ranges raw read regions relative repair
    report results rules sampling sarif schedule self separation shrink single sorting source sources special state
    colours statistics stepping table terminal thin timeline topics traverse usd validate vectors viewer walk warming
    robot well width wires world writers xlsx
"""
"""English words that mean what they say; whatever means more stands in the glossary."""
KNOWN = set(re.findall(r"[a-z][a-z0-9]*", GLOSSARY)) | set(PLAIN.split())


def words(name: str) -> set[str]:
    """The words of a name in either style."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+", name)}


def is_known(word: str) -> bool:
    """Whether the glossary has the word, in singular or plural."""
    return bool({word, word.removesuffix("s"), f"{word}s", f"{word.removesuffix('s')}ed"} & KNOWN)


def test_every_word_of_a_public_name_is_in_the_glossary():
    packages = mc, mc.clouds, mc.lab, mc.manifold, mc.massive, mc.motion, mc.review, mc.shapes, mc.voxels
    names = [name for package in packages for name in package.__all__]
    missing = {word: name for name in names for word in words(name) if not is_known(word)}
    assert missing == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_every_word_of_a_file_name_is_in_the_glossary(path):
    assert [word for word in re.findall(r"[a-z0-9]+", path.stem) if not is_known(word)] == []


def test_the_check_misses_a_word_that_is_not_there():
    assert words("TriangleQuux_steps") == {"triangle", "quux", "steps"}
    assert is_known("triangle") and is_known("steps") and not is_known("quux")
