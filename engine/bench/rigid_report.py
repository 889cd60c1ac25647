"""What the bench ``rigid`` prints: markdown tables, and a judgement of every pair on which python-fcl differs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from meshclash.query.collide import collide
from meshclash.types.pose import transform_points
from oracles.oracle import APART, classify_pairs

from .rigid_peers import MeshPeer
from .rigid_questions import Case, Record
from .table import Row, format_markdown, three_digits

ORDER = ("mathutils", "python-fcl", "coal", "Embree")


def print_tables(records: Sequence[Record], missing: Collection[str]) -> None:
    """One table a question; a peer's cell says its time and how many times ours that is."""
    for question in dict.fromkeys(record.question for record in records):
        asked = [record for record in records if record.question == question]
        print(f"\n{question}\n\n{format_markdown(_rows(asked, missing))}", flush=True)


def _rows(records: Sequence[Record], missing: Collection[str]) -> list[Row]:
    peers = [name for name in ORDER if name in missing or any(name in record.sides for record in records)]
    slowest = max(record.sides[_builders(record)[0]].seconds / record.queries for record in records)
    unit, scale = ("ms", 1e3) if slowest > 2e-4 else ("us", 1e6)
    return [_row(record, builder, peers, missing, unit, scale) for record in records for builder in _builders(record)]


def _builders(record: Record) -> list[str]:
    return [name for name in record.sides if name not in ORDER and not name.endswith("call by call")]


def _row(record: Record, builder: str, peers: list[str], missing: Collection[str], unit: str, scale: float) -> Row:
    ours = record.sides[builder]
    each = scale / record.queries
    counted = "pairs" if record.question.startswith("all") else "poses that meet"
    row: Row = {"mesh": record.mesh, "triangles": record.triangles, "builder": builder}
    row[counted] = _counts(record, ours.answer, peers)
    row[f"ours [{unit}]"] = three_digits(ours.seconds * each)
    calls = record.sides.get(f"{builder}, call by call")
    if calls:
        row["call by call"] = three_digits(calls.seconds * each)
    for peer in peers:
        if peer in record.sides:
            seconds = record.sides[peer].seconds
            row[peer] = f"{three_digits(seconds * each)} ({three_digits(seconds / ours.seconds)}x)"
        else:
            row[peer] = "not installed" if peer in missing else "-"
    return row


def _counts(record: Record, ours: int, peers: list[str]) -> str:
    """Our count, and those of peers that differ."""
    others = [(peer, record.sides[peer].answer) for peer in peers if peer in record.sides]
    return "; ".join([f"{ours:,}", *(f"{peer} {count:,}" for peer, count in others if count != ours)])


def judge_counts(case: Case) -> int:
    """Check that all builders give the same bytes, and let exact arithmetic judge what python-fcl answers otherwise.

    python-fcl computes in double too, so differences are rare; those of other peers come from float32 or tolerances.

    Returns:
        Number of our answers that are wrong.
    """
    poses = np.concatenate([case.poses.light[None], case.poses.deep[None], case.poses.sweep])
    first, *others = (collide(tree, tree, None, poses) for tree in case.trees.values())
    wrong = 0
    for builder, answer in zip(list(case.trees)[1:], others, strict=True):
        if (answer.pairs.tobytes(), answer.kinds.tobytes()) != (first.pairs.tobytes(), first.kinds.tobytes()):
            print(f"!!! {case.mesh}: {builder} and {next(iter(case.trees))} do not give the same bytes", flush=True)
            wrong += 1
    for peer in case.peers:
        if peer.name == "python-fcl":
            for k, pose in enumerate(poses):
                wrong += _judge(case, peer, pose, first.pairs[first.pose == k])
    return wrong


def _judge(case: Case, peer: MeshPeer, pose: np.ndarray, ours: np.ndarray) -> int:
    """Number of our wrong answers among the pairs on which a peer differs."""
    peer.prepare(pose)
    count = case.triangles
    ours_coded, theirs = (pairs.astype(np.int64) @ (count, 1) for pairs in (ours, peer.found()))
    coded = np.setxor1d(ours_coded, theirs)
    if not len(coded):
        return 0
    mesh = next(iter(case.trees.values())).mesh
    corners = mesh.vertices[mesh.triangles]
    meet = classify_pairs(corners[coded // count], transform_points(pose, corners[coded % count])) != APART
    wrong = int((np.isin(coded, ours_coded) != meet).sum())
    print(
        f"{'!!! ' if wrong else ''}{case.mesh}: {len(coded)} of {len(ours):,} pairs are not the same as "
        f"{peer.name}'s; exact arithmetic says that it is wrong in {len(coded) - wrong} of them, we are in {wrong}",
        flush=True,
    )
    return wrong
