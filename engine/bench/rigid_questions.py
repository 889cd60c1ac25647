"""The questions of the bench ``rigid``: every side is asked the same, in turn, and what each needed is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.query.collide import collide, collides
from oracles.rigid_poses import ANGLES, Poses

from .rigid_peers import MeshPeer
from .timing import Ask, Timing, called, compare

REBUILD_SECONDS = 2.0
"""About how long the peers that rebuild are asked in all; at least once in each pose."""


@dataclass(frozen=True)
class Case:
    """Two copies of one mesh, everything prepared."""

    mesh: str
    triangles: int
    trees: dict[str, Hierarchy]
    """Ours, by builder."""
    peers: list[MeshPeer]
    poses: Poses
    runs: int


@dataclass
class Record:
    """What all sides needed for one question."""

    question: str
    mesh: str
    triangles: int
    queries: int
    """How many queries one call stands for."""
    sides: dict[str, Timing]
    """Ours by builder, ``BUILDER, call by call`` for single Python calls, peers by name."""

    def as_json(self) -> dict[str, Any]:
        """Plain values for a report."""
        sides = {name: timing._asdict() for name, timing in self.sides.items()}
        return {**self.__dict__, "sides": sides}


def ask_all(case: Case) -> Iterator[Record]:
    """Every question, one after the other."""
    poses = case.poses
    yield _prepared(case, "all pairs, light", poses.light)
    yield _prepared(case, "all pairs, deep", poses.deep)
    yield _moving(case)
    if any(peer.rebuilds for peer in case.peers):
        yield _rebuilding(case)
    yield _first(case, "first contact, sweep", poses.sweep)
    for gap, near in poses.near.items():
        yield _first(case, f"first contact, gap {gap}", np.tile(near, (10, 1, 1)))
    for gap, near in poses.near.items():
        yield _near_miss(case, f"near miss, prepared, gap {gap}", near[3])


def _record(case: Case, question: str, queries: int, sides: dict[str, Timing]) -> Record:
    return Record(question, case.mesh, case.triangles, queries, sides)


def _ours(case: Case, question: Callable[[Hierarchy, np.ndarray], int], poses: np.ndarray) -> dict[str, Ask]:
    def side(tree: Hierarchy) -> Ask:
        return called(lambda: question(tree, poses))

    return {builder: side(tree) for builder, tree in case.trees.items()}


def _call_by_call(question: Callable[[Hierarchy, np.ndarray], int]) -> Callable[[Hierarchy, np.ndarray], int]:
    return lambda tree, poses: sum(question(tree, pose) for pose in poses)


def _all_pairs(tree: Hierarchy, poses: np.ndarray) -> int:
    return len(collide(tree, tree, None, poses))


def _any_pair(tree: Hierarchy, poses: np.ndarray) -> int:
    return int(np.count_nonzero(collides(tree, tree, None, poses)))


def _prepared(case: Case, question: str, pose: np.ndarray) -> Record:
    """One pose; what a peer needs before it can be asked in it is done beforehand."""
    sides = _ours(case, _all_pairs, pose)
    for peer in case.peers:
        peer.prepare(pose)
        sides[peer.name] = peer.ask("all")
    return _record(case, question, 1, compare(sides, case.runs))


def _near_miss(case: Case, question: str, pose: np.ndarray) -> Record:
    """One pose, one call: peers without a first contact look for all, and find none either."""
    sides = _ours(case, _any_pair, pose)
    for peer in case.peers:
        peer.prepare(pose)
        sides[peer.name] = peer.ask("any", pose[None]) or peer.ask("all")
    return _record(case, question, 1, compare(sides, case.runs))


def _moving(case: Case) -> Record:
    """The sweep in a stack and call by call; peers do whatever a new pose asks of them."""
    sweep = case.poses.sweep
    sides = _ours(case, _all_pairs, sweep)
    calls = _ours(case, _call_by_call(_all_pairs), sweep)
    sides.update({f"{builder}, call by call": ask for builder, ask in calls.items()})
    sides.update({peer.name: peer.ask("all", sweep) for peer in case.peers if not peer.rebuilds})
    return _record(case, "all pairs, sweep", len(sweep), compare(sides, case.runs))


def _rebuilding(case: Case) -> Record:
    """Ten poses of the sweep, each distance with another angle, beside the peers that rebuild or refit for each."""
    poses = case.poses.sweep[:: len(ANGLES) + 1]
    peers = [peer for peer in case.peers if peer.rebuilds]
    seconds = {peer.name: peer.ask("all", poses[:1])(1)[0] for peer in peers}
    rounds = int(np.clip(REBUILD_SECONDS / (len(poses) * sum(seconds.values())), 1, case.runs))
    slow = [name for name, taken in seconds.items() if taken * case.runs * len(poses) > REBUILD_SECONDS]
    rows = [compare(_rebuilding_sides(case, peers, pose[None]), rounds, slow) for pose in poses]
    sides = {
        name: Timing(sum(row[name].seconds for row in rows), 0.0, sum(row[name].answer for row in rows))
        for name in rows[0]
    }
    return _record(case, "all pairs, rebuilding", len(poses), sides)


def _rebuilding_sides(case: Case, peers: list[MeshPeer], poses: np.ndarray) -> dict[str, Ask]:
    return {**_ours(case, _call_by_call(_all_pairs), poses), **{peer.name: peer.ask("all", poses) for peer in peers}}


def _first(case: Case, question: str, poses: np.ndarray) -> Record:
    """Whether anything meets, for a stack of poses and call by call."""
    sides = _ours(case, _any_pair, poses)
    calls = _ours(case, _call_by_call(_any_pair), poses)
    sides.update({f"{builder}, call by call": ask for builder, ask in calls.items()})
    for peer in case.peers:
        ask = peer.ask("any", poses)
        if ask is not None:
            sides[peer.name] = ask
    return _record(case, question, len(poses), compare(sides, case.runs))
