"""Are stated probabilities of pairs with point clouds right? Of searches that are stopped, how many find a contact?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from meshclash.clouds import PointCloud
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.pointcloud.searches import Thing, search_for
from meshclash.types.mesh import TriangleMesh

from .cloud_shapes import sample
from .cloud_solids import KINDS, Solid, make_shape, random_pose, sample_surface
from .timecritical_calibration import StoppedSearches
from .timecritical_poses import PLACEMENTS, placed

STOPS = (0, *(25 * 2**k for k in range(14)))
"""Work after which searches are stopped."""
_LEAST_POINTS, _MOST_POINTS = 2_000, 16_000
_MOST_WORK = 1e12


class ScanPair(NamedTuple):
    """A cloud, and another object in a pose."""

    family: str
    placement: str
    cloud: PointCloud
    other: Thing
    pose: np.ndarray


def scans_of_meshes(trees: Iterable[tuple[str, Hierarchy]], queries: int, seed: int) -> Iterator[ScanPair]:
    """Yield scans of meshes beside scans of themselves and of smaller objects, and beside these meshes.

    Args:
        trees: kinds and hierarchies. The kind and the type of the other object make a family.
        queries: poses of each pair of objects in each placement.
        seed: of the poses, partners and samples.
    """
    every = list(trees)
    for number, (kind, tree) in enumerate(every):
        rng = np.random.default_rng((seed, number))
        other = every[int(rng.integers(len(every)))][1].mesh
        sides = [np.ptp(mesh.bounds, axis=0).max() for mesh in (tree.mesh, other)]
        scale = 2.0 ** rng.uniform(-3.0, 0.0) * sides[0] / sides[1]
        smaller = build(TriangleMesh(np.asarray(other.vertices) * scale, np.asarray(other.triangles)))
        cloud = _scanned(tree, rng)
        for partner, name in ((tree, "alike"), (smaller, "different")):
            scan = _scanned(partner, rng)
            for placement in PLACEMENTS:
                for pose in placed(tree, partner, rng, queries, placement):
                    yield ScanPair(f"{kind}, scan", f"{name}, {placement}", cloud, scan, pose)
                    yield ScanPair(f"{kind}, mesh", f"{name}, {placement}", cloud, partner, pose)


def scans_of_solids(queries: int, seed: int) -> Iterator[ScanPair]:
    """Yield two scans of each kind of ``cloud_solids.py`` in random poses."""
    for kind in KINDS:
        rng = np.random.default_rng((seed, KINDS[kind].seed))
        shape = make_shape(kind, seed)
        partner = shape if isinstance(shape, Solid) else make_shape("blobs", seed)
        a, b = (PointCloud(sample_surface(thing, _count(rng), rng)) for thing in (shape, partner))
        for _ in range(queries):
            yield ScanPair(f"solid {kind}, scan", "random", a, b, random_pose(rng, 2.0))


def _scanned(tree: Hierarchy, rng: np.random.Generator) -> PointCloud:
    mesh = np.asarray(tree.mesh.vertices), np.asarray(tree.mesh.triangles)
    return PointCloud(sample(mesh, _count(rng), int(rng.integers(2**30))))


def _count(rng: np.random.Generator) -> int:
    return int(np.exp(rng.uniform(np.log(_LEAST_POINTS), np.log(_MOST_POINTS))))


def stopped_scan_searches(pairs: Iterable[ScanPair]) -> StoppedSearches:
    """Stop the search of each pair at ``STOPS`` as long as it does not know the answer, and then let it end."""
    rows: list[tuple] = []
    for pair in pairs:
        search, _ = search_for(pair.cloud, pair.other, np.eye(4)[:3].copy(), pair.pose[:3].copy(), True)
        stopped: list[tuple] = []
        for stop in STOPS:
            search.advance(max(stop - search.work_done, 1.0))
            if search.complete:
                break
            stopped.append((stop, search.measures(), search.probability(), (0.0, 1.0)))
        while not search.complete:
            search.advance(_MOST_WORK)
        rows += [(pair.family, pair.placement, *row, search.hit) for row in stopped]
    return StoppedSearches(*(np.array(column) for column in zip(*rows, strict=True)))
