"""Estimate the resolution of a file's coordinates from their digits."""

from decimal import Decimal

import numpy as np

_LOOKED_AT = 4096  # number of coordinates whose digits are counted
_DIAGONAL = 3.0**0.5
_DIGITS_OF_DOUBLE = 17


def stored_resolution(vertices: np.ndarray) -> float | None:
    """Return how far the points (n, 3) of a file may be off, given their digits [the file's unit].

    Returns None if the numbers may come from single precision, that is, if each number equals a number of single
    precision up to its last digit. Text does not store a type, so the digits of some thousand numbers, evenly
    distributed over the file, are counted.
    """
    numbers = vertices.ravel()[:: max(1, vertices.size // _LOOKED_AT)]
    numbers = numbers[np.isfinite(numbers) & (numbers != 0.0)]
    if not len(numbers):
        return None
    with np.errstate(over="ignore"):
        off = np.abs(numbers - numbers.astype(np.float32).astype(np.float64))
    digits, lowest = np.array([_digits(number) for number in numbers.tolist()]).T
    if (off <= 0.5 * 10.0**lowest + np.spacing(np.abs(numbers))).all():
        return None
    if digits.max() >= _DIGITS_OF_DOUBLE - 1:  # the digits of double precision
        return _DIAGONAL * float(np.spacing(np.abs(vertices[np.isfinite(vertices)]).max()))
    leading = int(np.floor(np.log10(np.abs(numbers).max())))
    last = max(int(lowest.min()), leading + 1 - int(digits.max()))
    return float(_DIAGONAL * 0.5 * 10.0**last)


def _digits(number: float) -> tuple[int, int]:
    """Return the number of decimal digits of a number, and the exponent of the last one."""
    _, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    return len(digits), int(exponent)
