"""Read ``.po`` files, the format of GNU gettext that translators use.

https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
"""

from __future__ import annotations

import re

LINE = re.compile(r'(?:(msgctxt|msgid|msgstr)\s+)?"((?:[^"\\]|\\.)*)"\s*')
"""A keyword and a quoted string, or a quoted string that continues the previous one."""
ESCAPED = re.compile(r"\\(.)")
MEANING = {"n": "\n", "t": "\t", "r": "\r"}


def read_po(text: str) -> dict[str, str]:
    """Return the translations of a file by English text.

    Untranslated entries, and entries marked as fuzzy, have an empty text. Contexts are ignored.

    Args:
        text: content of the file.

    Raises:
        ValueError: a line is invalid, or an English text occurs twice; the message names the line.
    """
    found: dict[str, str] = {}
    entry: dict[str, str] = {}
    keyword, fuzzy = "", False

    def keep() -> None:
        nonlocal entry, fuzzy
        if "msgstr" in entry:
            if entry["msgid"] in found:
                raise ValueError(f"line {number}: the entry before has the same msgid as an earlier one")
            found[entry["msgid"]] = "" if fuzzy else entry["msgstr"]
            entry, fuzzy = {}, False

    number = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            keep()
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            keyword = ""
            continue
        parts = LINE.fullmatch(line)
        if parts is None:
            raise ValueError(f"line {number} is not valid in a .po file: {line:.60}")
        if parts[1] in ("msgctxt", "msgid"):
            keep()
        keyword = parts[1] or keyword
        if not keyword or (keyword == "msgstr" and "msgid" not in entry) or (parts[1] or "") in entry:
            raise ValueError(f"line {number} is in the wrong place: {line:.60}")
        entry[keyword] = entry.get(keyword, "") + ESCAPED.sub(lambda mark: MEANING.get(mark[1], mark[1]), parts[2])
    keep()
    if entry:
        raise ValueError(f"line {number}: the last entry has no msgstr")
    found.pop("", None)  # the header
    return found
