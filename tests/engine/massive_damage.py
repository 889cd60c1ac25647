"""Damages files of a clustered mesh, its levels, progressive meshes: each question is refused, or has its old answer.

    python tests/engine/massive_damage.py --damages 10000
    python tests/engine/massive_damage.py --damages 5000 --files progressive --ways bit
    python tests/engine/massive_damage.py --damages 5000 --files progressive --ways cut

Each damage is a flipped bit, some flipped bits, bytes replaced by others, an end cut off or bytes appended; then the
mesh is opened and asked for contacts, a level and all stops of progressive meshes for their triangles, and
``massive_collide`` for what comes near, each as far as the file has to do with it.
Prints how many questions were refused and how many had the same answer; exit status 1 when any other thing happened.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "engine"))

import meshclash as mc  # noqa: E402
from meshclash.massive.pages import PageFile  # noqa: E402
from oracles.mesh_generators import MAKERS  # noqa: E402

_ERROR = 0.05
_WAYS = ("bit", "bits", "bytes", "cut", "longer")


def damaged(raw: bytes, way: str, rng: random.Random) -> bytes:
    """A file with something wrong."""
    found = bytearray(raw)
    if way == "cut":
        return bytes(found[: rng.randrange(len(raw))])
    if way == "longer":
        return raw + rng.randbytes(rng.randrange(1, 300))
    at = rng.choice((rng.randrange(len(raw)), rng.randrange(min(256, len(raw))), len(raw) - 1 - rng.randrange(300)))
    if way == "bytes":
        end = min(len(raw), at + rng.randrange(1, 64))
        found[at:end] = rng.randbytes(end - at)
        return bytes(found)
    for _ in range(1 if way == "bit" else rng.randrange(2, 6)):
        found[at] ^= 1 << rng.randrange(8)
        at = rng.randrange(len(raw))
    return bytes(found)


def answers(path: Path, model: mc.TriangleMesh, names: Sequence[str]) -> list[bytes | None]:
    """What the mesh and what lies beside it say; None for what is refused."""
    found: list[bytes | None] = []
    for name in names:
        try:
            with mc.massive.ClusteredMesh.open(path) as mesh:
                found.append(QUESTIONS[name](mesh, model))
        except mc.InvalidFile as error:
            if path.name not in str(error):
                raise RuntimeError(f"an error that names no file: {error}") from error
            found.append(None)
    return found


def contacts(mesh: mc.massive.ClusteredMesh, model: mc.TriangleMesh) -> bytes:
    hits = mc.collide(mesh, model)
    return hits.pairs.tobytes() + hits.kinds.tobytes()


def level(mesh: mc.massive.ClusteredMesh, _: mc.TriangleMesh) -> bytes:
    """The triangles of a level."""
    with mc.massive.MeshLevels.open(mesh) as levels:
        pages = levels.level(_ERROR).pages
        return corners(pages, range(pages.header.clusters))


def stops(mesh: mc.massive.ClusteredMesh, _: mc.TriangleMesh) -> bytes:
    """The triangles of all meshes for which bounds were proved."""
    with mc.lab.ProgressiveMeshes.open(mesh) as progressive:
        pages = progressive.stops(1 << 26).pages
        return corners(pages, np.flatnonzero(pages.table["triangles"][: pages.clusters_at]).tolist())


def corners(pages: PageFile, numbers: Iterable[int]) -> bytes:
    """Those of the triangles of some pages."""
    parts = (pages.read(number) for number in numbers)
    return b"".join(part.vertices[part.corners].tobytes() for part in parts)


def near(
    mesh: mc.massive.ClusteredMesh, model: mc.TriangleMesh, ask: Callable[..., mc.massive.MassiveCollision]
) -> bytes:
    rows = ask(mesh, model, epsilon=_ERROR)
    return rows.clusters_a.tobytes() + rows.lower.tobytes() + rows.upper.tobytes()


QUESTIONS: dict[str, Callable[[mc.massive.ClusteredMesh, mc.TriangleMesh], bytes]] = {
    "contacts": contacts,
    "level": level,
    "near": partial(near, ask=mc.massive.massive_collide),
    "stops": stops,
    "near by stops": partial(near, ask=mc.lab.progressive_collide),
}
FILES = {
    "mesh": ("", tuple(QUESTIONS)),
    "levels": (".levels", ("level", "near")),
    "progressive": (".progressive", ("stops", "near by stops")),
}
"""Ends of the names of files that are damaged, and what is asked then."""


def main(arguments: list[str] | None = None) -> int:
    """Damage files, ask and compare; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--damages", type=int, default=10_000, help="of each file")
    parser.add_argument("--triangles", type=int, default=3000)
    parser.add_argument("--files", nargs="+", choices=FILES, default=list(FILES))
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=list(_WAYS), help="one of them for each damage")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mcl"
        with mc.massive.ClusteredMesh.build(MAKERS["scan"](options.triangles, 1), path, cluster_triangles=64) as mesh:
            mc.massive.MeshLevels.build(mesh).close()
            mc.lab.ProgressiveMeshes.build(mesh).close()
        wrong = sum(campaign(path, name, options) for name in options.files)
    print(f"{wrong} wrong")
    return int(wrong > 0)


def campaign(path: Path, name: str, options: argparse.Namespace) -> int:
    """Damage one file again and again; returns how many answers were other ones."""
    rng = random.Random(options.seed)
    vertices, triangles = MAKERS["part"](200, 2)
    model = mc.TriangleMesh(0.2 * vertices + (0.9, 0.0, 0.0), triangles)  # meets some pages of many
    ending, asked = FILES[name]
    target = path.with_name(path.name + ending)
    expected = answers(path, model, asked)
    if None in expected or b"" in expected:
        raise RuntimeError(f"{target.name}: a question has no answer to compare with")
    raw, counts = target.read_bytes(), Counter[str]()
    for number in range(options.damages):
        target.write_bytes(damaged(raw, rng.choice(options.ways), rng))
        for found, right in zip(answers(path, model, asked), expected, strict=True):
            word = "refused" if found is None else "the same" if found == right else "wrong"
            counts[word] += 1
            if word == "wrong":
                print(f"{target.name}, damage {number}: another answer")
    target.write_bytes(raw)
    print(f"{target.name}: {options.damages} damages; questions {dict(counts)}")
    return counts["wrong"]


if __name__ == "__main__":
    sys.exit(main())
