"""Evaluate set expressions: objects by name, material and property, such as ``class:IfcPipe* & not storey:Roof |
Crane``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Protocol

from ..messages import Sentence, suggestion
from .errors import InputError

EVERYTHING = "all"
OR, AND, NOT = " | ", " & ", "not "
PROPERTIES = ("class", "type", "storey", "system", "GlobalId", "model", "file", "discipline")
"""Properties by which sets are made: of IFC, and of the files that are tested together."""
LIST = ", "
LISTS = ("system", "material", "model", "file", "discipline")
"""Properties that may have several values, separated by `LIST`."""
KINDS = ("object", "collection", "material", "property", "selector", *PROPERTIES)
"""Possible prefixes before the colon of a term."""


class Described(Protocol):
    """An object of a file or of a scene, with the properties that sets use."""

    @property
    def name(self) -> str:
        """Name of the object in reports."""

    @property
    def properties(self) -> Mapping[str, str]:
        """Properties of the object in its file."""

    @property
    def groups(self) -> Sequence[str]:
        """The files, collections and storeys that contain the object."""


Matcher = Callable[[Described], bool]
Known = Callable[[Described], Sequence[str]]
Select = Callable[[str], Matcher]
"""Makes a matcher of a selector of IfcOpenShell."""


def members(expression: str, objects: Sequence[Described], select: Select | None = None) -> frozenset[int]:
    """Return the indices of the objects that belong to a set.

    Args:
        expression: terms, joined by " & " if all must be true and by " | " if one is sufficient; "not " negates a term.
            A term is "all", NAME, "object:NAME", "collection:NAME" (a file, a storey, a parent node), "material:NAME",
            "property:KEY=VALUE", a property and its value, as in "class:IfcPipe*", "model:Structure" or
            "file:arch.ifc", or "selector:TEXT". In every term except the last, * stands for any letters and ? for one
            letter.
        objects: objects of the scene.
        select: function that evaluates selectors; None without an IFC file.

    Raises:
        InputError: no object matches; the message suggests similar names.
    """
    found = set[int]()
    for part in expression.split(OR):
        terms = [_term(text.strip(), select) for text in part.split(AND)]
        own = {k for k, item in enumerate(objects) if all(matches(item) for matches, _ in terms)}
        if not own and part.strip() != EVERYTHING:
            names = sorted({text for item in objects for _, known in terms for text in known(item)})
            hint = suggestion(part.partition(":")[2] or part, names)
            raise InputError(Sentence("no object matches '{part}'", part=part.strip()) + hint)
        found |= own
    return frozenset(found)


def is_made_of_terms(expression: str) -> bool:
    """Return whether a set is more than everything, a selection, one collection or one object."""
    kind, colon, _ = expression.partition(":")
    joined = OR in expression or AND in expression or expression.startswith(NOT)
    return joined or (bool(colon) and kind in KINDS and kind not in ("object", "collection"))


def _term(text: str, select: Select | None) -> tuple[Matcher, Known]:
    """Return a function that tests one term, and the texts that it compares."""
    if text.startswith(NOT):
        matches, _ = _term(text.removeprefix(NOT), select)
        return (lambda item: not matches(item)), (lambda item: ())
    if text == EVERYTHING:
        return (lambda item: True), (lambda item: ())
    kind, colon, wanted = text.partition(":")
    if not colon or kind not in KINDS:
        kind, wanted = "object", text
    if kind == "selector":
        if select is None:
            raise InputError(
                Sentence("'{text}' is a selector for IFC files: here, use class:, type: or storey: instead", text=text)
            )
        return select(wanted), lambda item: ()
    if kind == "property":
        key, equals, wanted = wanted.partition("=")
        if not equals or not key:
            raise InputError(Sentence("'{text}' has no property value: write property:KEY=VALUE", text=text))
        known = _property(key)
    else:
        known = {"object": lambda item: (item.name,), "collection": lambda item: item.groups}.get(kind, _property(kind))
    return (lambda item: any(text == wanted or fnmatchcase(text, wanted) for text in known(item))), known


def _property(name: str) -> Known:
    def told(item: Described) -> Sequence[str]:
        value = item.properties.get(name)
        return () if value is None else (value, *(value.split(LIST) if name in LISTS else ()))

    return told
