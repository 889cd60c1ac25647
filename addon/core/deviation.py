"""How far the points of scans lie from models: measured in slices, shown as colours, summed up for a report."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from .cloud_scene import CloudScene, PlacedCloud
from .engine_scene import EngineScene
from .errors import InputError
from .frame_scene import Progress, SceneSource
from .options import set_in_words
from .steps import within

READ_END, PREPARE_END = 0.1, 0.3
USUAL_SHARE = 0.95  # of the points whose deviation the automatic range covers

SIGNED_STOPS = np.array(
    [(0.05, 0.10, 0.65), (0.05, 0.65, 0.90), (0.15, 0.75, 0.25), (1.00, 0.85, 0.10), (0.85, 0.08, 0.08)], np.float32
)
"""Colours from the lowest to the highest deviation; behind the surface is blue, in front of it red."""
UNSIGNED_STOPS = SIGNED_STOPS[2:]


@dataclass(frozen=True, eq=False)
class ScanDeviation:
    """One scan.

    Attributes:
        owner: object of the scene, or the instancer of an instance.
        source: object whose points they are.
        points: (n, 3) float32 world positions.
        values: (n,) float32 distances, negative inside a closed model, Blender units.
        radius: of the balls as which Blender draws the points, world; 0 for dots.
    """

    owner: str
    source: str
    points: np.ndarray
    values: np.ndarray
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class DeviationMap:
    """The deviations of all scans of a set from all models of another.

    Attributes:
        scans: each scan.
        models: names of the objects measured against.
        signed: whether there are closed models, so that values below 0 mean inside.
    """

    scans: list[ScanDeviation]
    models: tuple[str, ...]
    signed: bool

    @property
    def names(self) -> frozenset[str]:
        """Every object whose change makes the map untrue."""
        return frozenset((*self.models, *(name for scan in self.scans for name in (scan.owner, scan.source))))

    @property
    def values(self) -> np.ndarray:
        """(n,) float32, of all scans."""
        return np.concatenate([scan.values for scan in self.scans])

    @property
    def usual_range(self) -> float:
        """The deviation [Blender units] that nearly all points keep, above 0."""
        return self.lengths["usual_size"] or 1.0

    @cached_property
    def lengths(self) -> dict[str, float]:
        """What the values come to, Blender units. They are many, and panels and legend ask at each redraw."""
        values = self.values.astype(np.float64)
        size = np.abs(values)
        return {
            "mean": float(values.mean()),
            "rms": float(np.sqrt((values * values).mean())),
            "median_size": float(np.median(size)),
            "usual_size": float(np.quantile(size, USUAL_SHARE)),
            "largest_size": float(size.max()),
        }

    @cached_property
    def inside(self) -> int:
        """How many points lie inside a closed model."""
        return int((self.values < 0.0).sum())

    def summary(self, scale_length: float) -> dict[str, Any]:
        """Counts and lengths [m], ready for JSON."""
        return {
            "points": sum(len(scan.values) for scan in self.scans),
            "models": list(self.models),
            "signed": self.signed,
            **{name: scale_length * value for name, value in self.lengths.items()},
            "inside": self.inside,
        }


def deviation_steps(
    source: SceneSource, set_a: str, set_b: str, engine: ModuleType
) -> Generator[Progress, None, DeviationMap]:
    """Measures the scans of set A against the objects with faces of set B, in the current frame.

    Raises:
        InputError: a set is wrong, A holds no scan or B no object with faces.
    """
    try:
        frame = yield from within(source.read_steps(set_a, set_b, None), 0.0, READ_END)
        frame.scans = [item for item in frame.scans if item.in_a]
        frame.objects = [item for item in frame.objects if item.in_b]
        world, clouds = EngineScene(engine), CloudScene(engine, budget=0)
        _require(frame.scans, "A", set_a, "scan: points without edges and faces")
        _require(frame.objects, "B", set_b, "object with faces to measure against")
        middle = 0.5 * (READ_END + PREPARE_END)
        yield from within(world.update_steps(frame), READ_END, middle)
        yield from within(clouds.update_steps(frame), middle, PREPARE_END)
        if not clouds.placed:
            raise InputError("; ".join(f"{item.name}: {item.reason}" for item in clouds.skipped))
        return (yield from within(_measure_steps(engine, world, clouds), PREPARE_END, 1.0))
    finally:
        source.restore()


def _require(found: list[Any], letter: str, expression: str, what: str) -> None:
    if not found:
        raise InputError(f"set {letter} ({set_in_words(expression)}) holds no visible {what}")


def _measure_steps(
    engine: ModuleType, world: EngineScene, clouds: CloudScene
) -> Generator[Progress, None, DeviationMap]:
    models = [(item, *world.scene.posed(key)) for key, item in world.objects.items()]
    signed = False
    scans = []
    done, total = 0, len(models) * len(clouds.placed)
    for placed in clouds.placed:
        nearest = np.full(placed.cloud.point_count, np.inf)
        for item, thing, pose in models:
            closed = bool(getattr(thing, "mesh", thing).is_closed)
            steps = engine.deviation_steps(placed.cloud, thing, placed.pose, pose, signed=closed)
            text = f"{placed.item.name} and {item.name}: "
            values = yield from within(steps, done / total, (done + 1) / total, text)
            nearest = np.minimum(nearest, values)
            signed |= closed
            done += 1
        scans.append(_scan(placed, nearest))
    return DeviationMap(scans, tuple(dict.fromkeys(item.owner for item, _, _ in models)), signed)


def _scan(placed: PlacedCloud, values: np.ndarray) -> ScanDeviation:
    item = placed.item
    values = values.astype(np.float32)
    return ScanDeviation(item.owner, item.source, placed.world_points(), values, placed.world_radius)


def colours(values: np.ndarray, reach: float, signed: bool) -> np.ndarray:
    """Colours (k, 4) float32 of deviations; what lies beyond ``reach`` has the colour of the end of the scale."""
    stops = SIGNED_STOPS if signed else UNSIGNED_STOPS
    low = -reach if signed else 0.0
    place = np.clip((np.asarray(values, np.float64) - low) / (reach - low), 0.0, 1.0) * (len(stops) - 1)
    at = np.arange(len(stops))
    result = np.ones((len(place), 4), np.float32)
    for channel in range(3):
        result[:, channel] = np.interp(place, at, stops[:, channel])
    return result
