"""Measures the speed of this process, to convert a time budget into a number of steps."""

_RISE, _FALL = 1.1, 0.99
"""Factors of the bound: it grows by a tenth when work took longer than expected, and shrinks by a hundredth otherwise.
The bound settles at a value that one piece of work in eleven exceeds."""


class UnitCost:
    """Seconds per unit of work, learned from past work: a bound that is seldom exceeded, not a mean.

    Args:
        seconds: a first guess.

    Attributes:
        seconds: the bound.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def note(self, units: float, seconds: float) -> None:
        """Update the estimate with the measured time of a piece of work. Work that other processes delayed has no more
        effect than slow work.
        """
        self.seconds *= _RISE if seconds > units * self.seconds else _FALL
