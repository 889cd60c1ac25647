"""Many trees on a backend: the uploaded meshes, and the hierarchies built over them there.

A backend is a device (``backend_gpu.py``) or the host backend. The arrays of a backend are opaque to the host.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types.mesh import TriangleMesh
from ..volumes.rounding import round_down, round_up

_CELLS = 1024.0
_SMALLEST_EXTENT = 1e-30
MOST_TRIANGLES = 1 << 30
"""Most triangles, since nodes are counted in int32."""
BYTES_PER_TRIANGLE = 12 + 4 + 4 + 2 * (8 + 4 + 4 + 24)
"""Bytes per triangle on the backend, without vertices: triangle 12, tree 4, order 4, and two nodes, each with links 8,
parent 4, counter 4, box 24."""
BYTES_PER_VERTEX = 24


@dataclass
class Trees:
    """Hierarchies on a backend, concatenated; ``karras.py`` has the layout.

    Attributes:
        meshes: the mesh of each tree.
        centres: origins of the trees on the host, (trees, 3) float64 [m].
        root_boxes: (trees, 6) float32 on the host, relative to the origins, rounded outward.
        root_nodes: (trees,) int64 on the host.
        first_triangles: (trees,) int64 on the host.
        The other attributes are arrays of the backend.
    """

    meshes: list[TriangleMesh]
    centres: np.ndarray
    root_boxes: np.ndarray
    root_nodes: np.ndarray
    first_triangles: np.ndarray
    vertices: Any
    """(v, 3) float64 [m]."""
    triangles: Any
    """(m, 3) int32, indices into all vertices."""
    tree_of: Any
    """(m,) int32."""
    origins: Any
    """(trees, 3) float64 [m]."""
    grids: Any
    """(trees, 4) float32, in the form that ``karras.morton_key`` expects."""
    begins: Any
    """First triangle of each tree, and the number of all triangles, (trees + 1,) int64."""
    roots: Any
    """(trees,) int64."""
    links: Any
    """(n, 2) int32."""
    parents: Any
    """(n,) int32; -1 for a root."""
    arrived: Any
    """(n,) int32: how many children of a node have a box."""
    order: Any
    """(m,) int32."""
    boxes: Any
    """(n, 6) float32."""

    @property
    def size(self) -> int:
        """Size on the backend [bytes]."""
        arrays = (self.vertices, self.triangles, self.tree_of, self.origins, self.grids, self.begins, self.roots)
        more = (self.links, self.parents, self.arrived, self.order, self.boxes)
        return sum(int(array.nbytes) for array in arrays + more)


def needed_bytes(meshes: Sequence[TriangleMesh]) -> int:
    """Return the memory [bytes] that the trees of meshes need on a backend, including the keys during sorting."""
    triangles = sum(mesh.triangle_count for mesh in meshes)
    return (BYTES_PER_TRIANGLE + 16) * triangles + BYTES_PER_VERTEX * sum(mesh.vertex_count for mesh in meshes)


def build_trees(backend: Any, meshes: Sequence[TriangleMesh]) -> Trees:
    """Upload meshes and build their hierarchies."""
    counts = np.array([mesh.triangle_count for mesh in meshes], np.int64)
    begins = np.concatenate([[0], np.cumsum(counts)])
    total = int(begins[-1])
    roots = 2 * begins[:-1] - np.arange(len(meshes))
    nodes = 2 * total - len(meshes)
    centres, boxes = _frames(meshes)
    trees = Trees(
        list(meshes), centres, boxes, roots, begins[:-1],
        vertices=backend.upload(_joined([mesh.arrays[0] for mesh in meshes])),
        triangles=backend.upload(_joined(_global_triangles(meshes))),
        tree_of=backend.upload(np.repeat(np.arange(len(meshes), dtype=np.int32), counts)),
        origins=backend.upload(centres),
        grids=backend.upload(_grids(meshes, centres)),
        begins=backend.upload(begins),
        roots=backend.upload(roots),
        links=backend.empty((nodes, 2), np.int32),
        parents=backend.empty(nodes, np.int32),
        arrived=backend.empty(nodes, np.int32),
        order=backend.empty(total, np.int32),
        boxes=backend.empty((nodes, 6), np.float32),
    )  # fmt: skip
    backend.link(trees, backend.sort_keys(trees, backend.make_keys(trees)))
    backend.fit(trees)
    return trees


def refit_trees(backend: Any, trees: Trees, meshes: Sequence[TriangleMesh]) -> None:
    """Refit the boxes to meshes with the same triangles: only vertices and origins are uploaded, nothing is sorted."""
    trees.meshes = list(meshes)
    trees.centres, trees.root_boxes = _frames(meshes)
    backend.write(trees.vertices, _joined([mesh.arrays[0] for mesh in meshes]))
    backend.write(trees.origins, trees.centres)
    backend.fit(trees)


def _frames(meshes: Sequence[TriangleMesh]) -> tuple[np.ndarray, np.ndarray]:
    """Return origins and root boxes of the trees."""
    bounds = np.stack([mesh.bounds for mesh in meshes])
    centres = 0.5 * bounds[:, 0] + 0.5 * bounds[:, 1]
    boxes = np.empty((len(meshes), 6), np.float32)
    for tree, corners in enumerate(bounds - centres[:, None]):
        boxes[tree, :3] = [round_down(x) for x in corners[0]]
        boxes[tree, 3:] = [round_up(x) for x in corners[1]]
    return centres, boxes


def _grids(meshes: Sequence[TriangleMesh], centres: np.ndarray) -> np.ndarray:
    """Return the grid of cells over a cube that contains each mesh."""
    lowest = np.stack([mesh.bounds[0] for mesh in meshes]) - centres
    extents = np.array([float((mesh.bounds[1] - mesh.bounds[0]).max()) for mesh in meshes])
    scales = np.where(extents > _SMALLEST_EXTENT, _CELLS / np.maximum(extents, _SMALLEST_EXTENT), 0.0)
    return np.column_stack([scales, -lowest * scales[:, None]]).astype(np.float32)


def _global_triangles(meshes: Sequence[TriangleMesh]) -> list[np.ndarray]:
    starts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes)])
    return [
        mesh.arrays[1] if start == 0 else mesh.arrays[1] + np.int32(start)
        for mesh, start in zip(meshes, starts, strict=False)
    ]


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
