"""Bounds of simplified pieces: never too small, by one ulp either, as fractions tell."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hausdorff import farthest, is_too_small, least_square
from hypothesis import example, given, settings
from hypothesis import strategies as st
from meshclash.jit import kernel
from meshclash.massive import hausdorff_bound, pieces
from meshclash.massive.pieces import Piece, joined, simplified
from solids import refined, sheet, torus
from strategies import dependent_points, grid_meshes, nudged_points, soup


def piece_of(vertices, triangles):
    return joined([Piece(np.asarray(vertices, np.float64), np.asarray(triangles, np.int32), 0.0, 0.0)])


def corners_of(piece):
    return piece.vertices[piece.triangles]


def bumpy_sheet(seed, cells=4, height=0.2):
    """A sheet whose vertices are moved at random: not many triangles, and none of them flat beside its neighbour."""
    rng = np.random.default_rng(seed)
    vertices, triangles = sheet((0, 0), (1, 1), 0.0, cells)
    return vertices + rng.normal(scale=height / cells, size=vertices.shape), triangles


@st.composite
def meshes(draw):
    """On grids, nudged grids, random; moved and scaled."""
    kind = draw(st.integers(0, 3))
    if kind == 0:
        vertices, triangles = draw(grid_meshes(14))
    elif kind == 1:
        vertices, triangles = bumpy_sheet(draw(st.integers(0, 999)), draw(st.integers(2, 3)))
    else:
        vertices = draw(nudged_points(8) if kind == 2 else dependent_points(8))
        corner = st.integers(0, 7)
        triangles = np.array(draw(st.lists(st.tuples(corner, corner, corner), min_size=1, max_size=14)))
    scale = draw(st.sampled_from((1.0, 1e-9, 3e5, 1e-200, 1e25)))
    shift = draw(st.sampled_from((0.0, 1.0, 1e6)))
    return (np.asarray(vertices) + shift) * scale, triangles


@pytest.mark.slow
@settings(max_examples=25)
@given(meshes(), st.integers(0, 8))
def test_bounds_of_any_piece_are_large_enough(mesh, target):
    before = piece_of(*mesh)
    after = simplified(before, target)
    if after is not None:
        assert len(after.triangles) <= len(before.triangles)
        assert not is_too_small(after.out, corners_of(before), corners_of(after))
        assert not is_too_small(after.back, corners_of(after), corners_of(before))


@kernel
def cut(part, plane, inside, outside, heights):
    return hausdorff_bound._cut(part, part.shape[0], plane, inside, outside, heights)


@given(st.lists(st.sampled_from((-1.0, 0.0, 1.0)), min_size=3, max_size=hausdorff_bound._MOST_CORNERS))
@example([1.0, -1.0] * (hausdorff_bound._MOST_CORNERS // 2))
def test_a_thin_part_that_a_plane_crosses_often_has_no_more_corners_than_fit(signs):
    """Rounding decides on which side of a plane nearly along it the corners of a thin part lie."""
    count, room = len(signs), hausdorff_bound._MOST_CORNERS
    around = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    part = np.column_stack([2.0**-60 * np.array(signs), np.cos(around), np.sin(around)])
    sides = [np.full((2 * room, 3), np.nan) for _ in range(2)]
    counts = cut(part, np.array([1.0, 0.0, 0.0, 0.0]), *sides, np.empty(room))
    assert max(counts) <= room
    assert all(np.isnan(side[k:]).all() for side, k in zip(sides, counts, strict=True))
    corners = np.concatenate([side[:k] for side, k in zip(sides, counts, strict=True)]).tolist()
    assert all(corner in corners for corner in part.tolist())


@pytest.mark.parametrize("seed", range(4))
def test_bounds_add_up_over_several_steps(seed):
    first = piece_of(*bumpy_sheet(seed, 6))
    after = first
    for target in (40, 20, 8):
        after = simplified(after, target)
        assert len(after.triangles) <= target
        assert not is_too_small(after.out, corners_of(first), corners_of(after))
        assert not is_too_small(after.back, corners_of(after), corners_of(first))


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize(("cells", "share"), [(12, 0.5), (12, 0.1), (20, 0.25)])
def test_bounds_are_near_what_is_measured(cells, share):
    before = piece_of(*bumpy_sheet(1, cells))
    after = simplified(before, round(share * len(before.triangles)))
    for bound, one, other in ((after.out, before, after), (after.back, after, before)):
        found = farthest(corners_of(one), corners_of(other), 4)
        assert found <= bound <= 6.0 * found


def test_a_pyramid_is_as_far_from_its_base_as_it_is_high():
    """What is known exactly: the oracle takes the height, and not the number before it."""
    base, _ = sheet((0, 0), (2, 2), 0.0)
    pyramid = np.array([[base[i], base[j], (1.0, 1.0, 0.3)] for i, j in ((0, 2), (2, 3), (3, 1), (1, 0))])
    flat = base[[[0, 2, 3], [0, 3, 1]]]
    assert least_square(pyramid, flat) == Fraction(0.3) ** 2
    assert not is_too_small(0.3, pyramid, flat) and is_too_small(math.nextafter(0.3, 0.0), pyramid, flat)


def test_without_slack_the_oracle_finds_bounds_that_are_too_small(monkeypatch):
    """Bounds as computed, rounded to the nearest, are sometimes below what fractions say: the oracle can see it."""
    monkeypatch.setattr(pieces, "SLACK", 0.0)
    monkeypatch.setattr(pieces, "_RELATIVE", 1.0)
    monkeypatch.setattr(pieces, "increased", lambda value, factor=1.0: value * factor)
    monkeypatch.setattr(pieces.math, "nextafter", lambda value, towards: value)
    found = 0
    for seed in range(12):
        before = piece_of(*bumpy_sheet(seed, 2))
        after = simplified(before, 4)
        found += is_too_small(after.out, corners_of(before), corners_of(after))
        found += is_too_small(after.back, corners_of(after), corners_of(before))
    assert found >= 1


def test_pieces_meet_where_their_vertices_do():
    vertices, triangles = refined(torus(1.0, 0.4), 1)
    parts = [piece_of(vertices[triangles[k::3]].reshape(-1, 3), np.arange(3 * len(triangles[k::3])).reshape(-1, 3))
             for k in range(3)]  # fmt: skip
    whole = joined([part._replace(out=0.1 * k, back=0.5) for k, part in enumerate(parts)])
    assert len(whole.vertices) == len(vertices) and (whole.out, whole.back) == (0.2, 0.5)
    assert sorted(corners_of(whole).tolist()) == sorted(vertices[triangles].tolist())


def test_borders_stay_where_they_are_while_there_is_anything_else():
    """Halves that are simplified alone still fit together."""
    vertices, triangles = sheet((0, 0), (1, 1), 0.0, 16)
    rng = np.random.default_rng(3)
    vertices[:, 2] = rng.normal(scale=0.003, size=len(vertices))
    left = vertices[triangles][:, :, 0].max(axis=1) <= 0.5
    halves = [simplified(piece_of(vertices, triangles[rows]), rows.sum() // 2) for rows in (left, ~left)]
    whole = joined(halves)
    assert len(whole.vertices) == sum(len(half.vertices) for half in halves) - 17


def test_what_has_no_edge_in_common_is_kept():
    corners = np.random.default_rng(4).normal(size=(50, 3, 3))
    before = piece_of(*soup(corners))
    after = simplified(before, 5)
    assert len(after.triangles) == 50 and after.out < 1e-10 * np.abs(corners).max()


def test_nothing_is_left_of_triangles_without_corners_of_their_own():
    assert simplified(piece_of(np.ones((3, 3)), [[0, 1, 2]]), 0) is None
