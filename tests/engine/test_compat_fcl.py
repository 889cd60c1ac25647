"""python-fcl's interface: shapes, pairs, managers and motions, beside closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.compat import fcl

REQUEST = fcl.CollisionRequest(num_max_contacts=100, enable_contact=True)
SIGNED = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True)
SHAPES = {
    "box": fcl.Box(1, 1, 1), "sphere": fcl.Sphere(0.5), "cylinder": fcl.Cylinder(0.5, 1), "cone": fcl.Cone(0.5, 1),
    "capsule": fcl.Capsule(0.5, 1e-9),
}  # fmt: skip


def placed(shape, *translation):
    return fcl.CollisionObject(SHAPES[shape], fcl.Transform(np.array(translation, float)))


@given(st.sampled_from([*SHAPES]), st.sampled_from(["box", "sphere", "cylinder", "capsule"]), st.floats(-0.9, 3.0))
def test_shapes_above_each_other_are_as_far_apart_as_they_stand(below, above, gap):
    """Each reaches half a metre up and down, but for what inscribed meshes lack."""
    pair = placed(below, 0, 0, 0), placed(above, 0, 0, 1.0 + gap)
    value = fcl.distance(*pair, SIGNED)
    assert (fcl.collide(*pair, REQUEST) > 0) == (value <= 0.0)
    if below == "box" == above or gap > 0.0:
        assert value == pytest.approx(gap, abs=2e-3)


def test_contacts_have_triangles_points_normals_and_depths():
    result = fcl.CollisionResult()
    count = fcl.collide(placed("box", 0, 0, 0), placed("box", 0.1, 0.2, 0.75), REQUEST, result)
    assert count == len(result.contacts) > 0 and result.is_collision
    for contact in result.contacts:
        assert contact.normal == pytest.approx([0, 0, 1], abs=1e-6)
        assert contact.penetration_depth == pytest.approx(0.25)
        assert 0 <= contact.b1 < 12 and 0 <= contact.b2 < 12
        assert 0.25 - 1e-9 <= contact.pos[2] <= 0.5 + 1e-9
    few = fcl.CollisionResult()
    fcl.collide(placed("box", 0, 0, 0), placed("box", 0.1, 0.2, 0.75), fcl.CollisionRequest(num_max_contacts=2), few)
    assert len(few.contacts) == 2


def test_nearest_points_of_an_overlap_are_as_far_apart_as_it_is_deep():
    for shapes in ("box", "box"), ("sphere", "box"), ("cone", "cylinder"):
        result = fcl.DistanceResult()
        value = fcl.distance(placed(shapes[0], 0, 0, 0), placed(shapes[1], 0.1, 0.2, 0.75), SIGNED, result)
        assert value < 0.0 and np.linalg.norm(np.subtract(*result.nearest_points)) == pytest.approx(-value)
    default = fcl.CollisionResult()
    assert fcl.collide(placed("box", 0, 0, 0), placed("box", 0.1, 0.2, 0.75), fcl.CollisionRequest(), default) == 1


def test_a_quaternion_turns_as_its_matrix_does():
    half = np.sqrt(0.5)
    turned = fcl.Transform(np.array([half, half, 0, 0]), np.array([1.0, 2, 3]))
    assert turned.getRotation() == pytest.approx(np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]))
    item = placed("box", 1, 2, 3)
    item.setQuatRotation([half, half, 0, 0])
    assert item.getRotation() == pytest.approx(turned.getRotation())
    assert item.getTranslation() == pytest.approx(turned.getTranslation())
    with pytest.raises(ValueError, match="quaternion"):
        fcl.Transform(np.zeros((2, 2)))


def test_a_model_of_triangles_is_the_same_as_the_shape():
    model, mesh = fcl.BVHModel(), SHAPES["box"].tree.mesh
    with pytest.raises(ValueError, match="endModel"):
        fcl.distance(fcl.CollisionObject(model), placed("box", 0, 0, 3))
    model.beginModel(12, 8)
    model.addSubModel(mesh.vertices, mesh.triangles)
    model.endModel()
    assert fcl.distance(fcl.CollisionObject(model), placed("box", 0, 0, 3)) == pytest.approx(2.0)


@given(st.integers(0, 999))
def test_managers_find_the_pairs_that_all_pairs_give(seed):
    rng = np.random.default_rng(seed)
    objects = [placed(rng.choice([*SHAPES]), *rng.uniform(-2, 2, 3)) for _ in range(8)]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()
    found = set()

    def note(first, second, _data):
        if fcl.collide(first, second) > 0:
            found.add((objects.index(first), objects.index(second)))
        return False

    manager.collide(None, note)
    expected = {(i, j) for i in range(8) for j in range(i + 1, 8) if fcl.collide(objects[i], objects[j]) > 0}
    assert found == expected
    data = fcl.DistanceData(SIGNED)
    manager.distance(data, fcl.defaultDistanceCallback)
    least = min(fcl.distance(objects[i], objects[j], SIGNED) for i in range(8) for j in range(i + 1, 8))
    assert data.result.min_distance == pytest.approx(least)


def test_moving_objects_meet_when_they_must():
    result = fcl.ContinuousCollisionResult()
    begin, end = placed("box", 0, 0, 3), fcl.Transform(np.array([0.0, 0, -3]))
    moment = fcl.continuousCollide(placed("box", 0, 0, 0), fcl.Transform(), begin, end, result=result)
    assert result.is_collide and moment == pytest.approx(2.0 / 6.0, abs=1e-3)
    away = fcl.Transform(np.array([0.0, 0, 9]))
    assert fcl.continuousCollide(placed("box", 0, 0, 0), fcl.Transform(), begin, away) == 1.0
