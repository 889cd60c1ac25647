"""Every name of a building and of a gearbox is told from every other one in a sidebar of 300 px."""

import sys
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import RecordingLayout

from addon.core.short_names import told_apart
from addon.texts import text_width
from addon.ui.lists import MESHCLASH_UL_excluded, name_width

HERE = Path(__file__).resolve().parent
WIDTH = 300


def names_of_a_building():
    """Names as a program for architects writes them, of a public model of two flats."""
    return (HERE / "names_of_a_building.txt").read_text("utf-8").split("\n")[:-1]


def names_of_a_gearbox():
    """Those of the example."""
    sys.path.insert(0, str(HERE.parents[1] / "examples"))
    try:
        import mechanical_assembly
    finally:
        sys.path.pop(0)
    mechanical_assembly.build()
    return [item.name for item in bpy.data.objects if item.type == "MESH"]


@pytest.fixture
def room():
    """Room for a name [px]."""
    context = SimpleNamespace(preferences=bpy.context.preferences, region=SimpleNamespace(width=WIDTH))
    return name_width(context)


@pytest.mark.parametrize("made", [names_of_a_building, names_of_a_gearbox])
@pytest.mark.parametrize(
    "sought", [(), ("wall", "ring"), ("interior",), ("input", "front"), ("cover", "bolt"), ("m",), ("te",)]
)
def test_all_pairs_of_names_are_told_apart(made, sought, room):
    names = made()
    assert len(names) > 80
    texts = told_apart(names, room, text_width, sought)
    alike = [(a, b, texts[a]) for a, b in combinations(names, 2) if texts[a] == texts[b]]
    assert not alike, alike[:5]
    assert all(text_width(text) <= room for text in texts.values())


@pytest.mark.parametrize("word", ["wall", "interior", "partition"])
def test_what_is_searched_for_stays_in_names_of_a_building(word, room):
    names = [name for name in names_of_a_building() if word in name.casefold()]
    assert names
    texts = told_apart(names, room, text_width, (word,))
    assert all(word in text.casefold() for text in texts.values())


def test_excluded_pairs_of_a_building_are_told_apart(registered):
    settings, names = bpy.context.scene.meshclash, names_of_a_building()
    for a, b in pairwise(names):
        pair = settings.excluded_pairs.add()
        pair.name_a, pair.name_b = a, b
    context = SimpleNamespace(region=SimpleNamespace(width=WIDTH), preferences=bpy.context.preferences)
    texts = []
    for index, pair in enumerate(settings.excluded_pairs):
        layout = RecordingLayout()
        MESHCLASH_UL_excluded.draw_item(None, context, layout, settings, pair, 0, settings, "active_excluded", index)
        texts += layout.texts()
    assert len(set(texts)) == len(settings.excluded_pairs) > 80
    assert max(map(text_width, texts)) < WIDTH - 80
