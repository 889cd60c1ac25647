"""Face attributes and highlight materials: written, taken away again, undone, and refused where they make no sense."""

import bpy
import numpy as np
import pytest
from ui_fakes import draw, make_report, make_row

from addon import results, scene_results
from addon.adapters import face_marks
from addon.ui import panels

NAME = "meshclash_contact"


@pytest.fixture
def boxes(registered, add_box):
    """A and B in contact: face 0 of A, faces 1 and 2 of B."""
    for name in ("A", "B"):
        add_box(name, (0, 0, 0), (1, 1, 1))
    bpy.context.view_layer.update()
    bpy.context.window_manager.meshclash.around = "ALL"
    show(make_row())
    return bpy.data.objects


def show(*rows):
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))


def marked(name, attribute=NAME):
    values = bpy.data.objects[name].data.attributes[attribute].data
    return [index for index, item in enumerate(values) if item.value]


def materials_of_faces(name):
    mesh = bpy.data.objects[name].data
    slots = [None if material is None else material.name for material in mesh.materials] or [None]
    return [slots[polygon.material_index] for polygon in mesh.polygons]


def test_the_attribute_marks_the_contacting_faces_of_both(boxes):
    assert bpy.ops.meshclash.write_attribute() == {"FINISHED"}
    assert (marked("A"), marked("B")) == ([0], [1, 2])
    attribute = boxes["A"].data.attributes[NAME]
    assert (attribute.data_type, attribute.domain) == ("BOOLEAN", "FACE")
    assert bpy.ops.meshclash.remove_attribute() == {"FINISHED"}
    assert NAME not in boxes["A"].data.attributes and NAME not in boxes["B"].data.attributes
    assert bpy.ops.meshclash.remove_attribute() == {"CANCELLED"}


def test_what_was_marked_before_is_not_left_behind(boxes, add_box):
    add_box("C", (0, 0, 0), (1, 1, 1))
    bpy.ops.meshclash.write_attribute()
    show(make_row(a="A", b="C"))
    bpy.ops.meshclash.write_attribute()
    assert NAME not in boxes["B"].data.attributes
    assert (marked("A"), marked("C")) == ([0], [1, 2])


def test_only_the_selected_pair_or_only_listed_verdicts(boxes, add_box):
    add_box("C", (0, 0, 0), (1, 1, 1))
    show(make_row(), make_row(a="A", b="C", verdict="touching", original_faces_a=np.array([5], np.int32)))
    listed = bpy.context.window_manager.meshclash
    listed.active_row = 1
    bpy.ops.meshclash.write_attribute(scope="ACTIVE")
    assert marked("A") == [5] and NAME not in boxes["B"].data.attributes
    bpy.ops.meshclash.write_attribute()  # what only touches is no clash
    assert marked("A") == [0] and NAME not in boxes["C"].data.attributes
    listed.show_clash = False
    with pytest.raises(RuntimeError, match="No listed pair clashes"):
        bpy.ops.meshclash.write_attribute()


def test_an_approved_pair_is_marked_only_when_it_is_selected(boxes, add_box):
    add_box("C", (0, 0, 0), (1, 1, 1))
    show(make_row(), make_row(a="A", b="C", original_faces_a=np.array([5], np.int32)))
    bpy.context.window_manager.meshclash.active_row = 1
    bpy.ops.meshclash.set_status(status="APPROVED")
    bpy.ops.meshclash.assign_material()
    assert materials_of_faces("C") == [None] * 6
    assert [index for index, name in enumerate(materials_of_faces("A")) if name] == [0]
    bpy.ops.meshclash.assign_material(scope="ACTIVE")
    assert materials_of_faces("A")[5] == face_marks.MATERIAL


def test_objects_that_share_a_mesh_share_the_marks(boxes):
    boxes["B"].data = boxes["A"].data
    bpy.context.view_layer.update()
    show(make_row())
    bpy.ops.meshclash.write_attribute()
    assert marked("A") == [0, 1, 2]


def test_an_attribute_of_somebody_else_is_not_touched(boxes):
    boxes["A"].data.attributes.new(NAME, "FLOAT", "POINT")
    bpy.ops.meshclash.write_attribute()  # warns of A, marks B
    assert boxes["A"].data.attributes[NAME].data_type == "FLOAT"
    assert marked("B") == [1, 2]
    bpy.ops.meshclash.remove_attribute()
    assert NAME in boxes["A"].data.attributes


def test_an_attribute_without_a_name_is_refused(boxes):
    bpy.context.scene.meshclash.attribute_name = "  "
    with pytest.raises(RuntimeError, match="Enter a name for the attribute"):
        bpy.ops.meshclash.write_attribute()


def add_materials(item, *names):
    for name in names:
        item.data.materials.append(bpy.data.materials.new(name))
    item.data.polygons.foreach_set("material_index", [index % len(names) for index in range(6)])


def test_materials_are_assigned_and_restored(boxes):
    add_materials(boxes["A"], "Red", "Blue")
    before = materials_of_faces("A")
    bpy.ops.meshclash.assign_material()
    assert materials_of_faces("A") == [face_marks.MATERIAL, *before[1:]]
    assert materials_of_faces("B") == [None, face_marks.MATERIAL, face_marks.MATERIAL, None, None, None]
    bpy.ops.meshclash.assign_material()  # again: as if for the first time
    assert len(boxes["A"].data.materials) == 3
    assert bpy.ops.meshclash.restore_materials() == {"FINISHED"}
    assert materials_of_faces("A") == before and len(boxes["A"].data.materials) == 2
    assert materials_of_faces("B") == [None] * 6 and len(boxes["B"].data.materials) == 0
    assert not [mesh for mesh in bpy.data.meshes if face_marks.FORMER_MATERIAL in mesh.attributes]
    assert bpy.ops.meshclash.restore_materials() == {"CANCELLED"}


def test_what_the_user_changed_meanwhile_is_kept(boxes):
    mesh = boxes["A"].data
    add_materials(boxes["A"], "Red", "Blue")
    bpy.ops.meshclash.assign_material()
    mesh.materials.append(bpy.data.materials.new("Green"))
    mesh.polygons[3].material_index = 3
    bpy.ops.meshclash.restore_materials()
    assert materials_of_faces("A") == ["Red", "Blue", "Red", "Green", "Red", "Blue"]


def test_a_highlight_that_the_user_renamed_or_removed(boxes):
    add_materials(boxes["A"], "Red", "Blue")
    bpy.ops.meshclash.assign_material()
    bpy.data.materials[face_marks.MATERIAL].name = "Mine"
    bpy.ops.meshclash.restore_materials()
    assert materials_of_faces("A") == ["Red", "Blue"] * 3
    bpy.ops.meshclash.assign_material()
    assert face_marks.MATERIAL not in bpy.data.materials  # the renamed one is used again
    boxes["A"].data.materials.clear()
    assert bpy.ops.meshclash.restore_materials() == {"FINISHED"}


def test_marks_can_be_undone(boxes):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.meshclash.write_attribute()
    bpy.ops.ed.undo_push(message="attribute")
    bpy.ops.meshclash.assign_material()
    bpy.ops.ed.undo_push(message="material")
    bpy.ops.ed.undo()
    assert len(bpy.data.objects["A"].data.materials) == 0 and marked("A") == [0]
    bpy.ops.ed.undo()
    assert NAME not in bpy.data.objects["A"].data.attributes
    bpy.ops.ed.redo()
    assert marked("A") == [0]


def test_marks_make_nothing_stale(boxes):
    bpy.ops.meshclash.write_attribute()
    bpy.ops.meshclash.assign_material()
    bpy.context.view_layer.update()
    assert not scene_results.result_of(bpy.context.scene.session_uid).stale
    boxes["A"].location.x = 1.0
    bpy.ops.meshclash.restore_materials()
    assert scene_results.result_of(bpy.context.scene.session_uid).stale == {"A"}


def test_meshes_that_cannot_be_marked_are_named(boxes):
    show(make_row(original_faces_a=None, original_faces_b=None))
    with pytest.raises(RuntimeError, match="modifiers of 'A'"):
        bpy.ops.meshclash.write_attribute()
    show()
    with pytest.raises(RuntimeError, match="No listed pair clashes"):
        bpy.ops.meshclash.assign_material()


def test_hidden_objects_are_marked_like_all_others(boxes):
    boxes["A"].hide_set(True)  # as by an isolated pair, in the view that the button is in
    assert bpy.ops.meshclash.write_attribute() == {"FINISHED"}
    assert bpy.ops.meshclash.assign_material() == {"FINISHED"}
    assert (marked("A"), marked("B")) == ([0], [1, 2])
    assert materials_of_faces("A")[0] == face_marks.MATERIAL


def test_it_needs_a_result_and_object_mode(boxes):
    bpy.context.view_layer.objects.active = boxes["A"]
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.meshclash.write_attribute.poll()
    assert not bpy.ops.meshclash.restore_materials.poll()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.meshclash.clear_results()
    assert not bpy.ops.meshclash.assign_material.poll()


def test_the_panel_offers_both(boxes):
    operators = draw(panels.MESHCLASH_PT_marks, bpy.context).operators()
    assert {"meshclash.write_attribute", "meshclash.restore_materials"} <= set(operators)
