"""Verdicts of solids whose answer is known: unions of boxes on grids of any coordinates, some a few ulps from others.

The truth compares coordinates with each other and does nothing else with them: the planes of both solids cut space
into boxes, and sets of boxes are compared. It shares no code with the engine. Bodies are merged (outer faces only) or
left as bricks with flush inner faces, hollow or not, at several sizes, at the origin and far away, in both orders. A
run is decided by its seed; it prints some verdicts that differ, and how many of each kind there were. With
``--state FILE`` a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from meshclash.answering.answer import answer_steps
from meshclash.hierarchy.build import build
from meshclash.solid.case import Case, Limits
from meshclash.solid.judge import judge
from meshclash.solid.pair_verdict import NOTHING
from meshclash.traversal.bounds import world_bounds
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.question import Question
from meshclash.traversal.solids import gather_solids
from meshclash.types.mesh import TriangleMesh
from meshclash.types.steps import run as run_steps

from .tally import Tally, TallyError

AT_ONCE = 250  # pairs that are judged together
SIZES = (1e-3, 1.0, 1e3, 0.7e-3, 1.3, 0.9e3)
PLACES = (0.0, 0.0, 1e6)
MOST_ULPS = 1000
SHOWN = 5

_STEPS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
_QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
_OUTWARDS = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]])

Body = tuple[list[np.ndarray], np.ndarray]
"""Coordinates of the planes along each axis, and which boxes between them are filled."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument(
        "--pairs", type=int, default=20_000, help=f"pairs, in portions of {AT_ONCE}; each in both orders"
    )
    parser.add_argument("--seed", type=int, default=1, help="runs with other seeds ask about other bodies")
    parser.add_argument("--state", type=Path, help="keep the counters in this file, and go on from it where it exists")


def run(options: argparse.Namespace) -> int:
    """Judge pairs of bodies; 1 when a verdict or a bound of a depth is wrong, 2 when the state cannot be used."""
    try:
        tally = Tally({"bench": "verdicts", "seed": options.seed, "portion": AT_ONCE}, options.state)
    except TallyError as error:
        print(f"error: {error}")
        return 2
    portions = -(-options.pairs // AT_ONCE)
    while tally.done < portions:
        _judge_portion(tally, np.random.default_rng([options.seed, tally.done]))
        tally.portion_done(last=tally.done + 1 == portions)
    print(*tally.notes, sep="\n", end="\n" if tally.notes else "")
    wrong = tally.counts["wrong"]
    text = ", ".join(f"{name.lower()} {count}" for name, count in sorted(tally.counts.items()) if name != "wrong")
    print(f"{2 * AT_ONCE * tally.done} verdicts, {wrong} wrong, in {tally.total_seconds():.0f} s; pairs: {text}")
    return 1 if wrong else 0


def _judge_portion(tally: Tally, rng: np.random.Generator) -> None:
    bodies = [_pair(rng) for _ in range(AT_ONCE)]
    expected = [_truth(*pair) for pair in bodies]
    tally.counts.update(expected)
    for k, found in enumerate(_verdicts(bodies, rng)):
        truth = expected[k // 2]
        bounds = found.depth is None or found.depth_lower <= found.depth <= found.depth_upper
        if found.name != truth or not bounds:
            tally.counts["wrong"] += 1
            if len(tally.notes) < SHOWN:
                tally.notes.append(f"pair {k} of portion {tally.done}: {found}, truth {truth}")


def _pair(rng: np.random.Generator) -> tuple[Body, Body]:
    """Two bodies whose planes coincide or nearly do, or lie anywhere."""
    size, away = rng.choice(SIZES), rng.choice(PLACES)
    planes_a = [_planes(rng, size, away) for _ in range(3)]
    planes_b = []
    for planes in planes_a:
        ulps = rng.integers(-MOST_ULPS, MOST_ULPS + 1, len(planes)) // rng.choice([1, 100, 1000])
        near = np.unique(
            planes + ulps * np.spacing(np.where(planes == 0.0, size, np.abs(planes))) * (rng.random(len(planes)) < 0.5)
        )
        near = near if rng.random() < 0.9 else _planes(rng, size, away)
        near = near if len(near) < 3 or rng.random() < 0.5 else near[int(rng.integers(0, 2)) : len(near) - 1]
        planes_b.append(near if len(near) > 1 else planes)
    a = planes_a, _filled(rng, planes_a)
    if rng.random() < 0.2 and all(map(np.array_equal, planes_a, planes_b)):
        part = a[1] & (rng.random(a[1].shape) < 0.9)
        return a, (planes_b, part if part.any() else a[1])
    return a, (planes_b, _filled(rng, planes_b))


def _planes(rng: np.random.Generator, size: float, away: float) -> np.ndarray:
    count = int(rng.integers(2, 6))
    steps = np.arange(count) if rng.random() < 0.5 else np.cumsum(rng.random(count) + 0.05)
    return np.unique(away + size * steps)


def _filled(rng: np.random.Generator, planes: list[np.ndarray]) -> np.ndarray:
    """Which boxes are filled: random ones, all, or a shell."""
    shape = tuple(len(p) - 1 for p in planes)
    filled: np.ndarray = rng.random(shape) < rng.choice([0.4, 0.8, 1.0])
    if min(shape) > 2 and rng.random() < 0.7:
        filled[:] = True
        filled[1:-1, 1:-1, 1:-1] = rng.random(filled[1:-1, 1:-1, 1:-1].shape) < 0.1
    filled[tuple(rng.integers(0, shape))] = True
    return filled


def _truth(a: Body, b: Body) -> str:
    """The verdict, by comparing coordinates: every box between neighbouring planes of both, and every place between."""
    planes = [np.union1d(p, q) for p, q in zip(a[0], b[0], strict=True)]
    (in_a, on_a), (in_b, on_b) = (_occupied(body, planes) for body in (a, b))
    if not (in_a & in_b).any():
        return "TOUCHING" if (on_a & on_b).any() else "APART"
    inside = int((in_a <= in_b).all()) + int((in_b <= in_a).all())
    return ("CLASH", "CONTAINED", "DUPLICATE")[inside]


def _occupied(body: Body, planes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Which boxes between planes a body fills, and which of them, their faces, edges and corners it holds."""
    filled = np.pad(body[1], 1)
    rows = [np.searchsorted(own, all_[:-1], "right") for own, all_ in zip(body[0], planes, strict=True)]
    boxes = filled[np.ix_(*rows)]
    closed = np.zeros([2 * n + 1 for n in boxes.shape], np.bool_)
    closed[1::2, 1::2, 1::2] = boxes
    for axis in range(3):
        spread = np.swapaxes(closed, 0, axis)
        spread[:-1:2] |= spread[1::2]
        spread[2::2] |= spread[1::2]
    return boxes, closed


def _mesh(body: Body, rng: np.random.Generator) -> TriangleMesh:
    """The body's outer faces, or all faces of its boxes; shuffled, and sometimes inside out."""
    planes, filled = body
    merged = rng.random() < 0.5
    cells, counts = np.argwhere(filled), [len(p) for p in planes]
    quads = np.ravel_multi_index(np.moveaxis(cells[:, None] + _STEPS, -1, 0), counts)[:, _QUADS]
    beyond = np.pad(filled, 1)[tuple(np.moveaxis(cells[:, None] + 1 + _OUTWARDS, -1, 0))]
    quads = quads[~(merged & beyond)]
    turned = rng.random(len(quads)) < 0.5
    quads[turned] = np.roll(quads[turned], 1, axis=1)  # the other diagonal
    soup = rng.permutation(quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))
    soup = soup if rng.random() < 0.8 else soup[:, ::-1]
    corners, triangles = np.unique(soup, return_inverse=True)
    places = np.unravel_index(corners, counts)
    vertices = np.stack([p[k] for p, k in zip(planes, places, strict=True)], axis=1)
    return TriangleMesh(vertices, triangles.reshape(-1, 3))


def _verdicts(bodies: list[tuple[Body, Body]], rng: np.random.Generator) -> list:
    """Two verdicts for each pair, one for each order."""
    trees = [build(_mesh(body, rng)) for pair in bodies for body in pair]
    tree_set, first = pack_trees(trees), 2 * np.arange(len(bodies))
    jobs = np.stack([first, first + 1, first + 1, first], axis=1).reshape(-1, 2)
    rows = np.repeat(np.eye(4)[None, :3], len(jobs), axis=0)
    answer = run_steps(answer_steps(Question(tree_set.side, tree_set.side, jobs, rows, rows, threads=1)))
    boxes = [world_bounds(tree_set, jobs[:, side], rows) for side in range(2)]
    resolutions = np.zeros((len(jobs), 2))
    case = Case(tree_set, gather_solids(trees), jobs, rows, rows, *boxes, answer, resolutions)
    return judge(case, Limits()).records([(0, 1)] * len(jobs), NOTHING)
