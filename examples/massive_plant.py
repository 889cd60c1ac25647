"""A plant of vessels that share one file: which of them stand in each other is known by construction.

    python examples/massive_plant.py                                         # 200 vessels of 20,000 triangles
    python examples/massive_plant.py --triangles 2000000 --vessels 500       # a billion triangles, one file of 40 MB

The vessels are balls with dents, between two spheres, in a grid so wide that they are apart; every tenth was put too
near its neighbour, so that even the inner spheres overlap. A ``Scene`` holds one ``ClusteredMesh`` in as many poses as
there are vessels. Exit status 1 where the pairs that it finds are others.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import massive_models
import meshclash as mc

RADIUS = 0.5
SPACING, TOO_NEAR = 1.25, 0.9
"""Between middles [m]: more than twice the radius, and less than twice the inner radius."""


def places(vessels: int) -> np.ndarray:
    """Middles of the vessels, (n, 3) [m]."""
    along = math.ceil(math.sqrt(vessels))
    number = np.arange(vessels)
    found = np.stack([SPACING * (number % along), 2.0 * SPACING * (number // along), np.zeros(vessels)], axis=1)
    moved = (number % 10 == 1) & (number % along > 0)
    found[moved, 0] -= SPACING - TOO_NEAR
    return found


def expected(middles: np.ndarray) -> list[list[int]]:
    """Pairs of vessels that stand in each other, sorted."""
    gaps = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    first, second = np.nonzero(np.triu(gaps < 2.0 * RADIUS, 1))
    return [[int(a), int(b)] for a, b in zip(first, second, strict=True)]


def main(arguments: list[str] | None = None) -> int:
    """Build, ask and compare; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--triangles", type=int, default=20_000, help="of a vessel")
    parser.add_argument("--vessels", type=int, default=200)
    parser.add_argument("--memory", type=float, default=64.0, metavar="MB")
    parser.add_argument("--folder", type=Path, help="for the file (default: a temporary one)")
    options = parser.parse_args(arguments)
    middles = places(options.vessels)
    rng = np.random.default_rng(7)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        source = massive_models.ball(options.triangles, RADIUS)
        mc.massive.ClusteredMesh.build(source, Path(folder) / "vessel.mcl").close()
        with mc.massive.ClusteredMesh.open(Path(folder) / "vessel.mcl", int(options.memory * 2**20)) as vessel:
            scene = mc.Scene()
            for middle in middles:
                turn = rng.uniform(0.0, 2.0 * math.pi)
                pose = np.eye(4)
                pose[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
                pose[:3, 3] = middle
                scene.add(vessel, pose)
            start = time.perf_counter()
            found = scene.contacts()
            seconds = time.perf_counter() - start
            total = len(middles) * vessel.triangle_count
    pairs = sorted([pair.a, pair.b] for pair in found.pairs)
    print(f"{len(middles)} vessels, {total:,} triangles: {len(pairs)} pairs stand in each other, {seconds:.1f} s")
    right = pairs == expected(middles) and all(pair.verdict == mc.Verdict.CLASH for pair in found.pairs)
    print("as constructed" if right else f"expected {expected(middles)}, found {pairs}")
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
