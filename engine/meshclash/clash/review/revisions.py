"""Which object of a revised model is which object of before, though it was renamed, moved, edited or imported anew."""

import hashlib
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import UnsupportedOption
from ...messages import shown
from ...types.arguments import instance, several
from ...types.numbers import is_whole, real_number

SAME_PLACE = 0.001
"""[m] An object whose box lies no farther from where it was stands still."""
SAME_AREA = 1e-4
"""Share by which the area of one shape may differ: files store it in single precision, or as text."""

_COPY = re.compile(r"\.\d{3,}$")


class Identity(NamedTuple):
    """The properties by which an object is recognised in another revision.

    Attributes:
        id: of the object in this revision: names may be shared, this is not.
        name: as users know it.
        box: (2, 3) [m] least and greatest corner in the world.
        triangles: how many it has.
        area: of its surface [m2]; it stays the same however the object is turned.
        key: a name that the object keeps in every revision, as an IFC GlobalId or a chosen property; "" for none.
    """

    id: str
    name: str
    box: NDArray[np.float64]
    triangles: int
    area: float
    key: str = ""

    def stands_as(self, other: "Identity") -> bool:
        """Whether both objects fill the same box."""
        checked_identity(self), checked_identity(instance("other", other, Identity))
        return bool((np.abs(self.box - other.box) <= SAME_PLACE).all())

    def is_shaped_as(self, other: "Identity") -> bool:
        """Whether both objects may have the same shape, turned and moved."""
        checked_identity(self), checked_identity(instance("other", other, Identity))
        same_area = abs(self.area - other.area) <= SAME_AREA * max(self.area, other.area)
        return self.triangles == other.triangles and same_area


def checked_identity(item: Identity) -> Identity:
    """An identity as it is; raises UnsupportedOption for attributes of wrong kinds."""
    if not (isinstance(item.id, str) and isinstance(item.name, str) and isinstance(item.key, str)):
        raise UnsupportedOption(f"id, name and key of an Identity must be texts, not {shown(item)}")
    if not isinstance(item.box, np.ndarray) or item.box.shape != (2, 3) or item.box.dtype.kind not in "fiu":
        raise UnsupportedOption(f"the box of {shown(item.name)} must be an array (2, 3) [m], not {shown(item.box)}")
    if not is_whole(item.triangles) or math.isnan(real_number(item.area)):
        raise UnsupportedOption(f"{shown(item.name)} needs a number of triangles and an area [m2], not {shown(item)}")
    return item


def pair_id(identity_a: str, identity_b: str, test: str = "") -> str:
    """16 hexadecimal digits from the identities of two objects, whatever their order, and the name of a test."""
    first, second = sorted((identity_a, identity_b))
    digest = hashlib.sha256(f"{len(first)}:{first}{second}".encode("utf-8", "surrogatepass"))  # names need not be text
    return pair_id_in_test(digest.hexdigest()[:16], test)


def pair_id_in_test(pair: str, test: str) -> str:
    """The id of a pair as a named test finds it, the same in every run of a test of that name; "" for no test."""
    if not test:
        return pair
    return hashlib.sha256(f"{pair}{test}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def match_revisions(before: Sequence[Identity], after: Sequence[Identity]) -> dict[str, str]:
    """Match the objects of two revisions: returns old ids by new ids, without new and ambiguous objects.

    Rules follow each other, and each takes only objects that it finds unique on both sides, so that none is taken for
    another: keys; what stands where it stood with its shape and name, with its shape, with its name; names that no copy
    shares. Numbers of copies (``Bolt.001``) are given out anew by every import: what is left of such names matches only
    where one object is left.

    Args:
        before, after: all objects of two revisions.

    Raises:
        UnsupportedOption: they are something else.

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
    old, new = list(before), list(after)
    found: dict[str, str] = {}

    def take(pairs: Iterable[tuple[Identity, Identity]]) -> None:
        """Keep pairs of one another, and take them out of what is left."""
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


def _stem(item: Identity) -> str:
    """Its name without the number of a copy."""
    return _COPY.sub("", item.name)


def _same(
    old: Sequence[Identity], new: Sequence[Identity], ask: Callable[[Identity], Hashable | None]
) -> Iterator[tuple[Identity, Identity]]:
    """All pairs that have a value in common."""
    of: dict[Hashable, list[Identity]] = defaultdict(list)
    for item in old:
        of[ask(item)].append(item)
    for item in new:
        value = ask(item)
        if value is not None:
            yield from ((other, item) for other in of.get(value, ()))


def _standing(old: Sequence[Identity], new: Sequence[Identity]) -> Iterator[tuple[Identity, Identity]]:
    """All pairs that fill the same box."""
    by_x = sorted(old, key=lambda item: item.box[0, 0])
    lefts = [item.box[0, 0] for item in by_x]
    for item in new:
        for k in range(bisect_left(lefts, item.box[0, 0] - SAME_PLACE), len(by_x)):
            if lefts[k] > item.box[0, 0] + SAME_PLACE:
                break
            if item.stands_as(by_x[k]):
                yield by_x[k], item


def _unique(pairs: Iterable[tuple[Identity, Identity]]) -> list[tuple[Identity, Identity]]:
    """Pairs of which neither object is in another one."""
    listed = list(pairs)
    firsts, seconds = (Counter(pair[k].id for pair in listed) for k in (0, 1))
    return [pair for pair in listed if firsts[pair[0].id] == 1 == seconds[pair[1].id]]
