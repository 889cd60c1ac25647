"""Apply the decisions of an earlier run to the same pairs in this run.

A decision belongs to two objects: each object must be recognised among the current objects, by the rules of
`match_models`. Decisions whose objects cannot be distinguished from others are listed, so that a user can decide again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .baseline import Baseline, EarlierPair
from .identity import without_number
from .review.revisions import (
    SAME_PLACE,
    Identity,
    KeyCounts,
    key_counts,
    match_models,
    pair_id,
    renewed_models,
    with_copies,
)
from .reviews import NOT_REVIEWED, Review

if TYPE_CHECKING:
    from .pair_row import PairRow

Names = tuple[str, str]
UNCERTAIN = "its objects cannot be told from others"
NOT_FOUND, REMOVED = "the pair is no longer found", "an object is not there any more"
LIKELY = 0.5
"""Share of its GlobalIds that a model must have in common with one that is not loaded, to be proposed as a rename."""


@dataclass(frozen=True)
class Again:
    """A decision of an earlier run that could not be applied to a pair of this run.

    Attributes:
        pair: the pair in the earlier run.
        objects: the two objects of the pair, if they are known.
        candidates: ids of the pairs of this run to which the decision may belong: these pairs must be decided again.
        why: the reason why the decision was not applied.
    """

    pair: EarlierPair
    objects: Sequence[Identity]
    candidates: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Carried:
    """Decisions of an earlier run, matched to the pairs of the current run.

    Attributes:
        reviews: decisions, by pair ids of this run.
        ids: pair ids of this run, by the pair ids of the earlier run.
        found: object ids of this run, by the object ids of the earlier run.
        again: decisions that were not carried.
        renames: (current name, earlier name, fraction of equal GlobalIds) of models that may be the same under two
            names.
        renewed: names of models that were exported with new GlobalIds, from `renewed_models`.
    """

    reviews: Mapping[str, Review] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    found: Mapping[str, str] = field(default_factory=dict)
    again: Sequence[Again] = ()
    renames: Sequence[tuple[str, str, float]] = ()
    renewed: Collection[str] = ()


def carried(
    baseline: Baseline, rows: Sequence[PairRow], things: Mapping[str, Identity], former: Mapping[str, str]
) -> Carried:
    """Match the decisions of an earlier report to rows of this run.

    Args:
        baseline: the earlier report.
        rows: the rows of this run.
        things: the objects of this run by their names; empty without models, as in a scene of an application: then ids
            are sufficient.
        former: the former identities from `FileSource`, for reports without models.
    """
    if not things:
        return Carried(baseline.reviews, {key: key for key in baseline.pairs})
    if not baseline.objects:
        return _of_former(baseline, rows, things, former)
    counts = key_counts([*things.values()])
    things = dict(zip(things, with_copies(things.values(), counts), strict=True))
    now = found_again(baseline, [*things.values()])
    renewed = renewed_models([*baseline.objects.values()], [*things.values()])
    there, alike = {row.id for row in rows}, Alike(rows, things, renewed)
    reviews, ids, again = dict[str, Review](), dict[str, str](), list[Again]()
    for pair in baseline.pairs.values():
        new = id_of_now(pair, now)
        ids[pair.id] = new or pair.id
        if pair.review == NOT_REVIEWED:
            continue
        if new in there:
            reviews[new] = pair.review
        else:
            again.append(_again(pair, baseline, alike, things, now, counts))
    again = [without(_with_former(item, ids, there), reviews.keys()) for item in again]
    return Carried(reviews, ids, now, again, renames(baseline, things.values()), renewed)


def found_again(baseline: Baseline, things: Sequence[Identity]) -> dict[str, str]:
    """Return the current ids of the objects of a baseline; a missing object is matched only if no other object replaces
    it.
    """
    now = {old: new for new, old in match_models([*baseline.objects.values()], things).items()}
    became = {new: old for old, new in now.items()}
    layers: dict[str, list[Identity]] = defaultdict(list)  # of one object, several states may be kept
    for key, item in baseline.away.items():
        layers[key.partition(" ")[2]].append(item)
    for layer in layers.values():
        back = match_models(layer, things).items()
        now |= {old: new for new, old in back if became.get(new, "") in ("", old.partition(" ")[0])}
    return now


def _of_its_models(now: Identity, before: Identity) -> Identity:
    """Return an object restricted to the models that contained it when the decision was made."""
    return now._replace(models=tuple(name for name in now.models if name in before.models))


def id_of_now(pair: EarlierPair, now: Mapping[str, str]) -> str:
    """Return the current id of a pair; "" if one of its objects was not found again."""
    if not all(end in now for end in pair.ends):
        return ""
    return pair_id(now[pair.ends[0]], now[pair.ends[1]], pair.test, pair.region)


def _with_former(item: Again, ids: Mapping[str, str], there: Collection[str]) -> Again:
    """Return a decision that already waited in the baseline, with the pairs to which it could belong then.

    The GlobalIds by which these pairs were found may be in no later report.
    """
    former = [key for old in item.pair.row.get("candidates", ()) if (key := ids.get(old, old)) in there]
    if not former or item.why == NOT_FOUND:
        return item
    why = UNCERTAIN if item.why == REMOVED else item.why
    return Again(item.pair, item.objects, tuple(dict.fromkeys([*item.candidates, *former])), why)


def without(item: Again, decided: Collection[str]) -> Again:
    """Return a decision that was not carried, without those candidates that have a decision by now."""
    left = tuple(key for key in item.candidates if key not in decided)
    return Again(item.pair, item.objects, left, item.why)


def _again(
    pair: EarlierPair,
    baseline: Baseline,
    alike: Alike,
    things: Mapping[str, Identity],
    now: Mapping[str, str],
    counts: KeyCounts,
) -> Again:
    by_id = {item.id: item for item in things.values()}
    known = [(end, item) for end in pair.ends if (item := baseline.thing(end)) is not None]
    # A key that has copies in any run until its object comes back does not tell the object from them.
    known_objects = [_of_its_models(by_id[now[end]], item) if end in now else item for end, item in known]
    objects = with_copies(known_objects, counts)
    if len(objects) < 2 or all(end in now for end in pair.ends):
        return Again(pair, objects, (), NOT_FOUND if objects else "the objects are unknown")
    candidates = alike.candidates(pair.test, pair.region, objects)
    models = {name for item in things.values() for name in item.models}
    away = sorted({name for item in objects if not models & {*item.models} for name in item.models})
    if away:
        why = f"model {', '.join(away)} is not loaded"
    elif candidates:
        why = UNCERTAIN
    else:
        why = REMOVED
    return Again(pair, objects, candidates, why)


class Alike:
    """The rows of a run by the GlobalIds or names of their objects, as `told` returns them.

    Args:
        rows, things: as the arguments of `carried`.
        renewed: as in `Carried`.
    """

    def __init__(self, rows: Sequence[PairRow], things: Mapping[str, Identity], renewed: Collection[str]) -> None:
        self._renewed, self._rows = renewed, defaultdict[object, list[str]](list)
        for row in rows:
            self._rows[self._key(row.test, row.region, [things[name] for name in row.names])].append(row.id)

    def candidates(self, test: str, region: str, objects: Sequence[Identity]) -> tuple[str, ...]:
        """Return the ids of the rows that may be an earlier pair of two objects."""
        return tuple(dict.fromkeys(self._rows.get(self._key(test, region, objects), ())))

    def _key(self, test: str, region: str, objects: Sequence[Identity]) -> tuple[str, ...]:
        return test, region, *sorted(told(item, self._renewed) for item in objects)


def told(item: Identity, renewed: Collection[str] = ()) -> str:
    """Return the GlobalId or name of an object, independent of the model that contains it.

    Args:
        item: the object.
        renewed: models that have new GlobalIds, so that only names tell what an object was before.
    """
    return item.name if {*item.models} & {*renewed} else item.key or item.name


def renames(baseline: Baseline, things: Iterable[Identity]) -> list[tuple[str, str, float]]:
    """Find models that were renamed between two runs: they share most GlobalIds, or most names and places."""
    then, now = _contents([*baseline.objects.values(), *baseline.away.values()]), _contents(things)
    found = []
    for new in sorted(now.keys() - then.keys()):
        shares = [
            (len(now[new] & then[old]) / max(1, min(len(now[new]), len(then[old]))), old)
            for old in sorted(then.keys() - now.keys())
        ]
        share, old = max(shares, default=(0.0, ""))
        if share >= LIKELY:
            found.append((new, old, share))
    return found


def _contents(items: Iterable[Identity]) -> dict[str, set[object]]:
    found: dict[str, set[object]] = defaultdict(set)
    for item in items:
        for name in item.models:
            found[name].add(item.key or (item.name, tuple(np.round(item.box, 2).ravel().tolist())))
    return found


def _of_former(
    baseline: Baseline, rows: Sequence[PairRow], things: Mapping[str, Identity], former: Mapping[str, str]
) -> Carried:
    """Return the decisions of versions without models, whose ids do not distinguish files.

    Such decisions are applied if the report says that both objects were in the current file, and if both have a
    GlobalId or the two objects meet at the same point.
    """
    now, by_names = former_rows(rows, former), dict[frozenset[str], list[str]]()
    for item in rows:
        by_names.setdefault(frozenset(things[name].name for name in item.names), []).append(item.id)
    reviews, ids, again = dict[str, Review](), dict[str, str](), list[Again]()
    for pair in baseline.pairs.values():
        row = now.get(pair.id)
        is_same = (
            row is not None and _were_there(pair, row, baseline, things)
            and is_certain(row, pair.location, things, former)
        )  # fmt: skip
        if row is not None and is_same:
            ids[pair.id] = row.id
        if pair.review == NOT_REVIEWED:
            continue
        if row is not None and is_same:
            reviews[row.id] = pair.review
        else:
            alike = by_names.get(frozenset(pair.plain_names), ()) if row is None else (row.id,)
            again.append(Again(pair, (), tuple(alike), UNCERTAIN if alike else NOT_FOUND))
    return Carried(reviews, ids, again=again)


def former_rows(rows: Sequence[PairRow], former: Mapping[str, str]) -> dict[str, PairRow]:
    """Return rows by the ids that they had in versions without models."""
    return {
        pair_id(former[row.a.name], former[row.b.name], row.test, row.region): row
        for row in rows if row.a.name in former and row.b.name in former
    }  # fmt: skip


def _were_there(pair: EarlierPair, row: PairRow, baseline: Baseline, things: Mapping[str, Identity]) -> bool:
    """Return whether both objects were in the current files, as far as an earlier report states their files."""
    groups = [baseline.groups_of.get(name, ()) for name in pair.names]
    told_of = {without_number(name): {*some} for name, some in zip(pair.names, groups, strict=True) if some}
    sides = [things[name] for name in row.names]
    return all({*item.models} & told_of[item.name] for item in sides if item.name in told_of)


def is_certain(
    row: PairRow,
    place: Sequence[float] | None,
    things: Mapping[str, Identity],
    former: Mapping[str, str] | None = None,
) -> bool:
    """Return whether a row is certainly the pair with its id: both objects have keys of their own, or the pair did not
    move.

    Args:
        row: a row of this run.
        place: location of the pair [m], if it is known.
        things: as the argument of `carried`.
        former: whether the id was created by a version without models.
    """
    if is_near(place, row.location):
        return True
    sides = [(name, things[name]) for name in row.names]
    if former is not None:
        return all(item.key and former.get(name) == item.key for name, item in sides)
    own = {item.key for _, item in sides}
    copies = Counter((model, item.key) for item in things.values() if item.key in own for model in item.models)
    return all(item.key and all(copies[name, item.key] == 1 for name in item.models) for _, item in sides)


def is_near(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    """Return whether two points are at the same location [m]."""
    return one is not None and other is not None and bool(np.abs(np.subtract(one, other)).max() <= SAME_PLACE)


def again_as_dict(item: Again) -> dict[str, Any]:
    """Return the decision as a dictionary for reports."""
    pair = item.pair
    return {
        "id": pair.id,
        "a": pair.names[0],
        "b": pair.names[1],
        "test": pair.test or None,
        **({"region": pair.region} if pair.region else {}),
        "status": pair.review.status,
        "comment": pair.review.comment,
        "assignee": pair.review.assignee,
        "location": None if pair.location is None else list(pair.location),
        "why": item.why,
        "candidates": list(item.candidates),
        "objects": [thing_as_dict(thing) for thing in item.objects],
    }


def thing_as_dict(item: Identity, name: str = "") -> dict[str, Any]:
    """Return an object as a dictionary for reports, from which a later run can recognise it.

    Args:
        name: name of the object in the report in which it was tested.
    """
    return {
        "object": item.id,
        **({"name": name} if name else {}),
        "own_name": item.name,
        "models": list(item.models),
        "GlobalId": item.key or None,
        "box": item.box.ravel().tolist(),
        "triangles": item.triangles,
        "area": item.area,
        **({"copied_in": list(item.copied_in)} if item.copied_in else {}),
    }
