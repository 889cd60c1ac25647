"""Cast rays at the objects of a scene."""

from collections.abc import Generator
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import a_type
from ..query.ray_hits import RayHits, ray_hits
from ..query.rays import checked_rays
from ..traversal.ray_casting import RayCaster, Rays
from ..traversal.rays import ALL, ANY, COUNT, FIRST
from ..types.results import Progress
from ..types.steps import scale_progress
from .members import Keys, Members


def rays_steps(
    objects: Members, which: int, rays: tuple[Any, Any, Any], keys: Keys, threads: int | None
) -> Generator[Progress, None, Any]:
    """Compute a ray query in slices: return RayHits, or for ANY and COUNT an array with an entry for each ray.

    Args:
        objects: the objects of the scene.
        which: FIRST, ANY, COUNT or ALL.
        rays: origins, directions and lengths, not validated yet.
        keys: ids or names of the objects to test; None for all objects.
        threads: the maximum number of threads.

    Raises:
        UnsupportedOption: the rays are invalid, or an object is not a mesh in memory.
        UnknownObject: a key is not in the scene.
    """
    checked = checked_rays(*rays)
    chosen = np.flatnonzero(objects.members_of(keys, "objects"))
    ids = objects.ids()[chosen]
    for identifier in ids.tolist():
        if (member := objects.by_id[identifier]).is_special:
            raise UnsupportedOption(
                f"rays support meshes in memory only; object {identifier} is {a_type(member.thing)}"
            )
    if not len(ids):
        return _nothing(which, checked)
    packed, places = yield from scale_progress(objects.packed_steps(ids), 0.0, 0.2)
    rows = objects.all_rows()[chosen]
    caster = RayCaster(packed.tree_set, rows, packed.trees[places])
    if which in (ANY, COUNT):
        counts = yield from scale_progress(caster.counts(checked, which, threads), 0.2, 1.0, "casting rays")
        return counts > 0 if which == ANY else counts
    meshes = [packed.meshes[tree] for tree in packed.trees[places].tolist()]
    surfaces = list(zip(meshes, rows, strict=True))
    if which == ALL:
        of, found = yield from scale_progress(caster.all(checked, threads), 0.2, 1.0, "casting rays")
        return ray_hits(of, found, surfaces, ids)
    first = yield from scale_progress(caster.first(checked, threads), 0.2, 1.0, "casting rays")
    return ray_hits(np.arange(len(checked.origins)), first, surfaces, ids)


def _nothing(which: int, rays: Rays) -> RayHits | np.ndarray:
    """Return the result for a scene without objects."""
    n = len(rays.origins)
    if which in (ANY, COUNT):
        return np.zeros(n, np.bool_ if which == ANY else np.int32)
    k = n if which == FIRST else 0
    none, nowhere = np.full(k, -1, np.int32), np.full((k, 3), np.nan)
    known = none.astype(np.int64)
    return RayHits(np.arange(k), none, np.full(k, np.inf), nowhere, np.zeros(k, np.bool_), known, none, [])
