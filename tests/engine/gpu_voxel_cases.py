"""Surfaces on grids for the device, the host and the simulator: small and large triangles, needles, several bricks."""

import meshclash as mc
import numpy as np
from meshclash.voxels.device import common_voxels_on
from oracles.mesh_generators import bumpy_sphere
from voxels import MEMORY, on_grid


def cases():
    """Name -> (grid, first, second) of objects that share a region."""
    rng = np.random.default_rng(7)
    balls = [mc.TriangleMesh(*bumpy_sphere(120, seed)) for seed in (1, 2)]
    large = [mc.TriangleMesh(rng.uniform(-1.5, 1.5, (9, 3)), np.arange(9).reshape(-1, 3)) for _ in range(2)]
    ends = rng.uniform(-1.0, 1.0, (6, 2, 3))
    corners = np.concatenate([ends, ends[:, :1] + 0.3 * (ends[:, 1:] - ends[:, :1]) + 1e-9], axis=1)
    needles = mc.TriangleMesh(corners.reshape(-1, 3), np.arange(18).reshape(-1, 3))
    flat = mc.TriangleMesh([[-1, -1, 0.5], [1, -1, 0.5], [0, 1, 0.5]], [[0, 1, 2]])
    pairs = {"balls": balls, "large": large, "needles": [needles, balls[0]], "flat": [flat, large[0]]}
    found = {}
    for name, meshes in pairs.items():
        placed = [on_grid(mesh, (-1, -1, -0.5), (1, 1, 1), resolution=19) for mesh in meshes]
        found[name] = (placed[0][0], *(thing for _, thing in placed))
    return found


def steps(backend):
    """The words and names of the common voxels by a backend."""
    found = {}
    for name, (grid, *things) in cases().items():
        bricks = common_voxels_on(backend, things, grid, MEMORY)
        count = int(bricks.used[0])
        order = np.argsort(bricks.names[:count])
        found |= {f"{name}: names": bricks.names[:count][order], f"{name}: words": bricks.words[:count][order]}
    return found
