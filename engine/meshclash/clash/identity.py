"""Ids of objects that stay the same in other runs: after edits, moves and new exports."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..reading.part import MeshPart

NUMBERED = re.compile(r" \(\d+\)$")
"""The suffix that `unique_names` adds: if one of several parts with the same name is gone, the others get other
numbers."""


def without_number(name: str) -> str:
    """Return the name that an object has in its file, without the number that `unique_names` added."""
    return NUMBERED.sub("", name)


def own_key(part: MeshPart) -> str:
    """Return the key that identifies a part within its model: its GlobalId, or else its name."""
    return part.properties.get("GlobalId") or without_number(part.name)


def identities(parts: Sequence[MeshPart], models: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a unique id of 16 hexadecimal digits for each part, from its models and its GlobalId or name.

    For parts of one model that share a key (copies, instances), the position is added to the key, and then the shape.
    Parts that are equal in all of these are distinguished by a number, which has no meaning in another run.

    Args:
        parts: parts of all models.
        models: the names of the models that contain each part.
    """
    keys = [own_key(part) for part in parts]
    in_model = Counter((model, key) for some, key in zip(models, keys, strict=True) for model in some)
    found = []
    for part, some, key in zip(parts, models, keys, strict=True):
        text = "".join(f"{len(name)}:{name}" for name in sorted(some)) + f"\n{key}"
        # Counted in each model: an id without a place would pass to another copy when that is left in one model only.
        is_shared = any(in_model[name, key] > 1 for name in some)
        found.append(f"{text}\n{_place(part.matrix)}" if is_shared else text)
    found = _told_apart(found, lambda k: parts[k].shape.digest)
    seen = Counter[str]()
    for k, text in enumerate(found):
        seen[text] += 1
        found[k] = _digest((f"{text}\n{seen[text]}" if seen[text] > 1 else text).encode("utf-8", "surrogatepass"))
    return found


def former_identities(parts: Sequence[MeshPart]) -> list[str]:
    """Return the ids that versions without models gave to parts; they did not distinguish files.

    The identities lead to earlier decisions; if several parts share an identity, they are numbered by position and
    file.
    """
    found = [part.properties.get("GlobalId") or part.name for part in parts]
    found = _told_apart(found, lambda k: parts[k].shape.digest)
    groups: dict[str, list[int]] = {}
    for k, text in enumerate(found):
        groups.setdefault(text, []).append(k)
    for group in groups.values():
        order = sorted(group, key=lambda k: (parts[k].matrix.ravel().tolist(), parts[k].groups, k))
        for place, k in enumerate(order if len(group) > 1 else []):
            found[k] = f"{found[k]}\n{place}"
    return found


def _place(matrix: np.ndarray) -> str:
    """Return a digest of a position, rounded to a micrometre."""
    rounded = np.round(np.asarray(matrix, np.float64), 6) + 0.0  # no minus zero
    return _digest(rounded.tobytes())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _told_apart(texts: Sequence[str], more: Callable[[int], str]) -> list[str]:
    counts = Counter(texts)
    return [text if counts[text] == 1 else f"{text}\n{more(k)}" for k, text in enumerate(texts)]
