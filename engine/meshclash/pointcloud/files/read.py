"""``read_points`` and ``read_cloud``: from a file to points, or to a PointCloud."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidFile, UnsupportedOption
from ...types.results import Progress
from ..cloud import PointCloud
from .las import read_las
from .pcd import read_pcd
from .ply import read_ply
from .source import RawPoints, Source
from .text import read_text

Reader = Callable[[Source], Generator[float, None, RawPoints]]

FORMATS: dict[str, Reader] = {
    ".ply": read_ply, ".pcd": read_pcd, ".las": read_las, ".laz": read_las, ".xyz": read_text, ".pts": read_text,
    ".csv": read_text, ".txt": read_text, ".asc": read_text,
}  # fmt: skip
"""Readers by the ending of a file's name."""

UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "in": 0.0254, "ft": 0.3048, "us-ft": 1200.0 / 3937.0}
"""Metres of each unit that can be named."""


def _metres(unit: str | float) -> float:
    if isinstance(unit, str):
        if unit not in UNITS:
            raise UnsupportedOption(f"unit {unit!r} is not known; known are {', '.join(UNITS)}, or a number of metres")
        return UNITS[unit]
    try:
        metres = float(unit)
    except (TypeError, ValueError):
        metres = 0.0
    if not 0.0 < metres < np.inf:
        raise UnsupportedOption(f"unit must be the name of one, or a finite number of metres above 0, not {unit!r}")
    return metres


def read_points(
    path: str | Path, unit: str | float = "m", memory: int | None = None
) -> Generator[Progress, None, RawPoints]:
    """Read the points of a file in steps, so that a window stays alive; ends with RawPoints in metres.

    The format follows from the ending: PLY (ascii and binary), PCD (ascii, binary, compressed), LAS, LAZ (needs laspy
        and
    lazrs: ``pip install meshclash[laz]``), and text as XYZ, PTS, CSV, TXT or ASC.

    Args:
        path: the file.
        unit: what a length of 1 in the file means: "m", "mm", "cm", "km", "in", "ft", "us-ft" or a number of metres.
        memory: bytes that may be used; None asks the system.

    Yields:
        Progress.

    Raises:
        InvalidFile: missing, damaged, truncated, of an unknown format, or too large for memory; names file and place.
        UnsupportedOption: the unit.
    """
    path, scale = Path(path), _metres(unit)
    reader = FORMATS.get(path.suffix.lower())
    if reader is None:
        raise InvalidFile(f"{path}: files ending in {path.suffix!r} are not known; known are {', '.join(FORMATS)}")
    try:
        with path.open("rb") as stream:
            source = Source(path, stream, memory)
            steps = reader(source)
            yield Progress(0.0, f"reading {path.name}")
            while True:
                try:
                    share = next(steps)
                except StopIteration as stop:
                    raw: RawPoints = stop.value
                    break
                yield Progress(share, f"reading {path.name}")
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from None
    points = raw.points if scale == 1.0 else raw.points * scale
    return RawPoints(np.ascontiguousarray(points), raw.normals, raw.dropped)


def read_cloud(path: str | Path, unit: str | float = "m", memory: int | None = None, **options: Any) -> PointCloud:
    """The PointCloud of a file; arguments as ``read_points``, ``options`` as PointCloud.

    Normals of the file are taken where all of them are usable.

    Raises:
        InvalidFile, UnsupportedOption, InvalidPointCloud.
    """
    steps = read_points(path, unit, memory)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            raw: RawPoints = stop.value
            break
    normals = raw.normals
    if normals is not None and not (np.isfinite(normals).all() and (normals != 0.0).any(axis=1).all()):
        normals = None
    return PointCloud(raw.points, normals, **options)
