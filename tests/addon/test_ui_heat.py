"""What animators make of a scan: weights of vertices, a shape key that takes clashes away, curves of many pairs."""

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ui_fakes import draw

from addon import scene_results
from addon.adapters.fcurves import curve_of
from addon.adapters.vertex_weights import FADE, GROUP, KEY, keyed
from addon.ops import timeline
from addon.ui.timeline import MESHCLASH_PT_timeline

RADIUS, DEPTH = 1.0, 0.25
CENTRE = (1.0, 0.0, 1.15)  # of the ball that an arm bends into


@pytest.fixture
def pressed(registered, add_box):
    """A ball of 1 goes down into a plate by 0.25 at frame 10 and comes back; a post stands beside."""
    add_box("Plate", (-4, -4, -1), (4, 4, 0))
    add_box("Post", (5, -1, 0), (6, 1, 3))
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=RADIUS)
    ball = bpy.context.object
    ball.name = "Ball"
    for frame, z in ((0, 3.0), (10, RADIUS - DEPTH), (20, 3.0)):
        ball.location.z = z
        ball.keyframe_insert("location", frame=frame)
    for curve in curves_of(ball):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, 20
    return scene


def curves_of(item):
    from addon.adapters import fcurves

    return [curve for curve in fcurves._curves(item) if curve.data_path == "location"]


def greatest_depth(scene):
    bpy.ops.meshclash.scan_timeline()
    events = scene_results.timeline_of(scene.session_uid).events
    return max((event.depth or 0.0 for event in events if "Ball" in event.row.names), default=0.0)


def test_a_vertex_group_has_the_vertices_of_hot_faces(pressed):
    bpy.ops.meshclash.scan_timeline()
    assert bpy.ops.meshclash.heat_group() == {"FINISHED"}
    ball, heat = bpy.data.objects["Ball"], scene_results.timeline_of(pressed.session_uid).heat.objects["Ball"]
    hot = {v for face in np.flatnonzero(heat.frames) for v in ball.data.polygons[face].vertices}
    group = ball.vertex_groups[GROUP]
    weights = {v.index: g.weight for v in ball.data.vertices for g in v.groups if g.group == group.index}
    assert set(weights) == hot and max(weights.values()) == pytest.approx(1.0)
    assert bpy.ops.meshclash.heat_group() == {"FINISHED"}
    assert [group.name for group in ball.vertex_groups] == [GROUP]
    assert "Post" not in scene_results.timeline_of(pressed.session_uid).heat.objects


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 1.0, 0.5)])
def test_a_shape_key_takes_the_clash_away(pressed, scale):
    ball = bpy.data.objects["Ball"]
    for vertex in ball.data.vertices:
        vertex.co = [x / s for x, s in zip(vertex.co, scale, strict=True)]
    ball.scale = scale
    assert greatest_depth(pressed) > 0.8 * DEPTH
    bpy.context.view_layer.objects.active = ball
    frame = pressed.frame_current
    assert bpy.ops.meshclash.corrective_key() == {"FINISHED"}
    assert pressed.frame_current == frame
    key = ball.data.shape_keys.key_blocks[KEY]
    event = next(e for e in scene_results.timeline_of(pressed.session_uid).events if "Ball" in e.row.names)
    for at, value in ((event.start - FADE, 0.0), (event.start, 1.0), (event.worst_frame, 1.0), (event.end + FADE, 0.0)):
        pressed.frame_set(at)
        assert key.value == pytest.approx(value), at
    assert greatest_depth(pressed) < 0.02 * DEPTH


def test_modifiers_may_turn_vertices(pressed):
    ball = bpy.data.objects["Ball"]
    before = ball.modifiers.new("Turned", "SIMPLE_DEFORM")
    before.deform_method, before.angle, before.deform_axis = "TWIST", 1.0, "Z"
    assert greatest_depth(pressed) > 0.8 * DEPTH
    bpy.context.view_layer.objects.active = ball
    assert bpy.ops.meshclash.corrective_key() == {"FINISHED"}
    assert greatest_depth(pressed) < 0.02 * DEPTH


@pytest.fixture
def bent_arm(registered):
    """A tube of two bones whose second one bends by up to 1.2 into a ball of radius 0.5 above the first."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 21
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = [rig.data.edit_bones.new(name) for name in ("Upper", "Lower")]
    for at, bone in enumerate(bones):
        bone.head, bone.tail = (at, 0, 0), (at + 1, 0, 0)
    bones[1].parent = bones[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=CENTRE, segments=48, ring_count=24)
    bpy.context.object.name = "Ball"
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=24, y_subdivisions=32)
    arm = bpy.context.object
    arm.name, arm.parent = "Arm", rig
    groups = [arm.vertex_groups.new(name=name) for name in ("Upper", "Lower")]
    for vertex in arm.data.vertices:
        turn, along = np.pi * vertex.co.x, vertex.co.y + 1.0
        vertex.co = along, 0.2 * np.cos(turn), 0.2 * np.sin(turn)
        share = float(np.clip(2.0 * along - 1.5, 0.0, 1.0))
        for group, weight in zip(groups, (1.0 - share, share), strict=True):
            group.add([vertex.index], weight, "REPLACE")
    arm.modifiers.new("Armature", "ARMATURE").object = rig
    bone = rig.pose.bones["Lower"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (11, 1.2), (21, 0.0)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    return scene


def vertices_inside():
    """How many vertices of the arm are surely inside the ball, as Blender evaluates it, in any frame."""
    scene, arm, most = bpy.context.scene, bpy.data.objects["Arm"], 0
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        shown = arm.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = np.array([shown.matrix_world @ vertex.co for vertex in shown.data.vertices])
        most = max(most, int((np.linalg.norm(places - CENTRE, axis=1) < 0.49).sum()))
    return most


@pytest.mark.parametrize("scale", [(1, 1, 1), (1, -1, 1)])
def test_a_key_of_a_character_moves_it_out_of_a_body(bent_arm, scale):
    bpy.data.objects["Rig"].scale = scale
    arm = bpy.data.objects["Arm"]
    bpy.ops.meshclash.scan_timeline()
    assert vertices_inside() > 40
    bpy.context.view_layer.objects.active = arm
    assert bpy.ops.meshclash.corrective_key() == {"FINISHED"}
    assert vertices_inside() == 0
    bpy.ops.meshclash.scan_timeline()
    with pytest.raises(RuntimeError, match="No vertex of 'Arm' is inside"):
        bpy.ops.meshclash.corrective_key()
    assert [key.name for key in arm.data.shape_keys.key_blocks] == ["Basis", KEY], "the key of before stays"


def test_a_mesh_of_several_objects_gets_no_key(pressed):
    ball = bpy.data.objects["Ball"]
    pressed.collection.objects.link(bpy.data.objects.new("Other", ball.data))
    bpy.ops.meshclash.scan_timeline()
    bpy.context.view_layer.objects.active = ball
    with pytest.raises(RuntimeError, match="make it single-user first"):
        bpy.ops.meshclash.corrective_key()
    assert ball.data.shape_keys is None


def test_other_modifiers_are_named(pressed):
    ball = bpy.data.objects["Ball"]
    ball.modifiers.new("Finer", "SUBSURF").levels = 1
    bpy.ops.meshclash.scan_timeline()
    bpy.context.view_layer.objects.active = ball
    with pytest.raises(RuntimeError, match=r"modifiers such as .* change .* disable them"):
        bpy.ops.meshclash.corrective_key()
    assert ball.data.shape_keys is None
    ball.modifiers["Finer"].show_viewport = False
    assert bpy.ops.meshclash.corrective_key() == {"FINISHED"}


def test_without_a_clash_of_the_active_object_there_is_no_key(pressed):
    assert not bpy.ops.meshclash.corrective_key.poll()
    bpy.ops.meshclash.scan_timeline()
    bpy.context.view_layer.objects.active = bpy.data.objects["Post"]
    assert not bpy.ops.meshclash.corrective_key.poll()


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), min_size=1, max_size=5))
def test_the_curve_of_a_key_is_whole_in_every_event(ranges):
    frames = [(first, first + more) for first, more in ranges]
    keys = keyed(frames)
    assert [frame for frame, _ in keys] == sorted({frame for frame, _ in keys})
    at, values = zip(*keys, strict=True)
    for first, last in frames:
        assert all(np.interp(frame, at, values) == 1.0 for frame in range(first, last + 1))
    assert values[0] == values[-1] == 0.0


def test_clearances_of_all_selected_objects_are_baked_at_once(pressed):
    for item in pressed.objects:
        item.select_set(True)
    assert bpy.ops.meshclash.bake_clearance(of="SELECTED") == {"FINISHED"}
    prefix = f"{timeline.CLEARANCE} "
    baked = {frozenset((item.name, key.removeprefix(prefix))): item for item in pressed.objects for key in dict(item)}
    assert set(baked) == {frozenset(pair) for pair in (("Ball", "Plate"), ("Ball", "Post"), ("Plate", "Post"))}
    item = baked[frozenset(("Ball", "Plate"))]
    (other,) = {"Ball", "Plate"} - {item.name}
    curve = curve_of(item, f'["{prefix}{other}"]')
    assert len(curve.keyframe_points) == 21
    assert curve.evaluate(0) == pytest.approx(2.0, abs=1e-5) and curve.evaluate(10) == pytest.approx(-DEPTH, abs=0.03)


def test_clearances_of_all_events(pressed):
    with pytest.raises(RuntimeError, match="no events"):
        for item in pressed.objects:
            item.select_set(item.name != "Post")
        bpy.ops.meshclash.bake_clearance(of="EVENTS")
    bpy.ops.meshclash.scan_timeline()
    assert bpy.ops.meshclash.bake_clearance(of="EVENTS") == {"FINISHED"}
    assert any(timeline.CLEARANCE in key for item in pressed.objects for key in dict(item))


def test_names_of_properties_are_short_and_differ():
    long = "ä" * 80
    first = timeline._free_name(long, set())
    second = timeline._free_name(long, {first})
    assert first != second and all(len(name.encode()) <= 63 for name in (first, second))


def test_names_that_would_be_read_as_terms(pressed):
    bpy.data.objects["Post"].name = "Post | Ball"
    for item in pressed.objects:
        item.select_set(True)
    assert bpy.ops.meshclash.bake_clearance(of="SELECTED") == {"FINISHED"}


def test_the_panel_leaves_out_pairs_of_an_armature_or_a_collection(pressed):
    shown = [args[1] for name, args, _ in draw(MESHCLASH_PT_timeline, bpy.context).calls if name == "prop"]
    assert {"skip_same_armature", "skip_same_collection"} <= set(shown)
    together = bpy.data.collections.new("Together")
    pressed.collection.children.link(together)
    for name in ("Ball", "Plate"):
        together.objects.link(bpy.data.objects[name])
    assert greatest_depth(pressed) > 0.8 * DEPTH
    pressed.meshclash.skip_same_collection = True
    assert greatest_depth(pressed) == 0.0
