"""Many points at once, on a device or on the CPU: distances from a surface, and values of a cloud's surface.

``measure_gpu.py`` has the kernels. A device is given large portions. From its
first fault on the CPU goes on with small ones, so a question in slices stays one.
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
"""World points (k, 3) to their distances (k,) [m]."""
OnDevice = Callable[[Session, np.ndarray], np.ndarray]
Values = tuple[np.ndarray, np.ndarray, np.ndarray]


class Measure:
    """Distances of world points from a surface.

    Args:
        device: "auto", "cpu" or "cuda".
        count: about how many points will be asked about in all.
        on_cpu, of_device: how to measure.

    Attributes:
        chunk: how many points to ask about at a time.
    """

    def __init__(self, device: str, count: int, on_cpu: OnCpu, of_device: OnDevice) -> None:
        self._on_cpu = on_cpu
        self._of_device = of_device if may_answer(device, "point_crossover", count) else None
        self.chunk = _CHUNK if self._of_device is None else _CHUNK_OF_DEVICE

    def __call__(self, world: np.ndarray) -> np.ndarray | None:
        """Distances (k,) [m] of points (k, 3); None when a device could not tell: ask again, with the new chunk."""
        of_device = self._of_device
        if of_device is None:
            return self._on_cpu(world)
        found, _ = on_device(lambda session: of_device(session, world))
        if found is None:
            self._of_device, self.chunk = None, _CHUNK
        return found


def evaluate_on_device(device: str, tree: PointTree, at: np.ndarray) -> Values | None:
    """(f, normal, valid) of a cloud's surface at points (k, 3), if a device is to answer and can."""
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
    """Distances (k,) [m] of points (k, 3), in the cloud's own coordinates, from its surface."""
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
    """Distances (k,) [m] of world points (k, 3) from a mesh, and those whose signs the CPU must tell, (k,) bool.

    Args:
        session: of the device.
        tree_set: of the mesh alone.
        solids: the same mesh.
        frame: pose (3, 4), inverse rotation (3, 3), origins (1, 3), reaches (1, 3).
        signed: whether points inside get negative distances.
        world: the points.
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
