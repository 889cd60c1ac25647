"""Group the clashes of a report, and state the reason of each group.

A *kind* of parts is a set of parts to which one decision may apply. If the file states a type for the part, the type is
the kind. Otherwise the kind follows from the part's name, if a person chose the name; else from the shape, which copies
and instances share, or from class, material and collection.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter, defaultdict
from collections.abc import Generator, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..manifold.connected_components import components
from ..messages import Sentence
from .fingerprints import shape_steps
from .frame_scene import FrameScene, Progress
from .review.groups import WAYS, Clashes, Group, Part, group_clashes
from .review.names import families, is_telling

if TYPE_CHECKING:
    from .pair_row import PairRow

SPACE = uuid.UUID("4d1c8a56-0a0b-5f0e-9a53-6d657368636c")
"""Namespace of the ids that are derived from ids of pairs and groups."""
PROPERTIES = ("class", "type", "storey", "system", "material", "collection", "assembly", "model", "discipline")
"""Properties by which clashes can be grouped, if files contain them."""
GROUPINGS = (*WAYS, *PROPERTIES)
_UNKNOWN = (np.nan,) * 3


_TOLD = ("class", "material", "collection")
"""Properties that define the kind of a part with a meaningless name and a unique shape."""
_SHARED = ("material", "collection")
"""Properties that define no kind if all parts have the same value, as the parts of one file often do."""
EarlierGroup = tuple[str, set[str]]
"""The Guid of a group's topic in an earlier run, and the ids that its pairs have now."""
SAME_GROUP = 0.5
"""Two groups are the same group if they share this fraction of the pairs of the smaller one."""


def same_topics(groups: Sequence[Mapping[str, Any]], earlier: Sequence[EarlierGroup]) -> list[str]:
    """Return the GUID of each group's topic: that of an earlier group if it is recognisably the same, otherwise a new
    one.

    Args:
        groups: groups with their "key" and "pairs".
        earlier: groups of an earlier run; a group is recognised if it shares most of its pairs with an earlier one.
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
    """Return the GUID of a group's topic if no earlier group is known."""
    text = f"group {key}".encode("utf-8", "backslashreplace").decode()  # names need not be text
    return str(uuid.uuid5(SPACE, text))


class PlacedShape(NamedTuple):
    """The shape and the pose of an object.

    Attributes:
        shape: hash of the shape; equal for objects that differ only by a rigid motion.
        pose: (4, 4) object to world, scene units.
    """

    shape: str
    pose: np.ndarray


def placed_steps(frame: FrameScene) -> Generator[Progress, None, dict[str, PlacedShape]]:
    """Return the objects of a frame that share their shape with others, by name, in slices.

    Only meshes that can be equal are compared by their coordinates.
    """
    uses = Counter(item.mesh_key for item in frame.objects)
    alike = defaultdict[tuple[int, int], list[Hashable]](list)
    for key in uses:
        mesh = frame.meshes[key]
        alike[len(mesh.vertices), mesh.triangle_count].append(key)
    digests: dict[Hashable, bytes] = {}
    for keys in alike.values():
        if len(keys) > 1 or uses[keys[0]] > 1:
            for key in keys:
                digests[key] = yield from shape_steps(frame.meshes[key])
    found = {}
    for item in frame.objects:
        if item.mesh_key in digests:
            found[item.name] = PlacedShape(_shape(digests[item.mesh_key], item.matrix), item.matrix)
    shared = Counter(placed.shape for placed in found.values())
    return {name: placed for name, placed in found.items() if shared[placed.shape] > 1}


def _shape(mesh: bytes, matrix: np.ndarray) -> str:
    """Return a digest of a mesh, stretched by a matrix, that does not depend on rotation and translation."""
    linear = matrix[:3, :3]
    stretch = linear.T @ linear
    size = float(np.trace(stretch))
    rounded = np.round(stretch / size, 4) + 0.0 if size > 0.0 else stretch
    told = f"{rounded.tolist()} {size**0.5:.4g} {np.linalg.det(linear) < 0.0}"
    return hashlib.sha256(mesh + told.encode()).hexdigest()[:16]


def parts_of(
    names: Sequence[str], objects: Mapping[str, Mapping[str, str]], placed: Mapping[str, PlacedShape] | None = None
) -> list[Part]:
    """Return the tested objects, each with its family: the kind of part to which it belongs.

    The family is the type that the file states. A name that contains the type is more precise: "Cabinet:800 mm:157200"
    has the family "Cabinet:800 mm", not "800 mm". Without a type, the family follows from names, or from shapes if the
    names are meaningless. Parts with the same shape have the same family, whatever their names are.

    Args:
        names: names of all objects.
        objects: properties of the objects in their files, by name.
        placed: the result of `placed_steps`.
    """
    found = [objects.get(name, {}) for name in names]
    types = [said.get("type", "") for said in found]
    shapes = [placed[name].shape if placed and name in placed else "" for name in names]
    untyped = ["" if kind else shape for kind, shape in zip(types, shapes, strict=True)]
    told = families([name if kind in name else kind for name, kind in zip(names, types, strict=True)], untyped)
    left = [k for k, kind in enumerate(types) if not kind]
    kinds = _kinds(
        [names[k] for k in left], [told[k] for k in left], [shapes[k] for k in left], [found[k] for k in left]
    )
    for k, kind in zip(left, kinds, strict=True):
        told[k] = kind
    return [*map(Part, names, names, told, found, shapes)]


def _kinds(
    names: Sequence[str], told: Sequence[str], shapes: Sequence[str], said: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the kinds of parts without types: parts with a common name or shape, directly or through others.

    A part whose name is meaningless, whose shape is unique, and of which nothing else is known, is a kind of its own:
    one decision cannot apply to it and to others. So the kinds of an assembly are the same if the scene contains
    copies of the assembly, whose parts then have common shapes.

    Args:
        names: name of each part.
        told: families by names.
        shapes: shape of each part; "" for a part with a unique shape.
        said: other properties of each part.
    """
    number: dict[tuple[str, str], int] = {}
    nodes, edges, labels = [], [], list[str]()
    same = {prop for prop in _SHARED if len({known.get(prop, "") for known in said}) == 1}
    for own, (name, family, shape, known) in enumerate(zip(names, told, shapes, said, strict=True)):
        telling = is_telling(family)
        values = (known.get(prop, "") for prop in _TOLD if prop not in same)
        label = family if telling else next((value for value in values if is_telling(value)), "")
        if label and (telling or not shape):
            named = "name", label
        else:
            named = ("shape", shape) if shape else ("part", str(own))
        nodes.append(number.setdefault(named, len(number)))
        labels.append(label or name)
        if shape:
            edges.append((nodes[-1], number.setdefault(("shape", shape), len(number))))
    joined = components(len(number), np.array(edges, np.int64).reshape(-1, 2))[nodes] if nodes else ()
    counts = defaultdict[int, Counter[str]](Counter)
    for kind, label, family in zip(joined, labels, told, strict=True):
        counts[int(kind)][label] += 1 if is_telling(family) else 0
    best = {kind: min(some, key=lambda label: (-some[label], label)) for kind, some in counts.items()}
    of_label = defaultdict[str, list[int]](list)
    for kind, label in best.items():
        of_label[label].append(kind)
    for label, several in of_label.items():
        if len(several) > 1:
            best |= {kind: f"{label} ({k})" for k, kind in enumerate(several, start=1)}
    return [best[int(kind)] for kind in joined]


def grouped(
    rows: Sequence[PairRow],
    parts: Sequence[Part],
    scale: float,
    way: str,
    placed: Mapping[str, PlacedShape] | None = None,
) -> list[tuple[Group, list[str]]]:
    """Return groups of clashes with the ids of their pairs, largest groups first.

    Args:
        rows: rows of clashes; of a pair in several frames, the first row and all frames are used.
        parts: all tested objects.
        scale: metres per scene unit.
        way: one of ``GROUPINGS``; if no object has this property, all clashes form one group.
        placed: shapes and poses of objects in the only frame of the rows, from `placed_steps`.
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
    poses, furthest = _poses(kept, placed or {}, scale)
    clashes = Clashes(np.array(a, np.int64), np.array(b, np.int64), depths, boxes, verdicts, span, poses, furthest)
    if way not in WAYS and not any(way in part.properties for part in parts):
        found = [Group(np.arange(len(kept)), Sentence("no object has a {property}", property=way), way)] if kept else []
    else:
        found = group_clashes(parts, clashes, way)
    return [(group, [kept[k].id for k in group.rows.tolist()]) for group in found]


def _poses(rows: Sequence[PairRow], placed: Mapping[str, PlacedShape], scale: float) -> tuple[np.ndarray, float]:
    """Return the pose of b in the coordinates of a [m] as a rotation without stretch, and the largest coordinate."""
    found = np.full((len(rows), 3, 4), np.nan)
    both = [k for k, row in enumerate(rows) if row.a.name in placed and row.b.name in placed]
    if not both:
        return found, 0.0
    a, b = (
        np.array([placed[side].pose for side in sides]) for sides in zip(*(rows[k].names for k in both), strict=True)
    )
    left, _, right = np.linalg.svd(a[:, :3, :3])
    turn = (left @ right).transpose(0, 2, 1)  # of the nearest rotation, back
    found[both, :, :3] = turn @ b[:, :3, :3]
    found[both, :, 3:] = scale * (turn @ (b[:, :3, 3:] - a[:, :3, 3:]))
    return found, scale * float(max(np.abs(a[:, :3, 3]).max(), np.abs(b[:, :3, 3]).max()))
