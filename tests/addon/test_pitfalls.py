"""Pitfalls of Blender extensions that no other file tests, and the table of all of them in docs/pitfalls.md."""

import importlib.util
import re
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from meshclash.types.steps import run_to_end

from addon.adapters import mesh_reader
from addon.adapters.source import BlenderSource

ROOT = Path(__file__).resolve().parents[2]
COUNT = 35
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(test_\w+)::(test_\w+)`")
SCENARIO = re.compile(r"scenario `(\w+)`")


def read(frame=None):
    return run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", frame))


def triangles_of_blender(item):
    mesh = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    mesh.calc_loop_triangles()
    return sorted(tuple(sorted(triangle.vertices)) for triangle in mesh.loop_triangles)


def triangles_read(scene, name):
    item = next(item for item in scene.objects if item.name == name)
    return sorted(tuple(sorted(map(int, triangle))) for triangle in scene.meshes[item.mesh_key].triangles)


def add_mesh(name, vertices, edges, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def test_every_pitfall_is_answered_by_a_test_or_a_sentence():
    rows = ROW.findall((ROOT / "docs" / "pitfalls.md").read_text("utf-8"))
    assert [int(number) for number, _, _ in rows] == list(range(1, COUNT + 1))
    sources = {path.stem: path.read_text("utf-8") for path in (ROOT / "tests").glob("*/test_*.py")}
    scenarios = {path.stem for path in (ROOT / "tests" / "window" / "scenarios").glob("*.py")}
    for number, _, answer in rows:
        named = TEST.findall(answer)
        for file, test in named:
            assert f"def {test}(" in sources[file], f"pitfall {number}: there is no {file}::{test}"
        assert set(SCENARIO.findall(answer)) <= scenarios, number
        assert named or "cannot happen" in answer.lower(), f"pitfall {number} has neither a test nor a reason"


def test_only_numba_and_llvmlite_are_bundled():
    """No NumPy, which Blender brings itself, and nothing whose licence the extensions site refuses."""
    spec = importlib.util.spec_from_file_location("build_extension", ROOT / "blender_scripts" / "build_extension.py")
    build_extension = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = build_extension
    spec.loader.exec_module(build_extension)
    assert {requirement.partition("==")[0] for requirement in build_extension.REQUIREMENTS} == {"numba", "llvmlite"}


def test_the_extension_knows_no_place_of_its_code_to_write_to():
    files = list((ROOT / "addon").rglob("*.py"))
    assert files
    read_only = (
        "_engine.__file__",
        "_preset_path(str(Path(__file__).parents[1]))",
        'Path(__file__).parent / "locale"',
    )  # of the last two, presets and translations are read
    for path in files:
        text = path.read_text("utf-8")
        for place in read_only:
            text = text.replace(place, "")
        assert "__file__" not in text, path


def test_loose_and_degenerate_parts_of_a_mesh():
    """Loose vertices and edges are no faces; faces without area and doubled faces stay: the engine decides them."""
    vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 5, 5), (6, 6, 6), (2, 0, 0)]
    add_mesh("A", vertices, [(3, 4)], [(0, 1, 2), (2, 1, 0), (0, 1, 5)])
    assert triangles_read(read(), "A") == [(0, 1, 2), (0, 1, 2), (0, 1, 5)]


@pytest.mark.parametrize("fast", [False, True])
def test_what_was_read_does_not_point_into_blenders_memory(add_box, fast):
    item = add_box("A", (0, 0, 0), (1, 1, 1))
    mesh_reader.set_fast_path(fast)
    try:
        read_mesh = mesh_reader.read_mesh(item.data, "A", True)
    finally:
        mesh_reader.set_fast_path(True)
    kept = [array.copy() for array in (read_mesh.vertices, read_mesh.triangles)]
    item.data.vertices[0].co.x = 77.0
    bpy.data.objects.remove(item)
    bpy.data.orphans_purge()
    for array, before in zip((read_mesh.vertices, read_mesh.triangles), kept, strict=True):
        assert np.array_equal(array, before)


def test_a_quad_whose_diagonal_blender_turns():
    """A corner pushed inwards makes the quad concave in the second frame: Blender splits it the other way."""
    item = add_mesh("Quad", [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)], [], [(0, 1, 2, 3)])
    item.shape_key_add(name="Basis")
    pushed = item.shape_key_add(name="Pushed")
    pushed.data[1].co = (0.5, 1.5, 0)
    for frame, value in ((1, 0.0), (2, 1.0)):
        pushed.value = value
        pushed.keyframe_insert("value", frame=frame)
    seen = []
    for frame in (1, 2):
        bpy.context.scene.frame_set(frame)
        seen.append(triangles_of_blender(item))
        assert triangles_read(read(frame), "Quad") == seen[-1]
    assert seen[0] != seen[1]


def test_visibility_that_is_animated(add_box):
    add_box("Always", (0, 0, 0), (1, 1, 1))
    sometimes = add_box("Sometimes", (0, 0, 0), (1, 1, 1))
    for frame, hidden in ((1, False), (2, True), (3, False)):
        sometimes.hide_viewport = hidden
        sometimes.keyframe_insert("hide_viewport", frame=frame)
    found = [sorted(item.name for item in read(frame).objects) for frame in (1, 2, 3)]
    assert found == [["Always", "Sometimes"], ["Always"], ["Always", "Sometimes"]]


def test_a_number_of_instances_that_is_animated(add_box):
    """An instancer whose vertices become fewer: instances that are gone do not stay."""
    child = add_box("Child", (0, 0, 0), (0.1, 0.1, 0.1))
    parent = add_mesh("Parent", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [], [(0, 1, 2)])
    child.parent, parent.instance_type = parent, "VERTS"
    array = parent.modifiers.new("Array", "ARRAY")
    for frame, count in ((1, 1), (2, 3)):
        array.count = count
        array.keyframe_insert("count", frame=frame)
    found = [[item.name for item in read(frame).objects if "/" in item.name] for frame in (1, 2, 1)]
    assert [len(names) for names in found] == [3, 9, 3]
    assert found[0] == found[2]
