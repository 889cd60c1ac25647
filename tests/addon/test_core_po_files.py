"""Files of translations are read as GNU gettext reads them."""

import gettext
import io
import shutil
import string
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from addon.core.po_files import read_po


def quoted(text):
    """A string of a .po file."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'


def entry(english, text, flags=""):
    return f"{flags}msgid {quoted(english)}\nmsgstr {quoted(text)}\n\n"


def test_strings_may_go_on_in_the_next_line_and_have_escapes():
    text = '# a note\n#: place.py:1\nmsgid ""\n"two "\n"lines\\n"\nmsgstr "a \\"b\\" \\\\ \\t"\n'
    assert read_po(text) == {"two lines\n": 'a "b" \\ \t'}


def test_the_header_is_no_text_and_what_is_fuzzy_is_not_translated():
    header = entry("", "Language: fr\n")
    assert read_po(header + entry("One", "Un", "#, fuzzy\n") + entry("Two", "Deux") + entry("Three", "")) == {
        "One": "", "Two": "Deux", "Three": "",
    }  # fmt: skip


def test_entries_need_no_empty_line_between_them():
    assert read_po('msgid "a"\nmsgstr "b"\nmsgctxt "X"\nmsgid "c"\nmsgstr "d"\n') == {"a": "b", "c": "d"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("msgid no quotes", "line 1"),
        ('msgid "a"\nmsgid "b"\nmsgstr "c"', "line 2"),
        ('msgstr "b"', "line 1"),
        ('"b"', "line 1"),
        ('msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"', "line 5"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"', "line 2"),
        ('msgid "a"', "no msgstr"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line(text, place):
    with pytest.raises(ValueError, match=place):
        read_po(text)


TEXTS = st.text(string.ascii_letters + " {}'\"\\\n\té„あ#", min_size=1, max_size=30)


@given(st.dictionaries(TEXTS, TEXTS, max_size=8))
def test_what_is_written_is_read(texts):
    assert read_po("".join(entry(english, text) for english, text in texts.items())) == texts


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
    assert {english: known.gettext(english) for english in texts} == read_po(source)
