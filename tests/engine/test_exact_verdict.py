"""The exact judge of verdicts, on bodies whose verdict is known."""

import meshclash as mc
import numpy as np
import pytest
from oracles.exact_verdict import exact_verdict
from solids import box, joined, reversed_winding

SHELL = joined(box((0, 0, 0), (4, 4, 4)), reversed_winding(box((1, 1, 1), (3, 3, 3))))
CASES = [
    (box((0, 0, 0), (2, 2, 2)), box((1, 1, 1), (3, 3, 3.5)), "CLASH"),
    (box((0, 0, 0), (2, 2, 2)), box((2, 0.5, 0.5), (3, 1, 1)), "TOUCHING"),
    (box((0, 0, 0), (2, 2, 2)), box((2 + 2.0**-50, 0.5, 0.5), (3, 1, 1)), "APART"),
    (box((0, 0, 0), (2, 2, 2)), box((2.0**-50, 0.5, 0.5), (1, 1, 1)), "CONTAINED"),
    (box((0, 0, 0), (2, 2, 2)), box((0, 0, 0), (2, 2, 2)), "DUPLICATE"),
    (SHELL, box((1.5, 1.5, 1.5), (2, 2, 2)), "APART"),
    (SHELL, box((1, 1.5, 1.5), (2, 2, 2)), "TOUCHING"),
    (SHELL, box((0.5, 0.5, 0.5), (3.5, 3.5, 3.5)), "CLASH"),
    (SHELL, box((-1, -1, -1), (5, 5, 5)), "CONTAINED"),
    (joined(box((0, 0, 0), (1, 1, 1)), box((9, 9, 9), (12, 12, 12))), box((10, 10, 10), (11, 11, 11)), "CONTAINED"),
    (joined(box((0, 0, 0), (1, 1, 1)), box((9, 9, 9), (12, 12, 12))), box((-1, -1, -1), (4, 4, 4)), "CLASH"),
]


@pytest.mark.parametrize(("a", "b", "name"), CASES)
def test_the_judge_of_bodies_whose_verdict_is_known(a, b, name):
    for first, second in ((a, b), (b, a)):
        assert exact_verdict(mc.TriangleMesh(*first), mc.TriangleMesh(*second), np.eye(4)[:3]) == name
