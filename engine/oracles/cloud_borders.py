"""Surfaces that meet beyond their points, at borders: the search beside a refined grid over both functions.

A surface reaches farther than its points, half a bandwidth and more at a border. Here two sheets come together so that
only such a rim is in reach: a border or a corner above the inside of the other one, upright or leaning, or two borders
side by side. The grid (``cloud_oracle.py``) knows neither leaves nor patches.

Side by side the sheets are nearly one plane where they meet. They cross at angles of 1 to 5 degrees within a strip that
is a quarter of a sampling radius wide, and sometimes a few hundredths of one long. A point that the search finds is
evaluated from all points of both clouds; only where it finds none is the grid asked, which may itself miss so short a
crossing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from meshclash.clouds import PointCloud
from meshclash.lab import cloud_collision

from . import Row
from .cloud_oracle import closest_approach

KINDS = ("border", "corner", "leaning", "side by side")
_POINTS = 220
_COARSEST, _FINEST = 0.25, 0.002  # cells of the grid, in sampling radii
_ZERO = 1e-3  # in sampling radii, of what the search calls a point on a surface


class Case(NamedTuple):
    """Two sheets of points and a pose (4, 4) of the second one."""

    kind: str
    first: PointCloud
    second: PointCloud
    pose: np.ndarray


def border_case(number: int) -> Case:
    """The case of a number; always the same one. Numbers below 1000 served to find what was wrong."""
    rng = np.random.default_rng([number, 51])
    kind = KINDS[number % len(KINDS)]
    first, second = (PointCloud(_sheet(rng, size)) for size in (1.0, rng.uniform(0.6, 1.4)))
    radius = max(first.sampling_radius, second.sampling_radius)
    low = second.points[:, 1].min()
    around, lean = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-0.2, 0.2)
    gap = radius * rng.uniform(0.3, 1.4)
    if kind == "side by side":
        return Case(
            kind, first, second, _placed(np.eye(3), (rng.uniform(-0.2, 0.2), 0.5 - low + 2.0 * gap - radius, 0))
        )
    turn = _about(0, 0.5 * np.pi + lean + (rng.uniform(-0.7, 0.7) if kind == "leaning" else 0.0))
    if kind == "corner":
        turn = turn @ _about(2, 0.25 * np.pi + lean)
    turn = _about(2, around) @ turn
    lowest = (second.points @ turn.T)[:, 2].min()
    return Case(kind, first, second, _placed(turn, (*rng.uniform(-0.2, 0.2, 2), gap - lowest)))


def border_rows(cases: int, first: int = 10_000) -> list[Row]:
    """Of each kind, how often the search and the grid disagree, of so many cases in all from a number on."""
    rows: dict[str, Row] = {
        kind: {"kind": kind, "cases": 0, "surfaces meet": 0, "missed": 0, "false": 0, "undecided": 0} for kind in KINDS
    }
    for number in range(first, first + cases):
        case = border_case(number)
        answer = cloud_collision(case.first, case.second, None, case.pose)
        found = answer.colliding
        meets = True if answer.point is not None and _is_common(case, answer.point) else grid_meets(case)
        row = rows[case.kind]
        row["cases"] += 1
        row["surfaces meet"] += meets is True
        row["missed"] += meets is True and not found
        row["false"] += meets is False and found
        row["undecided"] += meets is None
    return list(rows.values())


def grid_meets(case: Case) -> bool | None:
    """Whether both functions vanish somewhere; None where the grid is too coarse to say."""
    approach = closest_approach(case.first, case.pose, case.second, _COARSEST, _FINEST)
    if approach.apart:
        return False
    return True if approach.nearest <= _ZERO else None


def _is_common(case: Case, point: np.ndarray) -> bool:
    """Whether a world point (3,) is on both surfaces, each evaluated from all of its points."""
    zero = _ZERO * min(case.first.sampling_radius, case.second.sampling_radius)
    f_a, _, there_a = case.first.evaluate(point[None])
    f_b, _, there_b = case.second.evaluate(((point - case.pose[:3, 3]) @ case.pose[:3, :3])[None])
    return bool(there_a[0] and there_b[0] and max(abs(f_a[0]), abs(f_b[0])) <= 1.01 * zero)


def _sheet(rng: np.random.Generator, size: float) -> np.ndarray:
    """Random points of a wavy square sheet around the origin, spread evenly."""
    side = round(_POINTS**0.5)
    u, v = (np.stack(np.meshgrid(*[np.arange(side)] * 2), axis=-1).reshape(-1, 2).T + rng.random((2, side**2))) / side
    phase = rng.uniform(0.0, 6.3, 2)
    height = 0.02 * np.sin(3.0 * u + phase[0]) * np.cos(3.0 * v + phase[1])
    return size * np.stack([u - 0.5, v - 0.5, height], axis=1)


def _about(axis: int, angle: float) -> np.ndarray:
    """A rotation about an axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[i, i] = turn[j, j] = np.cos(angle)
    turn[j, i], turn[i, j] = np.sin(angle), -np.sin(angle)
    return turn


def _placed(turn: np.ndarray, shift: tuple[float, float, float]) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, shift
    return pose
