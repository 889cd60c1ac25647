"""Robots of URDF files: what is in the scene, where it is, and what is refused."""

import sys

import meshclash as mc
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mesh_samples import write_stl
from robot_samples import CUBE, LIMIT, collision, joint, link, robot_trees, turned, two_links, urdf_of, write

ANY_FOLDER = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def robot(folder, *elements, **options):
    return mc.Robot(write(folder, *elements), **options)


def placed(pose, points):
    return np.asarray(points) @ pose[:3, :3].T + pose[:3, 3]


# Motion


def moved_points(j, values, points):
    """Where a joint brings points (n, 3) of its child's frame in the parent's frame."""
    axis = np.array(j["axis"], float) / np.linalg.norm(j["axis"])
    if j["kind"] in ("revolute", "continuous"):
        points = turned(points, axis, values[0])
    elif j["kind"] == "prismatic":
        points = points + values[0] * axis
    elif j["kind"] == "planar":
        nearest = max(range(3), key=lambda k: abs(axis[k]))
        x = np.eye(3)[(nearest + 1) % 3]
        x = x - axis * (x @ axis)
        x = x / np.sqrt(x @ x)
        points = turned(points, axis, values[2]) + values[0] * x + values[1] * np.cross(axis, x)
    elif j["kind"] == "floating":
        *shift, qx, qy, qz, qw = values
        angle = 2 * np.arctan2(np.sqrt(qx * qx + qy * qy + qz * qz), qw)
        if qx or qy or qz:
            points = turned(points, (qx, qy, qz), angle)
        points = points + np.array(shift)
    roll, pitch, yaw = j["rpy"]
    for axis, angle in (((1, 0, 0), roll), ((0, 1, 0), pitch), ((0, 0, 1), yaw)):
        points = turned(points, axis, angle)
    return points + np.array(j["xyz"], float)


def expected(names, joints, values):
    """The corners of a tetrahedron in every link's frame, in the world."""
    above = {j["child"]: j for j in joints}
    by_name = {j["name"]: j for j in joints}

    def positions(j):
        if j["mimic"]:
            source, multiplier, offset = j["mimic"]
            return [multiplier * positions(by_name[source])[0] + offset]
        return values.get(j["name"], [])

    found = []
    for name in names:
        points, frame = np.vstack([np.zeros(3), np.eye(3)]), name
        while frame in above:
            j = above[frame]
            points, frame = moved_points(j, positions(j), points), j["parent"]
        found.append(points)
    return np.array(found)


def coordinate_values(tree, numbers):
    """Numbers for the joints that have coordinates, by joint."""
    sizes = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "floating": 7}
    moving = [j for j in tree if sizes[j["kind"]] and not j["mimic"]]
    stream = iter(numbers)
    return {j["name"]: [next(stream) for _ in range(sizes[j["kind"]])] for j in moving}


@pytest.mark.slow
@settings(parent=ANY_FOLDER, max_examples=150)
@given(robot_trees(), st.lists(st.floats(-4, 4), min_size=43, max_size=43))
def test_links_are_where_the_joints_bring_them(tmp_path, tree, numbers):
    names, joints = tree
    values = coordinate_values(joints, numbers)
    for j in joints:
        if j["kind"] == "floating" and max(map(abs, values[j["name"]][3:])) < 1e-3:
            values[j["name"]][6] = 1.0
    made = mc.Robot(urdf_of(names, joints, tmp_path))
    assert made.joints == list(values) and [item.name for item in made.links] == names
    q = np.array([x for own in values.values() for x in own])
    points = np.vstack([np.zeros(3), np.eye(3)])
    true = expected(names, joints, values)
    found = np.array([placed(pose, points) for pose in made.poses(q)])
    assert np.abs(found - true).max() <= 1e-12 * max(1.0, np.abs(true).max())
    stack = made.poses(np.stack([q, made.neutral, q]))
    assert np.array_equal(stack[0], made.poses(q)) and np.array_equal(stack[2], stack[0])
    assert np.array_equal(stack[1], [item.pose for item in made.links])
    assert np.array_equal(made.poses(q, names[::-1]), made.poses(q)[::-1])
    for k, j in enumerate(j for j in joints if j["name"] in values and len(values[j["name"]]) == 1):
        row = made.coordinates.index(j["name"])
        wanted = (-np.inf, np.inf) if j["kind"] == "continuous" else j["limit"]
        assert tuple(made.limits[row]) == wanted, k
        assert (made.velocity_limits[row], made.effort_limits[row]) == (2.0, 5.0)


@pytest.mark.slow
@settings(parent=ANY_FOLDER, max_examples=300)
@given(robot_trees(flat_normal=(0, 0, 1)), st.lists(st.floats(-4, 4), min_size=43, max_size=43))
def test_links_are_where_pinocchio_has_them(tmp_path, tree, numbers):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is not installed")
    names, joints = tree
    values = coordinate_values(joints, numbers)
    for j in joints:
        if j["kind"] == "floating":
            values[j["name"]][6] += 9.0
    path = urdf_of(names, joints, tmp_path)
    made, model = mc.Robot(path), pin.buildModelFromUrdf(str(path))
    by_name, q = {j["name"]: j for j in joints}, pin.neutral(model)

    def position(j):
        if j["mimic"]:
            return j["mimic"][1] * position(by_name[j["mimic"][0]]) + j["mimic"][2]
        return values[j["name"]][0]

    for index, name in enumerate(model.names):
        if index:
            kind, at = by_name[name]["kind"], model.joints[index].idx_q
            if kind == "floating":
                own = np.array(values[name])
                q[at : at + 7] = [*own[:3], *own[3:] / np.linalg.norm(own[3:])]
            elif kind == "planar":
                x, y, angle = values[name]
                q[at : at + 4] = [x, y, np.cos(angle), np.sin(angle)]
            elif kind == "continuous":
                q[at : at + 2] = np.cos(position(by_name[name])), np.sin(position(by_name[name]))
            else:
                q[at] = position(by_name[name])
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    true = np.array([data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous for name in names])
    found = made.poses([x for own in values.values() for x in own])
    assert np.abs(found - true).max() <= 1e-12 * max(1.0, np.abs(true).max())


@pytest.mark.slow
def test_public_robots_are_as_pinocchio_and_coal_read_them(capsys):
    pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin example-robot-data) is not installed")
    from bench.__main__ import main

    assert main(["robot-files", "--configurations", "10"]) == 0
    assert "63 of 69 robots are the same" in capsys.readouterr().out


def test_axes_are_directions_whatever_their_length(tmp_path):
    half = np.sqrt(0.5)
    turn = robot(tmp_path, *two_links("revolute", f'<axis xyz="1 1 0"/>{LIMIT}')).poses([np.pi])[1]
    assert np.allclose(turn[:3, :3], [[0, 1, 0], [1, 0, 0], [0, 0, -1]], atol=1e-15)
    shift = robot(tmp_path, *two_links("prismatic", f'<axis xyz="0 0 2"/>{LIMIT}')).poses([0.5])[1]
    assert shift[:3, 3].tolist() == [0, 0, 0.5]
    small = robot(tmp_path, *two_links("prismatic", f'<axis xyz="1e-200 1e-200 0"/>{LIMIT}')).poses([2.0])[1]
    assert np.allclose(small[:3, 3], [2 * half, 2 * half, 0])
    no_axis = robot(tmp_path, *two_links("revolute", LIMIT)).poses([np.pi / 2])[1]
    assert np.allclose(placed(no_axis, [0, 1, 0]), [0, 0, 1])


def test_mimics_follow_over_others_and_by_factors_of_zero(tmp_path):
    links = [link(name, collision()) for name in "abcd"]
    follow = '<mimic joint="{}" multiplier="{}" offset="{}"/>'.format
    made = robot(
        tmp_path,
        *links,
        joint("third", "prismatic", "c", "d", f'<axis xyz="1 0 0"/>{LIMIT}{follow("second", -3, 0.25)}'),
        joint("second", "prismatic", "b", "c", f'<axis xyz="0 1 0"/>{LIMIT}{follow("first", 2, 0.5)}'),
        joint("first", "prismatic", "a", "b", f'<axis xyz="0 0 1"/>{LIMIT}'),
    )
    assert made.joints == ["first"] and made.neutral.tolist() == [0]
    assert made.poses([1.0])[3][:3, 3].tolist() == [-3 * 2.5 + 0.25, 2.5, 1.0]
    still = robot(
        tmp_path,
        *links[:3],
        joint("first", "revolute", "a", "b", LIMIT),
        joint("second", "prismatic", "b", "c", LIMIT + follow("first", 0, 0.75)),
    )
    assert still.poses([[0.0], [1.0]])[:, 2, 0, 3].tolist() == [0.75, 0.75]


def test_planar_and_floating_joints_have_their_degrees_of_freedom(tmp_path):
    flat = robot(tmp_path, *two_links("planar", '<axis xyz="0 0 1"/>'))
    assert flat.joints == ["j"] and flat.coordinates == ["j/x", "j/y", "j/theta"]
    pose = flat.poses([2.0, 3.0, np.pi / 2])[1]
    assert np.allclose(placed(pose, [1, 0, 0.5]), [2, 4, 0.5])
    upright = robot(tmp_path, *two_links("planar", '<axis xyz="5 0 0"/>')).poses([2.0, 3.0, 0.0])[1]
    assert upright[:3, 3].tolist() == [0, 2, 3]
    free = robot(tmp_path, *two_links("floating"))
    assert free.coordinates == ["j/x", "j/y", "j/z", "j/qx", "j/qy", "j/qz", "j/qw"]
    assert free.neutral.tolist() == [0, 0, 0, 0, 0, 0, 1] and np.isinf(free.limits).all()
    assert np.allclose(placed(free.poses([1, 2, 3, 0, 0, 9, 9])[1], [1, 0, 0]), [1, 3, 3])
    with pytest.raises(mc.InvalidPose, match="joint 'j': configuration 1: the quaternion is 0 0 0 0"):
        free.poses([free.neutral, np.zeros(7)])


def test_robots_without_moving_joints_stand(tmp_path):
    scene, alone = mc.Scene.from_urdf(write(tmp_path, link("a", collision())))
    assert [scene.name_of(i) for i in scene] == ["a"] and alone.joints == [] and alone.limits.shape == (0, 2)
    assert np.array_equal(alone.poses([]), np.eye(4)[None]) and alone.poses(np.zeros((3, 0))).shape == (3, 1, 4, 4)
    fixed = robot(tmp_path, *two_links("fixed", '<origin xyz="0 0 7"/><axis xyz="0 0 0"/>'))
    assert fixed.poses(fixed.neutral)[1, 2, 3] == 7


# Limits and configurations


def test_limits_are_told_and_checked(tmp_path):
    arm = robot(
        tmp_path,
        *(link(name, collision()) for name in "abcde"),
        joint("turn", "revolute", "a", "b", '<limit lower="-1" upper="2" effort="3" velocity="4"/>'),
        joint("spin", "continuous", "b", "c", '<limit lower="-1" upper="2" effort="5" velocity="6"/>'),
        joint("slide", "prismatic", "c", "d", '<limit effort="7"/>'),
        joint("free", "revolute", "d", "e"),
    )
    inf = np.inf
    assert arm.limits.tolist() == [[-1, 2], [-inf, inf], [0, 0], [-inf, inf]]
    assert arm.velocity_limits.tolist() == [4, 6, inf, inf] and arm.effort_limits.tolist() == [3, 5, 7, inf]
    configurations = [[2.0, 9, 0, 9], [2.5, 0, 0, 0], [-1, 0, 1e-9, 0]]
    beyond = [[False] * 4, [True, False, False, False], [False, False, True, False]]
    assert arm.beyond_limits(configurations).tolist() == beyond
    assert arm.beyond_limits(configurations[1]).tolist() == beyond[1]
    assert arm.poses(configurations).shape == (3, 5, 4, 4), "limits are not checked unless asked for"
    assert np.array_equal(arm.poses(configurations[0], check_limits=True), arm.poses(configurations[0]))
    with pytest.raises(
        mc.InvalidPose, match=r"configuration 1: the coordinate 'turn' is 2.5, outside its limits -1 to 2 \(2 such"
    ):
        arm.poses(configurations, check_limits=True)


def test_configurations_are_checked_and_made_by_name(tmp_path):
    arm = robot(tmp_path, *two_links("planar", '<axis xyz="0 0 1"/>'))
    assert arm.configuration({"j/theta": 1, "j/x": 2}).tolist() == [2, 0, 1]
    assert "'robot': 2 links" in repr(arm)
    for wrong, message in (
        ({"j/tetha": 1.0}, "no joint coordinate 'j/tetha'; did you mean 'j/theta'"),
        ({"j/x": np.nan}, "'j/x' is nan"),
        ({"j/x": "one"}, "'j/x' is nan"),
    ):
        with pytest.raises(mc.InvalidPose, match=message):
            arm.configuration(wrong)
    for wrong, message in (
        ([1.0], r"3 numbers \(j/x, j/y, j/theta\)"),
        (np.zeros((2, 4)), "3 numbers"),
        (np.zeros((1, 1, 3)), "3 numbers"),
        (7.0, "3 numbers"),
        ([[0, 0, 0], [0, np.inf, 0]], "configuration 1: the coordinate 'j/y' is inf"),
        ([0, np.nan, 0], "configuration 0: the coordinate 'j/y' is nan"),
        (["a", "b", "c"], "configurations cannot be read as numbers"),
    ):
        for ask in (arm.poses, arm.beyond_limits):
            with pytest.raises(mc.InvalidPose, match=message):
                ask(wrong)
    with pytest.raises(mc.InvalidPose, match="no link 'bb'; did you mean 'b'"):
        arm.poses(arm.neutral, ["bb"])
    with pytest.raises(mc.UnsupportedOption, match="links must be a list"):
        arm.poses(arm.neutral, "b")
    with pytest.raises(mc.UnsupportedOption, match="check_limits"):
        arm.poses(arm.neutral, check_limits="yes")


# Shapes


def depths_outside(mesh, kind, radius, length):
    """How far the planes of a convex mesh's faces lie outside of a round shape: the least and the most."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    plane = (normals * a).sum(axis=1)
    sideways = np.hypot(normals[:, 0], normals[:, 1])
    if kind == "cylinder":
        reach = radius * sideways + 0.5 * length * np.abs(normals[:, 2])
    else:
        reach = radius + 0.5 * length * np.abs(normals[:, 2])
    return (plane - reach).min(), (plane - reach).max()


@settings(parent=ANY_FOLDER, max_examples=15)
@given(
    st.sampled_from(["cylinder", "sphere", "capsule"]),
    st.floats(1e-3, 10),
    st.floats(1e-3, 10),
    st.sampled_from([0.3, 0.1, 0.01, 0.003]),
)
def test_round_shapes_enclose_the_true_ones(tmp_path, kind, radius, length, tolerance):
    size = f'radius="{radius!r}"' + ("" if kind == "sphere" else f' length="{length!r}"')
    made = robot(tmp_path, link("a", collision(f"<{kind} {size}/>")), tolerance=tolerance)
    mesh, length = made.links[0].mesh, 0.0 if kind == "sphere" else length
    least, most = depths_outside(mesh, kind, radius, length)
    assert least >= -1e-14 * (radius + length) and most <= 1.000001 * tolerance * radius
    corners, half = mesh.vertices, 0.5 * length
    beyond = np.maximum(np.abs(corners[:, 2]) - half, 0.0)
    if kind == "cylinder":
        assert beyond.max() == 0.0
        outside = np.hypot(corners[:, 0], corners[:, 1]) - radius
    else:
        outside = np.sqrt(corners[:, 0] ** 2 + corners[:, 1] ** 2 + beyond**2) - radius
    assert outside.max() <= 1.000001 * tolerance * radius


def test_all_shapes_of_a_link_are_in_its_frame(tmp_path):
    turn = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
    made = robot(
        tmp_path,
        link("a", collision('<box size="2 4 6"/>', turn), collision(CUBE), "<inertial/>"),
        link("bare"),
        joint("j", "fixed", "a", "bare"),
    )
    assert [item.name for item in made.links] == ["a"] and made.links_without_shape == ["bare"]
    mesh = made.links[0].mesh
    assert mesh.triangle_count == 24 and np.allclose(mesh.bounds, [[-1, -0.5, -0.5], [3, 3, 6]])
    assert mc.contains(mesh, [[0, 0, 0], [2.9, 2.9, 5.9], [-0.9, 1.1, 0.1], [0, -0.4, 0.6]]).tolist() == [
        True,
        True,
        True,
        False,
    ]
    assert made.poses(made.neutral, ["bare"]).shape == (1, 4, 4)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 3, 0.5), (-1, 1, 1), (1, -2, -1), (-1, -1, -1)])
def test_meshes_are_scaled_and_mirrored(tmp_path, scale):
    write_stl(tmp_path / "part.stl", size=1.0)
    mesh = f'<mesh filename="part.stl" scale="{scale[0]} {scale[1]} {scale[2]}"/>'
    made = robot(tmp_path, link("a", collision(mesh, '<origin xyz="10 0 0"/>')))
    shape = made.links[0].mesh
    corners = np.array([10, 0, 0]) + np.sort([[0, 0, 0], scale], axis=0)
    assert np.allclose(shape.bounds, corners)
    a, b, c = np.moveaxis(shape.vertices[shape.triangles] - corners.mean(axis=0), 1, 0)
    assert np.isclose((a * np.cross(b, c)).sum() / 6, abs(np.prod(scale))), "its faces look outward"
    assert mc.contains(shape, [corners.mean(axis=0)]).all()


def test_visual_shapes_are_taken_when_asked_for(tmp_path):
    path = write(tmp_path, link("a", collision('<sphere radius="2"/>', tag="visual")))
    with pytest.raises(mc.InvalidFile, match=r"no link has a <collision> element: use shapes='visual'"):
        mc.Robot(path)
    assert len(mc.Scene.from_urdf(path, shapes="visual")[0]) == 1
    for options, message in (
        ({"shapes": "both"}, "shapes 'both' is not supported; expected one of collision, visual"),
        ({"tolerance": 0}, "tolerance"),
        ({"packages": 3}, "packages must be folders"),
        ({"packages": {"a": 3}}, "packages must be folders"),
        ({"packages": tmp_path / "nowhere"}, "is not a folder"),
    ):
        with pytest.raises(mc.UnsupportedOption, match=message):
            mc.Robot(path, **options)


# Files of meshes


def test_a_missing_mesh_names_the_link_and_where_it_was_looked_for(tmp_path):
    good, bad = collision(), collision('<mesh filename="package://arm/meshes/nowhere.stl"/>')
    path = write(tmp_path, link("a", good), link("b", good, bad), joint("j", "fixed", "a", "b"))
    with pytest.raises(mc.InvalidFile) as caught:
        mc.Scene.from_urdf(path)
    text = str(caught.value)
    assert "link 'b', collision 2 of 2: the file 'package://arm/meshes/nowhere.stl' is missing" in text
    assert "packages={'arm': FOLDER}" in text and str(tmp_path / "arm" / "meshes" / "nowhere.stl") in text
    path = write(tmp_path, link("a", collision('<mesh filename="nowhere.stl"/>')))
    with pytest.raises(mc.InvalidFile, match=r"link 'a', .*nowhere.stl' is missing: .*packages=\[FOLDER\]"):
        mc.Robot(path)
    for name in ("x" * 5000, "package://" + "x" * 5000 + "/y.stl"):
        path = write(tmp_path, link("a", collision(f'<mesh filename="{name}"/>')))
        with pytest.raises(mc.InvalidFile, match=r"link 'a', .* is missing"):
            mc.Robot(path)
    path = write(tmp_path, link("a", collision('<mesh filename="http://127.0.0.1:9/x.stl"/>')))
    with pytest.raises(mc.InvalidFile, match=r"link 'a', .*not on this computer"):
        mc.Robot(path)


def test_meshes_that_cannot_be_read_name_the_link(tmp_path):
    (tmp_path / "bad.stl").write_text("solid nothing")
    (tmp_path / "cloud.ply").write_text(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        "0 0 0\n"
    )
    (tmp_path / "part.iges").write_text("ISO-10303-21;")
    for name, message in (("bad.stl", ""), ("cloud.ply", "points without faces"), ("part.iges", "not supported")):
        path = write(tmp_path, link("a", collision(f'<mesh filename="{name}"/>')))
        with pytest.raises(mc.InvalidFile, match=f"link 'a', collision 1 of 1: .*{name}.*{message}"):
            mc.Robot(path)


@pytest.mark.parametrize("uri", ["package://arm/meshes/a part.stl", "package://arm/meshes/a%20part.stl"])
def test_packages_are_found(tmp_path, monkeypatch, uri):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    other = tmp_path / "elsewhere" / "share"
    for folder in (tmp_path / "arm", other / "arm", tmp_path / "renamed"):
        (folder / "meshes").mkdir(parents=True)
        (folder / "urdf").mkdir()
    robots = [
        write(tmp_path / f / "urdf", link("a", collision(f'<mesh filename="{uri}"/>'))) for f in ("arm", "renamed")
    ]
    write_stl(other / "arm" / "meshes" / "a part.stl", size=1.0)
    with pytest.raises(mc.InvalidFile, match="is missing"):
        mc.Robot(robots[0])

    def size(path, **options):
        return np.ptp(mc.Robot(path, **options).links[0].mesh.bounds, axis=0).max()

    for packages in ({"arm": other / "arm"}, str(other), [other], [str(tmp_path), str(other)], iter([other])):
        assert size(robots[0], packages=packages) == 1.0
    with monkeypatch.context() as inside:
        inside.setenv("AMENT_PREFIX_PATH", str(other.parent))
        assert size(robots[0]) == 1.0
    with monkeypatch.context() as inside:
        inside.setenv("ROS_PACKAGE_PATH", str(other))
        assert size(robots[0]) == 1.0
    write_stl(tmp_path / "renamed" / "meshes" / "a part.stl", size=3.0)
    assert size(robots[1]) == 3.0, "a checkout under another name"
    write_stl(tmp_path / "arm" / "meshes" / "a part.stl", size=2.0)
    assert size(robots[0]) == 2.0 and size(robots[1]) == 2.0, "the folder of the package's name comes first"
    assert size(robots[0], packages={"arm": other / "arm"}) == 1.0
    with pytest.raises(mc.InvalidFile, match="is missing"):
        mc.Robot(robots[0], packages={"arm": tmp_path})


def test_files_are_found_by_relative_and_absolute_names(tmp_path):
    (tmp_path / "my meshes").mkdir()
    (tmp_path / "urdf").mkdir()
    part = write_stl(tmp_path / "my meshes" / "part.stl", size=1.0)
    for uri in ("../my meshes/part.stl", "my meshes/part.stl", str(part), part.as_uri()):
        path = write(tmp_path / "urdf", link("a", collision(f'<mesh filename="{uri}"/>')))
        assert mc.Robot(path).links[0].mesh.triangle_count == 12, uri


def test_what_reads_meshes_is_said(tmp_path, monkeypatch):
    (tmp_path / "part.dae").write_text("<COLLADA/>")
    monkeypatch.setitem(sys.modules, "collada", None)
    assert len(robot(tmp_path, link("a", collision())).links) == 1, "boxes need no library"
    with pytest.raises(mc.InvalidFile, match=r"link 'a', .*pip install .meshclash\[mesh\]"):
        robot(tmp_path, link("a", collision('<mesh filename="part.dae"/>')))


# Wrong files

A, B, C = (link(name, collision()) for name in "abc")
UP = '<axis xyz="0 0 1"/>'
MIMIC = '<limit/><mimic joint="{}"/>'.format
WRONG = {
    "no links": ("", "the robot has no links"),
    "two roots": (A + B, "'a', 'b' have no parent joint"),
    "two parents": (
        A + B + C + joint("i", "fixed", "a", "c") + joint("j", "fixed", "b", "c"),
        "link 'c' is the child of two joints, 'i' and 'j'",
    ),
    "a ring": (A + B + joint("i", "fixed", "a", "b") + joint("j", "fixed", "b", "a"), "'i', 'j' form a cycle"),
    "a ring beside the root": (
        A + B + C + joint("i", "fixed", "c", "b") + joint("j", "fixed", "b", "c"),
        "'i', 'j' form a cycle",
    ),
    "its own parent": (A + joint("j", "fixed", "a", "a"), "'j' form a cycle"),
    "two links of one name": (A + A, "more than one link has the name 'a'"),
    "two joints of one name": (
        A + B + C + joint("j", "fixed", "a", "b") + joint("j", "fixed", "a", "c"),
        "more than one joint has the name 'j'",
    ),
    "a link without a name": ("<link/>", "a link has no name"),
    "a joint without a name": (A + B + '<joint type="fixed"/>', "a joint has no name"),
    "an unknown link": (A + link("hand") + joint("j", "fixed", "a", "hnad"), "no link 'hnad'; did you mean 'hand'"),
    "no child": (A + '<joint name="j" type="fixed"><parent link="a"/></joint>', "joint 'j': the element <child"),
    "an unknown type": (
        A + B + joint("j", "revolve", "a", "b"),
        "joint 'j': the joint type 'revolve' is not supported.*mean 'revolute'",
    ),
    "no axis": (A + B + joint("j", "revolute", "a", "b", '<axis xyz="0 0 0"/>'), "joint 'j': the axis 0 0 0"),
    "an axis of two numbers": (
        A + B + joint("j", "revolute", "a", "b", '<axis xyz="0 1"/>'),
        "'j': the attribute xyz .* 3 numbers",
    ),
    "an axis that is not finite": (
        A + B + joint("j", "revolute", "a", "b", '<axis xyz="0 1 nan"/>'),
        "'j': the attribute xyz",
    ),
    "a planar joint without an axis": (A + B + joint("j", "planar", "a", "b"), "joint 'j': a planar joint needs an"),
    "limits that exclude all": (
        A + B + joint("j", "revolute", "a", "b", '<limit lower="1" upper="-1"/>'),
        "joint 'j': the lower limit 1 is above the upper limit -1",
    ),
    "a limit that is no number": (
        A + B + joint("j", "revolute", "a", "b", '<limit lower="nan"/>'),
        "'j': the attribute lower",
    ),
    "an origin of words": (
        A + B + joint("j", "fixed", "a", "b", '<origin xyz="x y z"/>'),
        "joint 'j': the attribute xyz of <o",
    ),
    "a number with a mark": (
        A + B + joint("j", "fixed", "a", "b", '<origin xyz="1_0 0 0"/>'),
        "joint 'j': the attribute xyz",
    ),
    "an origin by a quaternion": (
        A + B + joint("j", "fixed", "a", "b", '<origin quat_xyzw="0 0 0 1"/>'),
        "joint 'j': the origin has 'quat_xyzw'",
    ),
    "a mimic of no joint": (
        A + B + joint("arm", "revolute", "a", "b", MIMIC("amr")),
        "'arm' mimics 'amr', .*mean 'arm",
    ),
    "a mimic of itself": (A + B + joint("j", "revolute", "a", "b", MIMIC("j")), "cycle: j -> j"),
    "mimics in a ring": (
        A + B + C + joint("i", "revolute", "a", "b", MIMIC("j")) + joint("j", "revolute", "b", "c", MIMIC("i")),
        "cycle: i -> j -> i",
    ),
    "a mimic of a fixed joint": (
        A + B + C + joint("i", "fixed", "a", "b") + joint("j", "revolute", "b", "c", MIMIC("i")),
        "'j' mimics 'i', a fixed joint",
    ),
    "a planar joint that mimics": (
        A
        + B
        + C
        + joint("i", "revolute", "a", "b")
        + joint("j", "planar", "b", "c", f'<axis xyz="0 0 1"/>{MIMIC("i")}'),
        "joint 'j': a planar joint has more than one coordinate and cannot mimic 'i'",
    ),
    "a mimic without a name": (
        A + B + joint("j", "revolute", "a", "b", "<mimic/>"),
        "'j': the <mimic> element has no joint name",
    ),
    "a collision without a shape": (link("a", "<collision/>"), "link 'a', collision 1 of 1: .* not 0 shapes"),
    "two shapes in one": (link("a", collision(CUBE + CUBE)), "link 'a', .* not 2 shapes"),
    "an unknown shape": (link("a", collision("<torus/>")), "link 'a', .*<torus> is not supported; expected one of box"),
    "a box of two sides": (link("a", collision('<box size="1 2"/>')), "link 'a', .*size of <box> must be 3"),
    "a flat box": (link("a", collision('<box size="1 1 0"/>')), "link 'a', .*must be above 0, not 0"),
    "a sphere without a radius": (
        link("a", collision("<sphere/>")),
        "link 'a', .*the <sphere> element has no attribute radius",
    ),
    "a mesh without a file": (link("a", collision("<mesh/>")), "link 'a', .*has no file name"),
    "a scale of 0": (link("a", collision('<mesh filename="x" scale="1 0 1"/>')), "link 'a', .*scale .* must not be 0"),
    "a misspelt element": (
        link("a", collision(tag="colision")),
        "link 'a' has the unknown element <colision>; did you mean 'coll",
    ),
    "coordinates of one name": (
        A + B + C + joint("j", "planar", "a", "b", UP) + joint("j/x", "continuous", "b", "c"),
        "more than one coordinate of a joint has the name 'j/x'",
    ),
    "a macro": (A + '<xacro:arm side="left"/>', "expand it first"),
}


@pytest.mark.parametrize("text, message", WRONG.values(), ids=WRONG)
def test_wrong_robots_are_refused_by_name(tmp_path, text, message):
    with pytest.raises(mc.InvalidFile, match=message):
        robot(tmp_path, text)


def test_extensions_with_shapes_are_no_collisions(tmp_path):
    made = robot(tmp_path, link("a", collision(), collision(tag="self_filter"), "<contact/>"), "<gazebo/>")
    assert made.links[0].mesh.triangle_count == 12


LAUGHS = '<!DOCTYPE z [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
FILES = {
    "no XML": (b"solid part", "not valid XML"),
    "empty": (b"", "not valid XML"),
    "cut": (b'<robot name="r"><link name="a">', "not valid XML"),
    "an unknown encoding": (b'<?xml version="1.0" encoding="nonsense"?><robot/>', "not valid XML"),
    "another format": (b"<sdf/>", "root element of a URDF file must be <robot>, not <sdf>"),
    "a bomb": (f'{LAUGHS}<robot name="&b;"/>'.encode(), r"wrong\.urdf: XML entities such as 'a' are not supported"),
    "a file by entity": (b'<!DOCTYPE z [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot/>', "entities such as 'x'"),
}


@pytest.mark.parametrize("content, message", FILES.values(), ids=FILES)
def test_files_that_are_no_robots_are_refused(tmp_path, content, message):
    path, good = tmp_path / "wrong.urdf", write(tmp_path, A)
    path.write_bytes(content)
    with pytest.raises(mc.InvalidFile, match=message):
        mc.Robot(path)
    with pytest.raises(mc.InvalidFile, match=message.replace("a URDF", "an SRDF")):
        mc.Robot(good, path)


def test_files_that_are_not_there_are_refused(tmp_path):
    for path in (tmp_path / "nowhere.urdf", tmp_path, "/dev/zero", "a\0b", 3):
        with pytest.raises(mc.InvalidFile, match=r"cannot be|not a valid file name|path must be"):
            mc.Robot(path)
        with pytest.raises(mc.InvalidFile, match=r"cannot be|not a valid file name|srdf must be"):
            mc.Robot(write(tmp_path, A), path)


# Rules


def srdf_of(folder, text):
    path = folder / "robot.srdf"
    path.write_text(f'<robot name="robot">{text}</robot>', encoding="utf-8")
    return path


def test_links_move_and_rules_are_kept(tmp_path):
    follow = '<mimic joint="base-arm" multiplier="2"/>'
    path = write(
        tmp_path,
        *(link(name, collision()) for name in ("base", "arm", "hand")),
        link("frame"),
        joint("arm-hand", "prismatic", "arm", "hand", f'<origin xyz="1 0 0"/>{LIMIT}{follow}'),
        joint("base-arm", "revolute", "base", "arm", f'<origin xyz="0 0 1"/><axis xyz="0 0 1"/>{LIMIT}'),
        joint("hand-frame", "fixed", "hand", "frame"),
    )
    srdf = srdf_of(tmp_path, '<disable_collisions link1="base" link2="hand"/>')
    scene, made = mc.Scene.from_urdf(path, srdf)
    assert [scene.name_of(i) for i in scene] == ["base", "arm", "hand"] and made.joints == ["base-arm"]
    assert scene.any() and not scene.any(keep=made.rules)
    pose = made.poses([np.pi / 2])
    assert pose.shape == (3, 4, 4) and np.allclose(pose[2, :3, 3], [0, 1 + np.pi, 1])  # it follows twice as far
    assert np.allclose(made.poses([[0.0], [np.pi / 2]])[1], pose)
    assert scene.collides(made.poses([[0.0], [0.1]]), keep=made.rules).any.tolist() == [False, False]


def test_rules_of_srdf(tmp_path, recwarn):
    path = write(
        tmp_path,
        A,
        B,
        C,
        joint("i", "fixed", "a", "b"),
        joint("j", "fixed", "b", "c"),
    )
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    assert mc.Robot(path).rules(pairs).tolist() == [False, True, False]
    alone = '<disable_default_collisions link="c"/>'
    assert mc.Robot(path, srdf_of(tmp_path, alone)).rules(pairs).tolist() == [False, False, False]
    again = alone + '<enable_collisions link1="c" link2="a"/>'
    assert mc.Robot(path, srdf_of(tmp_path, again)).rules(pairs).tolist() == [False, True, False]
    assert not recwarn
    with pytest.warns(RuntimeWarning, match="the robot has no link 'cc'; did you mean 'c'"):
        mc.Robot(path, srdf_of(tmp_path, '<disable_collisions link1="a" link2="cc"/>'))
    with pytest.raises(mc.InvalidFile, match="<disable_collisions> element has no attribute link2"):
        mc.Robot(path, srdf_of(tmp_path, '<disable_collisions link1="a"/>'))


WHOLE = (
    b'<?xml version="1.0"?><robot name="r"><link name="a"><collision><origin xyz="1 2 3" rpy="0 1 0"/><geometry>'
    b'<cylinder radius="1" length="2"/></geometry></collision></link><link name="b"><collision><geometry>'
    b'<box size="1 2 3"/></geometry></collision></link><link name="c"/><joint name="j" type="revolute">'
    b'<parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
    b'</joint><joint name="k" type="prismatic"><parent link="b"/><child link="c"/><mimic joint="j" multiplier="2"/>'
    b"</joint></robot>"
)


@settings(parent=ANY_FOLDER, max_examples=100)
@given(
    st.integers(0, len(WHOLE)), st.integers(0, 12), st.sampled_from([b"", b"\xff", b"<", b">", b'"', b"-", b"1e999"])
)
def test_damaged_files_are_read_or_refused(tmp_path, place, cut, put):
    path = tmp_path / "robot.urdf"
    path.write_bytes(WHOLE[:place] + put + WHOLE[place + cut :])
    try:
        made = mc.Robot(path)
    except mc.MeshClashError as error:
        assert str(path) in str(error)
    else:
        assert np.isfinite(made.poses(made.neutral)).all()


def test_elements_without_end_in_each_other_are_read(tmp_path):
    deep = "<a>" * 100_000 + "</a>" * 100_000
    assert len(robot(tmp_path, A, deep).links) == 1
