"""What lives as long as the session: results keyed by scene, one task at a time."""

import numpy as np
import pytest
from meshclash.clash.frame_scene import Progress
from ui_fakes import make_report, make_row

from addon import handlers, running_work, scene_results
from addon.ops.task import Task


@pytest.fixture(autouse=True)
def _fresh_session():
    handlers.forget_file()
    yield
    handlers.forget_file()


def test_results_are_kept_per_scene():
    first = scene_results.store_result(1, make_report(make_row()))
    second = scene_results.store_result(2, make_report())
    assert scene_results.result_of(1) is first
    assert scene_results.result_of(2) is second
    scene_results.drop_result(1)
    assert scene_results.result_of(1) is None


def test_every_result_has_its_own_serial():
    first = scene_results.store_result(1, make_report())
    assert scene_results.store_result(1, make_report()).serial != first.serial


def test_counts_are_made_once_when_stored():
    result = scene_results.store_result(
        1, make_report(make_row(), make_row(b="C"), make_row(b="D", verdict="touching"))
    )
    assert (result.counts["clash"], result.counts["touching"], result.counts["duplicate"]) == (2, 1, 0)


def test_excluding_a_pair_keeps_the_others_and_brings_it_back_as_it_was_found():
    before = scene_results.store_result(1, make_report(make_row(), make_row(b="C")), loaded=True)
    assert scene_results.exclude(1, [("B", "A")])
    after = scene_results.result_of(1)
    assert [row.b.name for row in after.report.rows] == ["C"] and after.row(before.report.rows[0].id) is None
    assert after.serial != before.serial and after.loaded
    assert after.counts["clash"] == 1
    assert not scene_results.exclude(1, [("A", "B"), ("A", "nobody")])
    assert scene_results.exclude(1, [])
    assert scene_results.result_of(1).report.rows == before.report.rows
    assert not scene_results.exclude(2, [("A", "B")])  # there is no result


def test_an_instancer_stands_for_its_instances_when_it_is_excluded():
    rows = [make_row(a="I/Bolt[0]", owner_a="I"), make_row(a="I/Bolt[1]", owner_a="I"), make_row(a="Bolt")]
    scene_results.store_result(1, make_report(*rows))
    scene_results.exclude(1, [("B", "I")])
    assert [row.a.name for row in scene_results.result_of(1).report.rows] == ["Bolt"]


def test_a_row_is_found_by_its_id():
    result = scene_results.store_result(1, make_report(make_row()))
    assert result.row(result.report.rows[0].id).a.name == "A"
    assert result.row("unknown") is None


def test_only_one_task_runs():
    running_work.start_task(Task(iter_progress(3)))
    with pytest.raises(RuntimeError):
        running_work.start_task(Task(iter_progress(3)))


def test_clear_stops_the_task_and_drops_results():
    task = Task(iter_progress(3))
    running_work.start_task(task)
    scene_results.store_result(1, make_report())
    handlers.forget_file()
    assert task.ended and not task.finished
    assert running_work.running_task() is None and scene_results.result_of(1) is None


def test_task_runs_bounded_slices_and_returns_the_result():
    task = Task(iter_progress(5, result=np.arange(3)))
    slices = 0
    while not task.run_slice(seconds=0.0):
        slices += 1
    assert slices == 5
    assert task.finished and task.fraction == 1.0
    assert task.result.tolist() == [0, 1, 2]


def test_task_close_runs_the_cleanup_of_the_steps():
    log = []

    def steps():
        try:
            yield Progress(0.0, "a")
            yield Progress(0.5, "b")
        finally:
            log.append("clean")

    task = Task(steps())
    task.run_slice(seconds=0.0)
    task.close("stopped")
    task.close("again")
    assert log == ["clean"]
    assert task.stopped_because == "stopped"
    assert task.run_slice() is True


def test_task_passes_errors_on():
    def steps():
        yield Progress(0.0, "a")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        Task(steps()).run()


def iter_progress(count, result=None):
    for index in range(count):
        yield Progress(index / count, f"step {index}")
    return result
