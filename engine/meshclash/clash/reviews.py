"""A user's decision on a pair: a status and a comment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Review:
    """A user's decision on a pair.

    Attributes:
        status: "open", "reviewed", "approved" or "resolved".
        comment: a note, or "".
        assignee: the person who is responsible for the clash, or "".
    """

    status: str = "open"
    comment: str = ""
    assignee: str = ""


APPROVED = "approved"
STATUSES = ("open", "reviewed", APPROVED, "resolved")
NOT_REVIEWED = Review()
