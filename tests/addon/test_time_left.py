"""The time left of a task: by its speed, and told in a bar that fits."""

from types import SimpleNamespace

import bpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash.frame_scene import Progress
from meshclash.messages import Sentence
from ui_fakes import PlacedLayout, RecordingLayout

from addon import running_work
from addon.core.time_left import LEAST, TELL_AFTER, TimeLeft
from addon.ops.task import Task
from addon.texts import progress_text, text_width
from addon.ui import panels


@given(st.floats(4.0, 1e5), st.floats(0.0, 1e6), st.integers(20, 200))
def test_at_a_constant_speed_the_time_is_right(total, started, count):
    left = TimeLeft(started)
    for k in range(1, count):
        share = k / count
        left.note(started + share * total, share)
        if share * total >= TELL_AFTER and share >= LEAST:
            assert left.seconds == pytest.approx((1.0 - share) * total, rel=1e-6, abs=1e-6 * started)


@given(st.lists(st.tuples(st.floats(0.0, 10.0), st.floats(0.0, 0.2)), max_size=60))
def test_it_is_never_negative_and_unknown_at_first(steps):
    left, now, share = TimeLeft(0.0), 0.0, 0.0
    for seconds, progress in steps:
        now, share = now + seconds, min(1.0, share + progress)
        left.note(now, share)
        told = left.seconds
        assert told is None or (now >= TELL_AFTER and told >= 0.0)
        assert share < 1.0 or told is None


def test_a_speed_that_changed_counts_from_then_on():
    left = TimeLeft(0.0)
    for k in range(1, 11):
        left.note(0.1 * k, 0.05 * k)  # half of the work in a second
    for k in range(1, 101):
        left.note(1.0 + k, 0.5 + 0.001 * k)
    assert left.seconds == pytest.approx(400.0)


def test_what_stands_still_has_no_known_end():
    left = TimeLeft(0.0)
    for k in range(1, 60):
        left.note(float(k), 0.4)
    assert left.seconds is None


@pytest.fixture
def running(registered):
    """A task that has just been asked for."""
    task = Task(step for step in ())
    running_work.start_task(task)
    yield task
    running_work.stop_task()


def test_a_text_that_tells_its_time_is_not_told_another():
    def steps():
        yield Progress(0.5, Sentence("Frame {frame}, {time} left", frame=7, time="3 min") + ": Reading")

    task = Task(steps())
    task.run_slice(0.0)
    task._left = SimpleNamespace(seconds=4.0, note=lambda *_: None)
    assert task.seconds_left is None
    task.text = "Reading Body"
    assert task.seconds_left == 4.0


def test_a_bar_says_how_much_is_done_and_what_is_left():
    assert progress_text(0.429, None) == "42 %"
    assert progress_text(0.429, 12.2) == "42 %, 12 s left"
    assert progress_text(0.0, 7000.0) == "0 %, 1 h 57 min left"


@pytest.mark.parametrize("width", [300, 333])
def test_a_long_stage_is_told_without_a_cut_word(running, width):
    running.fraction = 0.04
    running.text = Sentence(
        "{task} {done} of {count}", task="Testing object pair", done="3,200", count="81,000 of a very long stage"
    )
    running._left = SimpleNamespace(seconds=12.0, note=lambda *_: None)
    context = SimpleNamespace(
        area=None, region=SimpleNamespace(width=width, height=900), preferences=bpy.context.preferences,
        scene=bpy.context.scene, window_manager=bpy.context.window_manager, active_object=None,
        view_layer=bpy.context.view_layer,
    )  # fmt: skip
    layout = PlacedLayout()
    panels.MESHCLASH_PT_detect.draw(SimpleNamespace(layout=layout), context)
    assert not layout.cut(width, text_width)
    layout = RecordingLayout()
    panels.MESHCLASH_PT_detect.draw(SimpleNamespace(layout=layout), context)
    assert "4 %, 12 s left" in layout.texts()
    assert " ".join(layout.texts()).count("3,200 of 81,000") == 1
