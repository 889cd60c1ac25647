"""Build a massive file with its levels of detail from an object or another file, and choose the mesh that its object
shows.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.errors import DetectError
from meshclash.types.steps import scale_progress

from .massive_file import ENDING

SOURCES = (".ply", ".stl", ".obj", ".npz")
SHOWN = 20_000
"""Approximate number of triangles in a sample, which is shown if the file has no levels."""
FINEST_LOOK = 0.0005
"""Smallest visible size as a fraction of the distance to the eye: about half a pixel."""
_BUILT, _LEVELED = 0.15, 0.95
"""Progress after each stage: building the levels takes about seven times as long as building the file."""


@dataclass(frozen=True)
class Look:
    """Settings for showing a massive file.

    Attributes:
        most: largest number of triangles.
        weld: distance within which vertices are joined when levels are built, in the file's unit.
        eye: position of the viewer in the frame of the file; None if unknown.
    """

    most: int
    weld: float = 0.0
    eye: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class ShownMassive:
    """A massive file, and the mesh that represents it in the viewport.

    Attributes:
        path: path of the file.
        triangles: number of triangles in the file.
        vertices, faces: the mesh shown, (n, 3) and (m, 3).
        error: upper bound of the distance between the shown mesh and the file, both ways; None for a sample.
        note: why a sample is shown.
    """

    path: Path
    triangles: int
    vertices: np.ndarray
    faces: np.ndarray
    error: float | None
    note: str = ""


def build_steps(engine: ModuleType, source: Any, path: Path, look: Look) -> Generator[Any, None, ShownMassive]:
    """Build a massive file and its levels; an interrupted build from a file continues when it is started again.

    Args:
        engine: the meshclash module.
        source: a Path, or (vertices, triangles). A clustered mesh is used unchanged.
        path: path of the file to write.
        look: the view and the number of triangles to show.

    Raises:
        DetectError: the source cannot be read, or the file cannot be written.
    """
    try:
        if isinstance(source, Path) and (source.suffix.lower() == ENDING or _waits_for_levels(source, path)):
            mesh = engine.massive.ClusteredMesh.open(source if source.suffix.lower() == ENDING else path)
        else:
            steps = engine.steps(engine.massive.ClusteredMesh.build, source, path)
            mesh = yield from scale_progress(steps, 0.0, _BUILT)
        return (yield from scale_progress(_shown_steps(engine, mesh, look), _BUILT, 1.0))
    except engine.errors.MeshClashError as error:
        raise DetectError(str(error)) from error


def show_steps(engine: ModuleType, path: Path, look: Look) -> Generator[Any, None, ShownMassive]:
    """Return the mesh to show for an existing file; missing levels are built.

    Raises:
        DetectError: the file is damaged, or the levels cannot be written.
    """
    try:
        mesh = engine.massive.ClusteredMesh.open(path)
        return (yield from _shown_steps(engine, mesh, look))
    except engine.errors.MeshClashError as error:
        raise DetectError(str(error)) from error


def _waits_for_levels(source: Path, path: Path) -> bool:
    """Return whether an earlier build of the source finished the file but not its levels."""
    begun = path.with_name(f"{path.name}.levels.building")
    if not (begun.is_dir() and path.is_file() and source.is_file()):
        return False
    return path.stat().st_mtime >= source.stat().st_mtime


def _shown_steps(engine: ModuleType, mesh: Any, look: Look) -> Generator[Any, None, ShownMassive]:
    """Return the mesh to show for an open clustered mesh, and close the file afterwards."""
    with mesh:
        levels = yield from _level_steps(engine, mesh, look)
        if levels is None:
            vertices, faces = yield from scale_progress(engine.steps(mesh.loaded), _LEVELED, 1.0)
            return ShownMassive(Path(mesh.path), mesh.triangle_count, vertices, faces, 0.0)
        if levels.note:
            corners = yield from scale_progress(engine.steps(mesh.sample, SHOWN), _LEVELED, 1.0)
            faces = np.arange(3 * len(corners)).reshape(-1, 3)
            return ShownMassive(Path(mesh.path), mesh.triangle_count, corners.reshape(-1, 3), faces, None, levels.note)
        finest = 0.0 if look.eye is None else FINEST_LOOK
        level = levels.shown(look.most, look.eye, finest)
        vertices, faces = yield from scale_progress(engine.steps(level.loaded), _LEVELED, 1.0)
        return ShownMassive(
            Path(mesh.path), mesh.triangle_count, vertices, faces, max(float(level.out), float(level.back))
        )


def _level_steps(engine: ModuleType, mesh: Any, look: Look) -> Generator[Any, None, Any]:
    """Return the levels of a mesh, built if no matching levels file exists; None if the mesh needs no levels."""
    if not look.weld:
        try:
            return engine.massive.MeshLevels.open(mesh)
        except engine.InvalidFile:
            pass  # there are none, or they belong to a former file
    if mesh.triangle_count <= look.most:
        return None
    steps = engine.steps(engine.massive.MeshLevels.build, mesh, weld=look.weld)
    return (yield from scale_progress(steps, 0.0, _LEVELED))
