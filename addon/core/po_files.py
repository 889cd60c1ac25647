"""Read ``.po`` files, the format of GNU gettext that translators use.

https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
"""

from __future__ import annotations

import re
import string
from typing import NamedTuple

LINE = re.compile(r'(?:(msgctxt|msgid|msgstr)\s+)?"((?:[^"\\]|\\.)*)"\s*')
"""A keyword and a quoted string, or a quoted string that continues the previous one."""
ESCAPED = re.compile(r"\\(.)")
MEANING = {"n": "\n", "t": "\t", "r": "\r"}


class Entry(NamedTuple):
    """The translation of a text, "" if there is none or it is marked as fuzzy, and the line of its ``msgid``."""

    text: str
    line: int


def read_po(data: bytes) -> dict[str, Entry]:
    """Return the entries of a file by English text.

    Contexts and the header are ignored. A byte order mark and Windows line ends are allowed.

    Args:
        data: content of the file, in UTF-8.

    Raises:
        ValueError: a line is invalid or not in UTF-8, or an English text occurs twice; the message names the line.
    """
    found: dict[str, Entry] = {}
    entry: dict[str, str] = {}
    keyword, fuzzy, begin = "", False, 0

    def keep() -> None:
        nonlocal entry, fuzzy
        if "msgstr" in entry:
            english = entry["msgid"]
            if english in found:
                raise ValueError(f"line {begin}: the msgid of line {found[english].line} is repeated: {english!r:.60}")
            found[english] = Entry("" if fuzzy else entry["msgstr"], begin)
            entry, fuzzy = {}, False

    for number, line in enumerate(_decoded(data).split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            keep()
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            keyword = ""
            continue
        parts = LINE.fullmatch(line)
        if parts is None:
            raise ValueError(f"line {number}: not a valid line of a .po file: {line.strip():.60}")
        if parts[1] in ("msgctxt", "msgid"):
            keep()
        keyword = parts[1] or keyword
        if not keyword or (keyword == "msgstr" and "msgid" not in entry) or (parts[1] or "") in entry:
            raise ValueError(f"line {number}: in the wrong place: {line.strip():.60}")
        begin = number if parts[1] == "msgid" else begin
        entry[keyword] = entry.get(keyword, "") + ESCAPED.sub(lambda mark: MEANING.get(mark[1], mark[1]), parts[2])
    keep()
    if entry:
        raise ValueError(f"line {begin}: this entry has no msgstr")
    found.pop("", None)  # the header
    return found


def _decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: not in UTF-8: save the file in this encoding") from None


def placeholders(text: str) -> set[str] | None:
    """Return the placeholders of a template as they are written between the braces; None if a brace has no partner."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return None
    return {
        f"{name}{'!' + conversion if conversion else ''}{':' + form if form else ''}"
        for _, name, form, conversion in parts if name is not None
    }  # fmt: skip


def wrong_placeholders(english: str, text: str) -> str:
    """Return what is wrong with the placeholders of a translation; "" if they are those of the English text."""
    wanted, given = placeholders(english), placeholders(text)
    if wanted == given:
        return ""
    if given is None:
        return "a brace has no partner"
    missing = [f"{{{name}}} is missing" for name in sorted((wanted or set()) - given)]
    unknown = [f"{{{name}}} is not in the English text" for name in sorted(given - (wanted or set()))]
    return ", ".join(missing + unknown)
