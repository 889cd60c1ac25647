"""Each control of the tab has a German and a Japanese text."""

import pytest

from addon import ops, props, translations, ui

RESEARCH = ("hierarchy_volume", "hierarchy_split")
RESEARCH_TOOLS = {
    "show_hierarchy", "hide_hierarchy", "advise", "clear_cache", "look_for_gpu", "show_voxels", "hide_voxels",
}  # fmt: skip
RESEARCH_SETTINGS = ("hierarchy", "voxel", "advise")
UNSEEN = ("rna_type", "name", "selected", "total", "found", "filling", "active_test", "active_excluded", "active_fit")
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
