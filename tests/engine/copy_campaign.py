"""Copies of objects in many states of use: ``python tests/engine/copy_campaign.py --states 100000 --elsewhere 2000``.

Every object of every public class is used, copied or pickled in one way, asked, and its memory overwritten; then the
copy is asked the same. ``--elsewhere`` sends objects to other processes, in batches. Prints counts; exits 1 on faults.
"""

import argparse
import collections
import gc
import os
import sys
import time
import traceback
from pathlib import Path

import meshclash as mc
import numpy as np
from copied_things import EXAMPLES, WAYS, Example
from copying_checks import ELSEWHERE, fault_of, faults_elsewhere, name_of

KINDS = [kind for kind, example in EXAMPLES.items() if isinstance(example, Example)]
COSTLY = (
    mc.Scene, mc.PairGap, mc.PairVerdict, mc.SceneCollisions, mc.SceneContacts, mc.SceneGaps, mc.clouds.CloudContacts,
    mc.manifold.ContactPoints, mc.manifold.ContactRegion, mc.massive.MassiveCollision, mc.motion.ContactInterval,
    mc.motion.KeyframedMotion, mc.motion.LiveChanges, mc.motion.LiveContacts, mc.motion.LiveGaps, mc.motion.ScrewMotion,
    mc.motion.SceneEstimate, mc.motion.SceneStep, mc.motion.SweptContacts, mc.motion.SweptPoints,
    mc.motion.TimeOfContact, mc.shapes.ConvexHull,
    *(kind for kind in KINDS if kind.__module__.startswith(("meshclash.compat", "meshclash.reading"))),
)  # fmt: skip
"""Take ten times as long as the others, and are asked a tenth as often."""
ROUNDS = [*KINDS, *9 * [kind for kind in KINDS if kind not in COSTLY]]
"""The classes of the states, over and over."""


def check_here(states: int, first: int, seconds: float) -> tuple[collections.Counter[str], list[str]]:
    """Copies in this process."""
    counts, faults, end = collections.Counter[str](), [], time.monotonic() + seconds
    ways = [*WAYS, "copy"]
    for seed in range(first, first + states):
        kind, way = ROUNDS[seed % len(ROUNDS)], ways[(seed // len(ROUNDS) + seed) % len(ways)]
        try:
            fault = fault_of(kind, seed, way, look_for_addresses=seed % 16 == 0)
        except Exception:
            fault = traceback.format_exc(limit=-4)
        counts[way] += 1
        counts[name_of(kind)] += 1
        if fault:
            faults.append(f"{name_of(kind)}, seed {seed}, {way}: {fault}")
            print(faults[-1], flush=True)
        if seed % 500 == 0:
            gc.collect()
        if seed % 2000 == 0:
            print(f"seed {seed}: {seed - first + 1} states, {len(faults)} faults", flush=True)
        if time.monotonic() > end:
            break
    return counts, faults


def check_elsewhere(states: int, first: int, batch: int) -> tuple[collections.Counter[str], list[str]]:
    """Objects that are asked in other processes."""
    counts, faults, ways, seed = collections.Counter[str](), [], list(ELSEWHERE), first
    while sum(counts.values()) < states:
        way = ways[len(counts) if len(counts) < len(ways) else int(np.argmin([counts[w] for w in ways]))]
        some = [(KINDS[k % len(KINDS)], k) for k in range(seed, seed + min(batch, states - sum(counts.values())))]
        try:
            found = faults_elsewhere(way, some)
        except Exception:
            found = [f"{way}, seeds from {seed}: {traceback.format_exc(limit=-4)}"]
        seed += len(some)
        counts[way] += len(some)
        faults += found
        print(f"{way}: {counts[way]} states, {len(faults)} faults", *found, sep="\n", flush=True)
    return counts, faults


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=1000, help="copied in this process")
    parser.add_argument("--elsewhere", type=int, default=0, help="sent to other processes")
    parser.add_argument("--batch", type=int, default=250, help="sent together")
    parser.add_argument("--seed", type=int, default=1, help="of the first state; each has the next one")
    parser.add_argument("--seconds", type=float, default=np.inf, help="after which no state in this process begins")
    options = parser.parse_args()
    counts, faults = check_here(options.states, options.seed, options.seconds)
    done = sum(counts[way] for way in (*WAYS, "copy"))
    print(*(f"{count:7} {name}" for name, count in counts.items()), sep="\n")
    print(f"here: {done} states of {len(KINDS)} classes, {len(faults)} faults", flush=True)
    if options.elsewhere:
        os.environ["PYTHONPATH"] = os.pathsep.join((str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")))
        counts, more = check_elsewhere(options.elsewhere, options.seed, options.batch)
        faults += more
        print(f"elsewhere: {dict(counts)}, {sum(counts.values())} states, {len(more)} faults", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
