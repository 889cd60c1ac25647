"""What a set of objects means where objects have properties: ``class:IfcPipe*``, ``storey:Level 2``."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Protocol

from .errors import InputError

EVERYTHING = "all"
OR = " | "
PROPERTIES = ("class", "type", "storey", "system", "GlobalId")
"""Properties of IFC by which sets are made."""


class Described(Protocol):
    """An object of a file, or of Blender."""

    @property
    def name(self) -> str:
        """As reports show it."""

    @property
    def properties(self) -> Mapping[str, str]:
        """What its file says of it."""

    @property
    def groups(self) -> Sequence[str]:
        """What it is in: files, collections, storeys."""


def members(expression: str, objects: Sequence[Described]) -> frozenset[int]:
    """The positions of the objects that a set means.

    Args:
        expression: "all", NAME, "object:NAME", "collection:NAME" (a file, a storey, a node above), or a property of
            IFC and its value, as in "class:IfcPipe*"; in each, * stands for any letters and ? for one. " | " between
            several joins them.
        objects: of the scene.

    Raises:
        InputError: nothing is meant; the message names what is like it.
    """
    found = set[int]()
    for part in expression.split(OR):
        matches, known = _matcher(part.strip())
        own = {k for k, item in enumerate(objects) if matches(item)}
        if not own and part.strip() != EVERYTHING:
            names = sorted({text for item in objects for text in known(item)})
            close = difflib.get_close_matches(part.partition(":")[2] or part, names, n=3)
            hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise InputError(f"there is nothing that '{part.strip()}' means{hint}")
        found |= own
    return frozenset(found)


Matcher = Callable[[Described], bool]
Known = Callable[[Described], Sequence[str]]


def _matcher(part: str) -> tuple[Matcher, Known]:
    """Whether an object is meant, and which texts it could be meant by."""
    if part == EVERYTHING:
        return (lambda item: True), (lambda item: ())
    kind, colon, wanted = part.partition(":")
    by: dict[str, Known] = {
        "object": lambda item: (item.name,),
        "collection": lambda item: item.groups,
        **{name: _property(name) for name in PROPERTIES},
    }
    if not colon or kind not in by:
        kind, wanted = "object", part
    known = by[kind]
    return (lambda item: any(text == wanted or fnmatchcase(text, wanted) for text in known(item))), known


def _property(name: str) -> Known:
    def told(item: Described) -> Sequence[str]:
        value = item.properties.get(name)
        return () if value is None else (value, *(value.split(", ") if name == "system" else ()))

    return told
