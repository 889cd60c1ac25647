"""Kills a build of a clustered mesh at many moments; the next call must finish it, or start clean, with the same bytes.

    python tests/engine/massive_kills.py --moments 200 --triangles 200000
    python tests/engine/massive_kills.py --moments 200 --triangles 100000 --levels
    python tests/engine/massive_kills.py --moments 200 --triangles 10000 --progressive

Each moment is a share of the time of an undisturbed build. The process is ended as by ``kill -9``; at every second
moment the build that follows is killed as well before a last one ends it. With ``--levels`` or ``--progressive`` it is
the build of a mesh's levels or of its progressive meshes. For systems that can fork. Prints a table of the stages in
which builds were interrupted; exit status 1 when a file differs, a half-written file took its place, or something was
left behind.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "engine"))

import meshclash as mc  # noqa: E402
from oracles.mesh_files import write_ply  # noqa: E402
from oracles.mesh_generators import MAKERS  # noqa: E402

_SMALL_CLUSTERS = {"levels": 64, "progressive": 16}
"""Triangles, so that there are many between two notes of what is finished."""


class Campaign:
    """A source, the bytes that its file must have, and what was seen.

    Args:
        folder: to work in.
        triangles: of the source.
        memory: of a build [bytes].
        part: what of a mesh is built, "levels" or "progressive"; "" for the mesh itself.
    """

    def __init__(self, folder: Path, triangles: int, memory: int, part: str) -> None:
        self.source, self.target, self._memory = folder / "model.ply", folder / "model.mcl", memory
        self._part = part
        write_ply(self.source, *MAKERS["scan"](triangles, 1))
        list(mc.warm_up(["massive"]))
        if part:
            mc.massive.ClusteredMesh.build(self.source, self.target, cluster_triangles=_SMALL_CLUSTERS[part]).close()
            self.source, self.target = self.target, folder / f"model.mcl.{part}"
        start = time.perf_counter()
        assert self._run(None)
        self.seconds = time.perf_counter() - start
        self.expected = self._digest()
        self.target.unlink()
        self.stages: Counter[str] = Counter()
        self.wrong: list[str] = []

    def at(self, moment: float, again: float | None) -> None:
        """Kill a build after a time [s], maybe the next one after another time, and let a last one end."""
        self.target.unlink(missing_ok=True)
        for seconds in (moment, again):
            if seconds is not None and not self._run(seconds):
                self.stages[self._stage()] += 1
                if self.target.exists() and self._digest() != self.expected:
                    self.wrong.append(f"killed after {seconds:.3f} s: a file that is not whole took its place")
        if not self._run(None) or self._digest() != self.expected:
            self.wrong.append(f"killed after {moment:.3f} s: the file is another one")
        if self._work.exists():
            self.wrong.append(f"killed after {moment:.3f} s: {self._work} was left behind")

    @property
    def _work(self) -> Path:
        return self.target.with_name(self.target.name + ".building")

    def _run(self, seconds: float | None) -> bool:
        """A build in a child of this process, killed after a time; whether it ended by itself."""
        child = os.fork()
        if child == 0:
            try:
                self._build()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)  # a child that has ended waits for its parent to know, so the number is its
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise RuntimeError("a build failed")
        return os.WIFEXITED(status)

    def _build(self) -> None:
        if not self._part:
            mc.massive.ClusteredMesh.build(self.source, self.target, memory=self._memory).close()
            return
        with mc.massive.ClusteredMesh.open(self.source) as mesh:
            if self._part == "levels":
                mc.massive.MeshLevels.build(mesh, threads=1).close()  # a forked process has no threads of its parent's
            else:
                mc.lab.ProgressiveMeshes.build(mesh).close()

    def _stage(self) -> str:
        """What the journal of an interrupted build says is finished."""
        if self.target.exists() and not self._work.exists():
            return "finished"
        try:
            journal = json.loads((self._work / "journal.json").read_bytes())
        except OSError:
            return "reading"
        if self._part:
            return f"{journal.get('clusters', 0):5} clusters"
        if "runs" not in journal:
            return "read"
        return f"run {journal['runs']}" + (", merging" if (self._work / "mesh").exists() else "")

    def _digest(self) -> str:
        return hashlib.sha256(self.target.read_bytes()).hexdigest()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--triangles", type=int, default=200_000)
    parser.add_argument("--memory", type=int, default=1 << 26, help="bytes of a build (default: 64 MB)")
    parts = parser.add_mutually_exclusive_group()
    for part, text in (("levels", "levels"), ("progressive", "progressive meshes")):
        parts.add_argument(
            f"--{part}", dest="part", action="store_const", const=part, default="", help=f"build the {text} of a mesh"
        )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), options.triangles, options.memory, options.part)
        for number, share in enumerate(np.linspace(0.0, 1.05, options.moments).tolist()):
            again = campaign.seconds * float(rng.uniform(0.0, 1.0)) if number % 2 else None
            campaign.at(share * campaign.seconds, again)
    print(f"{options.moments} moments of a build of {campaign.seconds:.2f} s")
    print(f"interrupted {campaign.stages.total()} times:")
    for stage, count in sorted(campaign.stages.items()):
        print(f"  {stage:20} {count}")
    print(*campaign.wrong, sep="\n", end="\n" if campaign.wrong else "")
    print(f"{len(campaign.wrong)} wrong")
    return int(bool(campaign.wrong))


if __name__ == "__main__":
    sys.exit(main())
