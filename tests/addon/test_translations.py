"""Each control and sentence of the tab has a German and a Japanese text."""

import ast
import string
from pathlib import Path

import pytest

from addon import ops, props, texts, translations, ui

RESEARCH = ("hierarchy_volume", "hierarchy_split")
RESEARCH_TOOLS = {
    "show_hierarchy", "hide_hierarchy", "advise", "clear_cache", "look_for_gpu", "show_voxels", "hide_voxels",
}  # fmt: skip
RESEARCH_SETTINGS = ("hierarchy", "voxel", "advise")
UNSEEN = ("rna_type", "name", "selected", "total", "found", "filling", "active_test", "active_excluded", "active_fit")
RESEARCH_PANELS = ("hierarchy", "voxels", "scans")
SAME = {"A", "B", "MeshClash", "Live", "Test", "Status", "Material", "Scans", "Name"}
"""Texts that are alike in these languages."""


def shown_texts():
    """The titles of panels and menus, names of operators, and names of settings with their items."""
    for cls in (*ui.CLASSES, *ops.CLASSES):
        if getattr(cls, "bl_label", "") and not cls.__name__.startswith("MESHCLASH_UL"):
            yield cls.bl_label
    for cls in (props.MESHCLASH_PG_settings, props.MESHCLASH_PG_results):
        for known in cls.bl_rna.properties:
            if known.identifier in RESEARCH or known.is_hidden or known.type in ("COLLECTION", "POINTER"):
                continue
            if known.identifier != "rna_type" and known.name and known.name[0].isupper() and " " in known.description:
                yield known.name
            if known.type == "ENUM":
                yield from (item.name for item in known.enum_items)


def test_every_control_is_translated(registered):
    missing = {text for text in shown_texts() if text not in translations.texts()} - SAME
    assert not missing, "\n".join(sorted(missing))


def shown_tips():
    """The tooltips of operators, of their settings, of settings with their items, but of no tool for research."""
    for cls in ops.CLASSES:
        if cls.__name__.rpartition("OT_")[2] in RESEARCH_TOOLS:
            continue
        yield cls.__doc__
        for setting in getattr(cls, "__annotations__", {}).values():
            yield getattr(setting, "keywords", {}).get("description", "")
    for cls in (props.MESHCLASH_PG_settings, props.MESHCLASH_PG_results, props.MESHCLASH_PG_fit):
        for known in cls.bl_rna.properties:
            if known.identifier.startswith(RESEARCH_SETTINGS) or known.is_hidden or known.identifier in UNSEEN:
                continue
            yield known.description
            if known.type == "ENUM":
                yield from (item.description for item in known.enum_items)


def test_every_tooltip_is_translated(registered):
    shown = {tip for tip in shown_tips() if tip and " " in tip}
    missing = shown - set(translations.texts())
    assert len(shown) > 150 and not missing, "\n".join(sorted(missing))


def spoken():
    """What the tab says in sentences, and why operators are grey: what three functions are given in so many words."""
    places = {"said": 0, "draw_text": 1, "possible": 2}
    folders = (Path(package.__file__).parent for package in (ui, ops))
    for path in (*(path for folder in folders for path in folder.glob("*.py")), Path(texts.__file__)):
        for found in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(getattr(found, "func", None), "id", "")
            if path.stem not in RESEARCH_PANELS and name in places:
                given = found.args[places[name]]
                parts = given.values if isinstance(given, ast.JoinedStr) else ast.walk(given)
                yield from (part.value for part in parts if isinstance(part, ast.Constant))


def test_every_sentence_is_translated():
    sentences = {text for text in spoken() if isinstance(text, str) and " " in text and text.strip(" ,:")}
    missing = sentences - set(translations.texts())
    assert len(sentences) > 30 and not missing, "\n".join(sorted(missing))


def test_translations_have_the_parts_of_their_text():
    def parts(text):
        return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)

    for english, said in translations.texts().items():
        assert all(parts(text) == parts(english) for text in said), english


def test_a_sentence_is_put_together_in_the_language_of_the_user(monkeypatch):
    german = {english: said[0] for english, said in translations.texts().items()}
    monkeypatch.setattr(texts, "iface_", lambda text, _context: german.get(text, text))
    assert texts.said("{pairs} gone, the last ones:", pairs=(2, "pair")) == "2 Paare verschwunden, die letzten:"
    assert texts.said("{parts} of {name}", parts=(1, "face"), name="A {b}") == "1 Fläche von A {b}"


def test_every_line_has_all_languages_and_none_twice():
    lines = translations.TABLE.strip().splitlines()
    parts = [line.split(" | ") for line in lines]
    assert all(len(part) == 1 + len(translations.LANGUAGES) and all(map(str.strip, part)) for part in parts)
    assert len({part[0] for part in parts}) == len(parts)
    assert [part[0].casefold() for part in parts] == sorted(part[0].casefold() for part in parts)


@pytest.mark.parametrize("column", range(len(translations.LANGUAGES)))
def test_a_translation_says_something_else(column):
    same = {english for english, said in translations.texts().items() if said[column] == english}
    assert same <= SAME


def test_japanese_is_written_in_japanese():
    for english, (_german, japanese) in translations.texts().items():
        assert not japanese.isascii(), english
