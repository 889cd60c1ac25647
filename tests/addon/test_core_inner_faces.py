"""An array of boxes with *Merge* on: the faces left between its boxes are no surface of the part."""

import bpy

from addon import scene_results


def add_cube(name, low, size):
    bpy.ops.mesh.primitive_cube_add(size=size, location=[x + size / 2 for x in low])
    bpy.context.active_object.name = name
    return bpy.context.active_object


def test_what_crosses_only_faces_between_merged_boxes_is_contained(registered):
    row = add_cube("Row", (0, 0, 0), 2.0)
    array = row.modifiers.new("Array", "ARRAY")
    array.count, array.use_merge_vertices = 3, True
    add_cube("Across", (1.5, 0.5, 0.5), 1.0)
    add_cube("Through", (5.0, 0.5, 0.5), 2.0)
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    rows = scene_results.existing_result(bpy.context.scene.session_uid).report.rows
    found = {tuple(sorted(one.names)): one for one in rows}
    assert found["Across", "Row"].verdict == "contained"
    through = found["Row", "Through"]
    assert through.verdict == "clash" and through.depth_lower is not None and through.certainty == 1.0
