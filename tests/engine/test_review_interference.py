"""The common solid of two solids, against what is known by construction and what verdicts prove."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash import interference
from solids import box, refined, torus
from strategies import matrix, rotation

UNIT = box((0, 0, 0), (1, 1, 1))


@given(
    shift=st.tuples(*[st.floats(-0.999, 0.999)] * 3),
    far=st.sampled_from([0.0, 1e3, 1e6]),
    seed=st.integers(0, 999),
)
def test_boxes_have_the_box_in_common_that_is_known_however_turned_and_far(shift, far, seed):
    turned = matrix(rotation(np.random.default_rng(seed)), shift=(far, -far, far))
    moved = turned @ matrix(shift=shift)
    mesh = mc.TriangleMesh(*UNIT)
    found = interference(mesh, mesh, turned, moved)
    sides = 1.0 - np.abs(shift)
    volume = sides.prod()
    assert found.volume == pytest.approx(volume, abs=1e-9 + far * 1e-15) and found.volume >= 0.0
    assert not found.contradicts(float(sides.min()) * (1 - 1e-9 - 1e-15 * far) if volume > 1e-6 else None)


@pytest.mark.parametrize("seed", range(10))
def test_what_verdicts_prove_is_not_contradicted(seed):
    rng = np.random.default_rng(seed)
    meshes = mc.TriangleMesh(*torus(1.0, 0.4)), mc.TriangleMesh(*refined(UNIT, 2))
    pose = matrix(rotation(rng), shift=rng.uniform(-1, 1, 3))
    found, said = interference(*meshes, None, pose), mc.verdict(*meshes, None, pose)
    assert (found.mesh is None) == (said.name in ("APART", "TOUCHING"))
    assert not found.contradicts(said.depth_lower or None)
    if found.mesh is not None:
        assert found.mesh.is_closed
        assert found.sides.prod() >= found.volume
        middle = found.box.mean(axis=0)
        assert (np.abs(found.mesh.vertices - middle) <= 0.5 * (found.box[1] - found.box[0]) + 1e-12).all()


def test_soups_and_faces_turned_about_are_solids_all_the_same():
    vertices, triangles = UNIT
    soup = mc.TriangleMesh(np.asarray(vertices)[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    inverted = mc.TriangleMesh(vertices, np.asarray(triangles)[:, ::-1])
    half = matrix(shift=(0.5, 0, 0))
    assert interference(soup, inverted, None, half).volume == pytest.approx(0.5)


def test_a_ball_larger_than_the_common_solid_contradicts_it():
    found = interference(UNIT, UNIT, None, matrix(shift=(0.9, 0, 0)))
    assert found.volume == pytest.approx(0.1)
    assert found.contradicts(0.9) and not found.contradicts(0.1) and not found.contradicts(None)
    assert found.sides == pytest.approx([1, 1, 0.1])


def test_solids_apart_have_nothing_in_common():
    found = interference(UNIT, UNIT, None, matrix(shift=(3, 0, 0)))
    assert (found.mesh, found.volume, found.box, list(found.sides)) == (None, 0.0, None, [0, 0, 0])


def test_what_is_no_solid_is_refused_by_name(monkeypatch):
    vertices, triangles = UNIT
    with pytest.raises(mc.NotASolid, match="b is not closed"):
        interference(UNIT, (vertices, triangles[1:]))
    with pytest.raises(mc.InvalidMesh, match="a: expected a TriangleMesh, not an int"):
        interference(3, UNIT)
    with pytest.raises(mc.InvalidPose, match="one pose"):
        interference(UNIT, UNIT, np.stack([np.eye(4)] * 2))
    monkeypatch.setitem(__import__("sys").modules, "manifold3d", None)
    with pytest.raises(mc.UnsupportedOption, match="manifold3d: pip install"):
        interference(UNIT, UNIT)
