"""Group clashes that need one common decision, with the reason as text.

``group_clashes`` divides the rows of a list into groups by one of ``WAYS``. The grouping "cause" is the best start. It
treats a pair of families as one cause if the depths have a similar size. An object that clashes with parts of many
kinds by depths of one size, unlike others of its family, is a separate cause. The groups do not depend on the order of
the rows.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import UnsupportedOption
from ...manifold.connected_components import components
from ...messages import Sentence, shown, suggestion
from ...types.arguments import by_text, instance, several, text
from ...types.equal_values import places_of_each
from ...types.numbers import float_array, real_number, whole_numbers
from .lengths import MILLIMETRES_BELOW, Length

Numbers = NDArray[np.int64]
Lengths = NDArray[np.float64]

APART_BY = 3.0
"""Depths of a pair of families that differ by more than this factor, without values in between, have different causes.
"""
OBJECT_APART_BY = 2.0
"""The same for the depths of one object: an object that lies wrong overlaps what is beside it by lengths of one size.
"""
ROUNDING = 1e-6
"""Fraction of a factor that is a rounding error: depths of 5 mm and 15 mm differ by no more than the factor 3."""
SAME_DEPTH = 0.002
"""[m] Depths that differ by less are of one size."""
SAME_SIZE = 0.1
"""Fraction by which the sizes of an interference may differ between repetitions of the same detail."""
ONE_PLACE = 0.02
"""[m] Clashes of one object that are no farther apart are at one place."""
SAME_PLACE, SAME_TURN = 1e-4, 1e-3
"""Fraction of its distance by which an object may be displaced, and by which axes may differ, in the same detail."""
PLACED_TO = 2.0**-20
"""Precision of positions as a fraction of the largest coordinate: single precision, through nested assemblies."""
SIMPLE = "StandardCase"
"""Suffix of IFC classes for elements of simple shape: they are the same kind of element as others."""
ASSEMBLY = "assembly"
"""The property of parts that belong to one assembly; a part without it counts separately."""
SYSTEMATIC = 0.5
"""If at least this fraction of a family clashes, the cause is a detail of the family, and not the other objects."""
FEWEST = 3
"""Minimum number of clashes for an object or a detail to be a cause."""
_NO_PROPERTIES: Mapping[str, str] = {}


class Part(NamedTuple):
    """An object that MeshClash tested for clashes.

    Attributes:
        id: a unique value that is the same in this detection and the next one.
        name: name for users; several objects may have the same name.
        family: kind of the part (``families``).
        properties: properties by which clashes can be grouped, such as "class", "storey", "collection" or "material".
        shape: identifier of the shape; equal for copies and instances, "" if unknown.
    """

    id: str
    name: str
    family: str
    properties: Mapping[str, str] = _NO_PROPERTIES
    shape: str = ""


@dataclass(frozen=True, eq=False)
class Clashes:
    """The clashes that you want to group, stored as columns.

    Attributes:
        a, b: (n,) places of the objects in the list of parts.
        depths: (n,) [m]; NaN without a proved depth.
        boxes: (n, 2, 3) [m] lowest and highest corner of the contact region; NaN if unknown.
        verdicts: (n,) names.
        frames: (n, 2) first and last frame; None without an animation.
        poses: (n, 3, 4) [m] pose of b in the coordinates of a; NaN if unknown; None if all poses are unknown; clashes
            of the same shapes in the same relative pose are repetitions of one detail.
        reach: [m] largest coordinate in the world that the poses were made of, which limits how exact they are.
    """

    a: Numbers
    b: Numbers
    depths: Lengths
    boxes: Lengths
    verdicts: Sequence[str]
    frames: Numbers | None = None
    poses: Lengths | None = None
    reach: float = 0.0

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, eq=False)
class Group:
    """A group of clashes that have a common cause. You can make one decision for all of them.

    Attributes:
        rows: indices of the rows in the list, ascending.
        reason: the reason why the clashes belong together, in words.
        key: identifier of the group that stays the same in another detection, as long as names stay the same.
        sides: descriptions of the two kinds of objects, or of the objects and their location; () for other groups.
        depths: [m] smallest and greatest proved depth; None without a proof.
    """

    rows: Numbers
    reason: str
    key: str
    sides: tuple[str, ...] = ()
    depths: tuple[float, float] | None = None


def group_clashes(parts: Sequence[Part], clashes: Clashes, way: str = "cause") -> list[Group]:
    """Sort clashes into groups, and return the groups, the largest first. Every clash is in exactly one group.

    Args:
        parts: all tested objects, also those without a clash: the fraction of a family that clashes distinguishes a
            detail of the family from a fault of one object.
        clashes: the rows.
        way: one of ``WAYS``, or the name of a property of the parts.

    Raises:
        UnsupportedOption: no part has a property of this name; or parts or columns have wrong types or different
            lengths.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> import numpy as np
        >>> names = ["Bolt.001", "Bolt.002", "Plate"]
        >>> parts = [mc.clash.Part(name, name, name.partition(".")[0]) for name in names]
        >>> boxes = np.zeros((2, 2, 3))
        >>> a, b, depths = np.array([0, 1]), np.array([2, 2]), np.array([0.001, 0.001])
        >>> clashes = mc.clash.Clashes(a, b, depths, boxes, ["CLASH", "CLASH"])
        >>> [len(group.rows) for group in mc.clash.group_clashes(parts, clashes)]
        [2]
    """
    parts = [_checked_part(part) for part in several("parts", parts, Part)]
    clashes = _checked_clashes(instance("clashes", clashes, Clashes), len(parts))
    text("way", way)
    if way in WAYS:
        found = WAYS[way](_Rows(parts, clashes))
    elif any(way in part.properties for part in parts):
        found = _by_property(_Rows(parts, clashes), way)
    else:
        known = {name for part in parts for name in part.properties}
        near = suggestion(way, (*WAYS, *known))
        raise UnsupportedOption(
            f"clashes cannot be grouped by {shown(way)}; choose one of {', '.join(WAYS)} and properties{near}"
        )
    return sorted(found, key=lambda group: (-len(group.rows), group.rows[0]))


def _checked_part(part: Part) -> Part:
    """Return a part unchanged; raises UnsupportedOption for attributes of wrong types."""
    if not all(isinstance(text, str) for text in (*part[:3], part.shape)):
        raise UnsupportedOption(f"id, name, family and shape of a Part must be strings, not {shown(part)}")
    by_text("properties", part.properties, str)
    return part


def _checked_clashes(given: Clashes, count: int) -> Clashes:
    """Return columns as arrays of one length; raises UnsupportedOption for other values."""
    a, b = whole_numbers("a", given.a), whole_numbers("b", given.b)
    depths, boxes = (float_array(name, getattr(given, name), UnsupportedOption) for name in ("depths", "boxes"))
    verdicts = several("verdicts", given.verdicts, str)
    frames = None if given.frames is None else whole_numbers("frames", given.frames)
    poses = None if given.poses is None else float_array("poses", given.poses, UnsupportedOption)
    rows = len(verdicts)
    if not rows:
        boxes = boxes.reshape(0, 2, 3) if not boxes.size else boxes
        poses = None
    wanted = (rows,), (rows,), (rows,), (rows, 2, 3), (rows, 2), (rows, 3, 4)
    of_frames, of_poses = (
        one if some is None else some.shape for one, some in zip(wanted[4:], (frames, poses), strict=True)
    )
    shapes = a.shape, b.shape, depths.shape, boxes.shape, of_frames, of_poses
    if shapes != wanted:
        raise UnsupportedOption(
            f"{rows} clashes need a, b and depths (n,), boxes (n, 2, 3), frames (n, 2) or None, poses (n, 3, 4) or"
            f" None, not of shapes {shapes}"
        )
    places = np.concatenate([a, b])
    if rows and not 0 <= places.min() <= places.max() < count:
        raise UnsupportedOption(
            f"a and b must be indices into a list of {count} parts, not {places.min()} to {places.max()}"
        )
    return Clashes(a, b, depths, boxes, verdicts, frames, poses, real_number(given.reach))


class _Rows:
    """The rows with families as numbers; the family that comes first alphabetically is on the left.

    Args:
        parts, clashes: as the arguments of ``group_clashes``.
        members: number of objects of each family; None: all parts.
    """

    def __init__(self, parts: Sequence[Part], clashes: Clashes, members: Numbers | None = None) -> None:
        self.parts, self.clashes = parts, clashes
        self.names = sorted({part.family for part in parts})
        number = {name: k for k, name in enumerate(self.names)}
        self.family = np.array([number[part.family] for part in parts], np.int64)
        self.members = np.bincount(self.family, minlength=len(self.names)) if members is None else members
        turned = self.family[clashes.a] > self.family[clashes.b]
        self.left, self.right = np.where(turned, clashes.b, clashes.a), np.where(turned, clashes.a, clashes.b)
        self.kinds = sorted(set(clashes.verdicts))
        kind = {verdict: k for k, verdict in enumerate(self.kinds)}
        self.verdict = np.array([kind[verdict] for verdict in clashes.verdicts], np.int64)

    def family_pairs(self) -> Numbers:
        """A number for each row that identifies its pair of families, (n,)."""
        return self.family[self.left] * len(self.names) + self.family[self.right]

    @cached_property
    def known_depths(self) -> Lengths:
        """Depths (n,) in which the largest known depth of the pair of families replaces unknown ones."""
        return _with_known(self.clashes.depths, self.family_pairs())

    def name(self, place: int) -> str:
        part = self.parts[place]
        return part.name or part.family or "an object without a name"

    def of_objects(self) -> dict[int, list[int]]:
        """Return the rows in which each object takes part."""
        found = defaultdict(list)
        for side in (self.left, self.right):
            for row, place in enumerate(side.tolist()):
                found[place].append(row)
        return found

    def several(self, places: Numbers) -> str:
        """Describe a few objects: the name of a single object, otherwise the number of objects of each family."""
        distinct = np.unique(places)
        if len(distinct) == 1:
            return _apart(self.name(int(distinct[0])))
        counts = self.counts(distinct)
        some, more = [f"{count} × {_apart(family)}" for family, count in counts[:3]], len(counts) - 3
        if more <= 0:
            return ", ".join(some)
        template = "{some} and {count} more kind" if more == 1 else "{some} and {count} more kinds"
        return Sentence(template, some=", ".join(some), count=more)

    def counts(self, places: Numbers) -> list[tuple[str, int]]:
        """Return the families of objects, each with its number of objects, the largest number first."""
        kinds, counts = np.unique(self.family[np.unique(places)], return_counts=True)
        order = np.lexsort((kinds, -counts))
        return [(self.names[kinds[k]], int(counts[k])) for k in order.tolist()]

    def side(self, places: Numbers) -> str:
        """Return the family of objects; of objects of several families, their number."""
        kinds = np.unique(self.family[places])
        return self.names[kinds[0]] if len(kinds) == 1 else Sentence("{count} kinds", count=len(kinds))

    def most_verdict(self, rows: Numbers) -> int:
        """Return the most frequent verdict of rows, as an index into ``kinds``."""
        return int(np.argmax(np.bincount(self.verdict[rows])))

    def group(self, rows: Numbers, key: str, common: int | None = None) -> Group:
        """Return a group of rows of one pair of families that have a common cause.

        Args:
            rows: the rows.
            key: key of the group.
            common: the family that all rows have in common, if their pairs of families differ.
        """
        left, right = self.left[rows], self.right[rows]
        if common is not None:
            turned = self.family[left] != common
            left, right = np.where(turned, right, left), np.where(turned, left, right)
        verdict = self.kinds[self.most_verdict(rows)].lower()
        both = np.unique([left, right])
        if len(both) > 2 and len(np.unique(self.family[both])) == 1:
            reason = Sentence(_AMONG.get(verdict, "{a} meet one another"), a=self.several(both))
        else:
            templates = _OF_PAIR if len(both) <= 2 else _OF_SEVERAL
            reason = Sentence(templates.get(verdict, "{a} and {b} meet"), a=self.several(left), b=self.several(right))
        depths = self.clashes.depths[rows]
        return Group(rows, reason + _depth_in_words(depths), key, (self.side(left), self.side(right)), _extent(depths))


def _apart(name: str) -> str:
    """Return a name for a sentence; a name that starts with a digit is quoted, so that nobody takes it for a count."""
    return f"'{name}'" if name[:1].isdigit() else name


_OF_PAIR = {
    "clash": "{a} and {b} overlap",
    "contained": "one of {a} and {b} is inside the other",
    "duplicate": "{a} and {b} occupy the same space",
}
_OF_SEVERAL = {**_OF_PAIR, "contained": "in each pair of {a} and {b}, one is inside the other"}
_AMONG = {
    "clash": "{a} overlap one another",
    "contained": "some of {a} are inside others",
    "duplicate": "{a} occupy the same space",
}
"""Templates of reasons by verdict: of one pair, of several pairs, and of several objects of one family."""


def _extent(depths: Lengths) -> tuple[float, float] | None:
    known = depths[~np.isnan(depths)]
    return (float(known.min()), float(known.max())) if len(known) else None


def _depth_in_words(depths: Lengths) -> str:
    extent = _extent(depths)
    if extent is None:
        return ""
    size, unit = (1e3, "mm") if extent[1] < MILLIMETRES_BELOW else (1.0, "m")
    least, most = (
        Length(f"{np.format_float_positional(size * value, 3, False, False, '-')} {unit}", value, extent[1])
        for value in extent
    )
    if least == most:
        return Sentence(", {depth} deep", depth=most)
    return Sentence(", {least} to {most} deep", least=least, most=most)


# Ways to group.


class _Cause(NamedTuple):
    """A decision to make.

    Attributes:
        rows: the rows that it settles.
        key: key of the group.
        place: the object that lies wrong, if a single object does.
        common: the family that all rows have in common, if their pairs of families differ.
    """

    rows: Numbers
    key: str
    place: int | None = None
    common: int | None = None


def _by_cause(rows: _Rows) -> list[Group]:
    """Group details that repeat between two families, and objects that clash unlike other objects of their family.

    A detail that repeats exactly (the same two shapes with the same relative pose) counts once: twelve instances of an
    assembly have the same causes as one.
    """
    repeat = _repeats(rows)
    order = np.lexsort((rows.right, rows.left, repeat))  # the first one of each is in the instance that comes first
    distinct, at, times = np.unique(repeat[order], return_index=True, return_inverse=True)
    first, of_row = order[at], np.empty(len(order), np.int64)
    of_row[order] = times
    clashes = rows.clashes
    once = Clashes(
        clashes.a[first], clashes.b[first], _with_known(clashes.depths, repeat)[first], clashes.boxes[first],
        [clashes.verdicts[k] for k in first.tolist()],
    )  # fmt: skip
    causes = _causes(_Rows(rows.parts, once, _members_once(rows, repeat)))
    number = np.empty(len(distinct), np.int64)
    for k, cause in enumerate(causes):
        number[cause.rows] = k
    found = []
    for cause, some in zip(causes, places_of_each(number[of_row]), strict=True):
        if cause.place is None:
            found.append(rows.group(some, cause.key, cause.common))
        else:
            found.append(_of_object(rows, cause.place, some, cause.key))
    return found


def _with_known(depths: Lengths, codes: Numbers) -> Lengths:
    """Return depths (n,) in which the largest known depth of the same code replaces unknown ones, NaN."""
    _, of = np.unique(codes, return_inverse=True)
    most = np.full(len(depths), np.nan)
    np.fmax.at(most, of, depths)
    return np.where(np.isnan(depths), most[of], depths)


def _repeats(rows: _Rows) -> Numbers:
    """Return a number (n,) for each row, equal if the same two shapes have the same relative pose."""
    own = np.arange(len(rows.left))
    poses = rows.clashes.poses
    if poses is None:
        return own
    shape = [part.shape for part in rows.parts]
    number = {name: k for k, name in enumerate(sorted(set(shape)))}
    code = np.array([number[name] for name in shape], np.int64)
    a, b = code[rows.clashes.a], code[rows.clashes.b]
    known = np.flatnonzero(np.isfinite(poses).all(axis=(1, 2)) & (a != number.get("", -1)) & (b != number.get("", -1)))
    seen = poses.copy()
    turned = known[a[known] >= b[known]]
    others = _from_the_other(poses[turned])
    alike = a[turned] == b[turned]  # then either may be the first: the one that sees the other farther along x, y or z
    ahead = np.round(others[:, :, 3], 6) - np.round(poses[turned, :, 3], 6)
    axis = np.argmax(ahead != 0.0, axis=1)
    taken = ~alike | (ahead[np.arange(len(turned)), axis] > 0.0)
    seen[turned[taken]] = others[taken]
    size = np.linalg.norm(seen[:, :, 3], axis=1)
    slack = SAME_PLACE * size + PLACED_TO * rows.clashes.reach
    pairs = np.minimum(a, b) * len(number) + np.maximum(a, b)
    for some in places_of_each(pairs[known]):
        poses_of = seen[known[some]].reshape(len(some), 12)
        order = known[some][np.lexsort((*poses_of.T, size[known[some]]))]
        sizes, free = size[order], np.ones(len(order), np.bool_)
        for place, one in enumerate(order.tolist()):
            if not free[place]:
                continue
            end = np.searchsorted(sizes, sizes[place] + slack[one], side="right")
            places = place + np.flatnonzero(free[place:end])
            differ = np.abs(seen[order[places]] - seen[one])
            near = (differ[:, :, :3] <= SAME_TURN).all(axis=(1, 2)) & (differ[:, :, 3] <= slack[one]).all(axis=1)
            same = order[places[near]]
            own[same] = same.min()
            free[places[near]] = False
    return own


def _from_the_other(poses: Lengths) -> Lengths:
    """Return the poses (n, 3, 4) of a in the coordinates of b."""
    turned = np.linalg.pinv(poses[:, :, :3])
    return np.concatenate([turned, -(turned @ poses[:, :, 3:])], axis=2)


def _members_once(rows: _Rows, repeat: Numbers) -> Numbers:
    """Return the number of objects in each family, with repeated instances counted once."""
    shape = [part.shape for part in rows.parts]
    count, times = Counter(shape), dict[str, int]()
    sizes = np.bincount(repeat, minlength=len(repeat))[repeat]
    for side in (rows.left, rows.right):
        for place, size in zip(side.tolist(), sizes.tolist(), strict=True):
            times[shape[place]] = min(times.get(shape[place], size), size)
    found = np.zeros(len(rows.names))
    for place, name in enumerate(shape):
        found[rows.family[place]] += 1.0 / min(times.get(name, 1), count[name]) if name else 1.0
    return np.ceil(found - 1e-6).astype(np.int64)


def _causes(rows: _Rows) -> list[_Cause]:
    """Return the causes of rows without repetitions."""
    details = _by_size_of_depth(rows)
    causes = _odd_objects(rows, [detail for detail in details if not _is_systematic(rows, detail)])
    taken = np.zeros(len(rows.left), np.bool_)
    for cause in causes:
        taken[cause.rows] = True
    left = (_Cause(detail.rows[~taken[detail.rows]], detail.key) for detail in details)
    return causes + _with_few_joined(rows, [cause for cause in left if len(cause.rows)])


def _odd_objects(rows: _Rows, details: Sequence[Group]) -> list[_Cause]:
    """Return the fewest objects that take part in several details each, by depths of one size."""
    detail_of, of = dict[int, int](), defaultdict[int, list[int]](list)
    for k, detail in enumerate(details):
        for row in detail.rows.tolist():
            detail_of[row] = k
            for place in {int(rows.left[row]), int(rows.right[row])}:
                of[place].append(row)
    odd = {}
    for place, some in of.items():
        its = np.array(some, np.int64)
        sizes = _sizes(rows.known_depths[its], OBJECT_APART_BY)
        for k, part in enumerate(sizes):
            of_size = set(its[part].tolist())
            if len({detail_of[row] for row in of_size}) >= FEWEST:
                size = [f"size {k}"] if len(sizes) > 1 else []
                odd[_key("object", rows.parts[place].id, *size), place] = of_size
    return [_Cause(some, key, place) for (key, place), some in _fewest(odd) if len(some) >= FEWEST]


def _with_few_joined(rows: _Rows, details: Sequence[_Cause]) -> list[_Cause]:
    """Join details that repeat too rarely to be a cause each: parts of one class, of several families, that clash with
    the same family by depths of one size.
    """
    few = [detail for detail in details if len(detail.rows) < FEWEST]
    found = [detail for detail in details if len(detail.rows) >= FEWEST]
    beside = defaultdict[tuple[str, str, int], list[int]](list)
    for k, detail in enumerate(few):
        verdict = rows.most_verdict(detail.rows)
        beside[detail.key, "", verdict].append(k)
        left, right = rows.left[detail.rows], rows.right[detail.rows]
        for own, others in ((left[0], right), (right[0], left)):  # all of one side are of one family
            kinds = {rows.parts[place].properties.get("class", "").removesuffix(SIMPLE) for place in others.tolist()}
            if len(kinds) == 1 and kinds != {""}:
                beside[rows.names[rows.family[own]], kinds.pop(), verdict].append(k)
    alike = {}
    for (family, kind, verdict), which in beside.items():
        depths = np.array([rows.known_depths[few[k].rows].max() for k in which])
        for size, part in enumerate(_sizes(depths, APART_BY)):
            alike[family, kind, verdict, size] = {which[k] for k in part.tolist()}
    for (family, kind, *_), some in _fewest(alike):
        joined = np.sort(np.concatenate([few[k].rows for k in some.tolist()]))
        common = rows.names.index(family) if kind else None
        found.append(_Cause(joined, few[some[0]].key, common=common))
    return found


def _sizes(depths: Lengths, apart_by: float) -> list[Numbers]:
    """Divide depths (n,), one or more, into sizes without gaps: return their indices, the smallest depths first.

    Unknown depths, NaN, are a size of their own, the last one.
    """
    order = np.argsort(depths, kind="stable")  # NaN comes last
    lower, upper = depths[order[:-1]], depths[order[1:]]
    apart = (upper > (1.0 + ROUNDING) * apart_by * lower) & (upper - lower > SAME_DEPTH)
    return np.split(order, np.flatnonzero(apart | (np.isnan(upper) & ~np.isnan(lower))) + 1)


def _is_systematic(rows: _Rows, detail: Group) -> bool:
    """Return whether a large part of one of the two families is involved, so that no single object is the cause."""
    for side in (rows.left, rows.right):
        objects = np.unique(side[detail.rows])
        if len(objects) >= max(FEWEST, SYSTEMATIC * rows.members[rows.family[objects[0]]]):
            return True
    return False


def _by_size_of_depth(rows: _Rows) -> list[Group]:
    """Group by pairs of families, separated by the size of the depth; an unknown depth has the largest size."""
    found = []
    for of_pair in places_of_each(rows.family_pairs()):
        sizes = _sizes(rows.known_depths[of_pair], APART_BY)
        for k, part in enumerate(sizes):
            found.append(_of_families(rows, np.sort(of_pair[part]), f"size {k}" if len(sizes) > 1 else ""))
    return found


def _by_families(rows: _Rows) -> list[Group]:
    return [_of_families(rows, part) for part in places_of_each(rows.family_pairs())]


def _of_families(rows: _Rows, some: Numbers, what: str = "") -> Group:
    left, right = (rows.names[rows.family[side[some[0]]]] for side in (rows.left, rows.right))
    return rows.group(some, _key("families", left, right, what))


def _by_pattern(rows: _Rows) -> list[Group]:
    """Group pairs of families whose interference has the same size, because they are the same detail, repeated."""
    clashes, found = rows.clashes, []
    sides = np.sort(clashes.boxes[:, 1] - clashes.boxes[:, 0], axis=1)
    sizes = np.nan_to_num(np.concatenate([sides, clashes.depths[:, None]], axis=1))
    for of_pair in places_of_each(rows.family_pairs()):
        for part in _alike(sizes[of_pair]):
            some = of_pair[part]
            middle = ",".join(f"{value:.2g}" for value in np.median(sizes[some], axis=0))
            found.append(_of_families(rows, some, middle))
    return found


def _alike(sizes: Lengths) -> list[Numbers]:
    """Group rows (n, m) that differ little from the first row of their group, greedily in order of size."""
    left, found = np.lexsort(sizes.T), []
    while len(left):
        first, others = sizes[left[0]], sizes[left]
        same = (np.abs(others - first) <= SAME_SIZE * np.maximum(others, first) + SAME_DEPTH).all(axis=1)
        found.append(np.sort(left[same]))
        left = left[~same]
    return found


def _by_object(rows: _Rows) -> list[Group]:
    """Group by the fewest objects that take part in all rows: in each step, choose the object with most remaining
    rows.
    """
    of = {(_key("object", rows.parts[place].id), place): set(some) for place, some in rows.of_objects().items()}
    return [_of_object(rows, place, some, key) for (key, place), some in _fewest(of)]


_Named = TypeVar("_Named", bound=tuple[str | int, ...])


def _fewest(of: Mapping[_Named, set[int]]) -> list[tuple[_Named, Numbers]]:
    """Return the fewest sets that contain all numbers, those with most numbers first; each number is in one set.

    Of sets with equally many numbers, the one whose key is the first is chosen.
    """
    left, found = set().union(*of.values()), []
    waiting = [(-len(some), key) for key, some in of.items()]
    heapify(waiting)
    while left:
        count, key = waiting[0]
        some = left & of[key]
        if len(some) < -count:
            heapreplace(waiting, (-len(some), key))
            continue
        heappop(waiting)
        left -= some
        found.append((key, np.array(sorted(some), np.int64)))
    return found


def _of_object(rows: _Rows, place: int, some: Numbers, key: str) -> Group:
    left = rows.left[some]
    family = rows.family[place]
    its = np.where(rows.family[left] == family, left, rows.right[some])  # itself, or what is like it in other instances
    its[(left == place) | (rows.right[some] == place)] = place
    others = np.where(its == left, rows.right[some], left)
    own, depths = rows.several(its), rows.clashes.depths[some]
    alone = len(np.unique(its)) == 1
    told = rows.several(others)
    if alone:
        reason = Sentence("{name} clashes with {others}", name=own, others=told)
    else:
        reason = Sentence("{names} clash with {others}", names=own, others=told)
    sides = rows.name(place) if alone else own, rows.side(others)
    return Group(some, reason + _depth_in_words(depths), key, sides, _extent(depths))


def _by_place(rows: _Rows) -> list[Group]:
    """Group clashes of one object that are close together; a clash without a location is a group of its own."""
    boxes, beside = rows.clashes.boxes, []
    placed = np.isfinite(boxes.reshape(-1, 6).sum(axis=1))
    for some in rows.of_objects().values():
        by_x = sorted((row for row in some if placed[row]), key=lambda row: boxes[row, 0, 0])
        for k, row in enumerate(by_x):
            for other in by_x[k + 1 :]:
                if boxes[other, 0, 0] - boxes[row, 1, 0] > ONE_PLACE:
                    break
                gap = np.maximum(boxes[row, 0], boxes[other, 0]) - np.minimum(boxes[row, 1], boxes[other, 1])
                if (gap <= ONE_PLACE).all():
                    beside.append((row, other))
    found = []
    for place in places_of_each(components(len(rows.left), np.array(beside, np.int64).reshape(-1, 2))):
        both = np.concatenate([rows.left[place], rows.right[place]])
        objects, counts = rows.several(both), [f"{count} {family}" for family, count in rows.counts(both)]
        known = boxes[place][placed[place]]
        at = ", ".join(f"{value:.2f}" for value in known.mean(axis=(0, 1))) if len(known) else "unknown"
        where, depths = at + " m" * bool(len(known)), _extent(rows.clashes.depths[place])
        text = Sentence("{names} meet at {place}", names=objects, place=at) + " m" * bool(len(known))
        found.append(Group(place, text, _key("place", at, *counts), (objects, where), depths))
    return found


def _by_property(rows: _Rows, name: str) -> list[Group]:
    """Group by the pair of values of a property."""
    of_parts = [part.properties.get(name, part.name if name == ASSEMBLY else "") for part in rows.parts]
    values = sorted(set(of_parts))
    number = {value: k for k, value in enumerate(values)}
    codes = np.array([number[value] for value in of_parts], np.int64)
    pair = np.sort(np.stack([codes[rows.left], codes[rows.right]]), axis=0)
    found = []
    for some in places_of_each(pair[0] * len(values) + pair[1]):
        a, b = (values[side[some[0]]] or Sentence("no {property}", property=name) for side in pair)
        text = Sentence("within {name}", name=a) if a == b else Sentence("{name} against {other}", name=a, other=b)
        depths = _extent(rows.clashes.depths[some])
        found.append(Group(some, text, _key(name, a, b), (a, b), depths))
    return found


def _by_frames(rows: _Rows) -> list[Group]:
    """Group clashes whose ranges of frames overlap successively."""
    frames = rows.clashes.frames
    if frames is None:
        return [Group(np.arange(len(rows.left)), "one frame only", _key("frames"))] if len(rows.left) else []
    order = np.lexsort((frames[:, 1], frames[:, 0]))
    ends = np.maximum.accumulate(frames[order, 1])
    begins = np.flatnonzero(frames[order[1:], 0] > ends[:-1] + 1) + 1
    found = []
    for some in np.split(order, begins) if len(order) else ():
        first, last = int(frames[some, 0].min()), int(frames[some, 1].max())
        text = (
            Sentence("frame {frame}", frame=first)
            if first == last
            else Sentence("frames {first} to {last}", first=first, last=last)
        )
        found.append(Group(np.sort(some), text, _key("frames", str(first), str(last))))
    return found


WAYS: dict[str, Callable[[_Rows], list[Group]]] = {
    "cause": _by_cause,
    "families": _by_families,
    "pattern": _by_pattern,
    "object": _by_object,
    "place": _by_place,
    "frames": _by_frames,
}
"""The groupings of rows, in addition to properties of their objects."""


def _key(*words: str) -> str:
    return "|".join(word.replace("|", "/") for word in words)
