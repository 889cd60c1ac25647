"""Format plurals and counts as text."""

from __future__ import annotations

from collections.abc import Mapping

from ..messages import Sentence

_TAILS = (" without ", " of ", " with ")
"""Words that may follow the noun of a type: "mesh without faces"."""


def plural(noun: str) -> str:
    """Return the plural of a noun: "camera" as "cameras", "mesh without faces" as "meshes without faces"."""
    at = min((place for tail in _TAILS if (place := noun.find(tail)) > 0), default=len(noun))
    head, tail = noun[:at], noun[at:]
    if head.endswith(("s", "sh", "ch", "x", "z")):
        return f"{head}es{tail}"
    if head.endswith("y") and head[-2:-1] not in ("a", "e", "i", "o", "u"):
        return f"{head[:-1]}ies{tail}"
    return f"{head}s{tail}"


def counted(number: int, noun: str) -> Sentence:
    """Format a count with its noun: "1 face", "2 faces"."""
    return Sentence("{count} {noun}", count=f"{number:,}", noun=Sentence(noun if number == 1 else plural(noun)))


def kinds_in_words(counts: Mapping[str, int]) -> str:
    """List counts by type, the most frequent first: "3 cameras, 2 lights"; "" for an empty dictionary."""
    found = sorted(((count, kind) for kind, count in counts.items() if count), key=lambda item: (-item[0], item[1]))
    return Sentence.joined(", ", (counted(count, kind) for count, kind in found))
