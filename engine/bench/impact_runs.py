"""Long runs of the bench of continuous detection: made cases and candidates of scenes against an oracle, in portions.

With ``--state FILE`` a run that was stopped goes on where it was.
The oracle is ``cpp/impact_oracle.cpp`` where there is a compiler, and of each portion some cases are judged by
``impact_oracle.py`` too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.broadphase.sweep import overlapping_pairs
from meshclash.continuous.impacts import STAGE_NAMES, Impacts, edge_edge_impacts, point_triangle_impacts
from oracles.impact_cases import CASES, make_cases

from .native import DriverUnavailable
from .native_impacts import NativeImpacts, python_brackets
from .table import Row
from .tally import Tally

ASK = {"vf": point_triangle_impacts, "ee": edge_edge_impacts}
PORTION = 5000
_CHECKED = 2
"""Cases of a portion that the oracle in Python judges too."""
_SHOWN = 3
WRONG = ("missed", "false", "time wrong")
COUNTERS = ("queries", "hits", *STAGE_NAMES, *WRONG, "engine seconds", "oracle seconds")
_TIGHT = 2.0**-40

Counts = dict[str, Any]
Oracle = Callable[[np.ndarray, bool], np.ndarray]


def element_points(scene: np.lib.npyio.NpzFile, kind: str, pairs: np.ndarray) -> np.ndarray:
    """The points (n, 8, 3) of pairs (n, 2) of elements of a scene."""
    first, second = _corners(scene, kind)
    rows = np.hstack([first[pairs[:, 0]], second[pairs[:, 1]]])
    return np.concatenate([scene["start"][rows], scene["end"][rows]], axis=1)


def _corners(scene: np.lib.npyio.NpzFile, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices of the first and of the second things of candidates of a kind."""
    if kind == "vf":
        return np.arange(len(scene["start"]))[:, None], scene["triangles"]
    return scene["edges"], scene["edges"]


def _candidates(path: Path, kind: str, count: int, seed: int) -> np.ndarray:
    """Random pairs of elements, in portions of points (n, 8, 3), whose boxes around the motion meet.

    None is among the labelled ones, and none comes twice.
    """
    rng = np.random.default_rng(seed)
    scene = np.load(path)
    both = np.stack([scene["start"], scene["end"]])
    corners = _corners(scene, kind)
    boxes = [np.hstack([both[:, c].min(axis=(0, 2)), both[:, c].max(axis=(0, 2))]) for c in corners]
    first, second = (len(c) for c in corners)
    rank = rng.permutation(first)
    chosen = np.zeros(first + second, np.bool_)
    chosen[:first] = rank < count // 5 + 1  # each has dozens of others
    pairs = overlapping_pairs(np.concatenate(boxes), chosen, np.arange(first + second) >= first) - [0, first]
    known = scene[kind].astype(np.int64)
    known = np.concatenate([known @ [second, 1], known[:, ::-1] @ [second, 1]])
    wanted = ~np.isin(pairs @ [second, 1], known)
    if kind == "ee":  # an edge is no other one's only once
        wanted &= rank[pairs[:, 0]] < rank[pairs[:, 1]]
    wanted &= ~(corners[0][pairs[:, 0]][:, :, None] == corners[1][pairs[:, 1]][:, None, :]).any(axis=(1, 2))
    return rng.permutation(pairs[wanted])[:count]


class _Made:
    """Made cases of a class, in portions."""

    def __init__(self, name: str, kind: str, count: int, seed: int) -> None:
        self.name, self.kind, self.count, self._seed = name, kind, count, seed

    def points(self, begin: int) -> np.ndarray:
        number = begin // PORTION
        return make_cases(self.name, PORTION, self._seed, 2 * number + (self.kind == "ee"))[: self.count - begin]


class _OfScene:
    """Candidates of a scene, in portions."""

    def __init__(self, path: Path, kind: str, count: int, seed: int) -> None:
        self.name, self.kind, self._path, self._seed = path.stem, kind, path, seed
        self.count, self._pairs = count, np.empty((0, 2), np.int64)

    def points(self, begin: int) -> np.ndarray:
        if not len(self._pairs):
            self._pairs = _candidates(self._path, self.kind, self.count, self._seed)
        return element_points(np.load(self._path), self.kind, self._pairs[begin : begin + PORTION])


def judge_sets(
    paths: list[Path], candidates: int, made: int, seed: int, state_path: Path | None
) -> tuple[list[Row], int]:
    """Rows of all sets, and how many answers are wrong.

    Args:
        paths: scenes.
        candidates, made: how many of each scene, or class, and kind.

    Raises:
        TallyError: the state file cannot be gone on with.
    """
    sets: list[_Made | _OfScene] = [_Made(name, kind, made, seed) for name in CASES for kind in ASK] if made else []
    sets += [_OfScene(path, kind, candidates, seed) for path in paths for kind in ASK] if candidates else []
    names = [f"{s.name} {s.kind}" for s in sets]
    tally = Tally({"bench": "continuous", "seed": seed, "asked": [made, candidates], "sets": names}, state_path)
    for ask in ASK.values():
        ask(np.zeros((1, 4, 3)), np.zeros((1, 4, 3)))  # compiled before anything is timed
    with ExitStack() as stack:
        oracle = _oracle(stack)
        for one, points in _portions(sets, tally):
            name = f"{one.name} {one.kind}"
            counts, offenders = judge(one.kind, points, oracle)
            tally.add(name, counts, offenders)
            if tally.portion_done():
                judged = tally.sum(("queries",))
                print(f"{judged:,} judged, {tally.sum(WRONG)} wrong; last {name}", file=sys.stderr, flush=True)
    tally.save()
    print("".join(f"{text}\n" for text in tally.notes), end="")
    return [_row(name, tally.of(name, COUNTERS)) for name in names], tally.sum(WRONG)


def _portions(sets: list[_Made | _OfScene], tally: Tally) -> Iterator[tuple[_Made | _OfScene, np.ndarray]]:
    """A portion of each set in turn, from where the state is until all are done."""
    left = list(sets)
    while left:
        for one in list(left):
            begin = tally.counts[f"{one.name} {one.kind}: queries"]
            points = one.points(begin) if begin < one.count else np.empty((0, 8, 3))
            if len(points):
                yield one, points
            else:
                left.remove(one)


def _oracle(stack: ExitStack) -> Oracle:
    try:
        return stack.enter_context(NativeImpacts()).brackets
    except DriverUnavailable as error:
        print(f"the oracle in Python judges alone, eight times slower: {error}", file=sys.stderr)
        return python_brackets


def judge(kind: str, points: np.ndarray, oracle: Oracle) -> tuple[Counts, list[str]]:
    """Counters of a portion, and wrong answers as text."""
    edges = kind == "ee"
    start, end = np.ascontiguousarray(points[:, :4]), np.ascontiguousarray(points[:, 4:])
    begin = time.process_time()
    found = ASK[kind](start, end)
    middle = time.perf_counter()
    engine_seconds = time.process_time() - begin
    truth = oracle(points, edges)
    oracle_seconds = time.perf_counter() - middle
    same = np.array_equal(truth[:_CHECKED], python_brackets(points[:_CHECKED], edges), equal_nan=True)
    if not same:
        raise RuntimeError(f"the oracles differ: {_as_text(points[:_CHECKED])}")
    wrong = _wrong(found, truth)
    counts: Counts = {"queries": len(points), "hits": int(found.hit.sum()), **found.counters}
    counts |= {name: int(mask.sum()) for name, mask in wrong.items()}
    counts |= {"engine seconds": engine_seconds, "oracle seconds": oracle_seconds}
    offenders = [
        f"{name}: {_as_text(points[i])}" for name, mask in wrong.items() for i in np.flatnonzero(mask)[:_SHOWN]
    ]
    return counts, offenders


def _wrong(found: Impacts, truth: np.ndarray) -> dict[str, np.ndarray]:
    low, high = truth.T
    meets = ~np.isnan(low)
    bound = (found.time <= high) & (low - found.time <= _TIGHT) & ((found.time != 0.0) | (low == 0.0))
    return {"missed": meets & ~found.hit, "false": found.hit & ~meets, "time wrong": meets & found.hit & ~bound}


def _as_text(points: np.ndarray) -> str:
    return str([x.hex() for x in points.ravel().tolist()])


def _row(name: str, counts: Counts) -> Row:
    """A row of the table: counters, and microseconds a query."""
    row: Row = {"set": name, **{key: counts[key] for key in COUNTERS if not key.endswith("seconds")}}
    for who in ("engine", "oracle"):
        row[f"us, {who}"] = f"{1e6 * counts[f'{who} seconds'] / max(counts['queries'], 1):.2f}"
    return row
