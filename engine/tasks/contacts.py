"""Contacts of pairs of clustered meshes, tile by tile."""

import time
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np
from meshclash.errors import InvalidFile, UnsupportedOption
from meshclash.massive.cluster_candidates import candidate_steps
from meshclash.massive.cluster_contacts import ContactOptions, Portion, Tally, counts_of, joined, pairs_steps
from meshclash.massive.mesh import ClusteredMesh
from meshclash.massive.operands import as_sources, side_of
from meshclash.traversal.contacts import Contacts
from meshclash.types.pose import PoseLike, every_pose
from meshclash.types.results import Progress
from meshclash.types.steps import in_slices, run, scale_progress

from .files import FileMark
from .meshes import mark_of, opened
from .task import Task, Workers
from .tiles import TILE_TRIANGLES, tiles_of

_CUTTING = 0.02
"""Share of the whole work that cutting is said to be."""


class ModelPair(NamedTuple):
    """Two clustered meshes in poses, one or (k, 4, 4) each, as ``collide`` takes them."""

    a: ClusteredMesh
    b: ClusteredMesh
    pose_a: PoseLike = None
    pose_b: PoseLike = None


class _Begun(NamedTuple):
    """A pair of models whose tiles are tasks."""

    pair: ModelPair
    rows: tuple[np.ndarray, np.ndarray]
    tally: Tally


@in_slices
def collide_pairs(
    pairs: Sequence[ModelPair], workers: Workers, *, touching: bool = True, tile_triangles: int = TILE_TRIANGLES
) -> Generator[Progress, None, list[Contacts]]:
    """What ``collide`` gives for each pair of models, byte by byte, found by workers.

    Args:
        pairs: their files must lie under the same path for every worker.
        workers: ``ThisProcess()``, or ``DaskWorkers``.
        touching: as ``collide`` takes it.
        tile_triangles: triangles of the pages of a task at most; one pair of clusters is a task at least.

    Raises:
        InvalidFile: a file cannot be read, or a worker has another one under its name.
        WorkersUnavailable: as ``Workers``.
        UnsupportedOption: a model is not clustered, or too little memory.
    """
    start = time.perf_counter()
    begun: list[_Begun] = []
    tasks: list[Task] = []
    owners: list[tuple[Tally, int]] = []
    for pair in pairs:
        rows = every_pose(pair.pose_a, pair.pose_b)[:2]
        begun.append(_Begun(pair, rows, Tally()))
        for pose, task in _tasks_of(pair, rows, touching, tile_triangles):
            tasks.append(task)
            owners.append((begun[-1].tally, pose))
            yield Progress(0.0, f"{len(tasks)} tiles")
    waiting = iter(owners)

    def take(answer: dict[str, Any]) -> None:
        tally, pose = next(waiting)
        tally.take(pose, answer["counts"], Portion(answer["pairs"], answer["places"], answer["kinds"]))

    yield from scale_progress(workers.run_steps(tasks, take), _CUTTING, 1.0)
    return [_contacts(item, time.perf_counter() - start) for item in begun]


def _tasks_of(
    pair: ModelPair, rows: tuple[np.ndarray, np.ndarray], touching: bool, most: int
) -> Generator[tuple[int, Task], None, None]:
    """The tasks of a pair of models, and which pose each belongs to."""
    for model in (pair.a, pair.b):
        if not isinstance(model, ClusteredMesh):
            raise UnsupportedOption(
                f"workers read models from their files: a ClusteredMesh, not {type(model).__name__}"
            )
    sides = side_of(pair.a), side_of(pair.b)
    files = [tuple(mark_of(model)) for model in (pair.a, pair.b)]
    memory = min(pair.a.memory, pair.b.memory)
    for pose in range(len(rows[0])):
        placed = rows[0][pose], rows[1][pose]
        near = run(candidate_steps(*sides, *placed, 0.0))
        for k, tile in enumerate(tiles_of(*sides, near, most)):
            given = {"files": files, "memory": memory, "rows": np.stack(placed), "touching": touching, "tile": tile}
            yield pose, Task("contacts", given, f"tile {k} of {pair.a.path.name} and {pair.b.path.name}, pose {pose}")


def contacts_of_tile(given: dict[str, Any]) -> dict[str, Any]:
    """The contacts of some pairs of clusters of two files in one pose: what a worker does."""
    a, b = opened([FileMark(*mark) for mark in given["files"]], given["memory"])
    tile: np.ndarray = given["tile"]
    if (tile < 0).any() or (tile >= (a.cluster_count, b.cluster_count)).any():
        raise InvalidFile(f"{a.path}, {b.path}: the task names clusters that these files do not have")
    tally, sides = Tally(), (side_of(a), side_of(b))
    options = ContactOptions(crossing_only=not given["touching"])
    rows = np.array(given["rows"][0]), np.array(given["rows"][1])  # what came by the network is read-only
    run(pairs_steps(*sides, 0, rows, options, tile, tally))
    answer, places = joined(*sides, tally, 1)
    counts = counts_of(answer)
    return {"pairs": answer.pairs.astype(np.int64), "places": places, "kinds": answer.kinds, "counts": counts}


def _contacts(begun: _Begun, seconds: float) -> Contacts:
    sides = side_of(begun.pair.a), side_of(begun.pair.b)
    answer, places = joined(*sides, begun.tally, len(begun.rows[0]))
    meshes = as_sources(*sides, answer.pairs, places)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, answer.stats(seconds), meshes, begun.rows)
