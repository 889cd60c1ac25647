"""``ray_first``, ``ray_any``, ``ray_count`` and ``ray_all`` of one mesh."""

from collections.abc import Generator
from typing import Any

import numpy as np

from ...hierarchy.build import as_boxes
from ...traversal.forest import pack_trees
from ...traversal.ray_casting import RayCaster
from ...traversal.rays import ANY, COUNT
from ..ray_hits import ray_hits
from ..sides import mesh_of
from ..table import RAY_ALL, RAY_ANY, RAY_COUNT, Asked


def solve(asked: Asked) -> Generator[float, None, Any]:
    """RayHits, or an array with a number or a truth value for each ray."""
    yield 0.0
    (mesh, rays), rows, threads = asked.things, asked.rows[0][:1], asked.options.threads
    caster = RayCaster(pack_trees([as_boxes(mesh)]), rows)
    if asked.query is RAY_ANY:
        return (yield from caster.counts(rays, ANY, threads)) > 0
    if asked.query is RAY_COUNT:
        return (yield from caster.counts(rays, COUNT, threads))
    surfaces = [(mesh_of(mesh, None), rows[0])]
    if asked.query is RAY_ALL:
        return ray_hits(*(yield from caster.all(rays, threads)), surfaces)
    found = yield from caster.first(rays, threads)
    return ray_hits(np.arange(len(rays.origins)), found, surfaces)
