"""Depths of meshes that look closed: seams and poles have several vertices at one place, but for rounding."""

from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.solid.boundary_mesh import find_boundary_mesh
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from solids import box
from strategies import matrix, rotation

pytestmark = pytest.mark.needs_jit

SEEDS = st.integers(0, 2**32 - 1)
PROFILES = {  # radii and heights, from the lower end of the axis to the upper one; the last one is not convex
    "ball": [(0, -1), *((np.sin(q), -np.cos(q)) for q in np.linspace(0, np.pi, 9)[1:-1]), (0, 1)],
    "cylinder": [(0, -1), (0.7, -1), (0.7, 1), (0, 1)],
    "cone": [(0, -1), (1, -1), (0, 1)],
    "vase": [(0, -1), (0.8, -0.9), (0.3, 0.1), (0.9, 1), (0, 0.5)],
}


def lathe(profile, around, rng, ulps=3):
    """A profile turned about z as scripts write it: no vertex of the seam, or of a pole, is used twice.

    Returns the mesh with the seam, and the closed one that it means: corners (n, 3) and triangles (m, 3) each.
    """
    radii, heights = np.array(profile, float).T
    angles = np.linspace(0.0, 2.0 * np.pi, around + 1)
    points = np.stack(np.broadcast_arrays(radii * np.cos(angles)[:, None], radii * np.sin(angles)[:, None], heights), 2)
    exact = points.copy()
    exact[-1], exact[:, radii == 0] = exact[0], exact[:1, radii == 0]
    points = exact + rng.integers(-ulps, ulps + 1, points.shape) * 2.0**-52 * (rng.random(points.shape) < 0.5)
    points[1:-1, radii > 0] = exact[1:-1, radii > 0]
    rows = np.arange(points.shape[0] * points.shape[1]).reshape(points.shape[:2])
    quads = np.stack([rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]], axis=-1).reshape(-1, 4)
    triangles = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    _, first, same = np.unique(exact.reshape(-1, 3), axis=0, return_index=True, return_inverse=True)
    welded = first[same.ravel()][triangles]
    whole = (welded != np.roll(welded, 1, axis=1)).all(axis=1)
    return (points.reshape(-1, 3), triangles[whole]), (exact.reshape(-1, 3), welded[whole])


def common_ball(a, b):
    """Diameter of the largest ball in two convex solids, by linear programming: corners (n, 3) each."""
    planes = np.concatenate([ConvexHull(points).equations for points in (a, b)])
    sides = np.column_stack([planes[:, :3], np.ones(len(planes))])
    found = linprog([0, 0, 0, -1], sides, -planes[:, 3], bounds=[(None, None)] * 3 + [(0, None)])
    return 0.0 if found.status == 2 else -2.0 * found.fun


def placed(rng, seamed, welded, scale, far):
    """The mesh with its seam, and the corners and triangles of the welded one, moved in its own frame."""
    shift = rng.uniform(-1, 1, 3) * rng.choice([0.0, 10.0]) * scale
    meant = mc.TriangleMesh(welded[0] * scale + shift, welded[1])
    pose = matrix(rotation(rng), rng.uniform(-1, 1, 3) * far)
    pose[:3, 3] -= pose[:3, :3] @ shift
    return mc.TriangleMesh(seamed[0] * scale + shift, seamed[1]), meant, pose


@given(SEEDS, st.sampled_from([1.0, 1e-6, 1e6]), st.sampled_from([0.0, 1e3]), st.sampled_from([True, "exact"]))
@settings(max_examples=60, deadline=None)
def test_seams_off_by_ulps_change_no_depth(seed, scale, far, depth):
    """Bounds hold for the welded solids: by linear programming where these are convex, else by their own bounds."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(list(PROFILES), 2)
    centre, meshes, meant, poses = rng.uniform(-1, 1, 3) * far * scale, [], [], []
    for kind in kinds:
        seamed, welded = lathe(PROFILES[kind], int(rng.integers(3, 16)), rng)
        mesh, solid, pose = placed(rng, seamed, welded, scale, 0.7 * scale)
        pose[:3, 3] += centre
        assert solid.is_closed
        for known, these in zip((mesh, solid, pose), (meshes, meant, poses), strict=True):
            these.append(known)
    found, whole = mc.verdict(*meshes, *poses, depth=depth), mc.verdict(*meant, *poses, depth=depth)
    slack = 1e-12 * (far + 20.0) * scale  # of the oracles, whose coordinates are rounded
    assert found == whole or whole.depth_upper <= slack
    for mesh in meshes:
        closed = find_boundary_mesh(mesh).mesh
        assert closed.is_closed and np.array_equal(closed.vertices, mesh.vertices)
    if found.depth_upper is None:
        assert found in (mc.Verdict.APART, mc.Verdict.TOUCHING)
        return
    assert 0.0 <= found.depth_lower <= (found.depth or 0.0) <= found.depth_upper
    assert found.certainty == whole.certainty == 1.0 or found == mc.Verdict.CONTAINED
    if "vase" not in kinds:
        corners = [solid.vertices @ pose[:3, :3].T + pose[:3, 3] for solid, pose in zip(meant, poses, strict=True)]
        truth = common_ball(*((x - centre) / scale for x in corners)) * scale
        assert found.depth_lower <= truth * (1 + 1e-9) + slack and truth * (1 - 1e-9) - slack <= found.depth_upper
    assert found.depth_lower <= whole.depth_upper + slack and whole.depth_lower - slack <= found.depth_upper
    swapped = mc.verdict(*meshes[::-1], *poses[::-1], depth=depth)
    assert (swapped, swapped.depth_lower, swapped.depth_upper) == (found, found.depth_lower, found.depth_upper)


@given(st.integers(-8, 8), st.integers(0, 1000), st.sampled_from([0.0, 1e-9, 1e-3]))
@settings(max_examples=60, deadline=None)
def test_bounds_hold_however_a_crack_is_closed(ulps, slight, resolution):
    """The face of a box that is in another one is torn at a corner."""
    corners, triangles = box((0, 0, 0), (1, 1, 1))
    way = ulps * 2.0**-52 if resolution == 0.0 else ulps * 0.2 * resolution
    torn = np.vstack([corners, corners[-1:] + np.array([way, 0.0, 0.0])])
    assert (corners[-1] == 1.0).all()
    way = float(torn[-1, 0] - 1.0)
    rows = np.flatnonzero((triangles == len(corners) - 1).any(axis=1))[::2]
    torn_triangles = triangles.copy()
    torn_triangles[rows] = np.where(triangles[rows] == len(corners) - 1, len(corners), triangles[rows])
    a = mc.TriangleMesh(torn, torn_triangles, resolution)
    start = 1.0 - slight * 2.0**-53 if slight % 2 else 1.0 - slight / 2000.0
    b = mc.TriangleMesh(*box((start, 0.25, 0.25), (3.0, 0.75, 0.75)))
    found = mc.verdict(a, b)
    assert find_boundary_mesh(a).mesh.is_closed
    if found.depth_upper is not None:
        truth, off = Fraction(1.0) - Fraction(start), Fraction(abs(way))
        assert Fraction(found.depth_lower) <= truth + off
        assert max(truth, 0) - off <= Fraction(found.depth_upper)


def test_cracks_that_are_wider_than_rounding_are_not_welded():
    rng = np.random.default_rng(5)
    (points, triangles), _ = lathe(PROFILES["ball"], 12, rng, ulps=300)
    assert not find_boundary_mesh(mc.TriangleMesh(points, triangles)).mesh.is_closed
    assert find_boundary_mesh(mc.TriangleMesh(points, triangles, 1e-12)).mesh.is_closed
    fine = mc.TriangleMesh(*lathe(PROFILES["ball"], 12, rng, ulps=300)[0])
    assert mc.verdict(fine, fine, None, matrix(np.eye(3), (0.5, 0, 0))).depth_upper is None
    tray = mc.TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
    assert find_boundary_mesh(tray).mesh is tray


@given(SEEDS, st.floats(0.01, 0.6))
@settings(max_examples=20, deadline=None)
def test_permissions_are_decided_by_the_proved_bounds(seed, overlap):
    """Cylinders end to end; also in a scene, whose answers are those of the pairs."""
    rng = np.random.default_rng(seed)
    mesh = mc.TriangleMesh(*lathe(PROFILES["cylinder"], 9, rng)[0])
    here = matrix(rotation(rng), rng.uniform(-9, 9, 3))
    poses = here, here @ matrix(rotation_z(rng.uniform(0, 6)), (0.1, 0, 2.0 - overlap))
    for share, name in ((0.9, "CLASH"), (1.1, "TOUCHING")):
        found = mc.verdict(mesh, mesh, *poses, permitted_overlap=share * overlap)
        assert found.name == name and found.certainty == 1.0
        assert found.depth_lower <= overlap + 1e-9 and overlap - 1e-9 <= found.depth_upper
        scene = mc.Scene()
        for pose in poses:
            scene.add(mesh, pose)
        (pair,) = scene.contacts(permitted_overlap=share * overlap).pairs
        assert (pair.verdict, pair.depth_lower) == (found, found.depth_lower)
    assert mc.verdict(mesh, mesh, *poses, depth=False).depth is None


def rotation_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.slow
@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_no_ball_is_larger_than_the_common_volume_holds(seed):
    """By manifold3d, of the welded solids: the ball fits into their volume, and where that is more than 0 is a ball."""
    manifold = pytest.importorskip("manifold3d")
    rng = np.random.default_rng(seed)
    meshes, solids, poses = [], [], []
    for kind in rng.choice(list(PROFILES), 2):
        seamed, welded = lathe(PROFILES[kind], int(rng.integers(3, 16)), rng)
        mesh, solid, pose = placed(rng, seamed, welded, 1.0, 0.7)
        used = np.unique(solid.triangles)
        points = (solid.vertices @ pose[:3, :3].T + pose[:3, 3])[used]
        triangles = np.searchsorted(used, solid.triangles)
        solids.append(manifold.Manifold(manifold.Mesh64(points, triangles.astype(np.uint64))))
        meshes.append(mesh)
        poses.append(pose)
    assert all(abs(solid.volume()) > 0.1 for solid in solids)
    volume = abs((solids[0] ^ solids[1]).volume())
    found = mc.verdict(*meshes, *poses, depth="exact")
    assert np.pi / 6 * (found.depth or 0.0) ** 3 <= volume * (1 + 1e-9) + 1e-12
    if volume > 1e-6:
        assert found in (mc.Verdict.CLASH, mc.Verdict.CONTAINED) and found.depth_upper > 0.0
