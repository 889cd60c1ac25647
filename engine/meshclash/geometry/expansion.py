"""Exact arithmetic on floating-point expansions: sums of doubles that do not overlap, smallest first.

Source: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997), sections
2.2 to 2.5. The arithmetic is exact without overflow and underflow; ``predicates.py`` checks the range before calling
it. No fused operations are used, so every device computes the same bits.
"""

from ..jit import inner

_SPLITTER = 134217729.0  # 2**27 + 1 cuts a 53-bit significand into two halves of at most 26 bits


@inner
def two_sum(a, b):
    """Return a + b as (rounded sum, rounding error)."""
    total = a + b
    b_virtual = total - a
    a_virtual = total - b_virtual
    return total, (a - a_virtual) + (b - b_virtual)


@inner
def two_difference(a, b):
    """Return a - b as (rounded difference, rounding error)."""
    return two_sum(a, -b)


@inner
def two_product(a, b):
    """Return a * b as (rounded product, rounding error), by Dekker's splitting."""
    product = a * b
    wide = _SPLITTER * a
    a_high = wide - (wide - a)
    a_low = a - a_high
    wide = _SPLITTER * b
    b_high = wide - (wide - b)
    b_low = b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


@inner
def add_expansions(e, e_length, f, f_length, out):
    """Write e + f to ``out`` without zero components; return the length (0 for the value zero)."""
    i = 0
    j = 0
    length = 0
    total = 0.0
    for _ in range(e_length + f_length):
        if j >= f_length or (i < e_length and abs(e[i]) < abs(f[j])):
            component = e[i]
            i += 1
        else:
            component = f[j]
            j += 1
        total, error = two_sum(total, component)
        if error != 0.0:
            out[length] = error
            length += 1
    if total != 0.0:
        out[length] = total
        length += 1
    return length


@inner
def scale_expansion(e, e_length, factor, out):
    """Write e * factor to ``out`` without zero components; return the length."""
    length = 0
    total = 0.0
    for i in range(e_length):
        product, product_error = two_product(e[i], factor)
        total, error = two_sum(total, product_error)
        if error != 0.0:
            out[length] = error
            length += 1
        total, error = two_sum(product, total)
        if error != 0.0:
            out[length] = error
            length += 1
    if total != 0.0:
        out[length] = total
        length += 1
    return length


@inner
def sign_of(e, e_length):
    """Return the sign of an expansion without zero components: that of its last, largest component."""
    if e_length == 0:
        return 0
    return 1 if e[e_length - 1] > 0.0 else -1
