"""Point clouds of the engine for the scans of each frame: they are created once, and reused while their points stay the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ..messages import Sentence
from ..types.steps import scale_progress
from .errors import UnusableObject
from .frame_scene import FrameScene, Progress, Skipped, SourceCloud, SourceObject
from .placed_mesh import split_matrix
from .world import to_world

Made = tuple[SourceCloud, Any, np.ndarray | None]
"""Points of a scan, the engine's cloud of these points, and the indices of the points in the cloud."""
Prepare = Callable[[Sequence[str]], Generator[Any, None, Any]]
SEED = 1  # which points a budget takes is the same in every run


@dataclass(frozen=True, eq=False)
class PlacedCloud:
    """A scan as a point cloud of the engine, with its pose.

    Attributes:
        item: the object.
        source: points of the scan as they were read.
        cloud: the engine's PointCloud, with the part of the matrix applied that is not rigid.
        pose: the rigid part of the matrix.
        chosen: (n,) int64, indices of the points of `source` in the cloud; None for all points.
    """

    item: SourceObject
    source: SourceCloud
    cloud: Any
    pose: Any
    chosen: np.ndarray | None

    @property
    def world_radius(self) -> float:
        """The largest radius with which a point is drawn, in the world."""
        return self.source.radius * float(np.linalg.norm(self.item.matrix[:3, :3], ord=2))

    def own_indices(self, indices: np.ndarray) -> np.ndarray:
        """Indices (sorted, int32) of the object's points that the cloud contains."""
        own = indices if self.chosen is None else self.chosen[indices]
        return np.sort(own).astype(np.int32)

    def world_points(self, chosen: np.ndarray | slice) -> np.ndarray:
        """Return the world positions (k, 3) float32 of some points of the object."""
        return to_world(self.source.points[chosen], self.item.matrix).astype(np.float32)


class CloudScene:
    """The scans of the current frame, ready for queries.

    Args:
        engine: the meshclash module.
        budget: most points of a scan; more are thinned out evenly. 0: all are used.
        bandwidth: bandwidth of the fitted surface [scene units]; 0 derives it from the spacing of the points.
        surface: type of the fitted surface, as the argument of `PointCloud`.
    """

    def __init__(self, engine: ModuleType, budget: int = 0, bandwidth: float = 0.0, surface: str = "twicing") -> None:
        self._engine, self.asked = engine, (budget, bandwidth, surface)
        self.placed: list[PlacedCloud] = []
        self.skipped: list[Skipped] = []
        self._made: dict[tuple[Hashable, bytes], Made] = {}

    def update_steps(self, frame: FrameScene) -> Generator[Progress, None, None]:
        """Update `placed` to the scans of a frame; scans without a surface or a usable matrix are added to
        `skipped`.
        """
        kept, self._made, self.placed, self.skipped = self._made, {}, [], []
        unusable: set[Hashable] = set()
        for item in frame.scans:
            try:
                pose, stretch = split_matrix(item)
            except UnusableObject as error:
                self.skipped.append(Skipped(item.name, error.reason, lost=True))
                continue
            key = (item.mesh_key, stretch)
            if key not in self._made and key not in unusable:
                try:
                    source = frame.clouds[item.mesh_key]
                    same = (made for (_, old), made in kept.items() if old == key[1] and _equal(made[0], source))
                    self._made[key] = next(same, None) or (yield from self._cloud_steps(item, source, stretch))
                except self._engine.errors.InvalidPointCloud as error:
                    self.skipped.append(Skipped(item.name, str(error), lost=True))
                    unusable.add(key)
            if key in self._made:
                source, cloud, chosen = self._made[key]
                self.placed.append(PlacedCloud(item, source, cloud, pose, chosen))

    def _cloud_steps(self, item: SourceObject, source: SourceCloud, stretch: bytes) -> Generator[Progress, None, Made]:
        budget, bandwidth, surface = self.asked
        chosen = chosen_points(len(source.points), budget)
        part = slice(None) if chosen is None else chosen
        normals = None if source.normals is None else source.normals[part]
        text = Sentence("Preparing {name}", name=item.name) + ": "
        matrix = np.frombuffer(stretch).reshape(4, 4) if stretch else np.eye(4)
        own = bandwidth / abs(np.linalg.det(matrix)) ** (1.0 / 3.0) if bandwidth else None  # `transformed` grows it
        make = self._engine.clouds.PointCloud.make
        made = self._engine.steps(make, source.points[part], normals, own, surface=surface)
        cloud = yield from scale_progress(made, 0.0, 0.05, prefix=text)
        if stretch:
            cloud = yield from scale_progress(self._engine.steps(cloud.transformed, matrix), 0.05, 0.1, prefix=text)
        yield from scale_progress(self._engine.steps(cloud.build), 0.1, 1.0, prefix=text)
        return source, cloud, chosen


def chosen_points(count: int, budget: int) -> np.ndarray | None:
    """Choose at most `budget` of `count` points, spread over their order without a fixed step.

    Returns:
        (budget,) int64 ascending, or None for all points.
    """
    if not budget or count <= budget:
        return None
    ends = np.arange(budget + 1, dtype=np.int64) * count // budget
    return ends[:-1] + (np.random.default_rng(SEED).random(budget) * np.diff(ends)).astype(np.int64)


def _equal(old: SourceCloud, new: SourceCloud) -> bool:
    if old is new:
        return True
    if old.radius != new.radius:
        return False
    if old.normals is None or new.normals is None:
        return old.normals is new.normals and np.array_equal(old.points, new.points)
    return np.array_equal(old.normals, new.normals) and np.array_equal(old.points, new.points)
