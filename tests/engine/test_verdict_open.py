"""Verdicts of open meshes that mean a solid: containment, depth, permitted overlap, and what stays as it was."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import box, joined, l_shape, open_box, shell, torus
from strategies import matrix, rotation

pytestmark = pytest.mark.needs_jit


def finely(low, high, cells=8):
    """A box of many triangles."""
    low, high = np.array(low, float), np.array(high, float)
    line = np.arange(cells + 1)
    u, v = (x.ravel() for x in np.meshgrid(line, line, indexing="ij"))
    square = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    quads = np.stack([square, square + cells + 1, square + cells + 2, square + 1], axis=1)
    corners, triangles = [], []
    for axis in range(3):
        for end in (0, cells):
            place = np.stack([np.full_like(u, end), u, v], axis=1)
            corners.append(np.roll(place, axis, axis=1))
            run = quads if end else quads[:, ::-1]
            triangles.append(run[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3) + len(u) * (len(corners) - 1))
    return low + (high - low) * np.concatenate(corners) / cells, np.concatenate(triangles)


def pierced(mesh, gone=(0,), turned=3):
    """The same with a hole, every so manieth face turned over, and its faces unwelded."""
    triangles = mesh[1].copy()
    triangles[::turned] = triangles[::turned, ::-1]
    corners = mesh[0][np.delete(triangles, gone, axis=0)].reshape(-1, 3)
    return mc.TriangleMesh(corners, np.arange(len(corners)).reshape(-1, 3))


POSES = (None, mc.Pose.from_matrix(matrix(rotation(np.random.default_rng(1)), (50.0, -20.0, 7.0))))


def both_orders(a, b, pose, **options):
    first, second = mc.verdict(a, b, pose, pose, **options), mc.verdict(b, a, pose, pose, **options)
    assert first == second and first.certainty == second.certainty
    assert (first.depth is None) == (second.depth is None)
    assert first.depth is None or first.depth == pytest.approx(second.depth, rel=1e-6)
    return first


@pytest.mark.parametrize("pose", POSES)
def test_a_part_inside_an_open_solid_is_contained_and_one_beside_it_is_not(pose):
    ring = pierced(torus(3, 1))
    for centre, inside in (((3, 0, 0), True), ((0, -3, 0.2), True), ((0, 0, 0), False), ((2.0, 2.0, 1.5), False)):
        part = mc.TriangleMesh(*box(np.array(centre) - 0.1, np.array(centre) + 0.1))
        found = both_orders(ring, part, pose)
        assert found == (mc.Verdict.CONTAINED if inside else mc.Verdict.APART)
        if inside:
            assert found.depth == pytest.approx(0.2, rel=0.01) and 0.99 <= found.certainty < 1.0
        else:
            assert found.depth is None


@pytest.mark.slow
@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("depth", [0.3, 0.01])
def test_overlaps_of_open_solids_have_a_depth_and_a_permission(pose, depth):
    a = pierced(finely((0, 0, 0), (2, 2, 2)), gone=(5,))
    for b in (
        mc.TriangleMesh(*box((2 - depth, 0.25, 0.25), (4, 1.75, 1.75))),
        pierced(finely((2 - depth, 0.25, 0.25), (4, 1.75, 1.75)), gone=(700,)),
    ):
        found = both_orders(a, b, pose)
        assert found == mc.Verdict.CLASH and found.depth == pytest.approx(depth, rel=0.1)
        assert both_orders(a, b, pose, permitted_overlap=0.5 * depth) == mc.Verdict.CLASH
        permitted = both_orders(a, b, pose, permitted_overlap=1.1 * depth)
        assert permitted == mc.Verdict.TOUCHING and permitted.certainty < 1.0


def test_no_depth_is_stated_where_the_overlap_is_in_a_hole():
    corners, triangles = finely((0, 0, 0), (2, 2, 2))
    middles = corners[triangles].mean(axis=1)
    gone = np.flatnonzero((middles[:, 0] == 2.0) & (np.abs(middles[:, 1:] - 1.0).max(axis=1) < 0.6))
    a = mc.TriangleMesh(corners, np.delete(triangles, gone, axis=0))
    assert mc.solidity(a).solid
    b = mc.TriangleMesh(*box((1.9, 0.3, 0.9), (3.0, 1.7, 1.1)))  # crosses the rim only
    assert mc.verdict(a, b) == mc.Verdict.CLASH and mc.verdict(a, b).depth is None


def test_what_means_no_solid_is_judged_as_a_surface():
    tray, part = mc.TriangleMesh(*open_box((0, 0, 0), (4, 4, 4))), mc.TriangleMesh(*box((1, 1, 1), (2, 2, 2)))
    assert mc.verdict(tray, part) == mc.Verdict.APART and mc.verdict(tray, part).certainty == 1.0
    crossing = mc.TriangleMesh(*box((3, 1, 1), (5, 2, 2)))
    assert mc.verdict(tray, crossing) == mc.Verdict.CLASH and mc.verdict(tray, crossing).depth is None


def test_a_part_in_the_cavity_of_an_open_shell_is_not_contained():
    hollow = pierced(shell((0, 0, 0), (4, 4, 4), 1), gone=(0,), turned=1000)
    part = mc.TriangleMesh(*box((1.5, 1.5, 1.5), (2.5, 2.5, 2.5)))
    assert both_orders(hollow, part, None) == mc.Verdict.APART
    wall = mc.TriangleMesh(*box((1.5, 3.25, 1.5), (2.5, 3.75, 2.5)))
    assert both_orders(hollow, wall, None) == mc.Verdict.CONTAINED


def test_scenes_judge_open_solids_as_pairs_are():
    scene = mc.Scene()
    for mesh in (pierced(torus(3, 1)), mc.TriangleMesh(*box((2.9, -0.1, -0.1), (3.1, 0.1, 0.1)))):
        scene.add(mesh)
    (pair,) = scene.contacts().pairs
    assert pair.verdict == mc.Verdict.CONTAINED and pair.certainty < 1.0


@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1))
def test_an_open_solid_is_about_as_deep_as_it_is_closed(seed):
    """Its hole is on the face at x = -1, the other body is at the opposite one."""
    rng = np.random.default_rng(seed)
    mesh = finely((-1, -1, -1), (1, 1, 1))
    gone = rng.choice(np.flatnonzero(mesh[0][mesh[1]][..., 0].max(axis=1) == -1.0))
    other = mc.TriangleMesh(
        *[box((-0.5, -0.4, -0.3), (0.5, 0.4, 0.3)), torus(0.5, 0.2), l_shape(0.9, 0.3, 0, 0.4)][seed % 3]
    )
    pose = mc.Pose.from_matrix(matrix(rotation(rng), (rng.uniform(0.6, 1.3), *rng.uniform(-0.8, 0.8, 2))))
    closed = mc.verdict(mc.TriangleMesh(*mesh), other, None, pose, depth="exact")
    open_mesh = pierced(mesh, gone=(int(gone),))
    for depth in (True, "exact"):
        found = mc.verdict(open_mesh, other, None, pose, depth=depth)
        assert (found.depth is None) == (closed.depth is None)
        if found.depth is not None:
            assert found.name == closed.name and found.depth_upper is None
            assert 0.85 * closed.depth_lower <= found.depth <= closed.depth_upper * (1 + 1e-9)


def test_parts_of_open_solids_far_apart_are_all_looked_at():
    """Most of a comb's teeth stick in a plate by a little, the last one by more."""
    teeth = [finely((3 * i, 0, -0.125 - 0.25 * (i == 20)), (3 * i + 1, 1, 2), cells=2) for i in range(21)]
    comb, plate = pierced(joined(*teeth), gone=(7,), turned=10**9), mc.TriangleMesh(*box((-1, -1, -3), (70, 2, 0)))
    assert both_orders(comb, plate, None).depth == pytest.approx(0.375, rel=0.01)


@settings(max_examples=25, deadline=None)
@given(
    st.floats(1e-9, 9e-7), st.floats(1.2e-6, 0.3), st.tuples(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4)),
    st.integers(0, 50), st.booleans(),
)  # fmt: skip
def test_surfaces_that_a_move_within_their_resolution_takes_apart_touch(shallow, deep, slide, seed, both_open):
    """Neither a lid without its box nor a plate has a depth: what crosses by a rounding is no clash, the rest is."""
    pose = mc.Pose.from_matrix(matrix(rotation(np.random.default_rng(seed)), (5.0, -2.0, 7.0)))
    corner = np.array([*slide, 0.0])
    solid = box(corner, corner + 1.0)
    plate = np.array([[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]])
    body = mc.TriangleMesh(solid[0], solid[1][2 if both_open else 0 :], resolution=5e-7)
    for depth, meant in ((shallow, mc.Verdict.TOUCHING), (deep, mc.Verdict.CLASH)):
        flat = mc.TriangleMesh(plate + np.array([0.0, 0.0, depth]), [[0, 1, 2], [0, 2, 3]], resolution=5e-7)
        for permitted in ("resolution", 1e-6, 1e-3, 9.0):
            found = both_orders(body, flat, pose, permitted_overlap=permitted)
            assert found == meant and found.flush == (meant is mc.Verdict.TOUCHING)
        for permitted in (0.0, 0.5 * depth):
            assert both_orders(body, flat, pose, permitted_overlap=permitted) == mc.Verdict.CLASH


@pytest.mark.parametrize("pose", POSES)
def test_two_sided_meshes_are_the_bodies_and_sheets_that_they_draw(pose):
    def asked(mesh, other):
        both = mc.TriangleMesh(mesh[0], np.vstack([mesh[1], mesh[1][:, ::-1]]))
        return mc.verdict(both, mc.TriangleMesh(*other), pose, pose)

    tank, part, across = box((0, 0, 0), (3, 3, 3)), box((1, 1, 1), (2, 2, 2)), box((2, 1, 1), (4, 2, 2))
    assert asked(tank, part) == mc.Verdict.CONTAINED
    clash = asked(tank, across)
    assert clash == mc.Verdict.CLASH and clash.depth == pytest.approx(1.0, rel=0.05)
    sheet = tank[0] * (1.0, 1.0, 0.5), tank[1][(tank[0][tank[1], 2] > 0.0).all(axis=1)]
    assert asked(sheet, part) == mc.Verdict.CLASH
    assert asked(sheet, box((0, 0, 2), (3, 3, 4))) == mc.Verdict.APART
