"""Which objects are the same in another run: ids that outlive edits, moves and new exports."""

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
"""What `unique_names` adds: where one of several parts of a name is gone, others get its number."""


def without_number(name: str) -> str:
    """The name that a file has, for one that `unique_names` has numbered."""
    return NUMBERED.sub("", name)


def own_key(part: MeshPart) -> str:
    """What tells a part from the others of its model: its GlobalId, else its name."""
    return part.properties.get("GlobalId") or without_number(part.name)


def identities(parts: Sequence[MeshPart], models: Sequence[tuple[str, ...]]) -> list[str]:
    """16 hexadecimal digits for each part, none twice: of the models that it is in, with its GlobalId, else its name.

    Parts of one model that share it - copies, instances - have their place in addition, then their shape. What agrees
    in all that is told apart by a number, which says nothing of another run.

    Args:
        parts: of all models.
        models: the names of the models that hold each part.
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
    """The identities that versions without models gave to parts, whose files they did not tell apart.

    They lead to what was decided then; where a part shares them, they are numbers by place and file.
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
    """A digest of a place, to a micrometre."""
    rounded = np.round(np.asarray(matrix, np.float64), 6) + 0.0  # no minus zero
    return _digest(rounded.tobytes())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _told_apart(texts: Sequence[str], more: Callable[[int], str]) -> list[str]:
    counts = Counter(texts)
    return [text if counts[text] == 1 else f"{text}\n{more(k)}" for k, text in enumerate(texts)]
