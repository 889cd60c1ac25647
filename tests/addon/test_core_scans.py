"""Scans in a detection: verdicts whose answer is known by construction, rows, budgets, frames."""

import json
from unittest import mock

import bpy
import numpy as np
import pytest
from fake_scene import make_object
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.clash.cloud_scene import CloudScene, chosen_points
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import FrameScene, Progress, for_test
from meshclash.clash.job import detect_steps
from meshclash.clash.kernel_parts import CLOUD_PARTS
from meshclash.clash.options import DetectOptions
from meshclash.clash.rules import Rules
from meshclash.types.steps import run_to_end
from scans import add_ball_of_nodes, add_scan, ball, wall
from spied import noted

from addon.adapters.source import BlenderSource
from addon.core import saved
from addon.core.picture_layout import lay_out

POINTS = 4000
SPACING = 0.06  # of the points of a ball of radius 1, about


def detect(engine, **options):
    return run_to_end(detect_steps(BlenderSource.from_context(bpy.context), DetectOptions(**options), engine))


def only_row(report):
    assert len(report.rows) == 1, [(*row.names, row.verdict) for row in report.rows]
    return report.rows[0]


@pytest.fixture
def cap(add_box):
    """A ball that reaches 0.2 into a closed box."""
    add_scan("Ball", ball()[0])
    add_box("Box", (0.8, -2, -2), (3, 2, 2))


def test_a_scan_that_enters_a_closed_mesh_clashes(engine, cap):
    row = only_row(detect(engine))
    points = ball()[0]
    assert (row.verdict, *row.names) == ("clash", "Ball", "Box")
    assert row.depth == pytest.approx(0.2, abs=0.005)
    inside = np.flatnonzero(points[:, 0] > 0.8)
    assert np.isin(inside, row.a.points).all(), "every point inside is in contact"
    assert points[row.a.points, 0].min() > 0.8 - 10 * SPACING
    assert row.b.faces.tolist() == [0] and len(row.a.faces) == len(row.b.points) == 0
    assert np.allclose(row.a.dots, points[row.a.points]) and row.b.highlight.shape == (2, 3, 3)
    x, y, z = row.location
    assert x == pytest.approx(0.8, abs=0.02) and np.hypot(y, z) == pytest.approx(0.6, abs=0.02)
    assert row.contacts > 10


def test_a_permitted_overlap_makes_it_touch(engine, cap):
    assert only_row(detect(engine, permitted_overlap=0.21)).verdict == "touching"
    assert only_row(detect(engine, permitted_overlap=0.19)).verdict == "clash"


def test_a_scan_inside_a_closed_mesh_is_contained(engine, add_box):
    add_scan("Ball", ball()[0])
    add_box("Box", (-3, -3, -3), (3, 3, 3))
    row = only_row(detect(engine))
    assert (row.verdict, row.contacts, len(row.a.points)) == ("contained", 0, POINTS)
    assert row.depth == pytest.approx(3.0 - np.sqrt(1 / 3), abs=0.01), "points on the diagonals are deepest"
    assert row.location is not None


def test_a_separate_piece_of_a_scan_inside_is_a_clash(engine, add_box):
    add_scan("Two", np.concatenate((ball(2000, 0.5)[0], ball(2000, 0.5, (10, 0, 0))[0])))
    add_box("Box", (-3, -3, -3), (3, 3, 3))
    row = only_row(detect(engine))
    assert (row.verdict, row.contacts, row.b.points.tolist()) == ("clash", 0, list(range(2000)))


def test_the_gap_decides_whether_they_touch(engine, add_box):
    add_scan("Ball", ball()[0])
    add_box("Box", (1.1, -2, -2), (3, 2, 2))
    assert detect(engine).rows == []
    row = only_row(detect(engine, touch_tolerance=0.12))
    assert row.verdict == "touching" and row.contacts == 0
    assert detect(engine, touch_tolerance=0.09).rows == []


def test_two_scans_meet_along_a_circle(engine):
    add_scan("A", ball()[0])
    add_scan("B", ball()[0], location=(1.0, 0.0, 0.0))
    row = only_row(detect(engine))
    assert (row.verdict, row.depth) == ("clash", None)
    for dots in (row.a.dots, row.b.dots):
        beside = np.hypot(np.hypot(dots[:, 1], dots[:, 2]) - np.sqrt(0.75), dots[:, 0] - 0.5)
        assert len(dots) > 50 and beside.max() < 10 * SPACING
    assert row.location[0] == pytest.approx(0.5, abs=0.02)


def test_set_a_stays_on_the_left_and_pairs_of_one_set_are_left_out(engine, cap):
    row = only_row(detect(engine, set_a="Box", set_b="Ball"))
    assert row.names == ("Box", "Ball") and len(row.b.points) and len(row.a.faces)
    add_scan("Other", ball()[0])
    assert [row.names for row in detect(engine, set_a="Box", set_b="Ball").rows] == [("Box", "Ball")]


def test_rules_hold_for_scans(engine, cap):
    assert detect(engine, rules=Rules(listed_pairs=frozenset({("Box", "Ball")}))).rows == []


def test_a_scale_goes_into_the_points(engine, add_box):
    add_scan("Ball", ball()[0]).scale = (2.0, 2.0, 0.5)
    add_box("Side", (1.7, -2, -2), (3, 2, 2))
    add_box("Top", (-2, -2, 0.9), (2, 2, 2))
    row = only_row(detect(engine, set_a="Ball"))
    assert row.b.name == "Side" and row.depth == pytest.approx(0.3, abs=0.02)


def test_lengths_are_metres_in_options_and_reports(engine, cap):
    bpy.context.scene.unit_settings.scale_length = 0.001
    report = detect(engine, permitted_overlap=0.00021)
    assert only_row(report).verdict == "touching"
    assert report.as_dict()["pairs"][0]["depth"] == pytest.approx(0.0002, abs=1e-5)


def test_a_machine_is_moved_through_a_wall(engine, add_box):
    """The box spans 0.2 on either side of x = frame - 5, the wall stands at x = 0."""
    add_scan("Wall", wall()[:, [2, 0, 1]])
    machine = add_box("Machine", (-0.2, -0.5, -0.5), (0.2, 0.5, 0.5))
    for frame in (1, 9):
        machine.location.x = 0.15 * (frame - 5)
        machine.keyframe_insert("location", frame=frame)
    for curve in _curves(machine):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    made = []
    cloud = engine.clouds.PointCloud
    with mock.patch.object(cloud, "make", noted(cloud.make, made)):
        report = detect(engine, frames=range(1, 10), set_a="Wall", set_b="Machine")
    assert sorted(row.frame for row in report.rows) == [4, 5, 6]
    assert {row.verdict for row in report.rows} == {"clash"}
    depths = {row.frame: row.depth for row in report.rows}
    assert depths[4] == pytest.approx(0.05, abs=1e-4) and depths[5] == pytest.approx(0.2, abs=1e-4)
    assert len(made) == 1, "the cloud is built once for all frames"


def _curves(item):
    action = item.animation_data.action
    if hasattr(action, "fcurves"):
        return action.fcurves
    return action.layers[0].strips[0].channelbag(item.animation_data.action_slot).fcurves


def test_a_budget_thins_a_scan_out_and_indices_stay_those_of_the_object(engine, add_box):
    add_scan("Ball", ball(20_000)[0])
    add_box("Box", (0.8, -2, -2), (3, 2, 2))
    row = only_row(detect(engine, point_budget=2000))
    points = ball(20_000)[0]
    assert row.depth == pytest.approx(0.2, abs=0.02)
    assert len(row.a.points) < 1000 and np.allclose(row.a.dots, points[row.a.points])
    assert detect(engine, point_budget=2000).as_dict()["options"]["point_budget"] == 2000
    with pytest.raises(InputError, match="point budget"):
        DetectOptions(point_budget=10)


@pytest.mark.parametrize(("scale", "unit"), [((1, 1, 1), 1.0), ((2, 2, 2), 1.0), ((1, 1, 8), 0.001)])
def test_a_bandwidth_is_a_length_in_the_world(engine, cap, scale, unit):
    bpy.context.scene.unit_settings.scale_length = unit
    bpy.data.objects["Ball"].scale = scale
    made = _clouds(engine, scan_bandwidth=0.3 * unit, scan_surface="wls")
    assert [(cloud.bandwidth, cloud.surface) for cloud in made] == [(pytest.approx(0.3), "wls")]
    automatic = _clouds(engine)
    assert automatic[0].bandwidth != pytest.approx(0.3, rel=0.1) and automatic[0].surface == "twicing"


def _clouds(engine, **options):
    """The engine's clouds of the scans of a detection."""
    source, asked = BlenderSource.from_context(bpy.context), DetectOptions(**options)
    frame = run_to_end(source.read_steps("all", "all", None))
    clouds = CloudScene(engine, *asked.clouds(source.scale_length))
    run_to_end(clouds.update_steps(frame))
    return [placed.cloud for placed in clouds.placed]


def test_another_surface_is_another_question(engine, cap):
    assert only_row(detect(engine, scan_bandwidth=0.6)).verdict == "undecided"  # 0.2 deep
    report = detect(engine, scan_surface="apss")
    assert not report.rows and [(name.name, name.reason) for name in report.skipped] == [
        ("Ball", 'surface "apss" needs normals')
    ]
    with pytest.raises(InputError, match="scan surface"):
        DetectOptions(scan_surface="flat")
    with pytest.raises(InputError, match="scan bandwidth"):
        DetectOptions(scan_bandwidth=-1.0)


@given(st.integers(1, 10**6), st.integers(1, 5000))
@settings(max_examples=200, deadline=None)
def test_chosen_points_are_distinct_ascending_and_even(count, budget):
    chosen = chosen_points(count, budget)
    if count <= budget:
        assert chosen is None
        return
    assert len(chosen) == budget and chosen[0] >= 0 and chosen[-1] < count
    assert (np.diff(chosen) > 0).all()
    assert np.abs(chosen - np.arange(budget) * count / budget).max() <= count / budget + 1


def test_points_on_a_line_are_skipped_with_the_reason(engine, add_box):
    add_box("Box", (-1, -1, -1), (1, 1, 1))
    add_scan("Line", np.column_stack([np.linspace(0, 1, 20), np.zeros((20, 2))]))
    report = detect(engine)
    assert report.rows == []
    assert [(item.name, "line" in item.reason) for item in report.skipped] == [("Line", True)]


@pytest.mark.parametrize("test", ["intersection", "time-critical"])
def test_a_set_of_nothing_but_scans_without_a_surface_is_refused(engine, add_box, test):
    """Not answered with "nothing touches", which build machines take for an all-clear."""
    add_box("Box", (-1, -1, -1), (1, 1, 1))
    add_scan("Line", np.column_stack([np.linspace(0, 1, 20), np.zeros((20, 2))]))
    options = {"test": test, "budget": 0.01 if test == "time-critical" else None}
    for sets, letter in ((("Line", "Box"), "A"), (("Box", "Line"), "B")):
        with pytest.raises(
            InputError, match=rf"set {letter} .'Line'. contains no visible mesh .*left out: Line: .* line"
        ):
            detect(engine, set_a=sets[0], set_b=sets[1], **options)


def test_reports_and_saved_lists_count_points(engine, cap):
    report = detect(engine)
    row = report.rows[0]
    pair = json.loads(report.to_json())["pairs"][0]
    assert pair["points_a"] == row.a.points.tolist() and pair["points_b"] == [] and pair["faces_a"] == []
    assert f"{len(row.a.points)} points" in report.to_table() and f"{len(row.a.points)} points" in report.to_html()
    assert "points_a,points_b," in report.to_csv().splitlines()[0]
    assert report.stats["points"] == POINTS and report.stats["objects"] == 2
    loaded = saved.from_text(saved.to_text(report), "", 1.0)
    assert row.scans == loaded.rows[0].scans == "a"
    assert (loaded.rows[0].a.count, loaded.rows[0].b.count) == (len(row.a.points), 1)


def test_what_a_pair_far_away_costs_is_a_box(engine, cap, add_box):
    """Of two hundred objects only the one beside the scan is looked at any closer."""
    tests = ("intersection", {}), ("clearance", {"tolerance": 1.0})
    alone = [_work(detect(engine, set_a="Ball", test=test, **limits)) for test, limits in tests]
    for k in range(200):
        add_box(f"Far {k}", (50 + k, 0, 0), (50.5 + k, 1, 1))
    for (test, limits), work in zip(tests, alone, strict=True):
        report = detect(engine, set_a="Ball", test=test, **limits)
        assert only_row(report).b.name == "Box" and _work(report) == work > (0, 0, 0)


def _work(report):
    """What a detection compared."""
    return tuple(report.stats[name] for name in ("volume_tests", "primitive_tests", "exact_tests"))


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_pairs_are_those_whose_boxes_are_near_enough(engine, add_box, turn):
    """Reach counts once for each pair: boxes a little nearer are asked about, those a little farther are not."""
    scan = add_scan("Ball", ball()[0])
    scan.rotation_euler = (turn, turn, 0.0)
    add_scan("Other", ball()[0], location=(-9.0, 0.0, 0.0))
    row = only_row(detect(engine, set_a="Ball", test="clearance", tolerance=7.1))
    assert (row.b.name, row.verdict) == ("Other", "near") and row.distance == pytest.approx(7.0, abs=0.02)
    assert detect(engine, set_a="Ball", test="clearance", tolerance=6.9).rows == []


def test_scans_that_modifiers_make_are_prepared_for_when_they_are_seen(engine, add_box):
    """Their kernels are not compiled in the window: who can compile them elsewhere is asked once, and waited for."""
    add_ball_of_nodes("Ball")
    add_box("Box", (0.8, -2, -2), (3, 2, 2))
    told = []

    def prepare(parts):
        told.append(parts)
        yield Progress(0.0, "Waiting for a child")

    source, texts = BlenderSource.from_context(bpy.context), []
    steps = detect_steps(source, DetectOptions(), engine, prepare=prepare)
    report = run_to_end(steps, lambda progress: texts.append(progress.text))
    assert told == [CLOUD_PARTS] and texts.count("Waiting for a child") == 1
    assert only_row(report).verdict == "clash" and report.rows[0].scans == "a"
    bpy.data.objects.remove(bpy.data.objects["Ball"])
    add_box("Second", (1, 0, 0), (4, 1, 1))
    run_to_end(detect_steps(source, DetectOptions(), engine, prepare=prepare))
    assert len(told) == 1, "without scans nothing is needed"


def test_progress_never_goes_back(engine, cap):
    steps = detect_steps(BlenderSource.from_context(bpy.context), DetectOptions(), engine)
    fractions = []
    run_to_end(steps, lambda progress: fractions.append(progress.fraction))
    assert fractions == sorted(fractions) and fractions[-1] <= 1.0


def test_a_set_of_scans_alone_is_enough(engine):
    add_scan("Ball", ball()[0])
    assert detect(engine).rows == []


def test_clearance_and_distance_report_the_gap(engine, add_box):
    add_scan("Ball", ball()[0])
    add_box("Box", (1.1, -2, -2), (3, 2, 2))
    near = only_row(detect(engine, test="clearance", tolerance=0.12))
    assert near.verdict == "near" and near.distance == pytest.approx(0.1, abs=0.005) and near.severity == 0
    assert near.a.point[0] == pytest.approx(1.0, abs=0.005) and near.b.point[0] == pytest.approx(1.1, abs=1e-6)
    assert len(near.a.points) == 1 and near.b.faces.tolist() == [0] and near.gap.shape == (1, 2, 3)
    assert detect(engine, test="clearance", tolerance=0.09).rows == []
    far = only_row(detect(engine, test="distance"))
    assert (far.verdict, far.distance) == ("apart", near.distance)


def test_clearance_and_distance_of_what_meets_is_zero(engine, cap):
    for options in ({"test": "clearance", "tolerance": 0.1}, {"test": "distance"}):
        row = only_row(detect(engine, **options))
        assert (row.verdict, row.distance) == ("clash", 0.0) and row.depth == pytest.approx(0.2, abs=0.005)


def test_a_picture_shows_scans_and_their_points_in_contact(engine, cap):
    report = detect(engine)
    scene = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
    layout = lay_out(report.rows, scene, 1.6)
    assert len(layout.scans.triangles) == 8 * POINTS
    assert len(layout.highlight_a.triangles) == 8 * len(report.rows[0].a.points)
    centres = layout.scans.vertices.reshape(-1, 24, 3).mean(axis=1)
    assert np.allclose(centres, ball()[0], atol=1e-4)
    corners = layout.scans.vertices[layout.scans.triangles]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    away = corners.mean(axis=1) - np.repeat(centres, 8, axis=0)
    assert ((outward * away).sum(axis=1) > 0).all()


def test_a_picture_of_scans_alone(engine):
    add_scan("A", ball()[0])
    add_scan("B", ball()[0], location=(1.0, 0.0, 0.0))
    report = detect(engine)
    scene = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
    layout = lay_out(report.rows, scene, 1.6)
    inside = layout.view.project(layout.scans.vertices)
    assert np.abs(inside[:, 0]).max() <= layout.view.width / 2 and len(layout.labels) == 1


def test_time_critical_holds_a_budget_and_says_how_sure_it_is(engine, cap):
    sure = only_row(detect(engine, test="time-critical", budget=1.0))
    assert (sure.verdict, sure.probability, sure.contacts) == ("meets", 1.0, 1)
    assert sure.location[0] == pytest.approx(0.8, abs=0.02)
    hasty = detect(engine, test="time-critical", budget=1e-9).rows
    assert all(row.verdict in ("meets", "likely", "unlikely") and 0.0 < row.probability <= 1.0 for row in hasty)
    bpy.data.objects["Box"].location.x = 0.5
    bpy.context.view_layer.update()
    assert detect(engine, test="time-critical", budget=1.0).rows == []


def test_a_self_test_says_that_it_leaves_scans_out():
    frame = FrameScene(1, scans=[make_object("Scan", mesh_key="points")])
    assert for_test(frame, of_pairs=True, takes_massive=True) is frame
    (skipped,) = for_test(frame, of_pairs=False, takes_massive=True).skipped
    assert (skipped.name, skipped.lost) == ("Scan", False) and "no faces" in skipped.reason
