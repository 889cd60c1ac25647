"""Real roots of integer forms in [0, 1], isolated and refined as far as needed, and signs of other forms there."""

from collections.abc import Iterator
from fractions import Fraction

from .forms import Form, at, between, changes, common, halves, sign, without_multiplicity

_PATIENCE = 24
"""Number of halvings after which an unknown sign may be zero, and common roots are searched."""


class Root:
    """One root of a form, of degree 3 at most, in [0, 1].

    Attributes:
        form: the form has the root as a simple root, and no other root in the open interval; the form is replaced by
            its factors as they are found.
        index, depth: the root lies inside [index, index + 1] / 2**depth, or is index / 2**depth if ``exact``.
    """

    def __init__(self, form: Form, index: int, depth: int, exact: bool = False) -> None:
        self.form, self.index, self.depth, self.exact = form, index, depth, exact
        self._local = between(form, index, depth)

    @property
    def low(self) -> Fraction:
        """Lower end of the interval."""
        return Fraction(self.index, 1 << self.depth)

    @property
    def high(self) -> Fraction:
        """Upper end of the interval; the lower end if the root is exact."""
        return Fraction(self.index + (not self.exact), 1 << self.depth)

    def halve(self) -> int:
        """Continue with the half that contains the root: 0 or 1. An exact root does not change."""
        if self.exact:
            return 0
        both = halves(self._local)
        middle = sign(both[1][0])
        after_low = sign(next(x for x in self._local if x))  # the sign just after the lower end
        half = int(middle in (0, after_low))
        self.exact = middle == 0
        self.index, self.depth, self._local = 2 * self.index + half, self.depth + 1, both[half]
        return half

    def narrow(self, depth: int) -> None:
        """Halve the interval until its width is at most 2**-depth."""
        while not self.exact and self.depth < depth:
            self.halve()

    def sign_of(self, form: Form) -> int:
        """Return the sign of another form, of degree 3 at most, at the root."""
        local = between(form, self.index, self.depth)
        for step in range(1 << 30):
            if self.exact:
                return sign(at(form, self.index, self.depth))
            low, high = min(local), max(local)
            if low >= 0 or high <= 0:
                return sign(low + high)
            if step == _PATIENCE:
                shared = common(self.form, form)
                factor = between(shared, self.index, self.depth)
                if changes(factor) % 2:
                    self.form, self._local = shared, factor
                    return 0
            local = halves(local)[self.halve()]
        raise AssertionError("the signs of two linear forms without a common root differ near a root")


def roots(form: Form) -> Iterator[Root]:
    """Yield the roots in [0, 1] of a nonzero form, of degree 3 at most, from early to late."""
    form = without_multiplicity(form)
    waiting = [(0, 0, form)]
    while waiting:
        index, depth, local = waiting.pop()
        if local[0] == 0:
            yield Root(form, index, depth, exact=True)
        count = changes(local)
        if count == 1:
            yield Root(form, index, depth)
        elif count:
            first, second = halves(local)
            waiting += [(2 * index + 1, depth + 1, second), (2 * index, depth + 1, first)]
    if form[-1] == 0:
        yield Root(form, 1, 0, exact=True)
