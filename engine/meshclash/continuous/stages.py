"""What stages say about four moving points, and which stages there are."""

MISS, HIT, UNDECIDED = 0, 1, 2
COMPARISONS, SIGNS, BRACKET, INTEGERS, RATIONAL, STAGES = range(6)
"""Comparisons of coordinates, signs of coefficients, and a bracket in float64 (``filter.py``), integers of fixed width
(``wide_stage.py``), Python's (``rational.py``)."""
