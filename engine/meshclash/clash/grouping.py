"""Groups the clashes of a report, with the reason of each group in words."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..messages import Sentence
from .review.groups import WAYS, Clashes, Group, Part, group_clashes
from .review.names import families

if TYPE_CHECKING:
    from .pair_row import PairRow

SPACE = uuid.UUID("4d1c8a56-0a0b-5f0e-9a53-6d657368636c")
"""Namespace of the ids that are made of those of pairs and groups."""
PROPERTIES = ("class", "type", "storey", "system", "collection", "assembly", "model", "discipline")
"""By what else clashes are grouped, where files say it."""
GROUPINGS = (*WAYS, *PROPERTIES)
_UNKNOWN = (np.nan,) * 3


EarlierGroup = tuple[str, set[str]]
"""The Guid of a group's topic in an earlier run, and the ids that its pairs have now."""
SAME_GROUP = 0.5
"""Share of the pairs of the smaller one that two groups have in common, to be the same group."""


def same_topics(groups: Sequence[Mapping[str, Any]], earlier: Sequence[EarlierGroup]) -> list[str]:
    """The Guid of the topic of each group: of an earlier group while it is recognisably the same, else one of its own.

    Args:
        groups: with their "key" and "pairs".
        earlier: of an earlier run; a group that shares most pairs is the same one.
    """
    shared = []
    for k, group in enumerate(groups):
        own = {*group["pairs"]}
        for n, (_, pairs) in enumerate(earlier):
            count = len(own & pairs)
            if count and count >= SAME_GROUP * min(len(own), len(pairs)):
                shared.append((-count, k, n))
    found: dict[int, str] = {}
    taken = set[str]()
    for _, k, n in sorted(shared):
        topic = earlier[n][0]
        if k not in found and topic not in taken:
            found[k] = topic
            taken.add(topic)
    taken |= {topic for topic, _ in earlier}
    for k, group in enumerate(groups):
        number, guid = 0, group_guid(group["key"])
        while k not in found and guid in taken:
            number += 1
            guid = group_guid(f"{group['key']}|{number}")
        taken.add(found.setdefault(k, guid))
    return [found[k] for k in range(len(groups))]


def group_guid(key: str) -> str:
    """The Guid of a group's topic, where nothing is known of an earlier one."""
    text = f"group {key}".encode("utf-8", "backslashreplace").decode()  # names need not be text
    return str(uuid.uuid5(SPACE, text))


def parts_of(names: Sequence[str], objects: Mapping[str, Mapping[str, str]]) -> list[Part]:
    """The objects that were tested; the family is what the file says of its type, else it is told by the name.

    A name that has its type in it says more: "Cabinet:800 mm:157200" is of the family "Cabinet:800 mm", not "800 mm".
    """
    found = [objects.get(name, {}) for name in names]
    types = [said.get("type", "") for said in found]
    told = families([name if kind in name else kind for name, kind in zip(names, types, strict=True)])
    return [*map(Part, names, names, told, found)]


def grouped(rows: Sequence[PairRow], parts: Sequence[Part], scale: float, way: str) -> list[tuple[Group, list[str]]]:
    """Groups of clashes with the ids of their pairs, those with most pairs first.

    Args:
        rows: of clashes; of a pair in several frames the first row counts, and all frames.
        parts: all objects that were tested.
        scale: metres per scene unit.
        way: one of ``GROUPINGS``; all are one group where no object has that property.
    """
    number: dict[str, int] = {}
    pair = np.array([number.setdefault(row.id, len(number)) for row in rows], np.int64)
    first = np.unique(pair, return_index=True)[1]
    kept = [rows[at] for at in first.tolist()]
    frames = np.array([row.frame for row in rows], np.int64)
    span = np.stack([frames[first], frames[first]], axis=1)
    np.minimum.at(span[:, 0], pair, frames)
    np.maximum.at(span[:, 1], pair, frames)
    place = {part.name: k for k, part in enumerate(parts)}
    a, b = ([place[side.name] for side in sides] for sides in ([row.a for row in kept], [row.b for row in kept]))
    depths = np.array([row.proved_depth for row in kept], np.float64) * scale  # None becomes NaN
    middles = np.array([row.location or _UNKNOWN for row in kept], np.float64).reshape(-1, 3) * scale
    reach = 0.5 * np.nan_to_num(depths)[:, None]
    boxes = np.stack([middles - reach, middles + reach], axis=1)
    verdicts = [row.verdict for row in kept]
    clashes = Clashes(np.array(a, np.int64), np.array(b, np.int64), depths, boxes, verdicts, span)
    if way not in WAYS and not any(way in part.properties for part in parts):
        found = [Group(np.arange(len(kept)), Sentence("no object has a {property}", property=way), way)] if kept else []
    else:
        found = group_clashes(parts, clashes, way)
    return [(group, [kept[k].id for k in group.rows.tolist()]) for group in found]
