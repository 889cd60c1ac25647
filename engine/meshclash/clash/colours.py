"""The two colours of the objects of a pair, the same in windows, pictures, reports and documents.

Red and blue can be distinguished with every common type of colour blindness.
"""

from __future__ import annotations

Colour = tuple[float, float, float]

COLOUR_A: Colour = (1.0, 0.22, 0.13)
COLOUR_B: Colour = (0.1, 0.55, 1.0)
"""Colours of the first and of the second object: red, green and blue from 0 to 1 in sRGB."""


def linear(colour: Colour) -> Colour:
    """Convert a colour to linear light, as renderers use it (IEC 61966-2-1)."""
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in colour)
    return red, green, blue


def hexadecimal(colour: Colour) -> str:
    """Format a colour for web pages, without the leading #: "FF3821"."""
    return "".join(f"{round(255 * share):02X}" for share in colour)
