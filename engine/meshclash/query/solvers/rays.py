"""Rays against one mesh: ``ray_first``, ``ray_any``, ``ray_count`` and ``ray_all``."""

from collections.abc import Generator

import numpy as np

from ...hierarchy.build import as_boxes
from ...traversal.forest import pack_trees
from ...traversal.ray_casting import RayCaster
from ...traversal.rays import ANY, COUNT
from ...types.mesh import TriangleMesh
from ..operands import mesh_of
from ..ray_hits import RayHits, ray_hits
from ..table import Request


def find_first(request: Request) -> Generator[float, None, RayHits]:
    """Implement ``ray_first``: return the first crossing of each ray."""
    yield 0.0
    rays = request.things[1]
    found = yield from _caster(request).first(rays, request.options.threads)
    return ray_hits(np.arange(len(rays.origins)), found, [_surface(request)])


def find_all(request: Request) -> Generator[float, None, RayHits]:
    """Implement ``ray_all``: return all crossings."""
    yield 0.0
    of, found = yield from _caster(request).all(request.things[1], request.options.threads)
    return ray_hits(of, found, [_surface(request)])


def find_counts(request: Request) -> Generator[float, None, np.ndarray]:
    """Implement ``ray_count``: return the number of crossings of each ray, (n,) int32."""
    yield 0.0
    return (yield from _caster(request).counts(request.things[1], COUNT, request.options.threads))


def find_any(request: Request) -> Generator[float, None, np.ndarray]:
    """Implement ``ray_any``: return which rays cross the mesh, (n,) bool."""
    yield 0.0
    return (yield from _caster(request).counts(request.things[1], ANY, request.options.threads)) > 0


def _caster(request: Request) -> RayCaster:
    return RayCaster(pack_trees([as_boxes(request.things[0])]), request.rows[0][:1])


def _surface(request: Request) -> tuple[TriangleMesh, np.ndarray]:
    return mesh_of(request.things[0], None), request.rows[0][0]
