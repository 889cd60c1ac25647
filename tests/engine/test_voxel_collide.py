"""``voxel_collide``: the pairs of ``collide``, what common voxels prove, and what is refused."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.types.pose import LARGEST_COORDINATE
from oracles.generators import CLASSES, make_pairs
from oracles.mesh_generators import bumpy_sphere, machined_part
from solids import box, sheet
from strategies import grid_meshes, matrix, poses, rotation

FINENESS = st.sampled_from(({}, {"resolution": 1}, {"resolution": 7}, {"voxel_size": 0.3}, {"voxel_size": 1.0}))
BOX = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
BUMPY = [mc.TriangleMesh(*bumpy_sphere(200, seed)) for seed in (1, 2)]
TREES = [mc.build(mesh) for mesh in BUMPY]


def same(found, expected):
    return np.array_equal(found.pairs, expected.pairs) and found.kinds.tobytes() == expected.kinds.tobytes()


@given(grid_meshes(), grid_meshes(), poses(), FINENESS, st.booleans())
def test_exact_mode_is_collide(first, second, pose, fineness, touching):
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    expected = mc.collide(a, b, pose, None, touching=touching, device="cpu")
    found = mc.voxels.voxel_collide(a, b, pose, None, touching=touching, **fineness)
    assert same(found, expected)
    assert found.pairs.dtype == expected.pairs.dtype and found.apart == (len(expected) == 0)


@pytest.mark.parametrize("maker", [bumpy_sphere, machined_part])
def test_exact_mode_is_collide_for_models(maker):
    rng = np.random.default_rng(1)
    a, b = (mc.TriangleMesh(*maker(3000, seed)) for seed in (1, 2))
    met = 0
    for shift in (0.0, 0.4, 1.0, 1.7):
        pose = matrix(rotation(rng), shift * rng.normal(size=3) / 2)
        expected = mc.collide(a, b, None, pose, device="cpu")
        met += len(expected)
        for fineness in ({}, {"resolution": 20}, {"voxel_size": 0.05}):
            found = mc.voxels.voxel_collide(a, b, None, pose, **fineness)
            assert same(found, expected)
            assert np.array_equal(found.segments(), expected.segments())
        turned = mc.voxels.voxel_collide(b, a, pose, None)
        assert same(turned, mc.collide(b, a, pose, None, device="cpu"))
    assert met > 500


def test_huge_small_and_subnormal_objects_are_compared_exactly():
    for scale in (1e29, 1e-150, 5e-324 * 2**40):
        a = mc.TriangleMesh(BOX.vertices * scale, BOX.triangles)
        b = mc.TriangleMesh((BOX.vertices + 0.5) * scale, BOX.triangles)
        expected = mc.collide(a, b, device="cpu")
        assert len(expected) > 0
        assert same(mc.voxels.voxel_collide(a, b), expected)


@given(st.integers(0, 2**32 - 1), st.sampled_from((4, 32, 100)))
def test_common_voxels_prove_what_they_say(seed, resolution):
    rng = np.random.default_rng(seed)
    a, b = BUMPY

    direction = rng.normal(size=3)
    pose = matrix(rotation(rng), direction / np.linalg.norm(direction) * rng.choice((1.9, 2.0, 2.05, 2.3)))
    found = mc.voxels.voxel_collide(a, b, None, pose, resolution=resolution, mode="voxels")
    gap = mc.distance(*TREES, None, pose).distance
    if found.apart:
        assert gap > 0.0 and found.closer_than == np.inf
    else:
        assert gap <= found.closer_than <= 1.74 * found.voxel_size
        assert found.boxes.shape == (len(found.voxels), 2, 3)


def test_voxels_of_a_size_lie_at_its_multiples():
    found = mc.voxels.voxel_collide(BOX, BOX, None, matrix(shift=(0.3, 0.2, 0.1)), voxel_size=0.25, mode="voxels")
    assert np.array_equal(found.boxes % 0.25, np.zeros_like(found.boxes))
    assert (found.boxes[:, 0] >= 0.0).all() and (found.boxes[:, 1] <= 1.25).all()


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_flat_and_far_regions(far):
    """Boxes that share a face, an edge or a corner: the region has no volume, and perhaps no extent at all."""
    for shift in ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0.5, 0.25)):
        place = matrix(shift=(far, far, far)), matrix(shift=np.add(shift, far))
        expected = mc.collide(BOX, BOX, *place, device="cpu")
        for fineness in ({}, {"resolution": 64}, {"voxel_size": 0.1}):
            found = mc.voxels.voxel_collide(BOX, BOX, *place, **fineness)
            assert same(found, expected) and len(found.pairs) > 0
            assert len(mc.voxels.voxel_collide(BOX, BOX, *place, mode="voxels", **fineness).voxels) > 0


def test_boxes_apart_need_no_grid():
    for mode in ("exact", "voxels"):
        found = mc.voxels.voxel_collide(BOX, BOX, None, matrix(shift=(2, 0, 0)), mode=mode)
        assert found.apart and found.grid is None and found.voxel_size is None
        assert found.boxes.shape == (0, 2, 3)


def test_vertices_without_triangles_do_not_widen_the_region():
    stray = mc.TriangleMesh(np.vstack([BOX.vertices, [[9.0, 9, 9]]]), BOX.triangles)
    found = mc.voxels.voxel_collide(stray, stray, None, matrix(shift=(0.5, 0, 0)), resolution=10, mode="voxels")
    assert found.grid.size.max() == 10 and found.voxel_size < 0.11


def test_work_comes_in_slices_and_can_be_left():
    a, b = (mc.TriangleMesh(*bumpy_sphere(120_000, seed)) for seed in (1, 2))
    progress = list(mc.steps(mc.voxels.voxel_collide, a, b, resolution=64, threads=1))
    assert len(progress) > 10
    assert all(0.0 <= p.fraction <= 1.0 for p in progress)
    steps = mc.steps(mc.voxels.voxel_collide, a, b, resolution=64)
    next(steps)
    next(steps)
    steps.close()
    assert same(mc.voxels.voxel_collide(a, b, threads=2), mc.collide(a, b, device="cpu"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"voxel_size": 0.0}, "voxel_size must be a length in metres above 0, not 0.0"),
        ({"voxel_size": -1}, "voxel_size must be a length"),
        ({"voxel_size": "fine"}, "voxel_size must be a length"),
        ({"voxel_size": np.nan}, "voxel_size must be a length"),
        ({"resolution": 0}, "resolution must be a whole number from 1 to 1048576, not 0"),
        ({"resolution": 2.5}, "resolution must be a whole number"),
        ({"resolution": 1 << 21}, "resolution must be a whole number"),
        ({"resolution": 10, "voxel_size": 0.1}, "not both"),
        ({"voxel_size": 1e-9}, "gives 1e.09 voxels along 1 m"),
        ({"resolution": 2000, "memory": 1 << 20}, "need more than 1 MiB: use larger voxels or more memory"),
        ({"memory": 10}, "memory must be at least"),
        ({"mode": "fast"}, "mode 'fast' is not supported; expected one of exact, voxels, solid"),
        ({"pose_b": np.stack([np.eye(4)] * 2)}, "voxel_collide takes one pose for each object"),
        ({"threads": 0}, "threads must be"),
        ({"touching": 2}, "touching must be"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(options, says):
    with pytest.raises(mc.UnsupportedOption, match=says):
        mc.voxels.voxel_collide(BOX, BOX, **{"mode": "voxels", **options})


def test_voxels_below_what_coordinates_tell_apart_are_refused():
    far = mc.TriangleMesh(np.vstack([BOX.vertices, [[1e9, 0, 0]]]), [*BOX.triangles.tolist(), [0, 1, 8]])
    with pytest.raises(mc.UnsupportedOption, match=r"too small for objects that reach 1e\+09 m"):
        mc.voxels.voxel_collide(far, BOX, voxel_size=1e-4, mode="voxels")


def test_what_is_no_mesh_is_refused_by_name():
    with pytest.raises(mc.InvalidMesh, match="b: expected a TriangleMesh"):
        mc.voxels.voxel_collide(BOX, 3)


def test_answers_of_other_modes_are_refused():
    found = mc.voxels.voxel_collide(BOX, BOX, mode="voxels", resolution=4)
    for ask in (lambda: found.pairs, lambda: found.kinds, found.segments, lambda: found.overlap_volume):
        with pytest.raises(mc.UnsupportedOption, match="mode 'voxels'"):
            ask()
    assert "common voxels" in repr(found)
    plane = mc.TriangleMesh(*sheet((0, 0), (1, 1), 0.5))
    assert len(mc.voxels.voxel_collide(plane, BOX).pairs) == len(mc.collide(plane, BOX, device="cpu"))


def soup(corners):
    """A mesh of triangles (n, 3, 3) that share no vertices."""
    return mc.TriangleMesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


@pytest.mark.parametrize("name", CLASSES)
def test_exact_mode_equals_collide_on_every_class_of_hard_pairs(name):
    """All first triangles against all second ones at once, then some pairs alone."""
    corners = make_pairs(name, 300, 77)
    fits = np.all([np.abs(side).max(axis=(1, 2)) < LARGEST_COORDINATE for side in corners], axis=0)
    a, b = (side[fits] for side in corners)
    for part in (slice(None), *(slice(k, k + 1) for k in range(20))):
        one, other = soup(a[part]), soup(b[part])
        assert same(mc.voxels.voxel_collide(one, other), mc.collide(one, other, engine="hierarchies"))
