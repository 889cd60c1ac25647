"""Verdicts of pairs with an open mesh: what the solids that they mean add to what the surfaces do to each other."""

from collections.abc import Generator

import numpy as np

from ..types.results import CLASH, CONTAINED, TOUCHING
from .case import Case
from .measure import box_overlaps
from .open_overlap import DEPTH_CERTAINTY, OpenSide, containment, depth_steps, side_of
from .solidity import Meant, meant_steps

_ROUNDING = 512.0 * 2.0**-53  # of the largest coordinate: lengths below this may be rounding


def judge_open_steps(
    case: Case, codes: np.ndarray, certainties: np.ndarray, measured: np.ndarray
) -> Generator[None, None, np.ndarray]:
    """Write into the codes and certainties (k,) of a case what is known of pairs with an open mesh.

    An object that crosses nothing may be contained in an open one, objects that touch may have a ball in common, and
    clashes and contained objects get a depth, each where it is known. Meshes that mean no solid are left as they are.
    Of pairs that are not ``measured`` (k,) only those depths are found on which the verdict hangs. Yields every few
    milliseconds.

    Returns:
        Their depths, (k,) [m]; NaN where they are not known.
    """
    depths = np.full(len(codes), np.nan)
    is_open = ~case.solids.closed[case.jobs]
    in_b = _within(case.boxes_a, case.boxes_b) & is_open[:, 1]
    in_a = _within(case.boxes_b, case.boxes_a) & is_open[:, 0]
    enclosed = (in_a | in_b) & (codes <= TOUCHING.severity)
    overlaps = box_overlaps(case.boxes_a, case.boxes_b)
    rounding = _ROUNDING * np.maximum(np.abs(case.boxes_a), np.abs(case.boxes_b)).max(axis=1)
    thick = overlaps[:, 6] > rounding
    hanging = thick & (codes == TOUCHING.severity)
    asked = enclosed | hanging | (measured & (codes >= CONTAINED.severity))
    for job in np.flatnonzero(is_open.any(axis=1) & asked).tolist():
        a = yield from _side_steps(case, job, 0)
        b = yield from _side_steps(case, job, 1)
        if a is None or b is None:
            continue
        for encloses, inner, outer in ((in_b[job], a, b), (in_a[job], b, a)):
            if enclosed[job] and encloses and codes[job] != CONTAINED.severity:
                contained, certainty = containment(inner, outer)
                codes[job] = CONTAINED.severity if contained else codes[job]
                certainties[job] = certainty if contained else min(certainty, certainties[job])
        yield
        if codes[job] == TOUCHING.severity or (measured[job] and codes[job] in (CONTAINED.severity, CLASH.severity)):
            depth = yield from depth_steps(a, b, overlaps[job, :6])
            if depth is not None and depth > rounding[job]:
                depths[job] = depth
                if codes[job] == TOUCHING.severity:  # surfaces that pass through each other along edges only
                    codes[job], certainties[job] = CLASH.severity, DEPTH_CERTAINTY
    return depths


def _within(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Which boxes (k, 6) lie in others."""
    low, high = inner[:, :3] >= outer[:, :3], inner[:, 3:] <= outer[:, 3:]
    return np.logical_and(low.all(axis=1), high.all(axis=1))


def _side_steps(case: Case, job: int, side: int) -> Generator[None, None, OpenSide | None]:
    """One object of a pair as the solid that it means; None where it means none."""
    mesh = case.tree_set.parts[case.jobs[job, side]].mesh
    meant: Meant = yield from meant_steps(mesh)
    if not meant.solidity.solid:
        return None
    return side_of(meant, (case.rows_a if side == 0 else case.rows_b)[job])
