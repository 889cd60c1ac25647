"""Questions about clustered meshes: options checked, answered by ``massive``, results as for meshes in memory."""

import time
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..massive.contacts import ContactOptions, contact_steps
from ..massive.near import clearance_steps, nearest_steps
from ..massive.sides import Clusters, as_sources, side_of
from ..traversal.contacts import Contacts
from ..traversal.question import Answer
from ..types.mesh import Corners
from ..types.pose import PoseLike, matched_poses
from ..types.steps import run
from ..volumes.registry import DEFAULT_VOLUME, volume_named
from .engines import require_hierarchies
from .options import check_device


def clustered_contacts(
    things: tuple[Any, Any],
    poses: tuple[PoseLike, PoseLike],
    options: ContactOptions,
    volume: str | None,
    device: str,
    engine: str = "auto",
) -> Contacts:
    """The contacts of two objects, or of one with itself; a clustered mesh among them."""
    start = time.perf_counter()
    _check(volume, device, engine)
    rows_a, rows_b, _ = matched_poses(*poses)
    sides = side_of(things[0]), side_of(things[1])
    answer, places = run(contact_steps(*sides, rows_a, rows_b, options))
    stats = answer.stats(time.perf_counter() - start)
    meshes = as_sources(*sides, answer.pairs, places)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, (rows_a, rows_b))


def clustered_meet(
    things: tuple[Any, Any], poses: tuple[PoseLike, PoseLike], options: ContactOptions, volume: str | None, device: str
) -> bool | np.ndarray:
    """Whether two objects meet: bool, or (k,) bool for a stack of poses."""
    _check(volume, device)
    rows_a, rows_b, stacked = matched_poses(*poses)
    answer, _ = run(contact_steps(side_of(things[0]), side_of(things[1]), rows_a, rows_b, options))
    met = np.zeros(max(len(rows_a), len(rows_b)), np.bool_)
    met[answer.jobs] = True
    return met if stacked else bool(met[0])


def clustered_clearances(
    things: tuple[Any, Any],
    rows: tuple[np.ndarray, np.ndarray],
    tolerance: float,
    volume: str | None,
    device: str,
) -> tuple[Answer, tuple[Corners, Corners]]:
    """All pairs within a tolerance [m] in poses (k, 3, 4) of both, and what gives their triangles' corners."""
    _check(volume, device)
    sides = side_of(things[0]), side_of(things[1])
    answer, places = run(clearance_steps(*sides, *rows, tolerance))
    return answer, as_sources(*sides, answer.pairs, places)


def clustered_distances(
    things: tuple[Any, Any], rows: tuple[np.ndarray, np.ndarray], volume: str | None, device: str
) -> tuple[Answer, tuple[Clusters, Clusters]]:
    """The nearest pairs in poses (k, 3, 4) of both, and the objects as they were given."""
    _check(volume, device)
    sides = side_of(things[0]), side_of(things[1])
    return run(nearest_steps(*sides, *rows)), sides


def _check(volume: str | None, device: str, engine: str = "auto") -> None:
    """Raise UnsupportedOption or DeviceUnavailable for what clustered meshes have not: other volumes, a GPU, voxels."""
    volume_named(volume)
    if volume not in (None, DEFAULT_VOLUME):
        raise UnsupportedOption(f"clustered meshes have boxes only: leave volume out, instead of {volume!r:.80}")
    check_device(device)
    require_hierarchies(engine, "clustered meshes")
