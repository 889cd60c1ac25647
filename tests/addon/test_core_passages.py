"""What meets between two frames only: passages whose moments are known by construction, and near misses."""

from dataclasses import replace

import numpy as np
import pytest
from fake_scene import FakeSource, make_object
from meshclash.clash.events import APART, CONTACT
from meshclash.clash.options import DetectOptions, frame_range
from meshclash.clash.statistics import RunStatistics
from meshclash.clash.timeline import Timeline, frames_steps
from meshclash.types.steps import run_to_end

FAR = 20.0


def scan(engine, objects, frames, passages=True, **options):
    """The events of a range of frames."""
    timeline = Timeline(frames, keeps_rows=False)
    asked = DetectOptions(frames=frames, **options)
    steps = frames_steps(
        FakeSource(objects), asked, engine, frames, timeline.take, RunStatistics(1.0), passages=passages
    )
    run_to_end(steps)
    return timeline.events


def passing(seed, count=20):
    """Objects by frame, and the moments of those that meet: boxes of edge 1 that fly past others in one frame.

    A mover goes along x from -3 to 3, from frame 1 to frame 2, at a height beside the other; some stay, some turn.
    """
    rng = np.random.default_rng(seed)
    offsets = np.where(rng.random(count) < 0.5, rng.uniform(0.0, 0.999, count), rng.uniform(1.001, 1.6, count))
    speeds = rng.uniform(4.0, 40.0, count)

    def objects(frame):
        found = []
        for k, (offset, speed) in enumerate(zip(offsets.tolist(), speeds.tolist(), strict=True)):
            still, moves = np.eye(4), np.eye(4)
            still[1, 3] = moves[1, 3] = FAR * k
            moves[:3, 3] += (speed * (frame - 1.5), 0.0, offset)
            found += [make_object(f"Still {k}", matrix=still), make_object(f"Mover {k}", matrix=moves)]
        return found

    # They overlap while |x| < 1, at x = speed * (frame - 1.5).
    moments = {k: (1.5 - 1.0 / speeds[k], 1.5 + 1.0 / speeds[k]) for k in range(count) if offsets[k] < 1.0}
    return objects, moments


def check(engine, seed):
    objects, moments = passing(seed)
    events = scan(engine, objects, frame_range(1, 2))
    assert {int(event.row.a.name.split()[1]) for event in events} == set(moments)
    assert len(events) == len(moments)
    for event in events:
        start, end = moments[int(event.row.a.name.split()[1])]
        assert (event.start, event.end, event.frames, event.begins, event.ends) == (1, 2, 0, CONTACT, APART)
        assert event.start_time == pytest.approx(start, abs=1e-4) and event.end_time == pytest.approx(end, abs=1e-4)
        assert {event.row.a.name.split()[1]} == {event.row.b.name.split()[1]} and event.row.verdict != "apart"
    assert not scan(engine, objects, frame_range(1, 2), passages=False)
    return len(events)


def test_passages_are_found_with_their_moments_and_near_misses_are_none(engine):
    assert check(engine, 1) > 5


@pytest.mark.slow
def test_many_passages(engine):
    assert sum(check(engine, seed) for seed in range(2, 12)) > 70


def test_a_blade_that_turns_through_a_post_between_two_frames(engine):
    def objects(frame):
        turn, post = np.eye(4), np.eye(4)
        angle = np.radians(60.0 * (frame - 1) - 30.0)
        c, s = np.cos(angle), np.sin(angle)
        turn[:2, :2] = (c, -s), (s, c)
        turn[:3, :3] = turn[:3, :3] @ np.diag([6.0, 0.2, 0.2])
        post[:3, 3] = 2.0, 0.0, 0.0
        post[:3, :3] *= 0.2
        return [make_object("Blade", matrix=turn), make_object("Post", matrix=post)]

    (event,) = scan(engine, objects, frame_range(1, 2))
    assert event.frames == 0 and event.start_time < 1.5 < event.end_time
    assert event.start_time + event.end_time == pytest.approx(3.0, abs=1e-3)


def test_what_is_listed_in_a_frame_and_what_is_left_out_is_no_passage(engine):
    objects, moments = passing(1)
    events = scan(engine, objects, frame_range(0, 3))
    assert len(events) == len(moments) and all(event.frames == 0 for event in events)
    one = next(iter(moments))

    def one_in_a(frame):
        return [replace(item, in_a=item.name == f"Mover {one}") for item in objects(frame)]

    chosen = scan(engine, one_in_a, frame_range(1, 2))
    assert [set(event.row.names) for event in chosen] == [{f"Mover {one}", f"Still {one}"}]

    def slow(frame):
        still, moves = np.eye(4), np.eye(4)
        moves[0, 3] = 0.5 * (frame - 8)
        return [make_object("A", matrix=still), make_object("B", matrix=moves)]

    (event,) = scan(engine, slow, frame_range(1, 15))
    assert event.frames == 5
