"""Building a massive file from an object or another file, and the sample of it that its object shows."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.detection.errors import DetectError
from meshclash.detection.steps import within

from .massive_file import ENDING

SOURCES = (".ply", ".stl", ".obj", ".npz")
SHOWN = 20_000
"""Triangles of a sample, about."""
_BUILT = 0.9


@dataclass(frozen=True, eq=False)
class BuiltMassive:
    """A massive file, and what is shown of it.

    Attributes:
        path: of the file.
        triangles: how many it has.
        sample: corners of some of them, (n, 3, 3).
    """

    path: Path
    triangles: int
    sample: np.ndarray


def build_steps(engine: ModuleType, source: Any, path: Path) -> Generator[Any, None, BuiltMassive]:
    """Builds a massive file; a generator that is closed leaves what is finished, where the source is a file.

    Args:
        engine: the meshclash module.
        source: a Path, or (vertices, triangles). A clustered mesh is taken as it is.
        path: of the file to be written.

    Raises:
        DetectError: the source cannot be read, or the file cannot be written.
    """
    try:
        if isinstance(source, Path) and source.suffix.lower() == ENDING:
            mesh = engine.massive.ClusteredMesh.open(source)
        else:
            steps = engine.steps(engine.massive.ClusteredMesh.build, source, path)
            mesh = yield from within(steps, 0.0, _BUILT)
        with mesh:
            sample = yield from within(engine.steps(mesh.sample, SHOWN), _BUILT, 1.0)
            return BuiltMassive(Path(mesh.path), mesh.triangle_count, sample)
    except engine.errors.MeshClashError as error:
        raise DetectError(str(error)) from error
