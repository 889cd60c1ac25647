"""Large faces are cut to where the contact is: judged by points, which know nothing of clipping."""

import bpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from live_driver import detected
from meshclash.clash import regions

from addon.overlay import render_data

WALL = np.array([[[0, 0, 0], [10, 0, 0], [10, 0, 4]], [[0, 0, 0], [10, 0, 4], [0, 0, 4]]], np.float32)
SEEDS = st.integers(0, 2**32 - 1)
NONE = np.empty((0, 3, 3), np.float32)
NO_CURVES = np.empty((0, 2, 3), np.float32)


def contact_regions(triangles, faces, curves, others, reach=0.0):
    """The region on one side, whichever of the two it is."""
    mine, theirs = regions.ContactFaces(triangles, faces), regions.ContactFaces(others, np.arange(len(others)))
    pairs = [regions.PairFaces((mine, theirs), curves, reach), regions.PairFaces((theirs, mine), curves, reach)]
    (first, _), (_, second) = regions.contact_regions(pairs)
    (alone, _) = regions.contact_regions(pairs[:1])[0]
    assert np.array_equal(first, second) and np.array_equal(first, alone)
    return first


def ring(x, z, size=0.04):
    """A square curve on the wall."""
    corners = np.array(
        [(x - size, 0, z - size), (x + size, 0, z - size), (x + size, 0, z + size), (x - size, 0, z + size)]
    )
    return np.stack((corners, np.roll(corners, -1, axis=0)), axis=1).astype(np.float32)


def area(triangles):
    sides = (triangles[:, 1:] - triangles[:, :1]).astype(np.float64)
    return 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1).sum()


def rotation(rng):
    return np.linalg.qr(rng.normal(size=(3, 3)))[0]


def covered(points, triangles):
    """How many of some triangles hold each point, all in a plane; by barycentric coordinates, with a margin of 1e-4."""
    a, b, c = (triangles[:, k].astype(np.float64) for k in range(3))
    count = np.zeros(len(points), int)
    for p, q, r in zip(a, b, c, strict=True):
        shares, *_ = np.linalg.lstsq(np.stack((q - p, r - p), axis=1), (points - p).T, rcond=None)
        count += (shares[0] > 0) & (shares[1] > 0) & (shares.sum(axis=0) < 1)
    return count


def test_a_socket_does_not_paint_the_wall():
    found = contact_regions(WALL, np.zeros(2, np.int64), ring(3.0, 1.0), NONE)
    low, high = found.min(axis=(0, 1)), found.max(axis=(0, 1))
    assert (low <= (2.96, 0, 0.96)).all() and (high >= (3.04, 0, 1.04)).all()
    assert np.linalg.norm(high - low) < 0.4 and area(found) == pytest.approx((high - low)[0] * (high - low)[2], 1e-4)


def test_sockets_apart_have_a_region_each_and_sockets_side_by_side_share_one():
    apart = contact_regions(WALL, np.zeros(2, np.int64), np.concatenate((ring(1.0, 1.0), ring(9.0, 3.0))), NONE)
    assert area(apart) < 0.2 and np.ptp(apart[..., 0]) > 7.9
    beside = np.concatenate((ring(1.0, 1.0), ring(1.1, 1.0)))
    shared = contact_regions(WALL, np.zeros(2, np.int64), beside, NONE)
    assert covered(np.array([[1.05, 0.0, 1.001]]), shared)[0] == 1


def test_a_strip_is_cut_along_itself_in_any_direction():
    line = np.array([[[1, 0, 0.5], [5, 0, 3.5]], [[1.06, 0, 0.42], [5.06, 0, 3.42]]], np.float32)
    found = contact_regions(WALL, np.zeros(2, np.int64), line, NONE)
    assert area(found) < 0.35 * area(WALL)


def test_small_faces_and_large_contacts_stay_as_they_are():
    faces = np.zeros(2, np.int64)
    whole = contact_regions(WALL, faces, np.stack((WALL[0, [0, 1]], WALL[0, [1, 2]], WALL[1, [1, 2]])), NONE)
    assert area(whole) == pytest.approx(40.0) and len(whole) == 2
    tiny = WALL * np.float32(1e-3)
    assert contact_regions(tiny, faces, ring(3.0, 1.0), NONE) is tiny
    assert contact_regions(WALL, faces, NO_CURVES, NONE) is WALL
    assert contact_regions(NONE, faces[:0], ring(3.0, 1.0), NONE) is NONE


def test_without_curves_the_other_object_says_where():
    other = WALL * np.float32(0.02) + np.float32((3.0, 0.05, 1.0))
    found = contact_regions(WALL, np.zeros(2, np.int64), NO_CURVES, other, reach=0.06)
    assert area(found) < 1.0 and covered(np.array([[3.05, 0.0, 1.04]]), found)[0] == 1
    far = contact_regions(WALL, np.zeros(2, np.int64), NO_CURVES, other, reach=0.01)
    assert far is WALL


def test_degenerate_faces_stay():
    thin = np.array([[[0, 0, 0], [1, 0, 0], [2, 0, 0]]], np.float32)
    assert contact_regions(thin, np.zeros(1, np.int64), ring(1.0, 0.0), NONE) is thin


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 5), st.sampled_from([0.0, 1e3]))
def test_regions_hold_the_contact_and_lie_in_the_face_without_overlap(seed, count, far):
    """Wherever the wall stands: points of the curves are covered, nothing is covered twice or outside the wall."""
    rng = np.random.default_rng(seed)
    turn, move = rotation(rng), rng.normal(size=3) * far
    rings = np.concatenate([ring(*rng.uniform((0.5, 0.5), (9.5, 3.5)), rng.uniform(0.01, 0.3)) for _ in range(count)])
    placed = [np.float32(part @ turn.T + move) for part in (WALL, rings)]
    found = contact_regions(placed[0], np.array([7, 7]), placed[1], NONE)
    back = ((found - move) @ turn).astype(np.float64)
    slack = 1e-3 if far else 1e-4
    assert np.abs(back[..., 1]).max() < slack
    assert (back.min(axis=(0, 1)) > (-slack, -slack, -slack)).all()
    assert (back.max(axis=(0, 1)) < (10 + slack, slack, 4 + slack)).all()
    flat = back * (1, 0, 1)
    inner = rings.mean(axis=1) + rng.normal(size=(len(rings), 3)) * (1e-5, 0, 1e-5)
    assert (covered(inner, flat) >= 1).all()
    samples = np.stack((rng.uniform(0, 10, 400), np.zeros(400), rng.uniform(0, 4, 400)), axis=1)
    assert covered(samples, flat).max() <= 1
    share = (covered(samples, flat) == 1).mean()
    assert abs(share - area(flat) / 40.0) < 0.12


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_pairs_do_not_see_each_other(seed):
    """Walls of one face, of two, and of two that are one plane, with or without curves, in one question and alone."""
    rng, pairs = np.random.default_rng(seed), []
    for _ in range(rng.integers(1, 6)):
        wall = regions.ContactFaces(WALL if rng.random() < 0.9 else NONE, np.arange(2) * rng.integers(0, 2))
        if not len(wall.triangles):
            wall = regions.ContactFaces(NONE, np.arange(0))
        other = WALL * np.float32(0.02) + np.float32(rng.uniform((0, 0, 0), (9, 0.05, 3)))
        rings = [ring(*rng.uniform((0.5, 0.5), (9.5, 3.5)), rng.uniform(0.01, 0.3)) for _ in range(rng.integers(0, 4))]
        sides = wall, regions.ContactFaces(other, np.arange(2))
        pairs.append(regions.PairFaces(sides, np.concatenate((NO_CURVES, *rings)), 0.06))
    whole = regions.contact_regions(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "PIECES_AT_ONCE", 3)
        few = regions.contact_regions(pairs)
    for pair, found, same in zip(pairs, whole, few, strict=True):
        alone = regions.contact_regions([pair])[0]
        for k in (0, 1):
            assert np.array_equal(found[k], alone[k]) and np.array_equal(same[k], alone[k])


def test_a_detected_socket_is_framed_and_painted_as_what_it_is(engine, registered, add_box):
    """The whole way: two boxes, what is drawn and framed of them, and the faces that are marked all the same."""
    add_box("Wall", (0, 0, 0), (10, 0.2, 4))
    add_box("Socket", (3.0, -0.02, 1.0), (3.08, 0.03, 1.08))
    add_box("Floor", (0, 0, -0.3), (10, 10, 0))  # touches the wall along a strip
    bpy.context.view_layer.update()
    rows = {row.names: row for row in detected(engine)}
    row = rows["Socket", "Wall"]
    low, high = render_data.bounds(row)
    assert (low < (3.0, 0.0, 1.0)).all() and (high > (3.08, 0.0, 1.08)).all() and np.linalg.norm(high - low) < 0.5
    assert len(row.b.faces) == 1 and area(row.b.highlight) < 0.1
    floor = rows["Floor", "Wall"]
    assert floor.verdict == "touching" and len(floor.a.whole) == len(floor.a.highlight)
    cut = regions.cut_row(floor)
    assert area(cut.a.highlight) < 0.5 * area(floor.a.highlight) and not len(cut.a.whole)
    assert regions.cut_row(cut) is cut


def test_triangles_of_a_wall_are_cut_as_the_wall_is():
    """As triangulated models have them: each triangle a face of its own."""
    curves = ring(5.0, 2.0, 0.3)
    whole = contact_regions(WALL, np.zeros(2, np.int64), curves, NONE)
    single = contact_regions(WALL, np.arange(2), curves, NONE)
    assert np.array_equal(single.min(axis=(0, 1)), whole.min(axis=(0, 1))) and area(single) == pytest.approx(
        area(whole)
    )


@pytest.mark.parametrize("turned", [False, True])
def test_many_pieces_are_seen_as_one_on_each_face(monkeypatch, turned):
    """Whichever side's faces have the lower numbers: a wall and five that stand side by side are painted whole."""
    monkeypatch.setattr(regions, "MOST_PIECES", 1)
    many = np.concatenate([WALL * np.float32([0.2, 1, 1]) + np.float32([2 * k, 0.1 + 0.01 * k, 0]) for k in range(5)])
    sides = regions.ContactFaces(WALL, np.full(2, 9)), regions.ContactFaces(many, np.repeat(np.arange(5), 2))
    (found,) = regions.contact_regions([regions.PairFaces(sides[:: -1 if turned else 1], NO_CURVES, 0.2)])
    assert [area(triangles) for triangles in found] == pytest.approx([40.0, 40.0], rel=1e-3)
