"""Part of the bench of continuous detection: whole steps of scenes, beside ipctk where it is installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.continuous.swept import swept_self_collide
from meshclash.types.mesh import TriangleMesh

from .table import Row


def time_steps(folder: Path, runs: int) -> list[Row]:
    """Milliseconds of processor time of the earliest moment, of all pairs, and of ipctk's earliest, one thread each."""
    try:
        import ipctk
    except ImportError:
        ipctk = None
        print("ipctk is not installed: our own times only")
    rows = []
    for path in sorted(folder.glob("*.npz")):
        if path.stem == "queries":
            continue
        scene = np.load(path)
        mesh = TriangleMesh(scene["start"], scene["triangles"])
        asks: dict[str, Callable[[], Any]] = {
            "first": lambda m=mesh, s=scene: swept_self_collide(m, None, s["end"], first_only=True, threads=1),
            "all": lambda m=mesh, s=scene: swept_self_collide(m, None, s["end"], threads=1),
        }
        if ipctk is not None:
            asks["ipctk"] = _peer(ipctk, scene)
        best: dict[str, float] = dict.fromkeys(asks, np.inf)
        answers: dict[str, Any] = {}
        for _ in range(runs):
            for name, ask in asks.items():
                begin = time.process_time()
                answers[name] = ask()
                best[name] = min(best[name], 1e3 * (time.process_time() - begin))
        first, every = answers["first"], answers["all"]
        row: Row = {"step": path.stem, "triangles": mesh.triangle_count, "pairs": len(every)}
        row |= {f"{name} ms": value for name, value in best.items()}
        row["earliest"] = f"{first.time[0]:.9f}" if len(first) else "-"
        row["left for Python's integers"] = every.counters["rational"]
        if ipctk is not None:
            row["ipctk's"] = f"{answers['ipctk']:.9f}"
            row["ratio"] = best["ipctk"] / best["first"]
        rows.append(row)
    return rows


def _peer(ipctk: Any, scene: Any) -> Callable[[], float]:
    """ipctk's step without a collision: candidates by LBVH, then its default narrow phase, one thread."""
    ipctk.set_num_threads(1)
    start, end = scene["start"], scene["end"]
    mesh = ipctk.CollisionMesh(start, scene["edges"].astype(np.int32), scene["triangles"].astype(np.int32))
    return lambda: ipctk.compute_collision_free_stepsize(mesh, start, end, broad_phase=ipctk.LBVH())
