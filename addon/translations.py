"""Translations of the extension's texts, with Blender's own mechanism.

Each file ``locale/LANGUAGE.po`` is a language, named as Blender names it ("de_DE"). ``locale/meshclash.pot`` lists all
English texts. Blender translates its texts by the language of its preferences; names of objects are never translated.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.props import EnumProperty
from meshclash.messages import Sentence

from .core.po_files import read_po, wrong_placeholders

CONTEXT = "MeshClash"
"""Context of words that Blender would translate with another meaning, such as "Open" for files."""
ChoiceProperty = partial(EnumProperty, translation_context=CONTEXT)
"""Blender's `EnumProperty`, for items with such words."""
CONTEXTS = ("*", "Operator", CONTEXT)  # properties, panels and labels; operator buttons; our own
CODE = re.compile(r"[a-z]{2,3}(_[A-Z]{2,4})?(@[a-z]+)?")
"""Codes of languages as Blender writes them: "eo", "de_DE", "zh_HANS", "sr_RS@latin"."""
FOLDER = Path(__file__).parent / "locale"


class Languages(NamedTuple):
    """What the files of translations hold."""

    texts: dict[str, dict[str, str]]
    """Translations by language and English text."""
    problems: list[str]
    """Files that cannot be read, and translations that cannot be used, each with the file and the line."""


@lru_cache(1)
def languages() -> Languages:
    """Read the translations; what cannot be used is left out, so that its text is shown in English."""
    texts: dict[str, dict[str, str]] = {}
    problems: list[str] = []
    for path in sorted(FOLDER.glob("*.po")):
        if not CODE.fullmatch(path.stem):
            problems.append(f"{path.name}: Blender knows no language '{path.stem}': name the file like de_DE.po")
            continue
        try:
            entries = read_po(path.read_bytes())
        except (OSError, ValueError) as error:
            problems.append(f"{path.name}: {error}")
            continue
        texts[path.stem] = {}
        for english, entry in entries.items():
            wrong = wrong_placeholders(english, entry.text) if entry.text else ""
            if wrong:
                problems.append(f"{path.name}: line {entry.line}: {wrong}: {english!r:.60}")
            elif entry.text:
                texts[path.stem][english] = entry.text
    return Languages(texts, problems)


def translated(text: str) -> str:
    """Translate a text to the user's language; for a ``Sentence``, translate its template and fill in its values.

    Values that are sentences are translated, too; other values, such as names of objects, are not.
    """
    if not isinstance(text, Sentence):
        return iface_(text, CONTEXT)
    found = iface_(text.template, CONTEXT)
    if text.values:
        values = {
            name: translated(value) if isinstance(value, Sentence) else value for name, value in text.values.items()
        }
        found = found.format(**values)
    return found[:1].upper() + found[1:] if text.is_capital else found


def attach() -> None:
    """Register the translations; what cannot be used is told in the console."""
    registered = {}
    for problem in languages().problems:
        print(f"MeshClash: {problem}", file=sys.stderr)
    for code, known in languages().texts.items():
        entries = {(context, english): text for english, text in known.items() for context in CONTEXTS}
        registered[code] = registered[code.partition("_")[0]] = entries  # Blender 4.x says "de_DE", later ones "de"
    bpy.app.translations.register(__name__, registered)


def detach() -> None:
    """Unregister the translations."""
    bpy.app.translations.unregister(__name__)
