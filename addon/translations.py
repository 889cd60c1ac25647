"""Translations of what the extension shows, by Blender's own mechanism.

Each file ``locale/LANGUAGE.po`` is a language, named as Blender names it ("de_DE"). ``locale/meshclash.pot`` lists all
English texts. Blender translates what it shows by the language of its preferences; names of objects are never
translated.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache, partial
from pathlib import Path

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.props import EnumProperty

from .core.po_files import read_po

CONTEXT = "MeshClash"
"""Of words that Blender translates as something else: "Open" as what is done to a file."""
ChoiceProperty = partial(EnumProperty, translation_context=CONTEXT)
"""Blender's own, whose items are such words."""
CONTEXTS = ("*", "Operator", CONTEXT)  # of properties, panels and labels; of buttons of operators
FOLDER = Path(__file__).parent / "locale"
SAMPLE, SENTENCES = "Detect", 1000  # what tells languages apart; translations that are kept
NUMBER, PART = r"[-\d.,]+", "(?:(?!; ).)+?"
NUMBERS = {"frame", "first", "last", "start", "end", "worst", "count"}
"""Parts of sentences that are numbers."""
NUMBERED, SEAMS = re.compile(r"([\d.,]+) ([a-z].*)"), ("; ", ": ", ". ")
LEAST_LETTERS = 4  # of a sentence beside its parts: "{parts} of {name}" may be anything
FORMATTER = string.Formatter()


@lru_cache(1)
def languages() -> dict[str, dict[str, str]]:
    """Translations by language and English text.

    Raises:
        ValueError: a file is damaged; the message names it and the line.
    """
    found = {}
    for path in sorted(FOLDER.glob("*.po")):
        try:
            entries = read_po(path.read_text("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from error
        found[path.stem] = {english: text for english, text in entries.items() if text}
    return found


@lru_cache(1)
def texts() -> frozenset[str]:
    """The English texts that some language translates."""
    return frozenset().union(*languages().values())


def translated(text: str) -> str:
    """A sentence in the user's language that was put together in English, as far as the table has what it is made of.

    Names of objects are single words as a rule, and stay as they are.
    """
    return _translated(text, iface_(SAMPLE, CONTEXT))


@lru_cache(SENTENCES)
def _translated(text: str, language: str) -> str:
    if (known := iface_(text, CONTEXT)) != text:
        return known
    if (found := NUMBERED.fullmatch(text)) and found[2] in texts():
        return f"{found[1]} {iface_(found[2], CONTEXT)}"
    for piece, pattern, english in _templates():
        if piece in text and (found := pattern.fullmatch(text)):
            parts = {
                name: _translated(part, language) if " " in part else part for name, part in found.groupdict().items()
            }
            return iface_(english, CONTEXT).format(**parts)
    for mark in SEAMS:
        first, _, rest = text.partition(mark)
        if rest and (both := mark.join(_translated(part, language) for part in (first, rest))) != text:
            return both
    small = text[:1].lower() + text[1:]
    known = small if small == text else _translated(small, language)
    return text if known == small else known[:1].upper() + known[1:]


@lru_cache(1)
def _templates() -> list[tuple[str, re.Pattern[str], str]]:
    """What finds the parts of the table's sentences that have some, longest first, and a piece of each."""
    found = []
    for english in texts():
        pieces = [(text, name) for text, name, *_ in FORMATTER.parse(english)]
        letters = sum(map(str.isalpha, "".join(text for text, _ in pieces)))
        if letters >= LEAST_LETTERS and any(name for _, name in pieces):
            parts = (f"(?P<{name}>{NUMBER if name in NUMBERS else PART})" if name else "" for _, name in pieces)
            pattern = "".join(re.escape(text) + part for (text, _), part in zip(pieces, parts, strict=True))
            found.append((letters, max((text for text, _ in pieces), key=len), re.compile(pattern), english))
    return [known for _, *known in sorted(found, key=lambda item: -item[0])]  # type: ignore[misc]


def attach() -> None:
    """Lets Blender translate the texts."""
    registered = {}
    for code, known in languages().items():
        entries = {(context, english): text for english, text in known.items() for context in CONTEXTS}
        registered[code] = registered[code.partition("_")[0]] = entries  # Blender 4.x says "de_DE", later ones "de"
    bpy.app.translations.register(__name__, registered)


def detach() -> None:
    """Blender translates them no longer."""
    bpy.app.translations.unregister(__name__)
