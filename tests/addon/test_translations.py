"""Each control and sentence of the extension stands in the .po files of its languages."""

import ast
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash import clash, gpu

from addon import ops, preferences, props, texts, translations, ui
from addon.core.po_files import read_po

UNSEEN = ("rna_type", "name", "selected", "total", "found", "filling", "active_test", "active_excluded", "active_fit")
SAME = {
    "A", "B", "MeshClash", "Live", "Test", "Tests", "tests", "Status", "Material", "Scans", "Name", "Format", "Normal",
    "Median", "Scan (PLY, PCD, LAS, LAZ, XYZ, PTS, CSV)", "in {collections}", "{frames}: {range}. Test: {test}",
}  # fmt: skip
"""Texts that are alike in these languages."""
NAMES = {"GPU", "CPU", "BCF 2.1", "BCF 3.0", "JUnit", "6-DOP", "14-DOP", "18-DOP", "26-DOP"}
"""What no language has another word for; formats of files are such names, too."""
LANGUAGES = translations.languages()
TEMPLATE = read_po((translations.FOLDER / "meshclash.pot").read_text("utf-8"))
COMPLETE = ("de_DE", "ja_JP")
"""Languages that have all texts; of others what is missing stays in English."""
SHOWN = {"said": 0, "possible": 2, "translated": 0, "poll_message_set": 0, "draw_text": 1, "report": 1, "Progress": 1}
"""Functions that show a text, and which of their arguments it is."""
ERRORS = {
    "InputError", "DetectError", "EngineMissing", "Skipped", "DeviceState", "DeviceFault", "OutOfDeviceMemory",
}  # fmt: skip
"""Classes whose texts are told."""
SHOWN_AS = {"label", "operator", "prop", "menu", "operator_menu_enum", "progress"}
"""Those that are given it as `text`."""
CONSOLE = {
    "command_line", "tests_command", "detect_files", "file_source", "journals", "review_command", "models",
    "matrix_files",
    "pictures", "baseline", "commandline", "picture",
    "simulations", "ifc_clash", "tests_job",
}  # fmt: skip
"""Modules whose errors are told in a console."""


def is_text(text):
    """Whether a language may have other words for it."""
    return bool(text) and text not in SAME | NAMES and sum(map(str.islower, text)) > 3 and text[0] not in ".:(,; "


def of_settings(owner, names):
    """Names and tooltips of settings, with their items."""
    for name in names:
        known = owner[name]
        if known.identifier in UNSEEN or known.is_hidden or known.type in ("COLLECTION", "POINTER"):
            continue
        yield from (known.name if known.name != known.identifier else "", known.description)
        for item in known.enum_items if known.type == "ENUM" else ():
            yield from (item.name, item.description)


def of_operator(cls):
    """The same of the settings of an operator, which may be registered or not."""
    for base in (base for base in cls.__mro__ if base.__module__.startswith("addon")):
        for setting in vars(base).get("__annotations__", {}).values():
            keywords = getattr(setting, "keywords", {})
            if "HIDDEN" not in keywords.get("options", ()):
                yield from (keywords.get("name"), keywords.get("description"))
                items = keywords.get("items", ())
                yield from () if callable(items) else (text for item in items for text in item[1:3])


def controls():
    """All that controls say: titles, names of operators and settings, tooltips."""
    for cls in (*ui.CLASSES, *ops.CLASSES):
        if getattr(cls, "bl_label", "") and not cls.__name__.startswith("MESHCLASH_UL"):
            yield cls.bl_label
    for cls in ops.CLASSES:
        yield cls.__doc__
        yield from of_operator(cls)
    yield from of_operator(preferences.MESHCLASH_AP_preferences)
    for cls in (props.MESHCLASH_PG_settings, props.MESHCLASH_PG_results, props.MESHCLASH_PG_fit):
        yield from of_settings(cls.bl_rna.properties, cls.bl_rna.properties.keys())


def test_every_control_is_translated(registered):
    shown = set(filter(is_text, controls()))
    missing = shown - TEMPLATE.keys()
    assert len(shown) > 400 and not missing, "\n".join(sorted(missing))


@pytest.fixture
def german(monkeypatch):
    """German, without Blender's own mechanism: it has one language until it starts anew."""
    known = LANGUAGES["de_DE"]
    for module in (texts, translations):
        monkeypatch.setattr(module, "iface_", lambda text, _context: known.get(text, text))


def samples(node):
    """The strings in some code; parts that are put in are a 7."""
    if isinstance(node, ast.Constant):
        yield from (node.value,) if isinstance(node.value, str) else ()
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "7" for part in node.values)
    elif not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("said", "translated")):
        for child in ast.iter_child_nodes(node):
            yield from samples(child)


def spoken():
    """What is said in so many words: by panels, messages and progress of the extension, and by errors."""
    folders = [Path(ui.__file__).parents[1], *(Path(package.__file__).parent for package in (clash, gpu))]
    for path in (path for folder in folders for path in folder.rglob("*.py") if path.stem not in CONSOLE):
        for call in (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)):
            name = getattr(call.func, "id", "") or getattr(call.func, "attr", "")
            shown = list(call.args[SHOWN[name] :][:1]) if name in SHOWN else []
            if name in ERRORS:
                shown += call.args
            if name in SHOWN_AS:
                shown += [given.value for given in call.keywords if given.arg == "text"]
            yield from (text for node in shown for text in samples(node))


def test_every_sentence_is_translated(registered, german):
    sentences = {re.sub(r"(?<=[a-z])7|(?<=7')7", "", text.strip()) for text in spoken() if " " in text.strip(" :7")}
    missing = {text for text in filter(is_text, sentences) if translations.translated(text) == text}
    assert len(sentences) > 250 and not missing, "\n".join(sorted(missing))


def test_sentences_that_are_put_together_are_translated_part_by_part(german):
    says = translations.translated
    assert says("3 pairs: nothing said") == "3 Paare: nichts gesagt"
    assert says("'Bolt' is hidden: show it to select its faces; 'Nut' is gone, or in a library") == (
        "„Bolt“ ist ausgeblendet: einblenden, um seine Flächen zu wählen; „Nut“ ist fort oder in einer Bibliothek"
    )
    assert says("Name the file of the scan") == "Die Datei des Scans nennen"
    assert says("Frame and 2 Bolt overlap, 0.1 to 4 mm deep") == "Frame und 2 Bolt überlappen sich, 0.1 bis 4 mm tief"
    assert says("Set A: choose the object first") == "Menge A: zuerst das Objekt wählen"
    assert says("Frame") == "Bild" and says("nobody said this") == "nobody said this"


def test_what_is_translated_stays_as_it_is(german):
    for english in filter(lambda text: " " in text, translations.texts()):  # "Tests" is a word of both
        names = {name for _, name, *_ in string.Formatter().parse(english) if name}
        said = translations.translated(english.format_map(dict.fromkeys(names, "7")))
        assert translations.translated(said) == said, english


@given(st.sampled_from(sorted(translations.texts())), st.text("aZ .;:'é", max_size=12))
def test_in_english_all_stays_as_it_is(english, part):
    text = english.format_map(dict.fromkeys((name for _, name, *_ in string.Formatter().parse(english) if name), part))
    assert translations.translated(text) == text


def placeholders(text):
    """The names in braces."""
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_has_the_placeholders_of_its_text(code):
    wrong = {english for english, text in LANGUAGES[code].items() if placeholders(text) != placeholders(english)}
    assert not wrong


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_translates_texts_of_the_template_only(code):
    assert LANGUAGES[code].keys() <= TEMPLATE.keys()


@pytest.mark.parametrize("code", COMPLETE)
def test_these_languages_are_complete(code):
    assert not TEMPLATE.keys() - LANGUAGES[code].keys()


def test_a_sentence_is_put_together_in_the_language_of_the_user(german):
    assert texts.said("{pairs} gone, the last ones:", pairs=(2, "pair")) == "2 Paare verschwunden, die letzten:"
    assert texts.said("{parts} of {name}", parts=(1, "face"), name="A {b}") == "1 Fläche von A {b}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_says_something_else(code):
    same = {english for english, text in LANGUAGES[code].items() if text == english}
    assert same <= SAME


def test_japanese_is_written_in_japanese():
    assert [text for text in LANGUAGES["ja_JP"].values() if text.isascii()] == []


def test_a_new_language_is_found_by_the_name_of_its_file(tmp_path, monkeypatch):
    (tmp_path / "fr_FR.po").write_text('msgid "Clash"\nmsgstr "Conflit"\n\nmsgid "Open"\nmsgstr ""\n', "utf-8")
    monkeypatch.setattr(translations, "FOLDER", tmp_path)
    translations.languages.cache_clear()
    translations.texts.cache_clear()
    try:
        assert translations.languages() == {"fr_FR": {"Clash": "Conflit"}}
        assert translations.texts() == {"Clash"}
        (tmp_path / "fr_FR.po").write_text('msgid "Clash"\nmsgstr Conflit\n', "utf-8")
        translations.languages.cache_clear()
        with pytest.raises(ValueError, match=r"fr_FR\.po: line 2"):
            translations.languages()
    finally:
        translations.languages.cache_clear()
        translations.texts.cache_clear()
