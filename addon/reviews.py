"""Reviews of pairs by the user, cached, because lists and views need them whenever they are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from . import histories, scene_results, shown_things

if TYPE_CHECKING:
    from meshclash.clash.pair_row import PairRow

    from .scene_results import SceneResult

APPROVED = "APPROVED"
FEW = 50  # largest number of reviews that are removed one by one


@dataclass(frozen=True, eq=False)
class Reviews:
    """The reviews of a scene when they were read; a new object is made when they change.

    Attributes:
        count: number of reviews, to detect added or removed reviews.
        statuses: statuses by pair id; all other pairs are open.
        approved: ids of approved pairs: they stay listed, but are not counted or drawn as clashes.
        places: index of each pair's review in the scene's collection.
    """

    count: int
    statuses: Mapping[str, str]
    approved: frozenset[str]
    places: Mapping[str, int]


def reviews_of(scene: bpy.types.Scene) -> Reviews:
    """Return the reviews of a scene, cached.

    They are read again only after `scene_results.doubt_reviews`, or if their number has changed.
    """
    items, (known, sure) = scene.meshclash.reviews, scene_results.known_reviews(scene.session_uid)
    if known is not None and sure and known.count == len(items):
        return known
    read = {review.name: review.status for review in items}
    places = {name: place for place, name in enumerate(read)} if len(read) == len(items) else _places(items)
    approved = frozenset(name for name, status in read.items() if status == APPROVED)
    if known is not None and known.approved == approved:
        approved = known.approved  # comparing the same object is fast
    if known is None or known.statuses != read or known.count != len(items):
        known = Reviews(len(items), read, approved, places)
    scene_results.keep_reviews(scene.session_uid, known)
    return known


def _places(items: Any) -> dict[str, int]:
    return {review.name: place for place, review in reversed(list(enumerate(items)))}


def review_of(scene: bpy.types.Scene, pair_id: str) -> bpy.types.PropertyGroup | None:
    """Return the review of a pair, or None."""
    place, items = reviews_of(scene).places.get(pair_id), scene.meshclash.reviews
    found = items[place] if place is not None and place < len(items) else None
    return found if found is None or found.name == pair_id else items.get(pair_id)


def comment_of(scene: bpy.types.Scene, pair_id: str) -> str:
    """Return the comment on a pair; "" without a comment."""
    review = review_of(scene, pair_id)
    return review.comment if review else ""


def say(scene: bpy.types.Scene, rows: Iterable[PairRow], **said: str) -> None:
    """Store the user's review of pairs, and write it to the journal.

    Args:
        scene: the scene.
        rows: rows of the pairs. Empty reviews are removed.
        said: new values of "status" (as in properties), "comment", "assignee", "priority", "due".
    """
    items, known, empty = scene.meshclash.reviews, reviews_of(scene), []
    places, told = dict(known.places), {row.id: row for row in rows}
    changed: dict[str, list[str]] = {name: [] for name in said}
    for pair, row in told.items():
        place = places.get(pair, -1)
        review = items[place] if 0 <= place < len(items) and items[place].name == pair else None
        if review is None:
            review = items.add()
            review.name, review.name_a, review.name_b = pair, row.a.name, row.b.name
            places[pair] = len(items) - 1
        for name, value in said.items():
            if getattr(review, name) != value:
                setattr(review, name, value)
                changed[name].append(pair)
        if histories.words_of(review) == histories.NOTHING:
            empty.append(pair)
    if len(empty) < FEW:
        for pair in empty:
            items.remove(items.find(pair))
    else:
        histories.drop(scene, empty)
    scene_results.doubt_reviews()
    for name, pairs in changed.items():
        if pairs:
            histories.say(scene, pairs, name, said[name].lower() if name == "status" else said[name])


def approved_counts(result: SceneResult, reviews: Reviews) -> Counter[str]:
    """Return the number of approved pairs of each verdict in a result; cached."""
    known = shown_things.listed().accepted
    if known is None or known[:2] != (result.serial, reviews.approved):
        rows = (result.row(pair) for pair in reviews.approved)
        known = result.serial, reviews.approved, Counter(row.verdict for row in rows if row is not None)
        shown_things.listed().accepted = known
    return known[2]
