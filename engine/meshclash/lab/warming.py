"""The kernels of the lab that the warm-up compiles."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ..hierarchy.build import build, refit
from ..massive.mesh import ClusteredMesh
from ..massive.pieces import Piece, collapsed, joined
from ..pointcloud.cloud import PointCloud
from ..query.collide import collide
from ..types.mesh import TriangleMesh
from ..volumes.registry import VOLUMES
from .clouds.collision import cloud_collision
from .partition.registry import PARTITIONS
from .progressive.collide import progressive_collide
from .progressive.mesh import ProgressiveMesh, progressive_parts, stops_of
from .progressive.meshes import ProgressiveMeshes
from .soups import collide_soups

Steps = dict[str, list[tuple[str, Callable[[], object]]]]


def lab_steps(a: TriangleMesh, b: TriangleMesh, points: np.ndarray) -> Steps:
    """Return the warm-up steps of each part of the lab.

    The arguments are two meshes that meet, and points of a surface.
    """
    steps: Steps = {
        "builders": [
            ("hierarchies for much use", lambda: build(a, split="sah")),
            ("other builders", lambda: (build(a, split="median"), build(a, split="mean"))),
        ],
        "paper": [
            ("point clouds as in the paper", lambda: _clouds(points)),
            ("progressive meshes", lambda: _progressive(a)),
            ("moved vertices of restricted boxes", lambda: refit(build(a, "boxtree"), a.vertices)),
            ("triangle soups", lambda: [collide_soups(a, b, partition=name) for name in PARTITIONS]),
        ],
    }
    for name in VOLUMES:
        steps.update(_volume_steps(name, a, b))
    return steps


def _volume_steps(name: str, a: TriangleMesh, b: TriangleMesh) -> Steps:
    """Return the steps for the kernels that only hierarchies of one kind of volume need."""
    return {
        f"{name} volumes": [(f"{name} volumes", lambda: build(a, name))],
        f"{name} contacts": [(f"contacts of {name}", lambda: collide(build(a, name), build(b, name), device="cpu"))],
    }


def _clouds(points: np.ndarray) -> None:
    cloud = PointCloud(points)
    cloud_collision(cloud, cloud, method="paper")


def _progressive(mesh: TriangleMesh) -> None:
    with TemporaryDirectory() as folder, ClusteredMesh.build(mesh, Path(folder) / "mesh") as clustered:
        ProgressiveMeshes.build(clustered).close()
        progressive_collide(clustered, clustered, epsilon=0.1)
    piece = joined([Piece(*mesh.arrays, 0.0, 0.0)])
    done = collapsed(piece, 0)
    stops_of(piece, done, (0.5,))
    ProgressiveMesh(*progressive_parts(piece, done, 0, len(done.log))).go_to(0)
