"""Damages files of a clustered mesh and of its levels: each question must be refused, or have the answer it had before.

    python tests/engine/massive_damage.py --damages 10000

Each damage is a flipped bit, some flipped bits, bytes replaced by others, an end cut off or bytes appended; then the
mesh is opened and asked for contacts, a level for its triangles, and ``massive_collide`` for what comes near.
Prints how many questions were refused and how many had the same answer; exit status 1 when any other thing happened.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "engine"))

import meshclash as mc  # noqa: E402
from meshclash.bench.mesh_generators import MAKERS  # noqa: E402

_ERROR = 0.05


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """A file with something wrong."""
    found = bytearray(raw)
    way = rng.randrange(5)
    if way == 0:
        return bytes(found[: rng.randrange(len(raw))])
    if way == 1:
        return raw + rng.randbytes(rng.randrange(1, 300))
    at = rng.choice((rng.randrange(len(raw)), rng.randrange(min(256, len(raw))), len(raw) - 1 - rng.randrange(300)))
    if way == 2:
        end = min(len(raw), at + rng.randrange(1, 64))
        found[at:end] = rng.randbytes(end - at)
        return bytes(found)
    for _ in range(1 if way == 3 else rng.randrange(2, 6)):
        found[at] ^= 1 << rng.randrange(8)
        at = rng.randrange(len(raw))
    return bytes(found)


def answers(path: Path, model: mc.TriangleMesh) -> list[bytes | None]:
    """What the mesh and its levels say; None for what is refused."""
    found: list[bytes | None] = []
    for question in (contacts, coarse, near):
        try:
            with mc.ClusteredMesh.open(path) as mesh:
                found.append(question(mesh, model))
        except mc.InvalidFile as error:
            if path.name not in str(error):
                raise RuntimeError(f"an error that names no file: {error}") from error
            found.append(None)
    return found


def contacts(mesh: mc.ClusteredMesh, model: mc.TriangleMesh) -> bytes:
    hits = mc.collide(mesh, model)
    return hits.pairs.tobytes() + hits.kinds.tobytes()


def coarse(mesh: mc.ClusteredMesh, _: mc.TriangleMesh) -> bytes:
    """The triangles of a level."""
    with mc.MeshLevels.open(mesh) as levels:
        pages = levels.level(_ERROR).pages
        parts = (pages.read(number) for number in range(pages.header.clusters))
        return b"".join(part.vertices[part.corners].tobytes() for part in parts)


def near(mesh: mc.ClusteredMesh, model: mc.TriangleMesh) -> bytes:
    rows = mc.massive_collide(mesh, model, epsilon=_ERROR)
    return rows.clusters_a.tobytes() + rows.lower.tobytes() + rows.upper.tobytes()


def main(arguments: list[str] | None = None) -> int:
    """Damage files, ask and compare; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--damages", type=int, default=10_000, help="of each of both files")
    parser.add_argument("--triangles", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mcl"
        with mc.ClusteredMesh.build(MAKERS["scan"](options.triangles, 1), path, cluster_triangles=64) as mesh:
            mc.MeshLevels.build(mesh).close()
        vertices, triangles = MAKERS["part"](200, 2)
        model = mc.TriangleMesh(0.2 * vertices + (0.9, 0.0, 0.0), triangles)  # meets some pages of many
        expected = answers(path, model)
        for target in (path, path.with_name(path.name + ".levels")):
            raw, counts = target.read_bytes(), Counter[str]()
            for number in range(options.damages):
                target.write_bytes(damaged(raw, rng))
                for found, right in zip(answers(path, model), expected, strict=True):
                    word = "refused" if found is None else "the same" if found == right else "wrong"
                    counts[word] += 1
                    if word == "wrong":
                        print(f"{target.name}, damage {number}: another answer")
            target.write_bytes(raw)
            wrong += counts["wrong"]
            print(f"{target.name}: {options.damages} damages; questions {dict(counts)}")
    print(f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
