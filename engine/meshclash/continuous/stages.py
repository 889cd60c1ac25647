"""Results of the stages for four moving points, and the list of stages."""

MISS, HIT, UNDECIDED = 0, 1, 2
COMPARISONS, SIGNS, BRACKET, INTEGERS, RATIONAL, STAGES = range(6)
"""Comparisons of coordinates, signs of coefficients, and a bracket in float64 (``filter.py``), integers of fixed width
(``wide_stage.py``), Python integers (``rational.py``)."""
