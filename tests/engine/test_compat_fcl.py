"""python-fcl's interface: shapes, pairs, managers and motions, beside closed forms in 60 digits."""

import math
from decimal import Decimal
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from fcl_calls import CONSTRUCTORS
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash import MeshClashError
from meshclash.compat import fcl
from round_distances import PAIRS, signed_distance

REQUEST = fcl.CollisionRequest(num_max_contacts=100, enable_contact=True)
SIGNED = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True)
MAKERS = {
    "sphere": fcl.Sphere, "capsule": fcl.Capsule, "box": fcl.Box, "cylinder": fcl.Cylinder, "cone": fcl.Cone,
    "ellipsoid": fcl.Ellipsoid, "triangle": fcl.TriangleP, "halfspace": fcl.Halfspace, "plane": fcl.Plane,
}  # fmt: skip
FLAGS = "CCDMotionType", "CCDSolverType", "GJKSolverType", "NODE_TYPE", "OBJECT_TYPE"
EXACT = "sphere", "capsule"
SHAPES = {
    "box": fcl.Box(1, 1, 1), "sphere": fcl.Sphere(0.5), "cylinder": fcl.Cylinder(0.5, 1), "cone": fcl.Cone(0.5, 1),
    "capsule": fcl.Capsule(0.5, 1e-9), "ellipsoid": fcl.Ellipsoid(0.5, 0.5, 0.5),
}  # fmt: skip


def placed(shape, *translation):
    return fcl.CollisionObject(SHAPES[shape], fcl.Transform(np.array(translation, float)))


def made(shape, pose):
    return fcl.CollisionObject(MAKERS[shape[0]](*shape[1:]), fcl.Transform(*pose))


def model(mesh):
    built = fcl.BVHModel()
    built.beginModel(len(mesh.triangles), len(mesh.vertices))
    built.addSubModel(mesh.vertices, mesh.triangles)
    built.endModel()
    return built


CUBE = model(SHAPES["box"].core.mesh)

NAMES = """
BVHModel: aabb_center addSubModel addTriangle addVertex beginModel buildState computeLocalAABB endModel
  getNodeType num_tries_
Box: aabb_center computeLocalAABB getNodeType side
CCDMotionType: CCDM_LINEAR CCDM_SCREW CCDM_SPLINE CCDM_TRANS
CCDSolverType: CCDC_CONSERVATIVE_ADVANCEMENT CCDC_NAIVE CCDC_POLYNOMIAL_SOLVER CCDC_RAY_SHOOTING
Capsule: aabb_center computeLocalAABB getNodeType lz radius
CollisionData: done request result
CollisionGeometry: aabb_center computeLocalAABB getNodeType
CollisionObject: getNodeType getObjectType getQuatRotation getRotation getTransform getTranslation isFree
  isOccupied isUncertain setQuatRotation setRotation setTransform setTranslation
CollisionRequest: enable_contact enable_cost gjk_solver_type num_max_contacts num_max_cost_sources
  use_approximate_cost
CollisionResult: contacts cost_sources is_collision
Cone: aabb_center computeLocalAABB getNodeType lz radius
Contact: b1 b2 normal o1 o2 penetration_depth pos
ContinuousCollisionRequest: ccd_motion_type ccd_solver_type gjk_solver_type num_max_iterations toc_err
ContinuousCollisionResult: is_collide time_of_contact
Convex: aabb_center computeLocalAABB getNodeType num_faces
CostSource: aabb_max aabb_min cost_density total_cost
Cylinder: aabb_center computeLocalAABB getNodeType lz radius
DistanceData: done request result
DistanceRequest: enable_nearest_points enable_signed_distance gjk_solver_type
DistanceResult: b1 b2 min_distance nearest_points o1 o2
DynamicAABBTreeCollisionManager: clear collide distance empty getObjects max_tree_nonbalanced_level
  octree_as_geometry_collide octree_as_geometry_distance registerObject registerObjects setup size
  tree_incremental_balance_pass tree_init_level tree_topdown_balance_threshold tree_topdown_level
  unregisterObject update
Ellipsoid: aabb_center computeLocalAABB getNodeType radii
GJKSolverType: GST_INDEP GST_LIBCCD
Halfspace: aabb_center computeLocalAABB d getNodeType n
NODE_TYPE: BV_AABB BV_KDOP16 BV_KDOP18 BV_KDOP24 BV_OBB BV_OBBRSS BV_RSS BV_UNKNOWN BV_kIOS GEOM_BOX
  GEOM_CAPSULE GEOM_CONE GEOM_CONVEX GEOM_CYLINDER GEOM_ELLIPSOID GEOM_HALFSPACE GEOM_OCTREE GEOM_PLANE
  GEOM_SPHERE GEOM_TRIANGLE NODE_COUNT
OBJECT_TYPE: OT_BVH OT_COUNT OT_GEOM OT_OCTREE OT_UNKNOWN
OcTree: aabb_center computeLocalAABB getNodeType
Plane: aabb_center computeLocalAABB d getNodeType n
Sphere: aabb_center computeLocalAABB getNodeType radius
Transform: getQuatRotation getRotation getTranslation setQuatRotation setRotation setTranslation
TriangleP: a aabb_center b c computeLocalAABB getNodeType
__version__:
collide:
continuousCollide:
defaultCollisionCallback:
defaultDistanceCallback:
distance:
"""
"""What ``dir`` tells about python-fcl 0.7.0.11, its classes and objects: a name a line, and its members."""


@pytest.mark.parametrize("line", NAMES.replace("\n  ", " ").strip().splitlines())
def test_every_name_of_python_fcl_exists(line):
    name, _, members = line.partition(":")
    thing = getattr(fcl, name)
    assert name in dir(fcl) and name in fcl.__all__
    if members and name not in (*FLAGS, "OcTree"):
        thing = thing(*{**CONSTRUCTORS, "CollisionObject": (fcl.Sphere(1.0),)}.get(name, ()))
    assert [member for member in members.split() if not hasattr(thing, member)] == []


def test_the_modules_of_python_fcl_exist():
    from meshclash.compat.fcl import collision_data, version
    from meshclash.compat.fcl import fcl as compiled

    assert compiled.collide is fcl.collide and collision_data.Contact is fcl.Contact
    assert version.__version__ == fcl.__version__ == "0.7.0"


# --- round shapes ------------------------------------------------------------------------------------------------


def rotation(rng):
    """None, anything, or a rotation so small that axes are nearly parallel."""
    kind = rng.integers(3)
    turn = rng.normal(size=4) * (1.0 if kind == 1 else 10.0 ** rng.uniform(-12, -2))
    return np.eye(3) if kind == 0 else fcl.Transform(turn + np.eye(4)[0] * (kind == 2)).getRotation()


def lengths(rng, kind, scale):
    def length():
        return float(scale * 10.0 ** rng.uniform(-1, 1))

    if kind in ("halfspace", "plane"):
        return rng.normal(size=3), float(scale * rng.normal())
    if kind == "triangle":
        return [scale * rng.normal(size=3) for _ in range(3)]
    thin = 10.0 ** rng.uniform(-4, 4) if rng.random() < 0.3 and kind != "ellipsoid" else 1.0
    return {"sphere": [length()], "box": [length(), length() * thin, length()],
            "ellipsoid": [length(), length(), length()]}.get(kind, [length(), length() * thin])  # fmt: skip


def size_of(shape):
    if shape[0] in ("halfspace", "plane"):
        return abs(shape[2]) / np.linalg.norm(shape[1])
    return float(np.abs(shape[1:]).max(axis=-1).sum() if shape[0] == "triangle" else sum(shape[1:]))


def beyond(shape):
    """How far the mesh of a round shape may be outside of it."""
    lengths = {"cylinder": shape[1:2], "cone": shape[1:2], "ellipsoid": shape[1:]}.get(shape[0], [0.0])
    return 1.001 * fcl.TOLERANCE * max(lengths)


def near_pair(rng, kinds):
    """Two shapes, of any sizes and anywhere, whose gap or overlap is small, or that are at one place or far apart."""
    scale = 10.0 ** rng.uniform(-9, 9)
    a = (kinds[0], *lengths(rng, kinds[0], scale))
    b = (kinds[1], *lengths(rng, kinds[1], scale * (10.0 ** rng.uniform(-6, 6) if rng.random() < 0.3 else 1.0)))
    sizes, (turn_a, turn_b) = (size_of(a), size_of(b)), (rotation(rng), rotation(rng))
    way = rng.normal(size=3) if rng.random() < 0.8 else np.eye(3)[rng.integers(3)]
    way /= np.linalg.norm(way)
    low, high = 0.0 if kinds[1] not in ("halfspace", "plane") else -4.0 * sum(sizes), 4.0 * sum(sizes)

    def gap(x):
        return float(signed_distance(a, (turn_a, np.zeros(3)), b, (turn_b, x * way)))

    wanted = min(sizes) * 10.0 ** rng.uniform(-16, -2) * rng.choice([-1, 0, 1])
    rises = gap(high) > gap(low)
    for _ in range(55):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (gap(middle) < wanted) == rises else (low, middle)
    x = rng.choice([0.5 * (low + high), 0.0, 9.0 * sum(sizes) * rng.random()], p=[0.8, 0.1, 0.1])
    at = scale * rng.normal(size=3) * (10.0 ** rng.uniform(0, 9) if rng.random() < 0.3 else rng.random() < 0.5)
    return (a, (turn_a, at)), (b, (turn_b, at + x * way))


def check_pair(seed, kinds, swapped):
    """Compare a pair with the oracle: no overlap is missed, no distance too large, both within the tolerance."""
    (a, pose_a), (b, pose_b) = near_pair(np.random.default_rng(seed), kinds)
    true = signed_distance(a, pose_a, b, pose_b)
    pair = [made(b, pose_b), made(a, pose_a)] if swapped else [made(a, pose_a), made(b, pose_b)]
    scale = size_of(a) + size_of(b) + float(np.abs(pose_b[1] - pose_a[1]).sum())
    rounding = Decimal(0.0 if a[0] in EXACT and b[0] in EXACT else 3e-16 * scale)
    result = fcl.DistanceResult()
    hit, value = fcl.collide(*pair) > 0, fcl.distance(*pair, SIGNED, result)
    tolerance = 3e-14 * scale + beyond(a) + beyond(b)
    assert hit or true > -rounding
    assert not hit or true <= tolerance
    assert hit == (value <= 0.0) == (fcl.distance(*pair) == -1.0)
    is_known = true > 0 or b[0] in ("halfspace", "plane") or (rounding == 0 and float(true) > -a[1] - b[1])
    if is_known:
        assert Decimal(value) <= true + rounding
        assert value >= float(true) - tolerance
    between = np.linalg.norm(np.subtract(*result.nearest_points))
    assert between == pytest.approx(abs(value), abs=1e-9 * scale + 1e-14 * np.abs(pose_a[1]).max())


SEEDS, ROUND = st.integers(0, 2**32), st.sampled_from([(a, b) for a in EXACT for b in EXACT])


@given(SEEDS, ROUND, st.booleans())
def test_no_overlap_of_spheres_and_capsules_is_missed_and_no_distance_is_too_large(seed, kinds, swapped):
    check_pair(seed, kinds, swapped)


@pytest.mark.slow
@given(SEEDS, st.sampled_from(sorted(PAIRS)), st.booleans())
def test_no_overlap_of_other_round_shapes_is_missed_and_no_distance_is_too_large(seed, kinds, swapped):
    check_pair(seed, kinds, swapped)


@pytest.mark.slow
@given(SEEDS, st.sampled_from(sorted(PAIRS)))
def test_moving_the_second_object_along_a_contacts_normal_by_its_depth_parts_the_two(seed, kinds):
    (a, pose_a), (b, pose_b) = near_pair(np.random.default_rng(seed), kinds)
    first, second = made(a, pose_a), made(b, pose_b)
    result = fcl.CollisionResult()
    fcl.collide(first, second, REQUEST, result)
    scale = size_of(a) + size_of(b) + float(np.abs(pose_b[1] - pose_a[1]).sum()) + 1e-3 * np.abs(pose_a[1]).max()
    for contact in result.contacts[:1]:
        assert np.linalg.norm(contact.normal) == pytest.approx(1.0) and contact.penetration_depth >= 0.0
        moved = pose_b[1] + contact.normal * (contact.penetration_depth * (1.0 + 1e-9) + 1e-9 * scale)
        assert signed_distance(a, pose_a, b, (pose_b[0], moved)) > -1e-12 * scale
        depth = fcl.distance(first, second, SIGNED)
        assert contact.penetration_depth == pytest.approx(-depth, abs=1e-9 * scale)


@settings(max_examples=10)
@given(st.integers(0, 999), st.sampled_from(["sphere", "capsule", "box", "cylinder"]))
def test_a_shape_inside_another_collides(seed, inner):
    rng = np.random.default_rng(seed)
    small = MAKERS[inner](*[0.02] * {"sphere": 1, "box": 3}.get(inner, 2))
    for big in (*SHAPES.values(), CUBE):
        place = fcl.Transform(rng.normal(size=4), rng.uniform(-0.1, 0.1, 3) - [0, 0, 0.2])
        pair = fcl.CollisionObject(small, place), fcl.CollisionObject(big)
        result = fcl.CollisionResult()
        assert fcl.collide(*pair, REQUEST, result) == fcl.collide(*pair[::-1]) == len(result.contacts) == 1
        assert (result.contacts[0].b1, result.contacts[0].b2) == (-1, -1)
        assert fcl.distance(*pair) == -1.0 and fcl.distance(*pair, SIGNED) < -0.1


@pytest.mark.slow
@given(SEEDS, st.sampled_from(EXACT))
def test_round_shapes_meet_the_triangles_of_a_model_that_are_near_enough(seed, kind):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-6, 6)
    triangles = scale * rng.normal(size=(6, 3, 3))
    built = fcl.BVHModel()
    built.beginModel()
    for corners in triangles:
        built.addTriangle(*corners)
    built.endModel()
    shape, pose_a = (kind, *lengths(rng, kind, scale)), (rotation(rng), scale * rng.normal(size=3))
    pose_b = rotation(rng), pose_a[1] + scale * rng.normal(size=3)
    true = [signed_distance(shape, pose_a, ("triangle", *corners), pose_b) for corners in triangles]
    pair = made(shape, pose_a), fcl.CollisionObject(built, fcl.Transform(*pose_b))
    result, nearest = fcl.CollisionResult(), fcl.DistanceResult()
    assert fcl.collide(*pair, REQUEST, result) == sum(gap <= 0 for gap in true)
    assert {contact.b2 for contact in result.contacts} == {k for k, gap in enumerate(true) if gap <= 0}
    value = fcl.distance(*pair, None, nearest)
    assert (value == -1.0) == (min(true) <= 0)
    if value > 0.0:
        assert value == pytest.approx(float(min(true))) and value <= min(true) and nearest.b2 == np.argmin(true)


def test_coincident_shapes_collide():
    for first in SHAPES:
        for second in SHAPES:
            pair = placed(first, 1e6, 2.3, -7), placed(second, 1e6, 2.3, -7)
            assert fcl.collide(*pair) == 1 and fcl.distance(*pair, SIGNED) <= -0.5


@given(st.sampled_from([*SHAPES]), st.sampled_from(["box", "sphere", "cylinder", "capsule"]), st.floats(-0.9, 3.0))
def test_shapes_above_each_other_are_as_far_apart_as_they_stand(below, above, gap):
    """Each reaches half a metre up and down, meshes of round ones up to 1e-3 more."""
    pair = placed(below, 0, 0, 0), placed(above, 0, 0, 1.0 + gap)
    value = fcl.distance(*pair, SIGNED)
    assert (fcl.collide(*pair, REQUEST) > 0) == (value <= 0.0)
    if gap > -0.4:
        assert gap - 6e-4 <= value <= gap + 1e-12


# --- contacts ----------------------------------------------------------------------------------------------------


def test_boxes_have_up_to_four_contacts():
    result = fcl.CollisionResult()
    count = fcl.collide(placed("box", 0, 0, 0), placed("box", 0.1, 0.2, 0.75), REQUEST, result)
    assert count == len(result.contacts) == 4 and result.is_collision
    for contact in result.contacts:
        assert contact.normal == pytest.approx([0, 0, 1], abs=1e-6)
        assert contact.penetration_depth == pytest.approx(0.25)
        assert (contact.b1, contact.b2) == (-1, -1)
        assert 0.25 - 1e-9 <= contact.pos[2] <= 0.5 + 1e-9
    few = fcl.CollisionResult()
    fcl.collide(placed("box", 0, 0, 0), placed("box", 0.1, 0.2, 0.75), fcl.CollisionRequest(num_max_contacts=2), few)
    assert len(few.contacts) <= 2
    default = fcl.CollisionResult()
    assert fcl.collide(placed("box", 0, 0, 0), placed("box", 0.1, 0.2, 0.75), fcl.CollisionRequest(), default) == 1


@pytest.mark.parametrize("shape", ["sphere", "capsule", "box", "cylinder"])
def test_contacts_of_a_model_name_its_triangles(shape):
    """A floor of 32 triangles at z = 0, and a shape that reaches 0.1 below it."""
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0), indexing="ij")
    vertices = np.column_stack([x.ravel() - 2, y.ravel() - 2, np.zeros(25)])
    corners = np.array([5 * i + j for i in range(4) for j in range(4)])
    floor = fcl.BVHModel()
    floor.beginModel()
    floor.addSubModel(vertices, np.concatenate([corners[:, None] + [0, 5, 6], corners[:, None] + [0, 6, 1]]))
    floor.endModel()
    far = np.array([1e5, -1e5, 1e5])
    over = np.array([0.3, 0.2, 0.4])
    upper = fcl.CollisionObject(SHAPES[shape], fcl.Transform(far + over))
    for pair, sign in (((upper, fcl.CollisionObject(floor, fcl.Transform(far))), -1.0),
                       ((fcl.CollisionObject(floor, fcl.Transform(far)), upper), 1.0)):  # fmt: skip
        result = fcl.CollisionResult()
        assert fcl.collide(*pair, REQUEST, result) == len(result.contacts) > 1
        sides = [(c.b1, c.b2) if sign > 0.0 else (c.b2, c.b1) for c in result.contacts]
        assert all(0 <= triangle < 32 and other == -1 for triangle, other in sides)
        assert len(set(sides)) == len(sides)
        deepest = max(result.contacts, key=lambda contact: contact.penetration_depth)
        assert deepest.penetration_depth == pytest.approx(0.1, abs=1e-6)
        assert deepest.normal == pytest.approx([0, 0, sign], abs=1e-6)
        assert -0.1 - 1e-6 <= deepest.pos[2] - far[2] <= 1e-6
        assert fcl.collide(*pair, fcl.CollisionRequest(num_max_contacts=2)) == 2
    apart = fcl.DistanceResult()
    upper.setTranslation(far + 2.0 * over)
    assert fcl.distance(upper, fcl.CollisionObject(floor, fcl.Transform(far)), None, apart) == pytest.approx(0.3)
    assert apart.b1 == -1 and 0 <= apart.b2 < 32
    assert apart.nearest_points[0][2] - far[2] == pytest.approx(0.3) and apart.nearest_points[1][2] == far[2]


def test_nearest_points_of_an_overlap_are_as_far_apart_as_it_is_deep():
    for shapes in ("box", "box"), ("sphere", "box"), ("cone", "cylinder"), ("capsule", "ellipsoid"):
        result = fcl.DistanceResult()
        value = fcl.distance(placed(shapes[0], 0, 0, 0), placed(shapes[1], 0.1, 0.2, 0.75), SIGNED, result)
        assert value < 0.0 and np.linalg.norm(np.subtract(*result.nearest_points)) == pytest.approx(-value)


@given(st.integers(0, 999), st.sampled_from([*SHAPES]), st.sampled_from([*SHAPES]))
def test_unsigned_nearest_points_of_objects_that_meet_are_one_common_point(seed, first, second):
    rng = np.random.default_rng(seed)
    a, b = (
        fcl.CollisionObject(SHAPES[shape], fcl.Transform(rng.normal(size=4), rng.uniform(-0.6, 0.6, 3)))
        for shape in (first, second)
    )
    result = fcl.DistanceResult()
    if fcl.distance(a, b, fcl.DistanceRequest(enable_nearest_points=True), result) == -1.0:
        point, other = result.nearest_points
        assert (point == other).all()
        probe = fcl.CollisionObject(fcl.Sphere(1e-9), fcl.Transform(point))
        assert fcl.collide(probe, a) and fcl.collide(probe, b)


# --- half-spaces and planes --------------------------------------------------------------------------------------


def flat(kind, n, d, *translation):
    return fcl.CollisionObject(
        MAKERS[kind](np.array(n, float), d), fcl.Transform(np.array(translation or [0] * 3, float))
    )


def test_half_spaces_and_planes_meet_unless_they_look_away_from_each_other():
    floor, wall = flat("halfspace", [0, 0, 2], 2.0), flat("halfspace", [1, 0, 0], 0.0)
    assert floor.geometry.d == 1.0 and floor.geometry.n.tolist() == [0, 0, 1]
    assert fcl.collide(floor, wall) == 1 and fcl.distance(floor, wall) == -1.0
    ceiling = flat("halfspace", [0, 0, -1], 0.0, 0, 0, 4)
    result = fcl.DistanceResult()
    assert fcl.distance(floor, ceiling, SIGNED, result) == pytest.approx(3.0) == result.min_distance
    assert fcl.collide(floor, ceiling) == 0
    ceiling.setTranslation([0, 0, 0.75])
    assert fcl.distance(floor, ceiling, SIGNED) == pytest.approx(-0.25)
    for height, gap in ((0.5, -0.5), (1.25, 0.25)):
        assert fcl.distance(flat("plane", [0, 0, 1], height), floor, SIGNED) == pytest.approx(gap)
        assert fcl.distance(floor, flat("plane", [0, 0, -1], -height), SIGNED) == pytest.approx(gap)
    assert fcl.distance(flat("plane", [0, 0, 1], 2), flat("plane", [0, 0, 1], 2)) == -1.0
    assert fcl.distance(flat("plane", [0, 0, 1], 2), flat("plane", [0, 0, -1], 1)) == pytest.approx(3.0)


def test_a_model_meets_a_plane_only_where_a_triangle_does():
    """Two boxes above each other: a plane between them touches neither."""
    box = SHAPES["box"].core.mesh
    both = fcl.BVHModel()
    both.beginModel()
    for height in (0.0, 3.0):
        both.addSubModel(box.vertices + np.array([0, 0, height]), box.triangles)
    both.endModel()
    tower, between = fcl.CollisionObject(both), flat("plane", [0, 0, 1], 1.25)
    result = fcl.DistanceResult()
    assert fcl.collide(tower, between) == 0
    assert fcl.distance(tower, between, None, result) == pytest.approx(0.75) and 0 <= result.b1 < 12
    assert fcl.collide(tower, flat("plane", [0, 0, 1], 2.75)) == 1
    found = fcl.CollisionResult()
    assert fcl.collide(flat("halfspace", [0, 0, 1], 1.25), tower, REQUEST, found) == 12
    assert found.contacts[0].normal.tolist() == [0, 0, 1] and found.contacts[0].penetration_depth == pytest.approx(1.75)
    assert all(contact.b1 == -1 and 0 <= contact.b2 < 12 for contact in found.contacts)


# --- results that are used again ---------------------------------------------------------------------------------


@settings(max_examples=8)
@given(st.integers(0, 999))
def test_a_result_that_is_used_again_keeps_what_it_has_and_calls_return_their_own_count(seed):
    rng = np.random.default_rng(seed)
    result, nearest = fcl.CollisionResult(), fcl.DistanceResult()
    total, hits, least = 0, [], np.inf
    request = fcl.CollisionRequest(num_max_contacts=int(rng.integers(1, 5)), enable_contact=bool(rng.integers(2)))
    for _ in range(20):
        pair = [placed(rng.choice([*SHAPES]), *rng.uniform(-1, 1, 3)) for _ in range(2)]
        alone = fcl.CollisionResult()
        count = fcl.collide(*pair, request, result)
        assert count == fcl.collide(*pair, request, alone) == len(alone.contacts) <= request.num_max_contacts
        assert (count > 0) == alone.is_collision
        total, hits = total + count, [*hits, count > 0]
        assert len(result.contacts) == total and result.is_collision == any(hits)
        least = min(least, fcl.distance(*pair, SIGNED, nearest))
        assert nearest.min_distance == least


def test_a_continuous_result_that_is_used_again_keeps_the_first_time():
    result = fcl.ContinuousCollisionResult()
    still, begin = placed("box", 0, 0, 0), placed("box", 0, 0, 3)
    times = [fcl.continuousCollide(still, fcl.Transform(), begin, fcl.Transform(np.array([0.0, 0, z])), None, result)
             for z in (-3, 9, -5)]  # fmt: skip
    assert times == pytest.approx([1 / 3, 1.0, 0.25], abs=1e-4)
    assert result.is_collide and result.time_of_contact == min(times)


# --- names and arguments -----------------------------------------------------------------------------------------


@given(SEEDS, st.sampled_from(["sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "triangle", "model"]),
       st.integers(-300, 27))  # fmt: skip
def test_the_ball_of_an_object_contains_it_and_is_no_larger_than_its_box(seed, kind, exponent):
    rng = np.random.default_rng(seed)
    numbers = np.exp(rng.normal(size=9)) * 10.0**exponent
    if kind == "model":
        shape = model(mc.TriangleMesh(numbers.reshape(3, 3), [[0, 1, 2]]))
    elif kind == "triangle":
        shape = fcl.TriangleP(*numbers.reshape(3, 3))
    else:
        shape = MAKERS[kind](*numbers[: 1 if kind == "sphere" else 3 if kind in ("box", "ellipsoid") else 2].tolist())
    turn, place = rotation(rng), rng.normal(size=3) * 10.0 ** min(exponent, 3)
    (x, y, z), radius = fcl.CollisionObject(shape, fcl.Transform(turn, place)).ball
    corners = shape.core.mesh.vertices @ turn.T + place
    away = max(math.hypot(*(corner - (x, y, z))) for corner in corners) + shape.margin
    assert radius >= away * (1.0 - 1e-13)
    assert shape.ball[1] <= math.hypot(*(0.5 * np.ptp(shape.local_box(), axis=0))) * (1.0 + 1e-9)
    if kind == "sphere":
        assert shape.ball[1] <= shape.radius * (1.0 + 1e-11)


def test_a_quaternion_turns_as_its_matrix_does():
    half = np.sqrt(0.5)
    turned = fcl.Transform(np.array([half, half, 0, 0]), np.array([1.0, 2, 3]))
    assert turned.getRotation() == pytest.approx(np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]))
    item = placed("box", 1, 2, 3)
    item.setQuatRotation([half, half, 0, 0])
    assert item.getRotation() == pytest.approx(turned.getRotation())
    assert item.getTranslation() == pytest.approx(turned.getTranslation())


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 1e-3))
def test_a_quaternion_is_returned_up_to_its_sign(numbers):
    quaternion = np.array(numbers) / np.linalg.norm(numbers)
    moved = fcl.Transform()
    moved.setQuatRotation(quaternion)
    told = moved.getQuatRotation()
    assert min(np.abs(told - quaternion).max(), np.abs(told + quaternion).max()) <= 1e-12
    moved.setTranslation([1, 2, 3])
    moved.setRotation(np.eye(3))
    copy = fcl.Transform(moved)
    moved.setTranslation([0, 0, 0])
    assert copy.getTranslation().tolist() == [1, 2, 3] and copy.getQuatRotation().tolist() == [1, 0, 0, 0]


def test_shapes_have_lengths_that_can_be_changed():
    box, floor = fcl.Box(1, 2, 3), flat("halfspace", [0, 0, 1], 0.0)
    item = fcl.CollisionObject(box, fcl.Transform(np.array([0, 0, 2.0])))
    assert box.side.tolist() == [1, 2, 3] and fcl.distance(item, floor) == pytest.approx(0.5)
    box.side = [1, 2, 1]
    assert fcl.distance(item, floor) == pytest.approx(1.5)
    sphere, capsule = fcl.Sphere(1), fcl.Capsule(1, 2)
    item, other = fcl.CollisionObject(sphere), fcl.CollisionObject(capsule, fcl.Transform(np.array([0, 0, 9.0])))
    assert (sphere.radius, capsule.radius, capsule.lz) == (1, 1, 2)
    assert fcl.distance(item, other) == pytest.approx(6.0)
    sphere.radius, capsule.lz = 2, 4
    assert fcl.distance(item, other) == pytest.approx(4.0)
    triangle = fcl.TriangleP([0, 0, 1], [1, 0, 1], [0, 1, 1])
    assert fcl.distance(fcl.CollisionObject(triangle), fcl.CollisionObject(fcl.Sphere(0.25))) == pytest.approx(0.75)
    triangle.a = [0, 0, 0.5]
    assert fcl.distance(fcl.CollisionObject(triangle), fcl.CollisionObject(fcl.Sphere(0.25))) < 0.25
    assert (
        fcl.Ellipsoid(1, 2, 3).radii.tolist() == [1, 2, 3] and fcl.Cone(1, 2).lz == 2 and fcl.Cylinder(1, 2).radius == 1
    )


def test_shapes_and_objects_say_their_kind():
    assert placed("sphere", 0, 0, 0).getNodeType() == fcl.NODE_TYPE.GEOM_SPHERE
    assert placed("sphere", 0, 0, 0).getObjectType() == fcl.OBJECT_TYPE.OT_GEOM
    mesh = model(SHAPES["box"].core.mesh)
    assert fcl.CollisionObject(mesh).getObjectType() == fcl.OBJECT_TYPE.OT_BVH
    assert fcl.CollisionGeometry().getNodeType() is None and fcl.BVHModel().aabb_center is None
    assert fcl.TriangleP([0, 0, 0], [2, 0, 0], [0, 4, 0]).aabb_center.tolist() == [1, 2, 0]
    item = placed("box", 0, 0, 0)
    assert item.isOccupied() and not item.isFree() and not item.isUncertain()


def test_a_model_of_triangles_is_the_same_as_the_shape():
    made, mesh = fcl.BVHModel(), SHAPES["box"].core.mesh
    with pytest.raises(ValueError, match="endModel"):
        fcl.distance(fcl.CollisionObject(made), placed("box", 0, 0, 3))
    with pytest.raises(MeshClashError, match="beginModel"):
        made.addTriangle([0, 0, 0], [1, 0, 0], [0, 1, 0])
    assert made.buildState() == 0 and made.beginModel(12, 8) == 0 and made.buildState() == 1
    for corners in mesh.vertices[mesh.triangles[:6]]:
        assert made.addTriangle(*corners)
    assert made.addVertex(9, 9, 9) and made.addSubModel(mesh.vertices, mesh.triangles[6:])
    assert made.endModel() == 0 and made.buildState() == 2 and made.num_tries_() == 12
    assert fcl.distance(fcl.CollisionObject(made), placed("box", 0, 0, 3)) == pytest.approx(2.0)


def test_a_convex_shape_is_the_hull_of_its_vertices():
    corners = SHAPES["box"].core.mesh.vertices
    made = fcl.Convex(corners, 1, [4, 0, 1, 3, 2])
    assert made.num_faces == 1
    assert fcl.distance(fcl.CollisionObject(made), placed("sphere", 0, 0, 3)) == pytest.approx(2.0)
    assert fcl.collide(fcl.CollisionObject(made), fcl.CollisionObject(fcl.Sphere(0.1))) == 1
    with pytest.raises(MeshClashError, match="face 1"):
        fcl.Convex(corners, 2, [3, 0, 1, 2, 3, 0, 1, 8])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: fcl.OcTree(0.1, b""), "put a Box for each"),
        (lambda: fcl.Sphere(-1), "radius of a Sphere"),
        (lambda: fcl.Capsule(1, -1), "lz of a Capsule"),
        (lambda: fcl.Box(1, 0, 1), "side of a Box"),
        (lambda: setattr(fcl.Sphere(1), "radius", np.nan), "radius of a Sphere"),
        (lambda: fcl.Plane([0, 0, 0], 1), "n of a Plane"),
        (fcl.CollisionObject, "needs a shape"),
        (lambda: fcl.Transform(np.zeros((2, 2))), "quaternion"),
        (lambda: fcl.Transform(np.zeros(4)), "quaternion"),
        (lambda: fcl.Transform(np.eye(3), [1, 2]), "translation"),
        (lambda: fcl.Transform([np.nan, 0, 0]), "translation"),
        (lambda: fcl.Transform(np.eye(3) * 2), "rigid"),
        (lambda: fcl.collide(placed("box", 0, 0, 0), placed("box", 0, 0, 0), fcl.CollisionRequest(0)), "num_max"),
        (lambda: fcl.collide(placed("box", 0, 0, 0), placed("box", 0, 0, 0), fcl.CollisionRequest(enable_cost=True)),
         "enable_cost"),
        (lambda: fcl.DynamicAABBTreeCollisionManager().collide(None), "manager"),
        (lambda: fcl.DynamicAABBTreeCollisionManager().collide(placed("box", 0, 0, 0), fcl.CollisionData()), "manager"),
        (lambda: fcl.continuousCollide(placed("box", 0, 0, 0), fcl.Transform(), flat("plane", [0, 0, 1], 0),
                                       fcl.Transform()), "Plane"),
        (lambda: fcl.continuousCollide(placed("box", 0, 0, 0), fcl.Transform(), placed("box", 0, 0, 3), fcl.Transform(),
                                       fcl.ContinuousCollisionRequest(toc_err=0.0)), "toc_err"),
        (lambda: fcl.continuousCollide(placed("box", 0, 0, 0), fcl.Transform(), placed("box", 0, 0, 3), fcl.Transform(),
                                       fcl.ContinuousCollisionRequest(ccd_motion_type=3)), "CCDM_SCREW"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_by_name(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


# --- managers ----------------------------------------------------------------------------------------------------


@settings(max_examples=8)
@given(st.integers(0, 999))
def test_managers_find_the_pairs_that_all_pairs_give(seed):
    rng = np.random.default_rng(seed)
    objects = [placed(rng.choice([*SHAPES]), *rng.uniform(-2, 2, 3)) for _ in range(8)]
    objects.append(flat("halfspace", rng.normal(size=3), -2.5))
    manager, count = fcl.DynamicAABBTreeCollisionManager(), len(objects)
    manager.registerObjects(objects)
    manager.setup()
    found = set()

    def note(first, second, _data):
        if fcl.collide(first, second) > 0:
            found.add((objects.index(first), objects.index(second)))
        return False

    manager.collide(None, note)
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    assert found == {(i, j) for i, j in pairs if fcl.collide(objects[i], objects[j]) > 0}
    data = fcl.DistanceData(SIGNED)
    manager.distance(data, fcl.defaultDistanceCallback)
    least = min(fcl.distance(objects[i], objects[j], SIGNED) for i, j in pairs)
    assert data.result.min_distance == pytest.approx(least)


def test_a_manager_is_asked_about_an_object_or_another_manager():
    manager, other = fcl.DynamicAABBTreeCollisionManager(), fcl.DynamicAABBTreeCollisionManager()
    box, far = placed("box", 0, 0, 0), placed("sphere", 0, 0, 9)
    manager.registerObject(box)
    other.registerObjects([far, placed("sphere", 0, 0, 5)])
    near = placed("capsule", 0.9, 0, 0)
    calls = []
    manager.collide(near, "data", lambda *given: calls.append(given))
    assert calls == [(box, near, "data")]
    data = fcl.DistanceData()
    manager.distance(other, data, fcl.defaultDistanceCallback)
    assert data.result.min_distance == pytest.approx(4.0)
    manager.unregisterObject(far)  # is not there
    manager.unregisterObject(box)
    assert manager.empty() and other.size() == 2 and len(other.getObjects()) == 2
    other.clear()
    assert other.empty() and manager.octree_as_geometry_collide is True


def test_the_default_callback_ends_when_more_contacts_are_known_than_were_requested():
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects([placed("sphere", 0.1 * k, 0, 0) for k in range(5)])
    data = fcl.CollisionData()
    for _ in range(2):  # the second time it is done already
        manager.collide(data, fcl.defaultCollisionCallback)
        assert data.done and data.result.is_collision and len(data.result.contacts) == 2
    apart = fcl.CollisionData(fcl.CollisionRequest(), fcl.CollisionResult())
    manager.collide(placed("sphere", 9, 9, 9), apart, fcl.defaultCollisionCallback)
    assert not apart.done and not apart.result.is_collision


# --- motion ------------------------------------------------------------------------------------------------------


def moved(shape, begin, end, other, request=None):
    result = fcl.ContinuousCollisionResult()
    item = fcl.CollisionObject(shape, fcl.Transform(np.array(begin, float)))
    time = fcl.continuousCollide(
        item, fcl.Transform(np.array(end, float)), other, other.getTransform(), request, result
    )
    return result.is_collide, time


def test_moving_objects_meet_when_they_must():
    hit, time = moved(SHAPES["box"], [0, 0, 3], [0, 0, -3], placed("box", 0, 0, 0))
    assert hit and time == pytest.approx(2.0 / 6.0, abs=1e-4)
    assert moved(SHAPES["box"], [0, 0, 3], [0, 0, 9], placed("box", 0, 0, 0)) == (False, 1.0)
    assert moved(SHAPES["box"], [0, 0, 0.5], [0, 0, 9], placed("box", 0, 0, 0)) == (True, 0.0)


@pytest.mark.parametrize("share", [1e-2, 1e-4, 1e-7])
def test_the_time_of_contact_is_as_exact_as_asked(share):
    """A sphere flies at a box from 0.3 m away, by way and size a thousand times longer or shorter."""
    request = fcl.ContinuousCollisionRequest(toc_err=share)
    for way in (0.31, 3.0, 3000.0):
        hit, time = moved(fcl.Box(0.1, 0.1, 0.1), [-0.85, 0, 0], [-0.85 + way, 0, 0], placed("box", 0, 0, 0), request)
        assert hit and 0.0 <= 0.3 / way - time <= share


@settings(max_examples=8)
@given(st.floats(-6, 3), st.floats(1.2e-5, 1e-2), st.floats(1.0, 1e4))
def test_a_peg_that_fits_its_slot_passes_whatever_the_scale_and_the_way(exponent, play, way):
    """The play is a share of the peg's side, on each side; the way is in sides."""
    side = 10.0**exponent
    peg = fcl.Box(side, side, side)
    for sign in (-1, 1):
        wall = fcl.CollisionObject(
            fcl.Box(side, side, 5 * side), fcl.Transform(np.array([0, sign * side * (1 + play), 0]))
        )
        ends = [-(0.6 + way) * side, 0, 0], [(0.6 + way) * side, 0, 0]
        assert moved(peg, *ends, wall) == (False, 1.0)
        tight = fcl.Box(side, side * (1 + 2.1 * play), side)
        hit, time = moved(tight, *ends, wall)
        assert hit and time == pytest.approx((way - 0.4) / (1.2 + 2 * way), abs=2e-4)


@pytest.mark.slow
@given(st.integers(0, 999), st.floats(1e-3, 1e-1))
def test_no_round_shape_passes_through_another_in_motion(seed, depth):
    """A sphere grazes a capsule by a share of its radius, on a long way."""
    rng = np.random.default_rng(seed)
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    across = np.cross(way, rng.normal(size=3))
    across /= np.linalg.norm(across)
    target = fcl.CollisionObject(fcl.Sphere(0.3))
    start = across * (0.7 - 0.4 * depth) - 50 * way
    assert moved(fcl.Sphere(0.4), start, start + 100 * way, target)[0]
    free = across * (0.7 + 2e-3) - 50 * way
    assert moved(fcl.Sphere(0.4), free, free + 100 * way, target) == (False, 1.0)


def turned(rng):
    """A rotation of any angle."""
    return fcl.Transform(rng.normal(size=4)).getRotation()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["sphere", "box", "cylinder", "cone", "capsule", "ellipsoid"]))
def test_moving_shapes_are_apart_before_the_time_of_contact_and_as_near_as_the_tolerance_at_it(seed, kind):
    """Beside distances at times in between, with both objects turning."""
    rng = np.random.default_rng(seed)
    items = [fcl.CollisionObject(MAKERS[name](*lengths(rng, name, 0.5))) for name in (kind, "box")]
    ends = [[fcl.Transform(turned(rng), rng.normal(size=3) * 2.0) for _ in range(2)] for _ in items]
    for item, (begin, _) in zip(items, ends, strict=True):
        item.setTransform(begin)
    result = fcl.ContinuousCollisionResult()
    request = fcl.ContinuousCollisionRequest(ccd_motion_type=fcl.CCDMotionType.CCDM_LINEAR)
    time = fcl.continuousCollide(items[0], ends[0][1], items[1], ends[1][1], request, result)
    motions = [mc.motion.KeyframedMotion([0, 1], [begin.pose, end.pose]) for begin, end in ends]

    def gap(moment):
        for item, motion in zip(items, motions, strict=True):
            pose = motion.poses([moment])[0]
            item.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
        return fcl.distance(*items)

    assert all(gap(share * time) > 0.0 for share in np.linspace(0.0, 1.0 - 1e-9, 20)) or time == 0.0
    assert not result.is_collide or gap(time) <= 1e-5 * max(float(np.ptp(i.geometry.local_box())) for i in items)
    assert result.is_collide or time == 1.0


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from(["sphere", "box", "cylinder", "cone", "capsule", "ellipsoid", "triangle", "cube"]),
    st.sampled_from(["box", "sphere", "cube"]),
)
def test_a_plain_request_tells_the_same_as_one_for_all_contacts(seed, kind, other):
    """Balls around objects, first contacts and contained objects, whose answers end early, beside all contacts."""
    rng = np.random.default_rng(seed)
    shapes = [
        model(mc.shapes.box(rng.uniform(0.2, 2.0, 3))) if name == "cube" else MAKERS[name](*lengths(rng, name, 0.5))
        for name in (kind, other)
    ]
    near = float(rng.choice([0.2, 1.0, 3.0, 30.0]))
    shift = rng.normal(size=3) * float(rng.choice([0.0, 1e4]))
    items = [
        fcl.CollisionObject(shape, fcl.Transform(turned(rng), near * rng.normal(size=3) + shift)) for shape in shapes
    ]
    plain, every = fcl.CollisionResult(), fcl.CollisionResult()
    met = fcl.collide(*items, fcl.CollisionRequest(), plain)
    assert (met > 0) == (fcl.collide(*items, REQUEST, every) > 0) == plain.is_collision == every.is_collision
    assert (met > 0) == (fcl.distance(*items) <= 0.0)
    for side, shape in zip((plain.contacts[0].b1, plain.contacts[0].b2) if met else (), shapes, strict=False):
        assert side == -1 or (isinstance(shape, fcl.BVHModel) and 0 <= side < shape.num_tries_())


def test_objects_that_move_or_change_are_no_longer_where_they_were():
    """The ball around an object follows its transform and its shape."""
    shape, still = fcl.Sphere(0.5), placed("box", 0, 0, 0)
    item = fcl.CollisionObject(shape, fcl.Transform(np.array([5.0, 0, 0])))
    assert fcl.collide(item, still) == 0
    shape.radius = 4.6
    assert fcl.collide(item, still) == 1
    item.setTranslation([6.0, 0, 0])
    assert fcl.collide(item, still) == 0
    for setter, value in (("setTranslation", [0.0, 0, 0]), ("setTransform", fcl.Transform([0.5, 0, 0]))):
        item.setTranslation([9.0, 0, 0])
        assert fcl.collide(item, still) == 0
        getattr(item, setter)(value)
        assert fcl.collide(item, still) == 1
    long = fcl.CollisionObject(
        fcl.Convex(np.array([[x, y, z] for x in (0.0, 9.0) for y in (0.0, 0.1) for z in (0.0, 0.1)]), 0, [])
    )
    long.setTranslation([0.6, 0, 0])
    assert fcl.collide(long, still) == 0
    long.setRotation(np.diag([-1.0, -1.0, 1.0]))
    assert fcl.collide(long, still) == 1


def test_objects_turn_on_their_way():
    """A bar that turns by a quarter hits a ball beside it, also as a screw and with python-fcl's default motion."""
    bar, ball = (
        fcl.CollisionObject(fcl.Box(2, 0.1, 0.1)),
        fcl.CollisionObject(fcl.Sphere(0.1), fcl.Transform([0.0, 0.7, 0])),
    )
    end = fcl.Transform(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    for kind in range(3):
        request = fcl.ContinuousCollisionRequest(ccd_motion_type=kind)
        time = fcl.continuousCollide(bar, end, ball, ball.getTransform(), request)
        assert time == pytest.approx(1.0 - np.arcsin(0.15 / 0.7) / (0.5 * np.pi), abs=1e-3)


# --- cylinders, cones and ellipsoids beside triangles -----------------------------------------------


def model_of(mesh):
    model = fcl.BVHModel()
    model.beginModel(len(mesh.vertices), len(mesh.triangles))
    model.addSubModel(mesh.vertices, mesh.triangles)
    model.endModel()
    return model


@settings(max_examples=20)
@given(st.sampled_from(["cylinder", "cone", "ellipsoid"]), st.integers(0, 2**32), st.booleans(), st.floats(-12, -2))
def test_round_solids_beside_a_model_are_as_beside_its_convex_solid(kind, seed, swapped, exponent):
    """A box as a ``BVHModel`` and as a ``Box``: the same gap, and the same answer close to the touch."""
    rng = np.random.default_rng(seed)
    shape = {
        "cylinder": fcl.Cylinder(*rng.uniform(0.1, 1, 2)),
        "cone": fcl.Cone(*rng.uniform(0.1, 1, 2)),
        "ellipsoid": fcl.Ellipsoid(*rng.uniform(0.1, 1, 3)),
    }[kind]
    sides, turn, way = rng.uniform(0.2, 2, 3), rotation(rng), rng.normal(size=3)
    way *= 5.0 / np.linalg.norm(way)
    solid, model = fcl.Box(*sides), model_of(mc.shapes.box(sides))
    gap = fcl.distance(
        fcl.CollisionObject(shape, fcl.Transform(turn, way)), fcl.CollisionObject(solid, fcl.Transform())
    )
    nearest = fcl.DistanceResult()
    item = fcl.CollisionObject(shape, fcl.Transform(turn, way))
    fcl.distance(item, fcl.CollisionObject(solid, fcl.Transform()), fcl.DistanceRequest(True), nearest)
    towards = nearest.nearest_points[1] - nearest.nearest_points[0]
    for share in (0.0, 1.0 - 10.0**exponent, 1.0 + 10.0**exponent):
        item = fcl.CollisionObject(shape, fcl.Transform(turn, way + share * towards))
        told = []
        for other in (model, solid):
            pair = [item, fcl.CollisionObject(other, fcl.Transform())]
            pair = pair[::-1] if swapped else pair
            told.append((fcl.collide(*pair) > 0, fcl.distance(*pair)))
        if abs(1.0 - share) * gap > 1e-11:
            assert told[0][0] == told[1][0] == (share > 1.0)
        if share < 1.0 and told[0][1] >= 0.0 <= told[1][1]:
            assert told[0][1] == pytest.approx(told[1][1], abs=1e-11)


@given(st.sampled_from(["cylinder", "cone", "ellipsoid"]), SEEDS)
def test_the_mesh_inside_a_round_solid_is_inside_by_fractions(kind, seed):
    """What meets this mesh counts as a collision, so no corner of it may be outside of the solid."""
    rng = np.random.default_rng(seed)
    sizes = [float(10.0 ** rng.uniform(-6, 6)) for _ in range(3 if kind == "ellipsoid" else 2)]
    corners = MAKERS[kind](*sizes).inner.mesh.vertices
    exact = [Fraction(size) for size in sizes]
    for x, y, z in (map(Fraction, corner) for corner in corners.tolist()):
        if kind == "ellipsoid":
            assert sum((a / size) ** 2 for a, size in zip((x, y, z), exact, strict=True)) < 1
        else:
            radius, length = exact
            assert abs(z) < length / 2
            reach = radius * (1 if kind == "cylinder" else Fraction(1, 2) - z / length)
            assert x * x + y * y < reach * reach
    assert np.ptp(corners, axis=0) == pytest.approx(np.ptp(MAKERS[kind](*sizes).core.mesh.vertices, axis=0), rel=5e-3)


def test_a_round_solid_inside_a_model_meets_it_and_outside_an_open_one_does_not():
    closed, hole = model_of(mc.shapes.box(4.0)), mc.shapes.box(4.0)
    open_model = model_of(mc.TriangleMesh(hole.vertices, hole.triangles[2:]))
    small = fcl.CollisionObject(fcl.Cylinder(0.5, 1.0))
    assert fcl.collide(small, fcl.CollisionObject(closed)) > 0
    assert fcl.distance(small, fcl.CollisionObject(closed)) == -1.0
    assert fcl.collide(small, fcl.CollisionObject(open_model)) == 0
    assert fcl.distance(small, fcl.CollisionObject(open_model)) == pytest.approx(1.5, abs=1e-12)
