"""Questions about clustered meshes: options checked, answered by ``massive``, results as for meshes in memory."""

import time
from collections.abc import Generator
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
from ..types.results import Progress
from ..types.steps import scaled
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
) -> Generator[Progress, None, Contacts]:
    """The contacts of two objects, or of one with itself; a clustered mesh among them."""
    start = time.perf_counter()
    _check(volume, device, engine)
    rows_a, rows_b, _ = matched_poses(*poses)
    sides = side_of(things[0]), side_of(things[1])
    answer, places = yield from scaled(contact_steps(*sides, rows_a, rows_b, options), 0.0, 1.0)
    stats = answer.stats(time.perf_counter() - start)
    meshes = as_sources(*sides, answer.pairs, places)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, (rows_a, rows_b))


def clustered_meet(
    things: tuple[Any, Any], poses: tuple[PoseLike, PoseLike], options: ContactOptions, volume: str | None, device: str
) -> Generator[Progress, None, bool | np.ndarray]:
    """Whether two objects meet: bool, or (k,) bool for a stack of poses."""
    _check(volume, device)
    rows_a, rows_b, stacked = matched_poses(*poses)
    meeting = contact_steps(side_of(things[0]), side_of(things[1]), rows_a, rows_b, options)
    answer, _ = yield from scaled(meeting, 0.0, 1.0)
    met = np.zeros(max(len(rows_a), len(rows_b)), np.bool_)
    met[answer.jobs] = True
    return met if stacked else bool(met[0])


def clustered_clearances(
    things: tuple[Any, Any],
    rows: tuple[np.ndarray, np.ndarray],
    tolerance: float,
    volume: str | None,
    device: str,
) -> Generator[Progress, None, tuple[Answer, tuple[Corners, Corners]]]:
    """All pairs within a tolerance [m] in poses (k, 3, 4) of both, and what gives their triangles' corners."""
    _check(volume, device)
    sides = side_of(things[0]), side_of(things[1])
    answer, places = yield from scaled(clearance_steps(*sides, *rows, tolerance), 0.0, 1.0)
    return answer, as_sources(*sides, answer.pairs, places)


def clustered_distances(
    things: tuple[Any, Any], rows: tuple[np.ndarray, np.ndarray], volume: str | None, device: str
) -> Generator[Progress, None, tuple[Answer, tuple[Clusters, Clusters]]]:
    """The nearest pairs in poses (k, 3, 4) of both, and the objects as they were given."""
    _check(volume, device)
    sides = side_of(things[0]), side_of(things[1])
    return (yield from scaled(nearest_steps(*sides, *rows), 0.0, 1.0)), sides


def _check(volume: str | None, device: str, engine: str = "auto") -> None:
    """Raise UnsupportedOption or DeviceUnavailable for what clustered meshes have not: other volumes, a GPU, voxels."""
    volume_named(volume)
    if volume not in (None, DEFAULT_VOLUME):
        raise UnsupportedOption(f"clustered meshes have boxes only: leave volume out, instead of {volume!r:.80}")
    check_device(device)
    require_hierarchies(engine, "clustered meshes")
