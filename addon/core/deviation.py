"""Measure how far the points of scans lie from models, in slices, for colours and a report."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.cloud_scene import CloudScene, PlacedCloud
from meshclash.clash.engine_scene import EngineScene
from meshclash.clash.errors import InputError
from meshclash.clash.fingerprints import Seen, fingerprint_steps
from meshclash.clash.frame_scene import Progress, SceneSource, refuse_lost
from meshclash.clash.options import set_in_words
from meshclash.messages import Sentence
from meshclash.types.steps import hold_progress, scale_progress

from .chunks import chunks, quantile_steps

READ_END, PREPARE_END, MEASURE_END = 0.1, 0.3, 0.9
USUAL_SHARE = 0.95  # share of the points that the automatic range covers

SIGNED_STOPS = np.array(
    [(0.36, 0.06, 0.48), (0.72, 0.48, 0.83), (0.95, 0.95, 0.93), (0.50, 0.78, 0.35), (0.05, 0.36, 0.14)], np.float32
)
"""Colours from the lowest to the highest deviation: purple behind the surface, white on it, green in front of it.

Red and blue are not used, as they mark the two objects of a pair. People with red-green colour blindness can
distinguish these colours, and larger deviations are darker.
"""
UNSIGNED_STOPS = SIGNED_STOPS[2:]
SHADES = 1025
"""Number of colours in a scale, more than a screen can show; the last colour means no deviation."""


@dataclass(frozen=True, eq=False)
class ScanDeviation:
    """The deviations of one scan.

    Attributes:
        owner: object of the scene, or the instancer of an instance.
        source: object that has the points.
        points: (n, 3) float32 world positions.
        values: (n,) float32 distances in Blender units, negative inside a closed model.
        radius: radius of the balls that Blender draws for points, in world units; 0 for dots.
    """

    owner: str
    source: str
    points: np.ndarray
    values: np.ndarray
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class DeviationMap:
    """The deviations of all scans of one set from all models of another set.

    Attributes:
        scans: each scan.
        models: names of the models.
        signed: whether closed models exist, so that negative values mean inside.
        lengths: statistics of the values by name, in Blender units.
        inside: number of points inside a closed model.
        seen: state of the objects, to check later whether they have changed.
    """

    scans: list[ScanDeviation]
    models: tuple[str, ...]
    signed: bool
    lengths: dict[str, float]
    inside: int
    seen: Seen

    @property
    def owners(self) -> frozenset[str]:
        """The objects of the scene (for instances: the instancers) with scans."""
        return frozenset((*self.models, *(scan.owner for scan in self.scans)))

    @property
    def names(self) -> frozenset[str]:
        """All objects whose changes make the map stale."""
        return self.owners | {scan.source for scan in self.scans}

    @property
    def usual_range(self) -> float:
        """The deviation [Blender units], greater than 0, that nearly all points do not exceed."""
        return self.lengths["usual_size"] or 1.0

    def summary(self, scale_length: float) -> dict[str, Any]:
        """Return counts and lengths [m] for JSON."""
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
    """Measure the scans of set A against the objects with faces of set B, in the current frame.

    Raises:
        InputError: a set is invalid, A has no scan or B no object with faces, or an object is damaged.
    """
    try:
        frame = yield from scale_progress(source.read_steps(set_a, set_b, None), 0.0, READ_END)
        frame.scans = [item for item in frame.scans if item.in_a]
        frame.objects = [item for item in frame.objects if item.in_b]
        world, clouds = EngineScene(engine), CloudScene(engine)
        _require(frame.scans, "A", set_a, "scan: points without edges and faces")
        _require(frame.objects, "B", set_b, "object with faces to measure against")
        middle = 0.5 * (READ_END + PREPARE_END)
        yield from scale_progress(world.update_steps(frame), READ_END, middle)
        yield from scale_progress(clouds.update_steps(frame), middle, PREPARE_END)
        refuse_lost((*frame.skipped, *world.skipped, *clouds.skipped))  # distances need all models of set B
        if not clouds.placed:
            raise InputError(
                Sentence.joined(
                    "; ", (Sentence("{name}: {why}", name=item.name, why=item.reason) for item in clouds.skipped)
                )
            )
        scans, signed = yield from scale_progress(_measure_steps(engine, world, clouds), PREPARE_END, MEASURE_END)
        lengths, inside = yield from hold_progress(
            _sum_steps(scans), Progress(MEASURE_END, "Summarising the deviations")
        )
        models = tuple(dict.fromkeys(item.owner for item in world.objects.values()))
        objects = yield from scale_progress(fingerprint_steps(frame), 1.0, 1.0)
        return DeviationMap(scans, models, signed, lengths, inside, Seen(set_a, set_b, objects))
    finally:
        source.restore()


def _require(found: list[Any], letter: str, expression: str, what: str) -> None:
    if not found:
        raise InputError(
            Sentence(
                "set {letter} ({set}) contains no visible {what}",
                letter=letter,
                set=set_in_words(expression),
                what=what,
            )
        )


def _measure_steps(
    engine: ModuleType, world: EngineScene, clouds: CloudScene
) -> Generator[Progress, None, tuple[list[ScanDeviation], bool]]:
    """Measure the deviations of all scans; return the deviations, and whether there is a closed model."""
    models = [(item, *world.scene.posed(key)) for key, item in world.objects.items()]
    signed = False
    scans = []
    done, total = 0, len(models) * len(clouds.placed)
    for placed in clouds.placed:
        nearest = np.full(placed.cloud.point_count, np.inf)
        for item, thing, pose in models:
            closed = bool(getattr(thing, "mesh", thing).is_closed)
            steps = engine.steps(engine.clouds.deviation, placed.cloud, thing, placed.pose, pose, signed=closed)
            text = Sentence("{a} and {b}", a=placed.item.name, b=item.name) + ": "
            values = yield from scale_progress(steps, done / total, (done + 1) / total, prefix=text)
            np.minimum(nearest, values, out=nearest)
            signed |= closed
            done += 1
        scan = yield from hold_progress(
            _scan_steps(placed, nearest), Progress(done / total, Sentence("Placing {name}", name=placed.item.name))
        )
        scans.append(scan)
    return scans, signed


def _scan_steps(placed: PlacedCloud, values: np.ndarray) -> Generator[None, None, ScanDeviation]:
    item, points = placed.item, np.empty((len(values), 3), np.float32)
    for part in chunks(len(points)):
        points[part] = placed.world_points(part)
        yield
    return ScanDeviation(item.owner, item.source, points, values.astype(np.float32), placed.world_radius)


def _sum_steps(scans: Sequence[ScanDeviation]) -> Generator[None, None, tuple[dict[str, float], int]]:
    """Return the statistics (lengths) of all values, and the number of points inside."""
    arrays = [scan.values for scan in scans]
    count, total, squares, largest, inside = sum(map(len, arrays)), 0.0, 0.0, 0.0, 0
    for array in arrays:
        for part in chunks(len(array)):
            values = array[part].astype(np.float64)
            total += float(values.sum())
            squares += float(np.square(values).sum())
            largest = max(largest, float(np.abs(values).max()))
            inside += int((values < 0.0).sum())
            yield
    median, usual = yield from quantile_steps(arrays, (0.5, USUAL_SHARE))
    lengths = {"mean": total / count, "rms": math.sqrt(squares / count), "median_size": median, "usual_size": usual}
    return {**lengths, "largest_size": largest}, inside


def scale_colours(signed: bool) -> np.ndarray:
    """Return the colours of the scale from lowest to highest deviation, (SHADES, 4) float32."""
    stops = SIGNED_STOPS if signed else UNSIGNED_STOPS
    at = np.linspace(0.0, len(stops) - 1.0, SHADES)
    result = np.ones((SHADES, 4), np.float32)
    for channel in range(3):
        result[:, channel] = np.interp(at, np.arange(len(stops)), stops[:, channel])
    return result


def shades(values: np.ndarray, reach: float, signed: bool) -> np.ndarray:
    """Return the indices of deviations in the colour scale, (k,) int32, clamped at ``reach``."""
    low, top = -reach if signed else 0.0, SHADES - 1
    place = np.asarray(values, np.float64) - low
    place *= top / (reach - low)
    return np.clip(np.rint(place, out=place), 0, top, out=place).astype(np.int32)
