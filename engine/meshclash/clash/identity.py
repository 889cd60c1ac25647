"""Which objects and pairs are the same in another run: ids that outlive edits, moves and new exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..reading.part import MeshPart


def identities(parts: Sequence[MeshPart]) -> list[str]:
    """One text for each part, none twice: its GlobalId where the file has one, else its name.

    Of parts that share a name or a GlobalId - copies, files that hold the same element - it is that with the digest
    of the shape, and where these are the same, too, with a number by where they are.
    """
    found = [part.properties.get("GlobalId") or part.name for part in parts]
    found = _told_apart(found, lambda k: parts[k].shape.digest)
    for group in _groups(found):
        order = sorted(group, key=lambda k: (parts[k].matrix.ravel().tolist(), parts[k].groups, k))
        for place, k in enumerate(order if len(group) > 1 else []):
            found[k] = f"{found[k]}\n{place}"
    return found


def _told_apart(texts: Sequence[str], more: Callable[[int], str]) -> list[str]:
    counts = Counter(texts)
    return [text if counts[text] == 1 else f"{text}\n{more(k)}" for k, text in enumerate(texts)]


def _groups(texts: Sequence[str]) -> list[list[int]]:
    """The positions of each text."""
    found: dict[str, list[int]] = {}
    for k, text in enumerate(texts):
        found.setdefault(text, []).append(k)
    return list(found.values())
