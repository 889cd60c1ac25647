"""The detection job over a scene and an engine that need neither Blender nor Numba."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from fake_scene import BOX, FakeSource, make_engine, make_object
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.frame_scene import Skipped, SourceMesh
from meshclash.clash.job import detect_steps
from meshclash.clash.options import DetectOptions
from meshclash.clash.rules import Rules
from meshclash.types.steps import run_to_end


def three_boxes(_frame=1):
    return [make_object("C", 3.0), make_object("B", 0.5), make_object("A", 0.0), make_object("D", 4.0)]


def detect(source, engine=None, **options):
    return run_to_end(detect_steps(source, DetectOptions(**options), engine or make_engine()))


def test_rows_come_worst_first_in_alphabetical_order():
    report = detect(FakeSource(three_boxes))
    assert [(row.verdict, *row.names) for row in report.rows] == [
        ("clash", "A", "B"),
        ("touching", "C", "D"),
    ]
    assert report.count("clash") == 1
    assert [row.a.name for row in report.clashes] == ["A"]


def test_the_panel_remembers_what_the_objects_were():
    assert detect(FakeSource(three_boxes)).seen is None
    steps = detect_steps(FakeSource(three_boxes), DetectOptions(set_a="all"), make_engine(), remember=True)
    seen = run_to_end(steps).seen
    assert seen.set_a == "all" and set(seen.objects) == set("ABCD")
    assert len({known.places for known in seen.objects.values()}) == 4
    assert len({known.shapes for known in seen.objects.values()}) == 1 and seen.objects["A"].plain


def test_a_row_has_the_faces_of_its_own_side():
    row = detect(FakeSource(three_boxes)).rows[0]  # the engine has B first, so the columns are exchanged
    assert row.a.faces.tolist() == [0] and row.b.faces.tolist() == [1]
    assert row.a.original_faces.tolist() == [0]
    assert row.a.highlight.shape == row.b.highlight.shape == (2, 3, 3)
    assert row.b.highlight[..., 0].min() == row.b.highlight[..., 0].max() == 1.5
    assert row.curves.shape == (4, 2, 3)  # one crossing piece and the rim of a triangle


def test_set_a_stays_on_the_left():
    def objects(_frame):
        return [make_object("A", in_a=False), make_object("B", 0.5, in_b=False)]

    row = detect(FakeSource(objects)).rows[0]
    assert row.names == ("B", "A")


def test_ids_do_not_depend_on_order_frame_or_sets():
    first = detect(FakeSource(three_boxes)).rows
    second = detect(FakeSource(lambda frame: three_boxes()[::-1]), frames=range(7, 8)).rows
    assert [row.id for row in first] == [row.id for row in second]
    assert len({row.id for row in first}) == 2
    assert all(len(row.id) == 16 for row in first)


def test_lengths_are_converted_between_metres_and_blender_units():
    engine = make_engine()
    report = detect(FakeSource(three_boxes, scale_length=0.001), engine, permitted_overlap=0.002, touch_tolerance=0.004)
    assert engine.scenes[0].asked == {"permitted_overlap": 2.0, "touch_tolerance": 4.0}
    assert report.rows[0].depth == 0.5
    pair = report.as_dict()["pairs"][0]
    assert pair["depth"] == 0.0005 and pair["location"] == [0.0, 0.0005, 0.0005]
    assert report.as_dict()["unit"] == "m"


def test_frames_move_poses_and_deform_vertices_without_rebuilding():
    def objects(frame):
        return [make_object("A"), make_object("B", 10.0 - frame), make_object("Far", 9.0)]

    engine = make_engine()
    report = detect(FakeSource(objects), engine, frames=range(8, 11))
    assert [(row.frame, row.verdict) for row in report.rows] == [(10, "clash"), (9, "touching")]
    assert engine.scenes[0].log == ["add", "add", "add", "pose", "pose"]  # of the one that moves


def placed_by_a_chain(rng, target):
    """A matrix that is nearly `target`, as programs make it of the frames of four assemblies in single precision."""
    made, inverse = np.eye(4, dtype=np.float32), np.eye(4)
    for _ in range(4):
        angle, frame = rng.uniform(0.0, 2.0 * np.pi), np.eye(4)
        frame[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        frame[:3, 3] = rng.uniform(-200.0, 200.0, 3)
        made = made @ frame.astype(np.float32)
        inverse = np.linalg.inv(frame) @ inverse
    return (made @ (inverse @ target).astype(np.float32)).astype(np.float64)


def test_small_parts_of_a_large_whole_are_as_flush_as_they_were_drawn(engine):
    """An engine in millimetres: two parts each, side by side in the drawing, under parents of their own."""
    rng, objects = np.random.default_rng(32), []
    for number in range(40):
        target = np.eye(4)
        target[:3, 3] = np.rint(rng.uniform(-300.0, 300.0, 3))
        target[0, 3] += 20.0 * number
        objects.append(make_object(f"L{number}", matrix=placed_by_a_chain(rng, target)))
        target[0, 3] += 1.0
        objects.append(make_object(f"R{number}", matrix=placed_by_a_chain(rng, target)))
    source = FakeSource(lambda _: objects, scale_length=0.001)
    exact = detect(source, engine, permitted_overlap=0.0)
    assert any(row.verdict == "clash" and row.depth < 1e-3 for row in exact.rows), "the drawing was rounded"
    assert not [row for row in detect(source, engine).rows if row.verdict == "clash"]
    deep = [make_object("A"), make_object("B", 0.99), make_object("Far", 1000.0)]  # 0.01 mm in a metre
    assert [row.verdict for row in detect(FakeSource(lambda _: deep, scale_length=0.001), engine).rows] == ["clash"]


def test_a_deformed_mesh_keeps_its_triangles():
    meshes = {"box": BOX, 1: replace(BOX), 2: replace(BOX, vertices=BOX.vertices * 2)}
    engine = make_engine()
    detect(
        FakeSource(lambda frame: [make_object("A"), make_object("B", 5.0, frame)], meshes), engine, frames=range(1, 3)
    )
    assert engine.scenes[0].log == ["add", "add", "vertices"]  # the whole is as large as before


def test_an_object_of_another_topology_or_gone_is_replaced():
    other = SourceMesh(BOX.vertices, BOX.triangles[:4], BOX.face_of_triangle[:4])
    meshes = {"box": BOX, 1: BOX, 2: other}
    engine = make_engine()
    detect(FakeSource(lambda frame: [make_object("B", 5.0, frame)], meshes), engine, frames=range(1, 3))
    assert engine.scenes[0].log == ["add", "remove", "add"]
    detect(FakeSource(lambda frame: three_boxes()[: 5 - frame]), engine, frames=range(1, 3))
    assert engine.scenes[1].log.count("remove") == 1


def test_instances_share_one_engine_mesh():
    engine = make_engine()
    scaled = np.diag([2.0, 1.0, 1.0, 1.0])
    objects = [
        make_object("A"),
        make_object("B", 9.0),
        make_object("C", matrix=scaled),
        make_object("D", matrix=scaled),
    ]
    detect(FakeSource(lambda frame: objects), engine)
    assert len({id(mesh) for mesh, _ in engine.scenes[0].objects.values()}) == 2


def test_exclusion_rules_reach_the_engine_ids():
    report = detect(FakeSource(three_boxes), rules=Rules(listed_pairs=frozenset({("A", "B")})))
    assert [row.names for row in report.rows] == [("C", "D")]


@pytest.mark.parametrize("steps", [1, 2, 4, 6])
def test_closing_the_job_restores_the_source(steps):
    source = FakeSource(three_boxes)
    job = detect_steps(source, DetectOptions(frames=range(1, 4)), make_engine())
    for _ in range(steps):
        next(job)
    job.close()
    assert source.restored == 1


def test_an_error_restores_the_source():
    source = FakeSource(three_boxes)
    with pytest.raises(InputError, match="missing"):
        detect(source, set_a="missing")
    assert source.restored == 1


def test_progress_never_goes_back():
    seen = []
    run_to_end(detect_steps(FakeSource(three_boxes), DetectOptions(frames=range(1, 4)), make_engine()), seen.append)
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions) and fractions[0] >= 0.0 and fractions[-1] <= 1.0
    assert any(progress.text.startswith("Frame 2: ") for progress in seen)


def test_a_set_without_a_mesh_says_which_and_why():
    source = FakeSource(lambda frame: [make_object("A", in_b=False)], skipped=[Skipped("Plane", "it has no faces")])
    with pytest.raises(InputError, match=r"set B .everything. contains no visible mesh.*Plane: it has no faces"):
        detect(source)


NAN_BOX = replace(BOX, vertices=np.full((8, 3), np.nan, np.float32))


def test_a_mesh_or_matrix_that_the_engine_refuses_is_left_out_and_named():
    objects = [*three_boxes(1), make_object("Broken", mesh_key="nan"), make_object("Bad", float("nan"))]
    source = FakeSource(lambda frame: objects, {"box": BOX, "nan": NAN_BOX})
    report = detect(source)
    assert [row.names for row in report.rows] == [row.names for row in detect(FakeSource(three_boxes)).rows]
    assert [(item.name, item.lost) for item in report.skipped] == [("Bad", True), ("Broken", True)]
    reasons = zip(report.skipped, ("transformation matrix", "vertex 0 is [nan"), strict=True)
    assert all(words in item.reason for item, words in reasons)


def test_an_object_that_breaks_leaves_the_scene_and_comes_back():
    def at(frame):
        return [make_object("A", float("nan") if frame == 2 else 0.0), make_object("B", 0.5)]

    report = detect(FakeSource(at), frames=range(1, 4))
    assert [(row.a.name, row.b.name, row.frame) for row in report.rows] == [("A", "B", 1), ("A", "B", 3)]
    assert [item.name for item in report.skipped] == ["A"]


def test_a_set_of_nothing_but_broken_objects_is_an_error():
    with pytest.raises(InputError, match=r"contains no visible mesh.*Broken: mesh: .*nan"):
        detect(FakeSource(lambda frame: [make_object("Broken")], {"box": NAN_BOX}))


def test_a_million_frames_are_not_listed_beforehand():
    asked = FakeSource(three_boxes)
    steps = detect_steps(asked, DetectOptions(frames=range(1, 1_000_001)), make_engine())
    tracemalloc.start()
    while len(asked.read) < 2:
        next(steps)
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()
    steps.close()


def test_other_engine_errors_become_errors_for_the_user():
    engine = make_engine()

    def refuse(parts):
        raise engine.errors.MeshClashError("no device")
        yield

    engine.warm_up = refuse
    with pytest.raises(DetectError, match="no device"):
        detect(FakeSource(three_boxes), engine)


def test_statistics_add_up_and_are_json():
    report = detect(FakeSource(three_boxes, skipped=[Skipped("X", "why")]), frames=range(1, 4))
    stats = json.loads(report.to_json())["stats"]
    assert stats["frames"] == 3 and stats["objects"] == 4 and stats["meshes"] == 1 and stats["triangles"] == 48
    assert stats["primitive_tests"] == 3 and stats["timings"]["query"] == 0.75
    assert stats["skipped"] == [{"name": "X", "reason": "why", "lost": False}]
