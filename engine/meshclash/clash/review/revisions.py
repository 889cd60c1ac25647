"""Match the objects of a revised model to those of an earlier revision, even if they were renamed, moved, edited or
imported again.
"""

import hashlib
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import UnsupportedOption
from ...messages import shown
from ...types.arguments import instance, several
from ...types.numbers import is_whole, real_number

SAME_PLACE = 0.001
"""[m] An object has not moved if its box differs by at most this length."""
SAME_AREA = 1e-4
"""Fraction by which the area of a shape may differ, because files store coordinates in single precision or as text."""
RENEWED = 0.05
"""Maximum fraction of its keys that a model may have kept (for example the key of its origin) if a program has assigned
new keys."""

_COPY = re.compile(r"\.\d{3,}$")


class Identity(NamedTuple):
    """The properties by which MeshClash recognises an object in another revision of the model.

    Attributes:
        id: unique id of the object in this revision; names may be shared.
        name: name for users.
        box: (2, 3) [m] least and greatest corner in the world.
        triangles: number of triangles.
        area: area of the surface [m2], which does not change when the object is rotated.
        key: a name that the object keeps in every revision, such as an IFC GlobalId or a chosen property; "" without a
            key.
        models: names of the files that contain the object, if a scene consists of several files; then the rules of
            ``match_models`` apply.
        copied_in: those of these models in which other objects have the same key, even if these objects are not listed.
    """

    id: str
    name: str
    box: NDArray[np.float64]
    triangles: int
    area: float
    key: str = ""
    models: tuple[str, ...] = ()
    copied_in: tuple[str, ...] = ()

    def stands_as(self, other: "Identity") -> bool:
        """Return whether both objects have the same bounding box."""
        checked_identity(self), checked_identity(instance("other", other, Identity))
        return _stand_equal(self, other)

    def is_shaped_as(self, other: "Identity") -> bool:
        """Return whether the two objects may have the same shape, in any position and orientation."""
        checked_identity(self), checked_identity(instance("other", other, Identity))
        return _shaped_equal(self, other)


def checked_identity(item: Identity) -> Identity:
    """Return an identity unchanged; raises UnsupportedOption for attributes of wrong types."""
    if not (isinstance(item.id, str) and isinstance(item.name, str) and isinstance(item.key, str)):
        raise UnsupportedOption(f"id, name and key of an Identity must be strings, not {shown(item)}")
    if not isinstance(item.models, tuple) or not all(isinstance(name, str) for name in item.models):
        raise UnsupportedOption(f"models of an Identity must be a tuple of strings, not {shown(item.models)}")
    if not isinstance(item.copied_in, tuple) or not all(isinstance(name, str) for name in item.copied_in):
        raise UnsupportedOption(f"copied_in of an Identity must be a tuple of strings, not {shown(item.copied_in)}")
    if not isinstance(item.box, np.ndarray) or item.box.shape != (2, 3) or item.box.dtype.kind not in "fiu":
        raise UnsupportedOption(f"the box of {shown(item.name)} must be an array (2, 3) [m], not {shown(item.box)}")
    if not is_whole(item.triangles) or math.isnan(real_number(item.area)):
        raise UnsupportedOption(f"{shown(item.name)} needs a number of triangles and an area [m2], not {shown(item)}")
    return item


def pair_id(identity_a: str, identity_b: str, test: str = "", region: str = "") -> str:
    """Return the id of a pair, 16 hexadecimal digits, from two identities in either order and the name of a test.

    Args:
        identity_a, identity_b: identities of the two objects.
        test: the named test, or "".
        region: of a part of a self-contact, its pair of regions; else "".
    """
    first, second = sorted((identity_a, identity_b))
    digest = hashlib.sha256(f"{len(first)}:{first}{second}".encode("utf-8", "surrogatepass"))  # names need not be text
    if region:
        digest.update(f"\n{region}".encode())
    return pair_id_in_test(digest.hexdigest()[:16], test)


def pair_id_in_test(pair: str, test: str) -> str:
    """Return the id of a pair in a named test, which is the same in every run of the test; "" for a single test."""
    if not test:
        return pair
    return hashlib.sha256(f"{pair}{test}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def match_revisions(before: Sequence[Identity], after: Sequence[Identity]) -> dict[str, str]:
    """Match the objects of two revisions, and return a dictionary from new ids to old ids. New and ambiguous objects
    are left out.

    MeshClash applies several rules, one after the other. Each rule matches only objects that it can tell apart from all
    others in both revisions, so that no object is confused with another. The first rule compares the keys of the
    objects. The next rules compare the position together with both the shape and the name, then with the shape, then
    with the name. The last rules compare names that no copy of the object shares. The number at the end of a name such
    as ``Bolt.001`` changes with every import. A name with such a number is therefore matched only if a single object of
    this kind is left. Objects that belong to ``models`` are matched by stricter rules. MeshClash matches such objects
    only within the same model. Objects of one model are identified by their key or, failing that, by their name and
    position, or by their shape and position.

    Args:
        before, after: all objects of two revisions.

    Raises:
        UnsupportedOption: the arguments have another type.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> cube = np.array([[0.0, 0, 0], [1, 1, 1]])
        >>> before = [mc.clash.Identity("1", "Wall", cube, 12, 6.0)]
        >>> after = [mc.clash.Identity("9", "Wall", cube, 12, 6.0)]
        >>> mc.clash.match_revisions(before, after)
        {'9': '1'}
    """
    before = [checked_identity(item) for item in several("before", before, Identity)]
    after = [checked_identity(item) for item in several("after", after, Identity)]
    if any(item.models for item in after):
        return match_models(before, after)
    old, new = list(before), list(after)
    found: dict[str, str] = {}

    def take(pairs: Iterable[tuple[Identity, Identity]]) -> None:
        """Keep pairs of objects that match only each other, and remove them from the remaining objects."""
        pairs = _unique(pairs)
        found.update((second.id, first.id) for first, second in pairs)
        taken = {first.id for first, _ in pairs}, {second.id for _, second in pairs}
        for items, ids in zip((old, new), taken, strict=True):
            items[:] = [item for item in items if item.id not in ids]

    take(_same(old, new, lambda item: item.key or None))
    if found:  # who has another key is another object; where no key is known anew, a program has given out new ones
        old[:], new[:] = ([item for item in items if not item.key] for items in (old, new))
    shaped = [pair for pair in _standing(old, new) if pair[0].is_shaped_as(pair[1])]
    take(pair for pair in shaped if pair[0].name == pair[1].name)
    take(pair for pair in _standing(old, new) if pair[0].is_shaped_as(pair[1]))
    take(pair for pair in _standing(old, new) if _stem(pair[0]) == _stem(pair[1]))
    copies = [Counter(map(_stem, items)) for items in (before, after)]
    alone = {name for name, count in copies[0].items() if count == 1 == copies[1][name]}
    take(_same(old, new, lambda item: item.name if item.name in alone else None))
    last_copies = _unique(_same(old, new, _stem))
    take(pair for pair in last_copies if pair[0].name == pair[1].name and pair[0].is_shaped_as(pair[1]))
    return found


def match_models(before: Sequence[Identity], after: Sequence[Identity]) -> dict[str, str]:
    """Match objects of models that are tested together: return old ids by new ids, without ambiguous objects.

    Both must be in a model of one name. A key that is unique within the model identifies an object, even if its shape
    and position changed. All other objects are identified by name, or shared key, and position; an object without a key
    that has a new name is identified by its position and shape, if no other object has both. If a model has almost no
    earlier keys, a program has assigned new keys: then no object of the model is identified by its key.
    """
    copies = [key_counts(items) for items in (before, after)]
    renewed = renewed_models(before, after)
    found: dict[str, str] = {}
    taken: set[str] = set()

    def own(item: Identity, side: int) -> Iterator[tuple[str, str]]:
        """Return the keys that identify the object, with their models."""
        yield from ((name, item.key) for name in item.models if item.key and copies[side][name, item.key] == 1)

    def named(item: Identity, _side: int) -> Iterator[tuple[str, str]]:
        """Return the property that the object shares with only few others of its models: its name, or a key that
        several objects have.
        """
        for name in item.models:
            alone = item.key and copies[0][name, item.key] <= 1 >= copies[1][name, item.key]
            if not alone or name in renewed:
                yield name, item.name if not item.key or name in renewed else item.key

    def take(tell: Callable[[Identity, int], Iterator[Hashable]], fits: Callable[[Identity, Identity], bool]) -> None:
        of: dict[Hashable, list[Identity]] = defaultdict(list)
        for item in before:
            for value in tell(item, 0) if item.id not in taken else ():
                of[value].append(item)
        pairs = {
            (old.id, item.id): (old, item)
            for item in after if item.id not in found
            for value in tell(item, 1)
            for old in of.get(value, ())
            if fits(old, item)
        }  # fmt: skip
        for old, item in _unique(pairs.values()):
            found[item.id] = old.id
            taken.add(old.id)

    def placed(tell: Callable[[Identity, int], Iterator[Hashable]]) -> Callable[[Identity, int], Iterator[Hashable]]:
        """Return a function for a property together with the approximate position of the object, because a name may
        have thousands of copies.
        """

        def tell_placed(item: Identity, side: int) -> Iterator[Hashable]:
            cells = _cells(item.box[0], 0.0 if side == 0 else SAME_PLACE)
            yield from ((value, cell) for value in tell(item, side) for cell in cells)

        return tell_placed

    def is_same(old: Identity, item: Identity) -> bool:
        return _stand_equal(old, item) and _shaped_equal(old, item)

    def unnamed(item: Identity, _side: int) -> Iterator[tuple[str, str]]:
        """Return nothing but the place in the model for an object that no key identifies: its name may be new."""
        yield from ((name, "") for name in item.models if not item.key or name in renewed)

    twins = [Counter(map(_agreement, items)) for items in (before, after)]

    def is_same_twin(old: Identity, item: Identity) -> bool:
        """Match objects that are equal in everything by their numbers, as long as their count is unchanged."""
        count = twins[0][_agreement(old)]
        return old.id == item.id and is_same(old, item) and count == twins[1][_agreement(item)]

    take(own, is_same)  # of a thing that several models shared and one has moved, what stayed
    take(own, lambda _old, _item: True)
    take(placed(named), is_same_twin)
    take(placed(named), is_same)
    take(placed(named), _stand_equal)
    take(placed(unnamed), is_same)
    return found


KeyCounts = Counter[tuple[str, str]]


def key_counts(items: Sequence[Identity]) -> KeyCounts:
    """Return by model and key the number of objects with this key; more than 1 if the object is known to have
    copies.
    """
    found = Counter((model, item.key) for item in items for model in item.models)
    found.update((model, item.key) for item in items for model in item.copied_in)
    return found


def with_copies(items: Iterable[Identity], counts: KeyCounts) -> list[Identity]:
    """Return objects whose ``copied_in`` also lists the models in which several objects of a revision have the same
    key.

    Args:
        items: identities of any revision.
        counts: ``key_counts`` of the revision.
    """
    return [
        item._replace(copied_in=tuple(
            name for name in item.models if item.key and (name in item.copied_in or counts[name, item.key] > 1)
        ))
        for item in items
    ]  # fmt: skip


CELL = 0.05
"""[m] Width of the cells in which objects of one name are looked up."""


def _cells(corner: NDArray[np.float64], reach: float) -> set[tuple[int, ...]]:
    """Return the grid cells in which a corner may lie that is at most this far away along each axis."""
    spans = [sorted({math.floor((x - reach) / CELL), math.floor((x + reach) / CELL)}) for x in corner.tolist()]
    return set(product(*spans))


def _agreement(item: Identity) -> Hashable:
    return item.models, item.key, item.name, tuple(np.round(item.box, 4).ravel().tolist()), item.triangles


def _stand_equal(old: Identity, item: Identity) -> bool:
    return bool((np.abs(old.box - item.box) <= SAME_PLACE).all())


def _shaped_equal(old: Identity, item: Identity) -> bool:
    same_area = abs(old.area - item.area) <= SAME_AREA * max(old.area, item.area)
    return old.triangles == item.triangles and same_area


def renewed_models(before: Sequence[Identity], after: Sequence[Identity]) -> set[str]:
    """Return the models that have keys, almost all of which are new."""
    keys: list[dict[str, set[str]]] = [defaultdict(set), defaultdict(set)]
    for side, items in zip(keys, (before, after), strict=True):
        for item in items:
            for name in item.models if item.key else ():
                side[name].add(item.key)
    old, new = keys
    return {
        name for name, known in old.items()
        if new.get(name) and len(known & new[name]) <= RENEWED * min(len(known), len(new[name]))
    }  # fmt: skip


def _stem(item: Identity) -> str:
    """Return the name without the number of a copy."""
    return _COPY.sub("", item.name)


def _same(
    old: Sequence[Identity], new: Sequence[Identity], ask: Callable[[Identity], Hashable | None]
) -> Iterator[tuple[Identity, Identity]]:
    """Return all pairs that have a value in common."""
    of: dict[Hashable, list[Identity]] = defaultdict(list)
    for item in old:
        of[ask(item)].append(item)
    for item in new:
        value = ask(item)
        if value is not None:
            yield from ((other, item) for other in of.get(value, ()))


def _standing(old: Sequence[Identity], new: Sequence[Identity]) -> Iterator[tuple[Identity, Identity]]:
    """Return all pairs with the same bounding box."""
    by_x = sorted(old, key=lambda item: item.box[0, 0])
    lefts = [item.box[0, 0] for item in by_x]
    for item in new:
        for k in range(bisect_left(lefts, item.box[0, 0] - SAME_PLACE), len(by_x)):
            if lefts[k] > item.box[0, 0] + SAME_PLACE:
                break
            if item.stands_as(by_x[k]):
                yield by_x[k], item


def _unique(pairs: Iterable[tuple[Identity, Identity]]) -> list[tuple[Identity, Identity]]:
    """Return the pairs whose objects are not in another pair."""
    listed = list(pairs)
    firsts, seconds = (Counter(pair[k].id for pair in listed) for k in (0, 1))
    return [pair for pair in listed if firsts[pair[0].id] == 1 == seconds[pair[1].id]]
