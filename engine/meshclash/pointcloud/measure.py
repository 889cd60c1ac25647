"""Distances to a surface, and values of a cloud's implicit function, for many points at once on a GPU or the CPU.

``measure_gpu.py`` has the kernels. A device gets large chunks of points. After the first error of the GPU, the CPU
computes the rest with small chunks, so that slices stay short.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..answering.devices import Session, may_answer, on_device
from ..traversal.forest import TreeSet
from ..traversal.solids import Solids
from .tree import PointTree

_CHUNK = 1 << 12
_CHUNK_OF_DEVICE = 1 << 18

OnCpu = Callable[[np.ndarray], np.ndarray]
"""Function that returns the distances (k,) [m] of world points (k, 3)."""
OnDevice = Callable[[Session, np.ndarray], np.ndarray]
Values = tuple[np.ndarray, np.ndarray, np.ndarray]


class Measure:
    """Measures the distances from world points to a surface.

    Args:
        device: "auto", "cpu" or "cuda".
        count: approximate total number of points.
        on_cpu, of_device: the functions that measure on the CPU and on a device.

    Attributes:
        chunk: number of points to pass per call.
    """

    def __init__(self, device: str, count: int, on_cpu: OnCpu, of_device: OnDevice) -> None:
        self._on_cpu = on_cpu
        self._of_device = of_device if may_answer(device, "point_crossover", count) else None
        self.chunk = _CHUNK if self._of_device is None else _CHUNK_OF_DEVICE

    def __call__(self, world: np.ndarray) -> np.ndarray | None:
        """Return the distances (k,) [m] of points (k, 3), or None if a device failed: retry with the new ``chunk``."""
        of_device = self._of_device
        if of_device is None:
            return self._on_cpu(world)
        found, _ = on_device(lambda session: of_device(session, world))
        if found is None:
            self._of_device, self.chunk = None, _CHUNK
        return found


def evaluate_on_device(device: str, tree: PointTree, at: np.ndarray) -> Values | None:
    """Return (f, normal, valid) of a cloud's surface at points (k, 3), or None if the CPU has to evaluate."""
    if not may_answer(device, "point_crossover", len(at)):
        return None
    return on_device(lambda session: _evaluate(session, tree, at))[0]


def _evaluate(session: Session, tree: PointTree, at: np.ndarray) -> Values:
    backend, count = session.backend, len(at)
    values, normals = backend.empty(count, np.float64), backend.empty((count, 3), np.float64)
    valid = backend.empty(count, np.bool_)
    cloud = _resident_cloud(session, tree)
    backend.run(__name__, "evaluate_points", count, *cloud, backend.upload(at), values, normals, valid)
    return backend.download(values), backend.download(normals), backend.download(valid)


def distances_from_cloud_on(session: Session, tree: PointTree, at: np.ndarray) -> np.ndarray:
    """Return the distances (k,) [m] of points (k, 3), in the cloud's own coordinates, from its surface."""
    backend, count = session.backend, len(at)
    out = backend.empty(count, np.float64)
    backend.run(
        __name__, "measure_from_cloud", count, *_resident_cloud(session, tree), backend.upload(at), out
    )  # fmt: skip
    found: np.ndarray = backend.download(out)
    return found


def distances_from_mesh_on(
    session: Session, tree_set: TreeSet, solids: Solids, frame: tuple[np.ndarray, ...], signed: bool, world: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Measure the distances of world points from a mesh on a device.

    Args:
        session: session of the device.
        tree_set: tree set with this mesh only.
        solids: the data of the same mesh for winding numbers.
        frame: pose (3, 4), inverse rotation (3, 3), origins (1, 3), reaches (1, 3).
        signed: whether points inside get negative distances.
        world: the points, (k, 3) [m].

    Returns:
        (distances (k,) [m], mask (k,) bool of the points whose sign the CPU has to determine).
    """
    backend, count = session.backend, len(world)
    mesh = session.resident(
        tree_set, lambda backend: [*map(backend.upload, (*tree_set.forest[:-1], solids.orientation, solids.component))]
    )
    out, certain = backend.empty(count, np.float64), backend.empty(count, np.bool_)
    backend.run(
        __name__, "measure_from_mesh", count,
        *mesh, *map(backend.upload, frame), backend.upload(world), signed, out, certain,
    )  # fmt: skip
    return backend.download(out), ~backend.download(certain)


def _resident_cloud(session: Session, tree: PointTree) -> list[Any]:
    arrays = (
        tree.points, tree.corrected, tree.normals, tree.origin, tree.first, tree.count, tree.boxes, tree.parameters
    )  # fmt: skip
    return session.resident(tree.points, lambda backend: [*map(backend.upload, arrays)])
