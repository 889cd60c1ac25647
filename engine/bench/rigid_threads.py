"""Several threads against one: wall time of our own queries, in a process that may use every core."""

from __future__ import annotations

import multiprocessing
import os
import time

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.query.collide import collide
from meshclash.types.mesh import TriangleMesh
from meshclash.warming import warm_up

from .rigid_poses import Poses
from .table import Row

Triangles = tuple[np.ndarray, np.ndarray]
RUNS = 25


def thread_rows(name: str, mesh: Triangles, split: str, poses: Poses, threads: int, cores: set[int]) -> list[Row]:
    """A line a question: least and median wall time on one thread and on several; are the bytes the same?"""
    with multiprocessing.get_context("spawn").Pool(1, os.sched_setaffinity, (0, cores)) as pool:
        return pool.apply(_rows, (name, mesh, split, poses, threads))


def _rows(name: str, mesh: Triangles, split: str, poses: Poses, threads: int) -> list[Row]:
    for _ in warm_up(["more"]):  # the kernel for several cores is taken only once it is compiled
        pass
    tree = build(TriangleMesh(*mesh), split=split)
    rows = []
    for question, pose in (("deep", poses.deep), ("sweep", poses.sweep)):
        one, several = (collide(tree, tree, None, pose, threads=count) for count in (1, threads))
        walls = np.empty((RUNS, 2))
        for run in range(RUNS):
            for k, count in enumerate((1, threads)):
                start = time.perf_counter()
                collide(tree, tree, None, pose, threads=count)
                walls[run, k] = time.perf_counter() - start
        least, median = 1e3 * walls.min(axis=0), 1e3 * np.median(walls, axis=0)
        row: Row = {"mesh": name, "triangles": len(mesh[1]), "builder": split, "question": question}
        row["threads"] = f"{one.stats.threads} / {several.stats.threads}"
        row.update({"least [ms]": f"{least[0]:.3g} / {least[1]:.3g}", "ratio": float(least[0] / least[1])})
        row.update({"median [ms]": f"{median[0]:.3g} / {median[1]:.3g}", "its ratio": float(median[0] / median[1])})
        row["same bytes"] = "yes" if one.pairs.tobytes() == several.pairs.tobytes() else "NO"
        rows.append(row)
    return rows
