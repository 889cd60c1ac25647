"""``read_points`` and ``read_cloud``: read points, or a PointCloud, from a file."""

import os
import stat
from collections.abc import Callable, Generator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFile, InvalidPointCloud, UnsupportedOption
from ..files.las import read_las
from ..files.pcd import read_pcd
from ..files.ply import read_ply
from ..files.source import RawPoints, Source
from ..files.text import read_text
from ..messages import Sentence, a_type, shown
from ..types.arguments import one_of
from ..types.numbers import real_number
from ..types.results import Progress
from .cloud import PointCloud

Reader = Callable[[Source], Generator[float, None, RawPoints]]

FORMATS: dict[str, Reader] = {
    ".ply": read_ply, ".pcd": read_pcd, ".las": read_las, ".laz": read_las, ".xyz": read_text, ".pts": read_text,
    ".csv": read_text, ".txt": read_text, ".asc": read_text,
}  # fmt: skip
"""Readers by file extension."""

UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "in": 0.0254, "ft": 0.3048, "us-ft": 1200.0 / 3937.0}
"""Length in metres of each named unit."""


def metres_of(unit: str | float) -> float:
    """Return the length in metres of a unit, given by name or number; raise UnsupportedOption otherwise."""
    if isinstance(unit, str):
        return UNITS[one_of("unit", unit, UNITS)]
    metres = real_number(unit)
    if not 0.0 < metres < np.inf:
        raise UnsupportedOption(
            f"unit must be the name of a unit, or a positive finite number of metres, not {shown(unit)}"
        )
    return metres


def _checked_path(path: Any) -> Path:
    """Return the path, which must be a regular file: reading a device or pipe might never end."""
    try:
        checked = Path(os.fsdecode(path))
    except TypeError:
        raise InvalidFile(f"the file name must be a string, bytes or a Path, not {a_type(path)}") from None
    try:
        ordinary = stat.S_ISREG(checked.stat().st_mode)
    except OSError as error:
        raise InvalidFile(f"{checked!s:.300}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InvalidFile(f"{shown(str(checked))} is not a valid file name: {error}") from None
    if not ordinary:
        raise InvalidFile(f"{checked}: cannot be read: a folder, a device or a pipe is not a point file")
    return checked


def _checked_memory(memory: Any) -> float | None:
    if memory is None:
        return None
    number = real_number(memory)
    if not number >= 0.0:
        raise UnsupportedOption(f"memory must be None or a number of bytes of at least 0, not {shown(memory)}")
    return number


def read_points(
    path: str | bytes | PathLike[Any], unit: str | float = "m", memory: float | None = None
) -> Generator[Progress, None, RawPoints]:
    """Read the points of a file in slices. The generator returns RawPoints, whose coordinates are in metres.

    The file extension decides the format: PLY (ascii and binary), PCD (ascii, binary, compressed), LAS, LAZ (needs
    laspy and lazrs: ``pip install meshclash[laz]``), and text as XYZ, PTS, CSV, TXT or ASC.

    Args:
        path: the file; not a folder, device or pipe.
        unit: the unit of the file's coordinates: "m", "mm", "cm", "km", "in", "ft", "us-ft" or a number of metres.
        memory: bytes that may be used, 0 or more; None uses the available memory of the system.

    Raises:
        InvalidFile: the file is missing, damaged, truncated, of an unknown format, or too large for memory; the message
            names the file and the place in it.
        UnsupportedOption: an invalid unit or memory limit.

    Example:
        >>> import meshclash as mc
        >>> import tempfile
        >>> from pathlib import Path
        >>> path = Path(tempfile.mkdtemp()) / "scan.xyz"
        >>> _ = path.write_text("0 0 0\\n1 0 0\\n0 1 0\\n")
        >>> len(mc.run(mc.clouds.read_points(path)).points)
        3
    """
    file, scale, limit = _checked_path(path), metres_of(unit), _checked_memory(memory)
    reader = FORMATS.get(file.suffix.lower())
    if reader is None:
        raise InvalidFile(
            f"{file}: files ending in {file.suffix!r} are not supported; expected one of {', '.join(FORMATS)}"
        )
    try:
        with file.open("rb") as stream:
            source = Source(file, stream, limit)
            steps = reader(source)
            yield Progress(0.0, Sentence("reading {name}", name=file.name))
            while True:
                try:
                    with np.errstate(over="ignore", invalid="ignore"):  # PointCloud reports points that are not finite
                        share = next(steps)
                except StopIteration as stop:
                    raw: RawPoints = stop.value
                    break
                yield Progress(share, Sentence("reading {name}", name=file.name))
    except OSError as error:
        raise InvalidFile(f"{file}: cannot be read: {error.strerror or error}") from None
    with np.errstate(over="ignore"):
        points = raw.points if scale == 1.0 else raw.points * scale
    return RawPoints(np.ascontiguousarray(points), raw.normals, raw.dropped)


def read_cloud(
    path: str | bytes | PathLike[Any],
    unit: str | float = "m",
    memory: float | None = None,
    *,
    bandwidth: float | None = None,
    surface: str = "twicing",
) -> PointCloud:
    """Read a point cloud from a file. The arguments are the same as for ``read_points`` and PointCloud.

    The cloud gets the normals in the file if all of these normals are valid.

    Raises:
        InvalidFile, UnsupportedOption: as ``read_points``.
        InvalidPointCloud: the points define no surface; the message names the file.

    Example:
        >>> import meshclash as mc
        >>> import tempfile
        >>> from pathlib import Path
        >>> path = Path(tempfile.mkdtemp()) / "scan.xyz"
        >>> _ = path.write_text("".join(f"{x} {y} 0\\n" for x in range(20) for y in range(20)))
        >>> len(mc.clouds.read_cloud(path).points)
        400
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
    try:
        return PointCloud(raw.points, normals, bandwidth, surface=surface)
    except InvalidPointCloud as error:
        raise InvalidPointCloud(f"{os.fsdecode(path)}: {error}") from None
