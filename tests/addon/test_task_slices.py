"""How long slices of work are beside the redraws that follow them."""

import pytest

from addon.ops.task import DRAWING_PART, LONGEST_SLICE, SLICE_SECONDS, Task, slice_after


@pytest.mark.parametrize("waited", [-0.01, 0.0, 0.005, 0.02, 0.1, 0.19, 0.2])
def test_redraws_take_at_most_a_third_of_the_time(waited):
    work = slice_after(waited)
    assert SLICE_SECONDS <= work <= LONGEST_SLICE
    assert max(waited, 0.0) <= DRAWING_PART * (work + max(waited, 0.0)) + 1e-9


def test_a_very_dear_redraw_does_not_make_a_window_that_no_longer_answers():
    assert slice_after(60.0) == LONGEST_SLICE


def test_a_task_runs_as_long_as_it_is_told():
    from types import SimpleNamespace

    task = Task(SimpleNamespace(fraction=k / 9, text="step") for k in range(9))
    task.slice_seconds = 60.0
    assert task.run_slice() and task.finished
