"""Real roots of integer forms in [0, 1]: isolated, refined as far as is needed, and signs of other forms there."""

from collections.abc import Iterator
from fractions import Fraction

from .forms import Form, at, between, changes, common, sign, without_multiplicity

_PATIENCE = 24
"""Halvings before a sign that is not found yet is suspected to be zero, and common roots are looked for."""


class Root:
    """One root of a form in [0, 1].

    Attributes:
        form: has it as a simple root, and no other in the open interval; replaced by factors of itself as they are
        found. index, depth: the root lies inside [index, index + 1] / 2**depth, or is index / 2**depth where
        ``exact``.
    """

    def __init__(self, form: Form, index: int, depth: int, exact: bool = False) -> None:
        self.form, self.index, self.depth, self.exact = form, index, depth, exact

    @property
    def low(self) -> Fraction:
        """Lower end of the interval."""
        return Fraction(self.index, 1 << self.depth)

    @property
    def high(self) -> Fraction:
        """Upper end of the interval; the lower one where the root is exact."""
        return Fraction(self.index + (not self.exact), 1 << self.depth)

    def halve(self) -> None:
        """Go on with the half that has the root."""
        if self.exact:
            return
        local = between(self.form, self.index, self.depth)
        self.index, self.depth = 2 * self.index + 1, self.depth + 1
        middle = sign(at(self.form, self.index, self.depth))
        if middle == 0:
            self.exact = True
        elif middle != sign(next(x for x in local if x)):  # the sign just after the lower end
            self.index -= 1

    def narrow(self, depth: int) -> None:
        """Halve until the interval is no wider than 2**-depth."""
        while not self.exact and self.depth < depth:
            self.halve()

    def sign_of(self, form: Form) -> int:
        """Sign of another form at the root."""
        for step in range(1 << 30):
            if self.exact:
                return sign(at(form, self.index, self.depth))
            local = between(form, self.index, self.depth)
            low, high = min(local), max(local)
            if low >= 0 or high <= 0:
                return sign(low + high)
            if step == _PATIENCE:
                shared = common(self.form, form)
                if changes(between(shared, self.index, self.depth)) % 2:
                    self.form = shared
                    return 0
            self.halve()
        raise AssertionError("two forms without a common root have different signs near one's root")


def roots(form: Form) -> Iterator[Root]:
    """The roots of a form that is not zero in [0, 1], from early to late."""
    form = without_multiplicity(form)
    waiting = [(0, 0)]
    while waiting:
        index, depth = waiting.pop()
        local = between(form, index, depth)
        if local[0] == 0:
            yield Root(form, index, depth, exact=True)
        count = changes(local)
        if count == 1:
            yield Root(form, index, depth)
        elif count:
            waiting += [(2 * index + 1, depth + 1), (2 * index, depth + 1)]
    if form[-1] == 0:
        yield Root(form, 1, 0, exact=True)
