"""Read scan files as points for Blender: coordinates are relative to an origin, which is stored in double precision."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import Progress
from meshclash.messages import Sentence
from meshclash.types.steps import hold_progress, scale_progress

from .chunks import chunks

FAR = 1000.0
"""Size of coordinates [m] from which an origin is subtracted: beyond it, single precision is coarser than 0.06 mm."""
READ_END = 0.9


@dataclass(frozen=True, eq=False)
class ImportedScan:
    """The points of a file.

    Attributes:
        name: name of the file, without its extension.
        points: (n, 3) float32, Blender units, relative to the origin.
        normals: (n, 3) float32, or None.
        origin: (3,) float64 [m], the origin that was subtracted; None if no origin was subtracted.
        dropped: number of points that the file marks as invalid.
        rounding: the largest error [m] that single precision adds to a coordinate.
    """

    name: str
    points: np.ndarray
    normals: np.ndarray | None
    origin: np.ndarray | None
    dropped: int
    rounding: float


def import_steps(
    engine: ModuleType, path: Path, unit: str, scale_length: float, origin: np.ndarray | None, keep_coordinates: bool
) -> Generator[Any, None, ImportedScan]:
    """Read a file.

    Args:
        engine: the meshclash module.
        path: PLY, PCD, LAS, LAZ, XYZ, PTS, CSV, TXT or ASC.
        unit: the file's unit, as for ``read_points``.
        scale_length: metres per Blender unit.
        origin: (3,) float64 [m], origin of scans already in the scene, or None.
        keep_coordinates: subtract no origin, and lose digits that single precision cannot store.

    Raises:
        InputError: the file is missing, damaged, too large, or has no points.
    """
    try:
        raw = yield from scale_progress(engine.clouds.read_points(path, unit), 0.0, READ_END)
    except engine.errors.MeshClashError as error:
        raise InputError(str(error)) from error
    if not len(raw.points):
        raise InputError(f"{path}: " + Sentence("the file contains no points"))
    progress = Progress(READ_END, "Placing points")
    finite, bounds = yield from hold_progress(_bounds_steps(raw.points), progress)
    kept = int(finite.sum())
    if not kept:
        raise InputError(
            f"{path}: " + Sentence("none of the {points} points has finite coordinates", points=f"{len(finite):,}")
        )
    used = None if keep_coordinates else origin if origin is not None else suggested_origin(*bounds)
    single, normals = yield from hold_progress(_placing_steps(raw, finite, used, scale_length), progress)
    largest = np.abs((bounds if used is None else bounds - used) / scale_length).max()
    rounding = float(np.spacing(np.float32(largest)) * scale_length / 2)
    return ImportedScan(path.stem, single, normals, used, raw.dropped + len(finite) - kept, rounding)


def _bounds_steps(points: np.ndarray) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
    """Return which points (n,) are finite, and the lowest and highest coordinates (2, 3) of these points."""
    finite = np.empty(len(points), np.bool_)
    bounds = np.array([[np.inf] * 3, [-np.inf] * 3])
    for part in chunks(len(points)):
        finite[part] = np.isfinite(points[part]).all(axis=1)
        some = points[part][finite[part]]
        bounds[0] = np.minimum(bounds[0], some.min(axis=0, initial=np.inf))
        bounds[1] = np.maximum(bounds[1], some.max(axis=0, initial=-np.inf))
        yield
    return finite, bounds


def _placing_steps(
    raw: Any, finite: np.ndarray, origin: np.ndarray | None, scale_length: float
) -> Generator[None, None, tuple[np.ndarray, np.ndarray | None]]:
    """Return the finite points (k, 3) float32 in Blender units relative to the origin, and their normals."""
    kept = int(finite.sum())
    points = np.empty((kept, 3), np.float32)
    normals = None if raw.normals is None else np.empty((kept, 3), np.float32)
    end = 0
    for part in chunks(len(finite)):
        some = raw.points[part][finite[part]]
        into = slice(end, end := end + len(some))
        points[into] = (some if origin is None else some - origin) / scale_length
        if normals is not None:
            normals[into] = raw.normals[part][finite[part]]
        yield
    return points, normals


def suggested_origin(low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """Return the centre of points far from zero, in whole metres (3,); None if single precision is precise enough
    without an origin.

    Args:
        low, high: the lowest and highest coordinates of the points, (3,) [m].
    """
    if max(np.abs(low).max(), np.abs(high).max()) < FAR:
        return None
    return np.round(0.5 * (low + high))
