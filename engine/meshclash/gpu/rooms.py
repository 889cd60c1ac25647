"""Room for the queue of a device: what does not fit is counted, the arrays grow, and the queue runs again."""

from collections.abc import Sequence

from .pyramid import width_for

FIRST_ROOM = 1 << 20
"""Rows of each array to begin with."""
ROW_BYTES = (16, 12, 16)
"""Of a row: pairs of nodes with their marks, pairs of leaves, hits."""


def first_rooms(count: int, least: int = FIRST_ROOM) -> list[int]:
    """Rows of each array for a queue that begins with so many pairs."""
    return [max(least, width_for(count)), least, least]


def grown_rooms(rooms: Sequence[int], needed: Sequence[int]) -> list[int]:
    """Rows for a next run; what was too small is at least doubled."""
    return [2 * width_for(n) if n > room else room for n, room in zip(needed, rooms, strict=True)]


def queue_bytes(needed: Sequence[int]) -> int:
    """The most that a queue's arrays take on a device in the end, if it needs so many rows of each."""
    rooms = grown_rooms(first_rooms(1), needed)
    return sum(room * size for room, size in zip(rooms, ROW_BYTES, strict=True))
