"""Building a massive file with its levels, from an object or another file, and what its object shows of it."""

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
"""Triangles of a sample, about, which is shown where there is no level."""
FINEST_LOOK = 0.0005
"""Share of the distance to the eye that nobody sees: about half a pixel."""
_BUILT, _LEVELED = 0.15, 0.95
"""Shares of the whole: levels take seven times as long as the file."""


@dataclass(frozen=True)
class Look:
    """What is to be shown of a massive file.

    Attributes:
        most: triangles.
        weld: vertices no farther apart are taken as one where levels are built, lengths of the file.
        eye: from where it is looked at, in the frame of the file; None where that is not known.
    """

    most: int
    weld: float = 0.0
    eye: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class ShownMassive:
    """A massive file, and what is shown of it.

    Attributes:
        path: of the file.
        triangles: how many it has.
        vertices, faces: of what is shown, (n, 3) and (m, 3).
        error: how far any point of the file is from what is shown, and that from the file, at most; None for a sample.
        note: why it is a sample.
    """

    path: Path
    triangles: int
    vertices: np.ndarray
    faces: np.ndarray
    error: float | None
    note: str = ""


def build_steps(engine: ModuleType, source: Any, path: Path, look: Look) -> Generator[Any, None, ShownMassive]:
    """Builds a massive file and its levels; closed before its end, it goes on there when a file is named again.

    Args:
        engine: the meshclash module.
        source: a Path, or (vertices, triangles). A clustered mesh is taken as it is.
        path: of the file to be written.
        look: what is to be shown.

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
    """What is to be shown of a file that is there; its levels are built where there are none.

    Raises:
        DetectError: the file is damaged, or the levels cannot be written.
    """
    try:
        mesh = engine.massive.ClusteredMesh.open(path)
        return (yield from _shown_steps(engine, mesh, look))
    except engine.errors.MeshClashError as error:
        raise DetectError(str(error)) from error


def _waits_for_levels(source: Path, path: Path) -> bool:
    """Whether a build of the source was stopped after its file was finished: only the levels are still to be built."""
    begun = path.with_name(f"{path.name}.levels.building")
    if not (begun.is_dir() and path.is_file() and source.is_file()):
        return False
    return path.stat().st_mtime >= source.stat().st_mtime


def _shown_steps(engine: ModuleType, mesh: Any, look: Look) -> Generator[Any, None, ShownMassive]:
    """What is shown, of an open mesh, which is closed afterwards."""
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
    """The levels of a mesh, built where none that belong to it lie beside it; None where it needs none."""
    if not look.weld:
        try:
            return engine.massive.MeshLevels.open(mesh)
        except engine.InvalidFile:
            pass  # there are none, or those of what lay here before
    if mesh.triangle_count <= look.most:
        return None
    steps = engine.steps(engine.massive.MeshLevels.build, mesh, weld=look.weld)
    return (yield from scale_progress(steps, 0.0, _LEVELED))
