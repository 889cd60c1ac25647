"""Scan files as points for Blender: coordinates relative to an origin that is kept in double precision."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .errors import InputError
from .steps import within

FAR = 1000.0
"""Coordinates [m] from which an origin is taken off: single precision is coarser than 0.06 mm beyond."""
READ_END = 0.9


@dataclass(frozen=True, eq=False)
class ImportedScan:
    """A file's points.

    Attributes:
        name: of the file, without its ending.
        points: (n, 3) float32, Blender units, relative to the origin.
        normals: (n, 3) float32, or None.
        origin: (3,) float64 [m], what was taken off; None where nothing was.
        dropped: points that the file marks as invalid.
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
    """Reads a file.

    Args:
        engine: the meshclash module.
        path: PLY, PCD, LAS, LAZ, XYZ, PTS, CSV, TXT or ASC.
        unit: of the file's lengths, as ``read_points`` names it.
        scale_length: metres per Blender unit.
        origin: (3,) float64 [m], of the scans that are in the scene already; None without.
        keep_coordinates: take no origin off, and lose what single precision cannot hold.

    Raises:
        InputError: the file is missing, damaged, too large, or holds no points.
    """
    try:
        raw = yield from within(engine.read_points(path, unit), 0.0, READ_END)
    except engine.errors.MeshClashError as error:
        raise InputError(str(error)) from error
    if not len(raw.points):
        raise InputError(f"{path}: the file holds no points")
    finite = np.isfinite(raw.points).all(axis=1)
    points = raw.points if finite.all() else raw.points[finite]
    normals = raw.normals if raw.normals is None or finite.all() else raw.normals[finite]
    if not len(points):
        raise InputError(f"{path}: none of the {len(finite):,} points has finite coordinates")
    used = None if keep_coordinates else origin if origin is not None else suggested_origin(points)
    local = points if used is None else points - used
    single = (local / scale_length).astype(np.float32)
    rounding = float(np.spacing(np.abs(single).max()) * scale_length / 2)
    normals = None if normals is None else normals.astype(np.float32)
    return ImportedScan(path.stem, single, normals, used, raw.dropped + int((~finite).sum()), rounding)


def suggested_origin(points: np.ndarray) -> np.ndarray | None:
    """The middle of points far from zero, in whole metres (3,); None where single precision does without."""
    low, high = points.min(axis=0), points.max(axis=0)
    if max(np.abs(low).max(), np.abs(high).max()) < FAR:
        return None
    return np.round(0.5 * (low + high))
