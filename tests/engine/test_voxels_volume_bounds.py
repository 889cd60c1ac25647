"""Common volumes by voxels: inside their bounds, against volumes that are known or found by other means."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.mesh_generators import bumpy_sphere
from oracles.voxel_lattices import lattice_case, points_on_the_wrong_side, volume_is_wrong
from oracles.voxel_volumes import ring as ring_mesh
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError
from solids import box, open_box
from strategies import matrix, rotation

BOX = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))


def joined(*meshes, turned=()):
    """One mesh of several; those named in ``turned`` are wound the other way."""
    vertices, triangles, start = [], [], 0
    for k, (v, t) in enumerate(meshes):
        vertices.append(v)
        triangles.append((t[:, ::-1] if k in turned else t) + start)
        start += len(v)
    return mc.TriangleMesh(np.concatenate(vertices), np.concatenate(triangles))


def measured(a, b, pose=None, **options):
    found = mc.voxels.voxel_collide(a, b, None, pose, mode="solid", **options)
    low, high = found.overlap_volume
    assert 0.0 <= low <= found.overlap.volume <= high
    return low, high


def volume_of_hulls(pose):
    """Common volume of the unit box and the same in a pose, by Qhull; 0 where they hardly have any."""
    planes = np.vstack([np.hstack([np.eye(3), -np.ones((3, 1))]), np.hstack([-np.eye(3), np.zeros((3, 1))])])
    turned = planes.copy()
    turned[:, :3] = planes[:, :3] @ pose[:3, :3].T
    turned[:, 3] = planes[:, 3] - turned[:, :3] @ pose[:3, 3]
    inner = ConvexHull(np.vstack([BOX.vertices, BOX.vertices @ pose[:3, :3].T + pose[:3, 3]])).points
    middle = 0.5 * (np.full(3, 0.5) + inner[8:].mean(axis=0))
    both = np.vstack([planes, turned])
    if (both[:, :3] @ middle + both[:, 3]).max() > -1e-6:
        return None
    try:
        return float(ConvexHull(HalfspaceIntersection(both, middle).intersections).volume)
    except QhullError:
        return None


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from((5, 16, 40)))
def test_turned_boxes(seed, resolution):
    rng = np.random.default_rng(seed)
    pose = matrix(rotation(rng), rng.normal(size=3) * 0.4 + 0.3)
    volume = volume_of_hulls(pose)
    if volume is not None:
        low, high = measured(BOX, BOX, pose, resolution=resolution)
        assert low - 1e-12 <= volume <= high + 1e-12
        assert high - low < 40.0 / resolution**2


@pytest.mark.parametrize("shift", [(0.5, 0.25, 0.125), (0.3, 0.2, 0.1), (0, 0, 0), (1, 0, 0), (0.5, 0, 0), (1e6, 0, 0)])
def test_boxes_in_line_are_measured_to_rounding(shift):
    volume = float(np.prod(1.0 - np.array(shift))) if max(shift) <= 1.0 else 0.0
    for resolution in (1, 7, 32):
        low, high = measured(BOX, BOX, matrix(shift=shift), resolution=resolution)
        assert low <= volume <= high
        if volume:
            assert high - low <= 1e-10


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_what_lies_inside_is_found(far):
    small = mc.TriangleMesh(*box((0.25, 0.25, 0.25), (0.75, 0.5, 0.75)))
    place = matrix(shift=(far, far, far))
    for a, b, inside in ((BOX, small, "b"), (small, BOX, "a"), (BOX, BOX, "")):
        found = mc.voxels.voxel_collide(a, b, place, place, mode="solid", resolution=32)
        assert found.overlap.inside == inside
        low, high = found.overlap_volume
        volume = 1.0 if a is b else 0.0625
        assert low <= volume <= high and high - low < 1e-6
    assert not mc.voxels.voxel_collide(BOX, small, place, place, mode="exact").pairs.size


def test_material_is_where_the_winding_number_is_not_zero():
    hollow = joined(box((0, 0, 0), (3, 3, 3)), box((1, 1, 1), (2, 2, 2)), turned=(1,))
    twice = joined(box((0, 0, 0), (2, 2, 2)), box((1, 0, 0), (3, 2, 2)))
    inside_out = joined(box((0, 0, 0), (1, 1, 1)), turned=(0,))
    probe = mc.TriangleMesh(*box((0.5, 0.5, 0.5), (2.5, 2.5, 2.5)))
    core = mc.TriangleMesh(*box((1.25, 1.25, 1.25), (1.75, 1.75, 1.75)))
    for a, b, volume in (
        (hollow, probe, 7.0), (probe, hollow, 7.0), (twice, probe, 2 * 1.5**2), (inside_out, probe, 0.125),
        (hollow, core, 0.0), (inside_out, inside_out, 1.0), (twice, twice, 12.0),
    ):  # fmt: skip
        for resolution in (16, 50):
            low, high = measured(a, b, resolution=resolution)
            assert low <= volume <= high
        assert high - low <= 0.25 * max(volume, 1.0)
    assert mc.voxels.voxel_collide(hollow, core, mode="solid").overlap.inside == ""
    around = mc.voxels.voxel_collide(hollow, mc.TriangleMesh(*box((0.5, 0.5, 0.5), (2.5, 2.5, 2.5))), mode="solid")
    assert around.overlap.inside == ""  # the cavity is in it


def test_a_surface_that_meets_itself_is_measured_by_whole_voxels():
    bow = bumpy_sphere(1000, 1)
    crossing = joined(bow, (bow[0] + 0.3, bow[1]))
    clean = mc.TriangleMesh(*bow)
    coarse = measured(crossing, BOX, resolution=24)
    fine = measured(crossing, BOX, resolution=96)
    assert coarse[0] <= fine[0] <= fine[1] <= coarse[1]
    assert fine[1] - fine[0] > 1e-2
    low, high = measured(clean, BOX, resolution=96)
    assert high - low < 1e-3


def test_bounds_of_models_agree_with_another_library():
    manifold3d = pytest.importorskip("manifold3d")
    a, b = (mc.TriangleMesh(*bumpy_sphere(3000, seed)) for seed in (1, 2))
    rng = np.random.default_rng(1)

    def solid(mesh, pose):
        vertices = mc.Pose.from_matrix(pose).apply(mesh.vertices)
        return manifold3d.Manifold(manifold3d.Mesh64(vertices, mesh.triangles.astype(np.uint64)))

    for _ in range(10):
        pose = matrix(rotation(rng), rng.normal(size=3) * 0.8)
        volume = (solid(a, np.eye(4)) ^ solid(b, pose)).volume()
        low, high = measured(a, b, pose, resolution=48)
        assert low - 1e-9 <= volume <= high + 1e-9


def test_volumes_do_not_depend_on_threads():
    a, b = (mc.TriangleMesh(*bumpy_sphere(70_000, seed)) for seed in (1, 2))
    pose = matrix(shift=(1.0, 0.2, 0.1))
    assert measured(a, b, pose, threads=1, resolution=40) == measured(a, b, pose, threads=2, resolution=40)


def test_open_meshes_have_no_volume():
    lid_off = mc.TriangleMesh(*open_box((0, 0, 0), (1, 1, 1)))
    for a, b, name in ((lid_off, BOX, "a"), (BOX, lid_off, "b")):
        with pytest.raises(mc.NotASolid, match=f"{name} is open, but only a closed mesh has a volume"):
            mc.voxels.voxel_collide(a, b, None, matrix(shift=(5, 0, 0)), mode="solid")
    with pytest.raises(mc.UnsupportedOption, match="need more than 1024 MiB"):
        mc.voxels.voxel_collide(BOX, BOX, mode="solid", resolution=100_000)


BEYOND_THE_REGION = (
    [
        [-0.061954089476402574, -0.053293862257160825, 0.9966551334553317, 1.1590172558074359],
        [0.030033708128998807, -0.9982207331325348, -0.0515106233738936, 0.8169777141968787],
        [0.9976270180649542, 0.02674195561397432, 0.06344446892179134, 0.38206616186573883],
        [0.0, 0.0, 0.0, 1.0],
    ],
    [
        [-0.13531290926428596, -0.3851556550446289, -0.9128776139075696, 0.13362009354449245],
        [-0.4959954808513696, -0.7712628230343014, 0.3989262347604861, 0.7717962982955747],
        [-0.8577172608508316, 0.506763040475825, -0.08667364793432741, 1.0177499351777635],
        [0.0, 0.0, 0.0, 1.0],
    ],
)


@pytest.mark.parametrize("pose", BEYOND_THE_REGION)
def test_voxels_that_reach_beyond_the_region_count_all_triangles_in_them(pose):
    """The last voxels of these hold triangles of one ring that lie wholly beyond the box of the other."""
    vertices, triangles = ring_mesh()
    ring = mc.TriangleMesh(vertices / 3.0, triangles)
    known = [
        mc.voxels.voxel_collide(ring, ring, None, pose, resolution=n, mode="solid").overlap_volume
        for n in (64, 128, 256)
    ]
    lows, highs = zip(*known, strict=True)
    assert max(lows) <= min(highs)


@given(st.integers(0, 2**32 - 1), st.sampled_from((0.11, 0.23, 0.37)))
def test_bounds_of_different_grids_have_a_volume_in_common(seed, size):
    """Also of grids whose first and last voxels reach beyond the region."""
    rng = np.random.default_rng(seed)
    vertices, triangles = ring_mesh(24, 12)
    ring = mc.TriangleMesh(vertices / 3.0, triangles)
    pose = matrix(rotation(rng), rng.normal(size=3) * 0.5)
    given = ({"resolution": 9}, {"resolution": 40}, {"voxel_size": size})
    lows, highs = zip(
        *(
            mc.voxels.voxel_collide(ring, ring, None, pose, mode="solid", **fineness).overlap_volume
            for fineness in given
        ),
        strict=True,
    )
    assert max(lows) <= min(highs) + 1e-12


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1))
def test_faces_in_planes_of_the_grid_count_once(seed):
    """Lattice solids, plain, turned or tilted by rounding, with grids by resolution and by size."""
    rng = np.random.default_rng(seed)
    case = lattice_case(rng)
    if case.sort == "against each other":
        pytest.importorskip("manifold3d")
    assert not volume_is_wrong(case)
    assert points_on_the_wrong_side(case, rng) == 0


@pytest.mark.parametrize("size", [1.0, 0.5, 0.25])
@pytest.mark.parametrize("axis", range(3))
def test_boxes_that_touch_have_no_common_volume(axis, size):
    for step in (-1.0, 1.0):
        pose = matrix(shift=step * np.eye(3)[axis])
        assert measured(BOX, BOX, pose, voxel_size=size)[0] == 0.0
        low, high = measured(BOX, BOX, matrix(shift=0.5 * step * np.eye(3)[axis]), voxel_size=size)
        assert low <= 0.5 <= high
        found = mc.voxels.voxel_collide(BOX, BOX, None, pose, mode="solid", voxel_size=size)
        assert found.overlap.inside == ""


@pytest.mark.parametrize("mode", ["exact", "voxels", "solid"])
@pytest.mark.parametrize("size", [1e308, 1e300, 1e103, 1e60, 4.0])
def test_voxels_of_any_size_are_answered_or_refused(mode, size):
    pose = matrix(shift=(0.5, 0, 0))
    limit = 1e99 if mode == "solid" else 2e300
    if size > limit:
        with pytest.raises(mc.UnsupportedOption, match=r"too large|outside the range of float64"):
            mc.voxels.voxel_collide(BOX, BOX, None, pose, voxel_size=size, mode=mode)
        return
    found = mc.voxels.voxel_collide(BOX, BOX, None, pose, voxel_size=size, mode=mode)
    assert len(found.voxels) >= 1 and np.isfinite(found.grid.boxes(found.voxels)).all()
    if mode == "solid":
        low, high = found.overlap_volume
        assert low <= 0.5 <= high < np.inf


@pytest.mark.parametrize("scale", [1e-120, 1e-80, 1e29])
def test_solids_of_any_size_have_a_volume_or_are_refused(scale):
    mesh = mc.TriangleMesh(BOX.vertices * scale, BOX.triangles)
    pose = matrix(shift=(0.5 * scale, 0, 0))
    for fineness in ({"resolution": 8}, {"voxel_size": scale / 8}):
        if scale > 1e-100:
            low, high = mc.voxels.voxel_collide(mesh, mesh, None, pose, mode="solid", **fineness).overlap_volume
            assert low <= 0.5 * scale**3 <= high <= scale**3
        else:
            with pytest.raises(mc.UnsupportedOption, match="outside the range of float64"):
                mc.voxels.voxel_collide(mesh, mesh, None, pose, mode="solid", **fineness)
