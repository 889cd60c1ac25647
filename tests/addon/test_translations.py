"""Each control and sentence of the extension stands in the .po files of its languages."""

import ast
import copy
import json
import pickle
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash import clash, gpu, messages
from meshclash.clash.errors import InputError
from meshclash.clash.words import counted
from meshclash.messages import Sentence

from addon import ops, preferences, props, texts, translations, ui
from addon.core.po_files import placeholders, read_po

UNSEEN = ("rna_type", "name", "selected", "total", "found", "filling", "active_test", "active_excluded", "active_fit")
NAMES = {"MeshClash", "GPU", "CPU", "BCF 2.1", "BCF 3.0", "JUnit"}
"""What no language has another word for; formats of files are such names, too."""
LANGUAGES, PROBLEMS = translations.languages()
TEMPLATE = read_po((translations.FOLDER / "meshclash.pot").read_bytes())
COMPLETE = ("de_DE", "ja_JP")
"""Languages that have all texts; of others what is missing stays in English."""
GERMAN = {
    "Live", "Test", "Status", "Material", "Scans", "Name", "Format", "Normal", "Median",
    "Scan (PLY, PCD, LAS, LAZ, XYZ, PTS, CSV)", "in {collections}", "{frames}: {range}. Test: {test}",
}  # fmt: skip
"""Texts that are the same in German."""
SCOPES = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
SENTENCES = {"Sentence", "said"}
"""Functions that fill in the values of a template."""
SHOWN = {
    "said": 0,
    "Sentence": 0,
    "possible": 2,
    "translated": 0,
    "poll_message_set": 0,
    "draw_text": 1,
    "report": 1,
    "Progress": 1,
    "DeviceState": 1,
}
"""Functions that show a text, and which of their arguments it is."""
ERRORS = {
    "InputError", "DetectError", "EngineMissing", "Skipped", "DeviceFault", "OutOfDeviceMemory",
}  # fmt: skip
"""Classes whose texts are told."""
SHOWN_AS = {"label", "operator", "prop", "menu", "operator_menu_enum", "progress"}
"""Those that are given it as `text`."""
CONSOLE = {
    "command_line", "tests_command", "detect_files", "file_source", "journals", "review_command", "models",
    "pictures", "baseline", "commandline", "picture",
    "simulations", "ifc_clash", "tests_job",
}  # fmt: skip
"""Modules whose errors are told in a console."""


LAID_OUT = {"label", "menu", "operator", "operator_menu_enum", "popover", "prop", "prop_enum", "prop_search"}


def is_text(text):
    """Whether a language may have other words for it; placeholders are no words."""
    text = "".join(part for part, *_ in string.Formatter().parse(text)) if text and "{" in text else text
    return bool(text) and text not in NAMES and sum(map(str.islower, text)) > 3 and text[0] not in ".:(,; "


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
    monkeypatch.setattr(translations, "iface_", lambda text, _context: known.get(text, text))


def name_of(call):
    """The name of what is called."""
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def strings(node, assigned):
    """The string constants that an expression may be, and its f-strings; not those of sentences in it.

    Args:
        node: the expression.
        assigned: what is assigned to names somewhere in the file.
    """
    if isinstance(node, ast.Call) and name_of(node) in SENTENCES:
        return
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node
    elif isinstance(node, ast.Name):
        for value in assigned.pop(node.id, ()):
            yield from strings(value, assigned)
    else:
        for child in ast.iter_child_nodes(node):
            yield from strings(child, assigned)


def calls(scope, known):
    """The calls in a module, class or function, each with what is assigned to the names that it can see."""
    inside, below = [], list(ast.iter_child_nodes(scope))
    while below:
        node = below.pop()
        inside.append(node)
        below += [] if isinstance(node, SCOPES) else ast.iter_child_nodes(node)
    own = {}
    for node in (node for node in inside if isinstance(node, ast.Assign)):
        for target in (name for name in node.targets if isinstance(name, ast.Name)):
            own.setdefault(target.id, []).append(node.value)
    known = {**known, **own}
    for node in inside:
        if isinstance(node, ast.Call):
            yield node, known
        elif isinstance(node, SCOPES):
            yield from calls(node, known)


def shown_arguments(call):
    """The arguments of a call that users of Blender read."""
    name = name_of(call)
    shown = list(call.args[SHOWN[name] :][:1]) if name in SHOWN else []
    if name in ERRORS:
        shown += call.args
    if name in SHOWN_AS:
        shown += [given.value for given in call.keywords if given.arg == "text"]
    return shown


def all_calls():
    """The calls in all files whose texts users of Blender read, as `calls` gives them, with the path of the file."""
    folders = [Path(ui.__file__).parents[1], *(Path(package.__file__).parent for package in (clash, gpu))]
    paths = [*(path for folder in folders for path in folder.rglob("*.py")), Path(messages.__file__)]
    for path in sorted(path for path in paths if path.stem not in CONSOLE):
        yield from ((path, call, known) for call, known in calls(ast.parse(path.read_text("utf-8")), {}))


def spoken():
    """Every constant and f-string that panels, messages, progress and errors show, with its place."""
    for path, call, known in all_calls():
        for argument in shown_arguments(call):
            for found in strings(argument, dict(known)):
                yield f"{path.name}:{found.lineno}", found


def test_every_text_is_in_the_template():
    said = {node.value.strip(" .:") if node.value not in TEMPLATE else node.value for _, node in spoken()
            if isinstance(node, ast.Constant) and " " in node.value}  # fmt: skip
    missing = {text for text in filter(is_text, said) if text not in TEMPLATE}
    assert len(said) > 250 and not missing, "\n".join(sorted(missing))


def test_each_text_of_a_panel_is_translated_as_ours():
    """Blender's own translation of a word, such as "Open" for files, wins where a call does not name our context."""
    wrong = [
        f"{path.name}:{call.lineno} {ast.unparse(call)}" for path, call, _ in all_calls()
        if name_of(call) in LAID_OUT and path.is_relative_to(Path(ui.__file__).parent)
        for given in call.keywords if given.arg == "text" and ast.unparse(given.value) not in ("''", '""')
        if not {"text_ctxt", "translate"} & {other.arg for other in call.keywords}
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def own_words(node):
    """The constants of an expression that no call translates."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.Call):
        return []
    return [word for child in ast.iter_child_nodes(node) for word in own_words(child)]


def test_only_what_is_translated_is_drawn_without_translation():
    wrong = [
        f"{path.name}:{call.lineno} {ast.unparse(call)}" for path, call, _ in all_calls()
        if any(other.arg == "translate" for other in call.keywords)
        for given in call.keywords if given.arg == "text"
        if any(sum(map(str.islower, word)) > 3 for word in own_words(given.value))
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_what_is_filled_in_is_a_sentence():
    """An f-string cannot be translated: write Sentence(template, name=value)."""
    wrong = [
        f"{place} {ast.unparse(node)}" for place, node in spoken()
        if isinstance(node, ast.JoinedStr)
        and is_text("".join(part.value for part in node.values if isinstance(part, ast.Constant)))
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_each_sentence_gets_the_values_of_its_template():
    checked, wrong = 0, []
    for path, call, known in all_calls():
        if name_of(call) in SENTENCES:
            given = [keyword.arg for keyword in call.keywords]
            found = list(strings(call.args[0], dict(known))) if call.args and None not in given else []
            wanted = [placeholders(node.value) for node in found if isinstance(node, ast.Constant)]
            checked += len(wanted)
            wrong += [f"{path.name}:{call.lineno}" for names in wanted if names and sorted(set(names)) != sorted(given)]
    assert checked > 200 and not wrong, "\n".join(wrong)


def test_the_template_has_no_sentence_that_nobody_says():
    constants = {
        node.value for folder in (Path(ui.__file__).parents[1], Path(messages.__file__).parent)
        for path in folder.rglob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }  # fmt: skip
    unsaid = {text for text in TEMPLATE if placeholders(text)} - constants
    assert not unsaid, "\n".join(sorted(unsaid))


def test_sentences_in_sentences_are_translated(german):
    says = translations.translated
    gone = Sentence("'{name}' no longer exists, or is linked from a library", name="Nut")
    hidden = Sentence("'{name}' is hidden: show it to select its faces", name="{Bolt}")
    assert says(Sentence.joined("; ", (hidden, gone))) == (
        "„{Bolt}“ ist ausgeblendet: einblenden, um seine Flächen zu wählen; „Nut“ gibt es nicht mehr, oder es ist "
        "aus einer Bibliothek verknüpft"
    )
    assert says(counted(3, "pair") + ": " + Sentence("nothing was changed")) == "3 Paare: nichts wurde geändert"
    assert says(str(InputError(Sentence("test '{name}': {why}", name="t", why=InputError(gone))))) == (
        "Test „t“: „Nut“ gibt es nicht mehr, oder es ist aus einer Bibliothek verknüpft"
    )
    assert says("Frame") == "Bild" and says("nobody said this") == "nobody said this"


@given(st.text(max_size=9), st.text(max_size=9), st.integers())
def test_values_are_never_translated_and_never_templates(name, other, count):
    text = Sentence("{a} and {b} occupy the same space", a=name, b=other) + Sentence(", {depth} deep", depth=count)
    assert text == f"{name} and {other} occupy the same space, {count} deep"
    assert translations.translated(text) == text and json.loads(json.dumps(text)) == text
    for same in (copy.copy(text), copy.deepcopy(text), pickle.loads(pickle.dumps(text))):
        assert (same, same.template, same.values) == (text, text.template, text.values)
    assert messages.capital(text) == text[:1].upper() + text[1:]


def test_all_files_and_translations_can_be_used():
    assert not PROBLEMS, "\n".join(PROBLEMS)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_translates_texts_of_the_template_only(code):
    entries = read_po((translations.FOLDER / f"{code}.po").read_bytes())
    unknown = [f"{code}.po: line {entry.line}: {text!r}" for text, entry in entries.items() if text not in TEMPLATE]
    assert not unknown, "\n".join(unknown)


@pytest.mark.parametrize("code", COMPLETE)
def test_these_languages_are_complete(code):
    missing = TEMPLATE.keys() - LANGUAGES[code].keys()
    assert not missing, "\n".join(sorted(missing))


def test_a_sentence_is_put_together_in_the_language_of_the_user(german):
    assert texts.said("Not saved: {pairs}", pairs=(2, "pair")) == "Nicht gespeichert: 2 Paare"
    assert texts.said("{parts} of {name}", parts=(1, "face"), name="A {b}") == "1 Fläche von A {b}"


def test_german_is_written_in_german():
    """What was copied from the English text was not translated."""
    assert {english for english, text in LANGUAGES["de_DE"].items() if text == english} == GERMAN


def test_japanese_is_written_in_japanese():
    assert [text for text in LANGUAGES["ja_JP"].values() if text.isascii()] == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for files of translations, in place of the extension's."""
    monkeypatch.setattr(translations, "FOLDER", tmp_path)
    translations.languages.cache_clear()
    yield tmp_path
    translations.languages.cache_clear()


def test_a_new_language_is_found_by_the_name_of_its_file(folder):
    (folder / "fr_FR.po").write_text('msgid "Clash"\nmsgstr "Conflit"\n\nmsgid "Open"\nmsgstr ""\n', "utf-8")
    assert translations.languages() == ({"fr_FR": {"Clash": "Conflit"}}, [])


def test_what_cannot_be_used_is_told_and_the_rest_is_used(folder, capsys):
    (folder / "de_DE.po").write_text('msgid "Clash"\nmsgstr "Konflikt"\n\nmsgid "{a} of"\nmsgstr "{b}"\n', "utf-8")
    (folder / "es_ES.po").write_text('msgid "Clash"\nmsgstr Choque\n', "utf-8")
    (folder / "fr_FR.po").write_bytes('msgid "Clash"\nmsgstr "Été"\n'.encode("latin-1"))
    (folder / "french.po").write_text("", "utf-8")
    (folder / "it_IT.po").mkdir()
    translations.detach()
    try:
        translations.attach()
    finally:
        told = capsys.readouterr().err
    assert translations.languages().texts == {"de_DE": {"Clash": "Konflikt"}}
    assert [line.removeprefix("MeshClash: ") for line in told.splitlines()[:4]] == [
        "de_DE.po: line 4: {a} is missing, {b} is not in the English text: '{a} of'",
        "es_ES.po: line 2: not a valid line of a .po file: msgstr Choque",
        "fr_FR.po: line 2: not in UTF-8: save the file in this encoding",
        "french.po: Blender knows no language 'french': name the file like de_DE.po",
    ]
    assert len(told.splitlines()) == 5 and "it_IT.po: " in told


@given(st.text("ab{}[]!:.0 ", max_size=12))
def test_no_translation_ends_in_an_error_where_it_is_shown(text):
    quoted = text.replace("\\", "")
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as place:
        Path(place, "fr_FR.po").write_text(f'msgid "{{a}} of {{b}}"\nmsgstr "{quoted}"\n', "utf-8")
        patch.setattr(translations, "FOLDER", Path(place))
        known = translations.languages.__wrapped__().texts["fr_FR"]
        patch.setattr(translations, "iface_", lambda text, _context: known.get(text, text))
        shown = translations.translated(Sentence("{a} of {b}", a="x", b="y"))
    assert shown == "x of y" or ("x" in shown and "y" in shown)
