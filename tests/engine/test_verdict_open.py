"""Verdicts of open meshes that mean a solid: containment, depth, permitted overlap, and what stays as it was."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.solid import open_overlap
from meshclash.solid.field import NEAREST
from meshclash.solid.solidity import meant_by
from meshclash.types.steps import run
from solids import box, joined, open_box, shell, torus
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
    assert pair.verdict == mc.Verdict.CONTAINED and pair.verdict.certainty < 1.0


def ball_with_open_poles(around=12, across=8):
    """A ball that looks closed: one of its poles has a vertex for each triangle, and these differ by rounding."""
    u, v = np.arange(around) / around * 2 * np.pi, np.arange(across + 1) / across * np.pi
    points = np.array([[np.sin(q) * np.cos(p), np.sin(q) * np.sin(p), np.cos(q)] for q in v for p in u])
    own = np.arange(across * around).reshape(across, around)
    right = np.roll(own, -1, axis=1)
    quads = np.stack([own, own + around, right + around, right], axis=-1).reshape(-1, 4)
    return points, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def plain_climb(a, b, starts):
    """What ``_climb`` finds, asked without leaving anything out: every start and every step is measured."""

    def balls(centres):
        reach = np.min([side.surface.measure(centres, NEAREST).distances for side in (a, b)], axis=0)
        inside = np.all([open_overlap._windings(side, centres) > 0.5 for side in (a, b)], axis=0)
        return np.where(inside, reach, 0.0)

    radii = balls(starts)
    order = np.argsort(-radii, kind="stable")
    order = order[radii[order] > 0.0][:10]
    centres, radii = starts[order], radii[order]
    steps = radii.copy()
    for _ in range(24 * bool(len(radii))):
        around = centres[:, None] + steps[:, None, None] * open_overlap._SPHERE
        found = balls(around.reshape(-1, 3)).reshape(len(centres), -1)
        best, rows = found.argmax(axis=1), np.arange(len(centres))
        better = found[rows, best] > 1.0005 * radii
        centres = np.where(better[:, None], around[rows, best], centres)
        radii = np.where(better, found[rows, best], radii)
        steps = np.where(better, np.minimum(steps, radii), 0.5 * steps)
    order = np.argsort(-radii, kind="stable")
    return centres[order], radii[order]


@settings(max_examples=4)
@given(st.integers(0, 2**32 - 1))
def test_no_ball_is_lost_with_what_is_not_measured(seed):
    rng = np.random.default_rng(seed)
    twice = joined(box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))
    meshes = [ball_with_open_poles(), twice, open_box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))]
    poses = [matrix(rotation(rng), rng.uniform(-0.4, 0.4, 3))[:3], np.eye(4)[:3].copy()]
    a, b = (
        open_overlap.side_of(meant_by(mc.TriangleMesh(*meshes[k])), rows)
        for k, rows in zip(rng.integers(len(meshes), size=2), poses, strict=True)
    )
    starts = rng.uniform(-0.6, 0.6, (600, 3))
    rooms = np.min([side.surface.measure(starts, NEAREST).distances for side in (a, b)], axis=0)
    rooms = np.where(rng.random(600) < 0.3, np.inf, rooms * rng.uniform(1.0 + 2.0**-39, 2.0, 600))
    found = run(open_overlap._climb(a, b, starts, rooms))
    expected = plain_climb(a, b, starts)
    assert found[0].tobytes() == expected[0].tobytes() and found[1].tobytes() == expected[1].tobytes()
