"""The example assembly: its construction, the detection's answer, and the picture."""

import itertools
import json
import math
import struct
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from meshclash.types.steps import run_to_end
from ui_fakes import make_row

from addon import commandline
from addon.adapters.source import BlenderSource
from addon.core import picture_layout
from addon.core.picture_layout import lay_out

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import mechanical_assembly as assembly  # noqa: E402
import solids  # noqa: E402


@pytest.fixture
def scene_file(tmp_path):
    assembly.build()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "assembly.blend"))
    return tmp_path / "assembly.blend"


def test_the_parts(engine):
    assembly.build()
    parts = [item for item in bpy.data.objects if item.type == "MESH"]
    assert len(parts) == 106
    assert {name for pair in assembly.EXPECTED for name in pair} <= {item.name for item in parts}
    scene = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
    for item in scene.objects:
        mesh = scene.meshes[item.mesh_key]
        assert engine.TriangleMesh(mesh.vertices, mesh.triangles).is_closed, item.name
        assert np.array_equal(mesh.vertices * solids.GRID, np.rint(mesh.vertices * solids.GRID)), item.name


def test_the_teeth_do_not_meet():
    def placed(outline, x):
        return [(u + x, v) for u, v in outline]

    pinion = placed(solids.gear(24, 2.0), assembly.SHAFTS["input"])
    wheel = placed(solids.gear(56, 2.0, turned=0.5), assembly.SHAFTS["output"])
    near = [[point for point in outline if abs(point[0] + 16) < 8] for outline in (pinion, wheel)]
    gap = min(math.dist(a, b) for a, b in itertools.product(*near))
    assert gap > assembly.CLEARANCE
    assert not any(solids._is_inside(point, [wheel]) for point in pinion)
    assert not any(solids._is_inside(point, [pinion]) for point in wheel)


@pytest.mark.parametrize("permitted_overlap", ["0", "0.0001"])
def test_the_report_is_as_constructed(scene_file, tmp_path, permitted_overlap):
    path = tmp_path / "report.json"
    options = ["--permitted-overlap", permitted_overlap, "--report", str(path), "--quiet", "--fail-on", "clash"]
    assert commandline.main([str(scene_file), *options]) == 1
    report = json.loads(path.read_text(encoding="utf-8"))
    assert assembly.check(report) == []
    for pair in report["pairs"]:
        depth = assembly.EXPECTED[frozenset((pair["a"], pair["b"]))].depth
        if depth is not None:  # the estimate is from below; outlines are rounded to 1/1024 mm
            assert 0.85 * depth < pair["depth"] / assembly.MILLIMETRE < depth + 2 / solids.GRID
    assert assembly.main(["--check", str(path)]) == 0


def test_the_check_finds_differences():
    pairs = [{"a": "Pinion", "b": "Wheel", "verdict": "clash"}, {"a": "Key", "b": "Wheel", "verdict": "clash"}]
    lines = assembly.check({"options": {"permitted_overlap": 0.0}, "pairs": pairs})
    assert "Pinion and Wheel: expected apart, reported clash" in lines
    assert "Key and Wheel: expected touching, reported clash" in lines
    assert "Base and Plate front: expected touching, reported apart" in lines


def test_the_picture_leaves_the_file_untouched(add_box, tmp_path):
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0.5, 0.5, 0.5), (2, 2, 2))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clash.blend"))
    kinds = ("scenes", "objects", "meshes", "materials", "curves", "cameras", "worlds")
    before = {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in kinds}
    content = (tmp_path / "clash.blend").read_bytes()
    assert commandline.main(["--picture", str(tmp_path / "picture.png"), "--quiet"]) == 0
    assert {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in kinds} == before
    assert (tmp_path / "clash.blend").read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clash.blend", "picture.png"]
    image = bpy.data.images.load(str(tmp_path / "picture.png"))
    pixels = np.empty(4 * image.size[0] * image.size[1], np.float32)
    image.pixels.foreach_get(pixels)
    red, _, blue = pixels.reshape(-1, 4)[:, :3].T
    assert tuple(image.size) == (1280, 800)
    assert (red > blue + 0.4).mean() > 0.01 and (blue > red + 0.4).mean() > 0.01


def test_the_layout_fits_and_labels_every_clash(add_box):
    for index in range(3):
        add_box(f"P{index}", (0, 0, 0), (1, 1, 1), location=(3 * index, 0, 0))
    scene = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
    rows = [make_row("P0", "P1", location=(1.0, 0.5, 0.5)), make_row("P1", "P2", "touching")]
    layout = lay_out(rows, scene, 1.6)
    assert [(label.a, label.b) for label in layout.labels] == [("P0", "P1")]
    assert len(layout.others.triangles) == 12 and len(layout.involved.triangles) == 24
    corners = layout.view.project(np.concatenate((layout.others.vertices, layout.involved.vertices)))
    assert (
        np.abs(corners[:, 0]).max() <= layout.view.width / 2 and np.abs(corners[:, 1]).max() <= layout.view.height / 2
    )
    assert len(layout.edges.triangles) == 3 * 12 * 12
    assert layout.curves.triangles.max() < len(layout.curves.vertices)


def test_labels_at_both_sides_never_meet(add_box):
    """Names as those of buildings, of which two fill the picture; what tells them apart stays."""
    kinds = ("Basic Wall:Interior - Partition (92mm Stud)", "墙体:内隔墙" * 8)
    names = [f"{kinds[k % 2]}:{138000 + k}" for k in range(16)]
    for k, name in enumerate(names):
        add_box(name, (0, 0, 0), (1, 1, 1), location=(3 * k, 0, 0))
    scene = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
    rows = [make_row(a, b, location=(3.0 * k, 0.5, 0.5)) for k, (a, b) in enumerate(itertools.pairwise(names))]
    layout = lay_out(rows, scene, 1.6)
    size = picture_layout.LABEL_HEIGHT * layout.view.height
    assert len(layout.labels) == 15
    for label in layout.labels:
        text = bpy.data.curves.new("Label", "FONT")
        text.body, text.size = f"{label.a}{picture_layout.SIGN}{label.b}{label.note}", size
        shown = bpy.data.objects.new("Label", text)
        bpy.context.scene.collection.objects.link(shown)
        bpy.context.view_layer.update()
        assert 0.25 * layout.view.width < shown.dimensions.x < 0.48 * layout.view.width
        assert label.a.endswith(tuple("0123456789")) and label.b.endswith(tuple("0123456789"))


def test_the_layout_shows_gaps_and_their_lengths(add_box):
    for index in range(2):
        add_box(f"P{index}", (0, 0, 0), (1, 1, 1), location=(3 * index, 0, 0))
    scene = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
    gap = {"distance": 2.0, "point_a": (1.0, 0.5, 0.5), "point_b": (3.0, 0.5, 0.5), "location": (2.0, 0.5, 0.5)}
    row = make_row("P0", "P1", "near", **gap, curves=np.empty((0, 2, 3), np.float32))
    layout = lay_out([row, make_row("P0", "P1", "touching")], scene, 1.6, metres_per_unit=0.001)
    assert [(label.a, label.note) for label in layout.labels] == [("P0", " (2 mm)")]
    assert np.ptp(layout.curves.vertices[:, 0]) == pytest.approx(2.0, rel=0.01)


def test_a_picture_is_a_png(tmp_path, add_box):
    add_box("A", (0, 0, 0), (1, 1, 1))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "one.blend"))
    assert commandline.main(["--picture", str(tmp_path / "picture.png"), "--quiet"]) == 0
    assert struct.unpack(">II", (tmp_path / "picture.png").read_bytes()[16:24]) == (1280, 800)
