"""``convex_parts``: a solid divided into convex parts by CoACD, for the fast queries of convex solids."""

import importlib
from typing import Any

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..messages import shown
from ..types.foreign_meshes import as_own
from ..types.mesh import TriangleMesh, no_mesh
from ..types.numbers import whole_number
from .hull import ConvexHull


def convex_parts(mesh: Any, concavity: float = 0.05, most: int | None = None, seed: int = 0) -> list[TriangleMesh]:
    """Divide the solid of a mesh into convex parts that together approximate it (convex decomposition).

    Source: Wei, Liu, Ling, Su, "Approximate convex decomposition for 3D meshes with collision-aware concavity and tree
    search" (2022), by its authors' library CoACD (``pip install "meshclash[convex]"``). The parts are only an
    approximation. If a result has to be exact, query the mesh itself.

    Args:
        mesh: a closed mesh.
        concavity: maximum distance between a part and its hull, as a fraction of the size, from 0.01 to 1.
        most: maximum number of parts; None for no limit.
        seed: seed of the random numbers; the same seed gives the same parts.

    Returns:
        Closed convex meshes, in the mesh's frame.

    Raises:
        InvalidMesh: the argument is not a mesh, or the mesh is not closed.
        UnsupportedOption: an option is out of its range, or CoACD is not installed.

    Example:
        >>> import meshclash as mc
        >>> len(mc.shapes.convex_parts(mc.shapes.box(1.0)))
        1
    """
    own = as_own(mesh)
    if not isinstance(own, TriangleMesh):
        raise no_mesh(own, "a closed TriangleMesh")
    if not own.is_closed:
        raise InvalidMesh(f"convex_parts needs a closed mesh, not {shown(own)}")
    if not isinstance(concavity, float | int) or not 0.01 <= concavity <= 1.0:
        raise UnsupportedOption(f"concavity must be a number from 0.01 to 1, not {shown(concavity)}")
    limit = -1 if most is None else whole_number("most", most, 1)
    seed = whole_number("seed", seed, 0)
    if max(limit, seed) >= 1 << 31:
        raise UnsupportedOption(f"most and seed must be below 2**31, not {most} and {seed}")
    try:
        coacd: Any = importlib.import_module("coacd")
    except ImportError as error:
        raise UnsupportedOption('convex_parts needs CoACD: pip install "meshclash[convex]"') from error
    coacd.set_log_level("error")
    given = coacd.Mesh(own.vertices, own.topology.welded[own.triangles])
    found = coacd.run_coacd(given, threshold=float(concavity), max_convex_hull=limit, seed=seed)
    return [ConvexHull(np.asarray(vertices, np.float64)).mesh() for vertices, _ in found]
