"""Every kind of volume with every split rule and query, against all pairs of triangles."""

from functools import cache

import meshclash as mc
import numpy as np
import pytest
from distances import all_distances, extent
from meshclash.geometry.triangle_pair import classify_triangle_pairs
from meshclash.hierarchy.build import SPLITS
from meshclash.volumes.registry import VOLUMES
from solids import box, gear, l_shape, refined, torus, tube
from strategies import matrix, rotation, soup


def _random(rng):
    return mc.TriangleMesh(*soup(rng.normal(size=(45, 1, 3)) + 0.4 * rng.normal(size=(45, 3, 3))))


def _degenerate(rng):
    """Needles, points, one triangle many times, and triangles over a small grid."""
    needles = rng.normal(size=(10, 1, 3)) + rng.normal(size=(10, 3, 3)) * (2.0, 1e-4, 1e-9)
    points = np.repeat(rng.normal(size=(6, 1, 3)), 3, axis=1)
    repeated = np.repeat(rng.normal(size=(1, 3, 3)), 9, axis=0)
    grid = rng.integers(-1, 2, (20, 3, 3)).astype(float)
    return mc.TriangleMesh(*soup(np.concatenate([needles, points, repeated, grid])))


@cache
def cases():
    """(a, b, poses (k, 4, 4)): crossing, touching, apart, one inside the other."""
    rng = np.random.default_rng(11)
    cloud, odd = _random(rng), _degenerate(rng)
    plate, wheel = mc.TriangleMesh(*refined(box((-1, -1, 0), (1, 1, 0.25)))), mc.TriangleMesh(*gear(1, 5, 0, 0.5))
    bracket, ring = mc.TriangleMesh(*l_shape(2, 0.5, 0, 1)), mc.TriangleMesh(*tube(1, 0.5, 8, 0, 0.5))
    small = mc.TriangleMesh(*torus(0.5, 0.125, 6, 4))
    turned = [matrix(rotation(rng), rng.normal(size=3) * 0.7) for _ in range(2)]
    away = matrix(rotation(rng), (6.0, -2.0, 1.0))
    return {
        "random": (cloud, small, np.stack([*turned, away])),
        "flush plates": (plate, plate, np.stack([matrix(shift=s) for s in ((0, 0, 0.25), (1, 0, 0), (0, 0, 1.5))])),
        "gear and ring": (wheel, ring, np.stack([np.eye(4), matrix(shift=(0, 0, 0.5)), away])),
        "bracket and ring": (bracket, ring, np.stack([turned[0], matrix(shift=(-1, 0.5, 0)), away])),
        "degenerate": (odd, odd, np.stack([matrix(shift=(1, 0, 0)), turned[1], away])),
        "degenerate and plate": (odd, plate, np.stack([np.eye(4), turned[0], away])),
    }


CASES = ("random", "flush plates", "gear and ring", "bracket and ring", "degenerate", "degenerate and plate")


@cache
def expected(case):
    """For each pose: pairs (k, 2) that meet and their kinds, and all distances."""
    a, b, poses = cases()[case]
    every = np.indices((a.triangle_count, b.triangle_count)).reshape(2, -1).T
    answers = []
    for pose in poses:
        corners = a.vertices[a.triangles], mc.Pose.from_matrix(pose).apply(b.vertices)[b.triangles]
        kinds, _ = classify_triangle_pairs(corners[0][every[:, 0]], corners[1][every[:, 1]])
        distances = all_distances(a, b, pose)
        answers.append((every[kinds > 0], kinds[kinds > 0], distances))
    return answers


def trees(case, volume, split):
    a, b, poses = cases()[case]
    return *(mc.build(mesh, volume=volume, split=split, leaf_size=3) for mesh in (a, b)), poses


PRODUCT = pytest.mark.parametrize("split", sorted(SPLITS))
EVERY_VOLUME = pytest.mark.parametrize("volume", sorted(VOLUMES))


def test_the_cases_are_worth_something():
    """Contacts of all kinds, poses without any, and names that fit."""
    assert tuple(cases()) == CASES
    answers = [answer for case in CASES for answer in expected(case)]
    kinds = np.concatenate([kinds for _, kinds, _ in answers])
    assert set(kinds.tolist()) == {int(kind) for kind in mc.ContactKind}
    assert 4 <= sum(len(pairs) == 0 for pairs, _, _ in answers) <= len(answers) - 8


@EVERY_VOLUME
@PRODUCT
def test_contacts(volume, split):
    for case in CASES:
        a, b, poses = trees(case, volume, split)
        found = mc.collide(a, b, None, poses)
        hit = mc.collides(a, b, None, poses)
        for k, (pairs, kinds, _) in enumerate(expected(case)):
            assert found.pairs[found.pose == k].tolist() == pairs.tolist()
            assert found.kinds[found.pose == k].tolist() == kinds.tolist()
            assert hit[k] == (len(pairs) > 0)


@pytest.mark.slow
@EVERY_VOLUME
@PRODUCT
def test_distances(volume, split):
    for case in CASES:
        a, b, poses = trees(case, volume, split)
        found = mc.distance(a, b, None, poses)
        for k, (pairs, _, distances) in enumerate(expected(case)):
            least, size = distances.min(), extent(a.mesh, b.mesh)
            assert abs(found.distance[k] - least) <= 1e-12 * (size + least)
            assert (found.distance[k] == 0.0) == (len(pairs) > 0)
            own = distances[found.triangle_a[k], found.triangle_b[k]]
            assert abs(own - least) <= 1e-12 * (size + least)


@EVERY_VOLUME
@PRODUCT
def test_clearances(volume, split):
    for case in CASES:
        a, b, poses = trees(case, volume, split)
        tolerance = float(np.quantile(expected(case)[0][2], 0.05))
        found = mc.clearance(a, b, tolerance, None, poses)
        for k, (pairs, _, distances) in enumerate(expected(case)):
            rounding = 1e-12 * (extent(a.mesh, b.mesh) + 10.0)
            own = {tuple(pair) for pair in found.pairs[found.pose == k].tolist()}
            meeting = {tuple(pair) for pair in pairs.tolist()}
            assert {tuple(p) for p in np.argwhere(distances <= tolerance - rounding).tolist()} | meeting <= own
            assert own <= {tuple(p) for p in np.argwhere(distances <= tolerance + rounding).tolist()} | meeting
            zero = found.pairs[(found.pose == k) & (found.distances == 0.0)]
            assert {tuple(pair) for pair in zero.tolist()} == meeting
