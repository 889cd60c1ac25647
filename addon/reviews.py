"""What the user says of pairs: read from Blender once, since lists and views ask for it whenever they are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from . import scene_results, shown_things

if TYPE_CHECKING:
    from meshclash.detection.pair_row import PairRow

    from .scene_results import SceneResult

OPEN, APPROVED = "OPEN", "APPROVED"


@dataclass(frozen=True, eq=False)
class Reviews:
    """What was said when it was read; another object when something else is said.

    Attributes:
        count: how many pairs have a word, for a look whether some were added or taken away.
        statuses: statuses by pair id; all other pairs are open.
        approved: ids of the pairs that the user has approved: they stay listed, but count and draw as no clash.
    """

    count: int
    statuses: Mapping[str, str]
    approved: frozenset[str]


def reviews_of(scene: bpy.types.Scene) -> Reviews:
    """The reviews of a scene, read anew only after `scene_results.doubt_reviews`, or when their number is another."""
    items, (known, sure) = scene.meshclash.reviews, scene_results.known_reviews(scene.session_uid)
    if known is not None and sure and known.count == len(items):
        return known
    read = {review.name: review.status for review in items}
    approved = frozenset(name for name, status in read.items() if status == APPROVED)
    if known is not None and known.approved == approved:
        approved = known.approved  # the same object is compared at once
    if known is None or known.statuses != read or known.count != len(items):
        known = Reviews(len(items), read, approved)
    scene_results.keep_reviews(scene.session_uid, known)
    return known


def comment_of(scene: bpy.types.Scene, pair_id: str) -> str:
    """The comment on a pair, "" where there is none."""
    review = scene.meshclash.reviews.get(pair_id)
    return review.comment if review else ""


def say(scene: bpy.types.Scene, row: PairRow, status: str | None = None, comment: str | None = None) -> None:
    """Keeps what the user says of a pair, a status, a comment or both; an open pair without a comment has no review."""
    reviews = scene.meshclash.reviews
    review = reviews.get(row.id) or reviews.add()
    review.name, review.name_a, review.name_b = row.id, row.a.name, row.b.name
    review.status = review.status if status is None else status
    review.comment = review.comment if comment is None else comment
    if review.status == OPEN and not review.comment:
        reviews.remove(reviews.find(row.id))
    scene_results.doubt_reviews()


def approved_counts(result: SceneResult, reviews: Reviews) -> Counter[str]:
    """How many pairs of each verdict the user has approved, of a result; counted once."""
    known = shown_things.listed().accepted
    if known is None or known[:2] != (result.serial, reviews.approved):
        rows = (result.row(pair) for pair in reviews.approved)
        known = result.serial, reviews.approved, Counter(row.verdict for row in rows if row is not None)
        shown_things.listed().accepted = known
    return known[2]
