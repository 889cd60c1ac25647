"""Translations of the extension's texts, with Blender's own mechanism.

Each file ``locale/LANGUAGE.po`` is a language, named as Blender names it ("de_DE"). ``locale/meshclash.pot`` lists all
English texts. Blender translates its texts by the language of its preferences; names of objects are never translated.
"""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.props import EnumProperty
from meshclash.messages import Sentence

from .core.po_files import read_po

CONTEXT = "MeshClash"
"""Context of words that Blender would translate with another meaning, such as "Open" for files."""
ChoiceProperty = partial(EnumProperty, translation_context=CONTEXT)
"""Blender's `EnumProperty`, for items with such words."""
CONTEXTS = ("*", "Operator", CONTEXT)  # properties, panels and labels; operator buttons; our own
FOLDER = Path(__file__).parent / "locale"


@lru_cache(1)
def languages() -> dict[str, dict[str, str]]:
    """Return the translations by language and English text.

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
    """Register the translations."""
    registered = {}
    for code, known in languages().items():
        entries = {(context, english): text for english, text in known.items() for context in CONTEXTS}
        registered[code] = registered[code.partition("_")[0]] = entries  # Blender 4.x says "de_DE", later ones "de"
    bpy.app.translations.register(__name__, registered)


def detach() -> None:
    """Unregister the translations."""
    bpy.app.translations.unregister(__name__)
