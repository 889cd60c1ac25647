"""Faces that bound nothing, as between boxes of an array with *Merge*, and faces that end amid edges of others."""

import bmesh
import bpy

from addon import scene_results


def add_cube(name, low, size):
    bpy.ops.mesh.primitive_cube_add(size=size, location=[x + size / 2 for x in low])
    bpy.context.active_object.name = name
    return bpy.context.active_object


def detected():
    assert bpy.ops.meshclash.detect() == {"FINISHED"}
    rows = scene_results.existing_result(bpy.context.scene.session_uid).report.rows
    return {tuple(sorted(one.names)): one for one in rows}


def test_what_crosses_only_faces_between_merged_boxes_is_contained(registered):
    row = add_cube("Row", (0, 0, 0), 2.0)
    array = row.modifiers.new("Array", "ARRAY")
    array.count, array.use_merge_vertices = 3, True
    add_cube("Across", (1.5, 0.5, 0.5), 1.0)
    add_cube("Through", (5.0, 0.5, 0.5), 2.0)
    found = detected()
    assert found["Across", "Row"].verdict == "contained"
    through = found["Row", "Through"]
    assert through.verdict == "clash" and through.depth_lower is not None and through.certainty == 1.0


def test_two_sided_bodies_clash_and_hold(registered):
    box = add_cube("Box", (0, 0, 0), 4.0)
    mesh = bmesh.new()
    mesh.from_mesh(box.data)
    copies = bmesh.ops.duplicate(mesh, geom=mesh.faces)["geom"]
    bmesh.ops.reverse_faces(mesh, faces=[face for face in copies if isinstance(face, bmesh.types.BMFace)])
    mesh.to_mesh(box.data)
    mesh.free()
    add_cube("Held", (1, 1, 1), 2.0)
    add_cube("Through", (3, 1, 1), 2.0)
    found = detected()
    assert found["Box", "Held"].verdict == "contained"
    through = found["Box", "Through"]
    assert through.verdict == "clash" and through.depth_lower > 0.99 and through.certainty == 1.0


def test_a_corner_amid_an_edge_of_one_face_does_not_open_a_box(registered):
    for k, name in enumerate(("Box", "Beside")):
        mesh = add_cube(name, (k, 0, 0), 2.0).data
        vertices = [vertex.co[:] for vertex in mesh.vertices]
        faces = [list(face.vertices) for face in mesh.polygons]
        middle = [(x + y) / 2 for x, y in zip(vertices[faces[0][0]], vertices[faces[0][1]], strict=True)]
        faces[0].insert(1, len(vertices))
        mesh.clear_geometry()
        mesh.from_pydata([*vertices, middle], [], faces)
    bpy.context.scene.meshclash.overlap_volume = True
    found = detected()["Beside", "Box"]
    assert found.volume_lower <= 4.0 <= found.volume_upper < 4.2
    assert bpy.ops.meshclash.find_ways_out() == {"FINISHED"}
    ((x, y, z),) = scene_results.existing_result(bpy.context.scene.session_uid).ways.values()
    assert max(abs(x), abs(y), abs(z)) > 0.999
    assert found.verdict == "clash" and found.depth_lower > 0.99 and found.certainty == 1.0
