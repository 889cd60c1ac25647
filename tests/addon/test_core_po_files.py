"""Files of translations are read as GNU gettext reads them."""

import gettext
import io
import shutil
import string
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from addon.core.po_files import placeholders, read_po, wrong_placeholders


def texts_of(source):
    """The translations by English text."""
    return {english: entry.text for english, entry in read_po(source.encode()).items()}


def quoted(text):
    """A string of a .po file."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'


def entry(english, text, flags=""):
    return f"{flags}msgid {quoted(english)}\nmsgstr {quoted(text)}\n\n"


def test_strings_may_go_on_in_the_next_line_and_have_escapes():
    text = '# a note\n#: place.py:1\nmsgid ""\n"two "\n"lines\\n"\nmsgstr "a \\"b\\" \\\\ \\t"\n'
    assert texts_of(text) == {"two lines\n": 'a "b" \\ \t'}


def test_the_header_is_no_text_and_what_is_fuzzy_is_not_translated():
    header = entry("", "Language: fr\n")
    assert texts_of(header + entry("One", "Un", "#, fuzzy\n") + entry("Two", "Deux") + entry("Three", "")) == {
        "One": "", "Two": "Deux", "Three": "",
    }  # fmt: skip


def test_entries_need_no_empty_line_between_them():
    assert texts_of('msgid "a"\nmsgstr "b"\nmsgctxt "X"\nmsgid "c"\nmsgstr "d"\n') == {"a": "b", "c": "d"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("msgid no quotes", "line 1"),
        ('msgid "a"\nmsgid "b"\nmsgstr "c"', "line 2"),
        ('msgstr "b"', "line 1"),
        ('"b"', "line 1"),
        ('msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"', "line 4"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"', "line 2"),
        ('msgid "a"', "line 1: this entry has no msgstr"),
        ('msgid "a"\nmsgstr "b"\n\nmsgid "x"\nmsgstr "y"\nmsgid "a"\nmsgstr "c"', "line 6: the msgid of line 1"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line(text, place):
    with pytest.raises(ValueError, match=place):
        read_po(text.encode())


def test_files_of_windows_editors_are_read():
    text = 'msgid "a"\r\nmsgstr "é"\r\n\r\nmsgid "b"\r\nmsgstr "\u2028 one line"\r\n'
    entries = read_po(text.encode("utf-8-sig"))
    assert entries == {"a": ("é", 1), "b": ("\u2028 one line", 4)}


def test_another_encoding_is_refused_with_the_line():
    with pytest.raises(ValueError, match="line 2: not in UTF-8"):
        read_po('msgid "a"\nmsgstr "é"\n'.encode("latin-1"))


@pytest.mark.parametrize(
    ("english", "text", "wrong"),
    [
        ("{name} of {count}", "{count} von {name}", ""),
        ("{name} is gone", "{name}: {name} fehlt", ""),
        ("{name} is gone", "fehlt", "{name} is missing"),
        ("{name} is gone", "{nom} fehlt", "{name} is missing, {nom} is not in the English text"),
        ("{name} is gone", "{name:.2f} fehlt", "{name} is missing, {name:.2f} is not in the English text"),
        ("{name} is gone", "{name!r} fehlt", "{name} is missing, {name!r} is not in the English text"),
        ("{name} is gone", "{name fehlt", "a brace has no partner"),
        ("gone", "fehlt {}", "{} is not in the English text"),
    ],
)
def test_wrong_placeholders_are_named(english, text, wrong):
    assert wrong_placeholders(english, text) == wrong


@given(st.text(string.ascii_letters[:3] + "{}!:.0[]", max_size=20))
def test_a_translation_without_wrong_placeholders_can_be_filled_in(text):
    """Whatever a translator writes: it is refused, or the values can be filled in."""
    english = "{a} and {b}"
    if not wrong_placeholders(english, text):
        assert placeholders(text) == {"a", "b"} and "1" in text.format(a="1", b="2")


TEXTS = st.text(string.ascii_letters + " {}'\"\\\n\té„あ#", min_size=1, max_size=30)


@given(st.dictionaries(TEXTS, TEXTS, max_size=8))
def test_what_is_written_is_read(texts):
    assert texts_of("".join(entry(english, text) for english, text in texts.items())) == texts


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="GNU gettext is not installed")
@pytest.mark.slow
@given(st.dictionaries(TEXTS.filter(lambda text: not text.startswith("\n")), TEXTS, min_size=1, max_size=8))
def test_gettext_reads_the_same(texts):
    """Texts without line breaks at their ends, which msgfmt wants to be alike."""
    texts = {english.strip("\n") or "x": text.strip("\n") or "y" for english, text in texts.items()}
    source = entry("", "Content-Type: text/plain; charset=UTF-8\n")
    source += "".join(entry(english, text) for english, text in texts.items())
    compiled = subprocess.run(["msgfmt", "-", "-o", "-"], input=source.encode(), capture_output=True, check=True).stdout
    known = gettext.GNUTranslations(io.BytesIO(compiled))
    assert {english: known.gettext(english) for english in texts} == texts_of(source)
