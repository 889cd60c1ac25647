"""How fast this process works: what turns seconds into steps before the work is done."""

_RISE, _FALL = 1.1, 0.99
"""A pace that grows by a tenth when work took longer than expected, and shrinks by a hundredth when it did not, settles
where one piece of work in eleven takes longer."""


class UnitCost:
    """Seconds a unit of work, learned from what was done; a bound that is seldom exceeded rather than a mean.

    Args:
        seconds: a first guess.

    Attributes:
        seconds: the bound.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def note(self, units: float, seconds: float) -> None:
        """Learn from a piece of work. One that was held up by other processes changes no more than a slow one."""
        self.seconds *= _RISE if seconds > units * self.seconds else _FALL
