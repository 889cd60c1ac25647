"""A range of frames in the core: events, what comes, goes and breaks in the middle, and independence of tasks."""

from dataclasses import replace

import numpy as np
import pytest
from fake_scene import BOX, FakeSource, make_object
from meshclash.clash.errors import InputError
from meshclash.clash.events import APART, APPEARS, CONTACT, RANGE, VANISHES, EventLog
from meshclash.clash.job import detect_steps
from meshclash.clash.options import DetectOptions, frame_range
from meshclash.clash.statistics import RunStatistics
from meshclash.clash.timeline import Timeline, _Remaining, frames_steps, tasks_of
from meshclash.types.steps import run_to_end
from ui_fakes import make_row


def slider(frame, speed=0.25):
    """B comes along the x-axis, goes through A and out of it: they overlap by 1 - |x|, touch at |x| = 1."""
    return [make_object("A"), make_object("B", -3.0 + speed * frame)]


def report_of(engine, objects, frames, meshes=None, **options):
    return run_to_end(detect_steps(FakeSource(objects, meshes), DetectOptions(frames=frames, **options), engine))


def told(events):
    return [(event.row.a.name, event.row.b.name, event.start, event.end, event.begins, event.ends) for event in events]


def test_an_event_has_its_frames_its_worst_one_and_its_moments(engine):
    (event,) = report_of(engine, slider, range(0, 25)).events
    assert told([event]) == [("A", "B", 8, 16, CONTACT, APART)]  # x = -1 ... 1: it touches in the first and last one
    assert (event.worst_frame, event.frames, event.row.verdict) == (12, 9, "duplicate")
    between = report_of(engine, lambda frame: slider(frame + 0.5), range(0, 24)).events[0]
    assert told([between]) == [("A", "B", 8, 15, CONTACT, APART)]
    assert between.start_time == pytest.approx(7.5, abs=1e-3) and between.end_time == pytest.approx(15.5, abs=1e-3)
    assert between.depth == pytest.approx(0.875) and between.worst_frame == 11


def test_an_event_at_the_ends_of_the_range_may_be_longer(engine):
    (event,) = report_of(engine, slider, range(10, 13)).events
    assert told([event]) == [("A", "B", 10, 12, RANGE, RANGE)]
    assert event.start_time is None and event.end_time is None


def test_the_smallest_distance_and_its_frame(engine):
    (event,) = report_of(engine, slider, range(0, 8), test="clearance", tolerance=0.6).events
    assert told([event]) == [("A", "B", 6, 7, CONTACT, RANGE)]
    assert event.distance == pytest.approx(0.25) and event.worst_frame == 7 and event.start_time is None


def test_the_worst_frame_without_a_depth_is_that_of_the_most_faces(engine):
    """As of cloth: single triangles that cross have no depth, and meet in more places the further they go."""
    counts = [1, 3, 7, 7, 2]

    def rows(frame):
        return [make_row(depth=None, frame=frame, counted_a=counts[frame], counted_b=counts[frame])]

    log = EventLog()
    for frame in range(5):
        log.add(frame, rows(frame), {"A", "B"})
    (event,) = log.events()
    assert event.worst_frame == 2 and event.row.count == 14
    assert sorted((row for frame in range(5) for row in rows(frame)), key=lambda row: row.order)[0].frame == 2


def test_two_contacts_of_one_pair_are_two_events(engine):
    def swing(frame):
        return [make_object("A"), make_object("B", 0.5 if frame in (2, 5, 6) else 4.0)]

    events = report_of(engine, swing, range(1, 8)).events
    assert sorted((event.start, event.end) for event in events) == [(2, 2), (5, 6)]
    assert len({event.row.id for event in events}) == 1


def test_what_comes_goes_breaks_and_changes_its_faces(engine):
    """C is there in frames 3 to 5 only, D is NaN in frame 4, E has other faces from frame 4 on; all overlap A."""
    fewer = replace(BOX, triangles=BOX.triangles[:10], face_of_triangle=BOX.face_of_triangle[:10])
    meshes = {"box": BOX, "fewer": fewer}

    def objects(frame):
        shown = [make_object("A"), make_object("D", np.nan if frame == 4 else 0.5)]
        shown.append(make_object("E", -0.5, "box" if frame < 4 else "fewer"))
        return [*shown, make_object("C", 0.25)] if 3 <= frame <= 5 else shown

    report = report_of(engine, objects, range(1, 8), meshes, set_a="all")
    events = {(e.row.a.name, e.row.b.name, e.start): e for e in report.events}
    assert told([events["A", "C", 3]]) == [("A", "C", 3, 5, APPEARS, VANISHES)]
    assert told([events["A", "D", 1]]) == [("A", "D", 1, 3, RANGE, VANISHES)]
    assert told([events["A", "D", 5]]) == [("A", "D", 5, 7, APPEARS, RANGE)]
    assert told([events["A", "E", 1]]) == [("A", "E", 1, 7, RANGE, RANGE)]
    assert [(item.name, item.lost) for item in report.skipped] == [("D", True)]
    assert "frame 4" in report.skipped[0].reason and "transformation matrix" in report.skipped[0].reason


def test_frames_agree_with_a_detection_of_each(engine):
    """What is kept from frame to frame saves work only."""
    rng = np.random.default_rng(21)
    at = rng.uniform(-1.5, 1.5, (12, 6))

    def objects(frame):
        moving = [make_object(str(k), x if k % 2 else at[frame // 3, k]) for k, x in enumerate(at[frame])]
        return [item for item in moving if int(item.name) != frame % 7]

    for test in ("intersection", "clearance", "distance", "deforming"):
        options = {"test": test, **({"tolerance": 0.2} if test == "clearance" else {})}
        rows = report_of(engine, objects, range(12), **options).rows
        for frame in range(12):
            alone = FakeSource(lambda _, frame=frame: objects(frame))
            fresh = run_to_end(detect_steps(alone, DetectOptions(**options), engine)).rows
            assert sorted(map(_essence, (row for row in rows if row.frame == frame))) == sorted(map(_essence, fresh))


def _essence(row):
    lengths = ("" if value is None else f"{value:.9g}" for value in (row.depth, row.distance))
    return row.id, row.verdict, *lengths, row.contacts, *(row.a.faces.tolist() if row.verdict != "apart" else ())


def test_tasks_give_what_one_pass_gives(engine):
    frames = range(0, 40)
    options = DetectOptions(frames=frames)
    whole = Timeline(frames, keeps_rows=True)
    run_to_end(frames_steps(FakeSource(slider), options, engine, frames, whole.take, RunStatistics(1.0)))
    report = report_of(engine, slider, frames)
    assert len(list(tasks_of(frames))) == 5
    assert [event.as_dict(1.0) for event in whole.events] == [event.as_dict(1.0) for event in report.events]
    assert told(report.events) == [("A", "B", 8, 16, CONTACT, APART)]  # over the end of a task
    assert [task.before for task in tasks_of(frames)] == [None, 7, 15, 23, 31]
    assert [frame for task in tasks_of(range(0, 5000, 3)) for frame in task.frames] == list(range(0, 5000, 3))


def test_the_events_so_far_are_there_when_it_is_stopped(engine):
    timeline = Timeline(range(0, 25), keeps_rows=False)
    source, options = FakeSource(slider), DetectOptions(frames=range(0, 25))
    steps = frames_steps(source, options, engine, range(0, 25), timeline.take, RunStatistics(1.0))
    while timeline.done < 11:
        next(steps)
    steps.close()
    assert told(timeline.events) == [("A", "B", 8, 10, CONTACT, RANGE)] and timeline.looked_at == range(0, 11)
    assert timeline.rows == []


@pytest.mark.parametrize(("given", "words"), [((9, 1, 1), "9:1 is empty: it ends before"), ((1, 9, 0), "1:9:0.*step")])
def test_a_range_backwards_or_without_a_step_is_named(given, words):
    with pytest.raises(InputError, match=words):
        frame_range(*given)


def test_the_time_that_is_left_is_told(monkeypatch):
    clock = _Remaining(100)
    assert clock.frame(7, 0) == clock.frame(7, 5) == "Frame 7: "
    clock._started -= 10.0
    assert clock.frame(7, 5) == "Frame 7, 3 min left: " and clock.frame(7, 50) == "Frame 7, 10 s left: "


def overlap(depth, upper, verdict="clash"):
    lower = 0.0 if depth is None and upper is not None else depth
    return make_row(depth=depth, depth_lower=lower, depth_upper=upper, verdict=verdict)


@pytest.mark.parametrize(("rows", "worst", "bounds"), [
    ([overlap(None, 9.0), overlap(0.25, 0.5), overlap(0.125, 1.0)], 2, (0.25, 0.25, 9.0)),
    ([overlap(None, 0.5), overlap(None, 2.0)], 2, (None, 0.0, 2.0)),
    ([overlap(0.25, 0.5), overlap(None, None)], 1, (0.25, 0.25, None)),  # of the second nothing is known
    ([overlap(0.25, 0.5), overlap(None, None, "touching")], 1, (0.25, 0.25, 0.5)),
])  # fmt: skip
def test_the_depth_of_an_event_is_proved_and_so_are_its_bounds(rows, worst, bounds):
    log = EventLog()
    for frame, row in enumerate(rows, 1):
        log.add(frame, [row], {"A", "B"})
    (event,) = log.events()
    assert event.worst_frame == worst
    assert (event.depth, event.depth_lower, event.depth_upper) == bounds
    assert event.as_dict(2.0)["depth_upper"] == (bounds[2] and 2.0 * bounds[2])


SCALED = np.diag([0.254, 1.7, 3.1, 1.0])
SHEARED = np.array([[0.5, 0.2, 0, 0], [0, 1.1, 0.3, 0], [0, 0, 0.8, 0], [0, 0, 0, 1.0]])


def turning(shape):
    """A frame of a lever that turns about the z-axis against a post, as Blender has its matrix: in single precision."""

    def objects(frame, names=("Lever", "Other")):
        found = [make_object("Post", matrix=np.diag([1.0, 1.0, 1.0, 1.0]))]
        for number, name in enumerate(names):
            angle, pose = 0.07 * frame + 0.013, np.eye(4)
            pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            pose[:3, 3] = 2.5 - 0.11 * frame, -1.0 + 0.05 * frame, 0.1 + number / 7.0
            found.append(make_object(name, matrix=(pose @ shape).astype(np.float32).astype(np.float64)))
        return found

    return objects


@pytest.mark.parametrize(
    "shape", [0.254 * np.diag([1.0, 1.0, 1.0, 1.0 / 0.254]), SCALED, SCALED * [-1, 1, 1, 1], SHEARED]
)
def test_moments_are_those_of_the_shape_with_its_scale_applied(engine, shape):
    """An unapplied scale, or a shear, whose single precision is another one in every frame; two share their mesh."""
    frames = range(0, 40)
    applied = replace(BOX, vertices=(BOX.vertices @ shape[:3, :3].T).astype(np.float32))
    if np.linalg.det(shape) < 0.0:
        applied = replace(applied, triangles=np.ascontiguousarray(applied.triangles[:, ::-1]))

    def plain(frame):
        post, *levers = turning(np.eye(4))(frame)
        return [post, *(replace(lever, mesh_key="applied") for lever in levers)]

    found = report_of(engine, turning(shape), frames).events
    expected = report_of(engine, plain, frames, {"box": BOX, "applied": applied}).events
    assert {(e.row.names, e.start, e.end) for e in found} == {(e.row.names, e.start, e.end) for e in expected}
    moments = {event.row.names: event for event in expected}
    told = [event for event in found if event.begins == CONTACT]
    assert told, "nothing comes together"
    for event in told:
        same = moments[event.row.names]
        assert event.start_time == pytest.approx(same.start_time, abs=1e-3)
        assert event.end_time == (None if same.end_time is None else pytest.approx(same.end_time, abs=1e-3))


@pytest.mark.parametrize("thickness", [0.0, 1e-30])
def test_flat_objects_have_whole_frames_for_moments(engine, thickness):
    found = report_of(engine, turning(np.diag([thickness, 1.0, 1.0, 1.0])), range(0, 40))
    (event,) = [event for event in found.events if event.row.names == ("Lever", "Post")]
    assert (event.begins, event.start, event.end) == (CONTACT, 9, 22) and not found.skipped
    assert event.start_time is None or thickness
