"""A length in a sentence, which an application can write in another unit."""

from typing import Any

MILLIMETRES_BELOW = 0.1
"""[m] Smaller lengths are written in millimetres."""


class Length(str):
    """A length as text, in millimetres or metres, that keeps its value.

    Args:
        text: the length as text.
        metres: the length.
        like: a length [m] whose unit is used, so that lengths in one sentence have the same unit.

    Attributes:
        metres, like: as passed to the constructor.
    """

    metres: float
    like: float

    def __new__(cls, text: str, metres: float, like: float) -> "Length":
        """Keep the text and the values."""
        made = super().__new__(cls, text)
        made.metres, made.like = metres, like
        return made

    def __str__(self) -> str:
        """Return the length itself, so that sentences keep it."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy and pickle the length."""
        return Length, (self[:], self.metres, self.like)
