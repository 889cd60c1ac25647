"""Depths that get closer bounds while the list is read: where they stand, the looked at first, until something else."""

import bpy
import pytest
from ui_fakes import make_report, make_row

from addon import refining, results, scene_results
from addon.core import refining as core_refining
from addon.core.refining import Refinement, is_wide


@pytest.mark.parametrize(("lower", "upper", "wide"), [
    (None, None, False), (0.0, 0.002, True), (0.5, 1.0, True), (0.95, 1.0, False), (0.0, 0.0, False),
])  # fmt: skip
def test_what_is_wide(lower, upper, wide):
    assert is_wide(make_row(depth=lower or None, depth_lower=lower, depth_upper=upper)) == wide


@pytest.fixture
def found(registered, add_box, engine, monkeypatch):
    """A list of three clashes, whose depths become 0.01, 0.02, 0.03 in the order in which they are refined."""
    for k in range(4):
        add_box("ABCD"[k], (0, 0, 0), (1, 1, 1), (0.9 * k + 0.01 * k * k, 0.0, 0.0))
    bpy.context.view_layer.update()
    asked = []

    def refined(module, _scene, pair):
        asked.append(pair)
        depth = 0.01 * len(asked)
        return module.PairVerdict(0, 1, module.Verdict.CLASH, depth, depth, 1.05 * depth)

    monkeypatch.setattr(core_refining, "refined", refined)
    monkeypatch.setattr(core_refining, "is_wide", lambda row: row.verdict == "clash")
    monkeypatch.setattr(refining, "SLICE", 0.0)
    bpy.ops.meshclash.detect()
    uid = bpy.context.scene.session_uid
    followed, result = scene_results.known_followed(uid), scene_results.result_of(uid)
    refining._State.running = uid, result.found, Refinement(followed, result.found.rows)  # as in a window
    yield asked
    refining.end()


def listed():
    return {row.name: round(row.depth, 6) for row in bpy.context.window_manager.meshclash.rows}


def test_numbers_change_and_rows_stay_until_all_are_refined(found):
    before = list(listed())
    assert before == ["A × B", "B × C", "C × D"]
    while refining.work() is not None:
        assert list(listed()) == before
    assert listed() == dict(zip(before, (0.01, 0.02, 0.03), strict=True)) and len(found) == 3
    assert list(listed()) == before[::-1]
    bpy.context.window_manager.meshclash.sort_key = "MEASURE"
    assert list(listed()) == before[::-1]
    bpy.context.window_manager.meshclash.sort_key = "WORST"
    assert list(listed()) == before[::-1]
    assert refining.work() is None and len(found) == 3


def test_the_selected_pair_comes_first(found):
    results.select_pair(bpy.context, results.scene_results.result_of(bpy.context.scene.session_uid).report.rows[2].id)
    assert refining.work() is not None
    assert listed()["C × D"] == 0.01 and results.active_pair(bpy.context).depth == 0.01


def test_what_is_refined_stays_known_to_the_next_detection(found):
    while refining.work() is not None:
        pass
    bpy.ops.meshclash.detect()
    assert listed() == {"C × D": 0.03, "B × C": 0.02, "A × B": 0.01}


def test_another_list_ends_it(found):
    refining.work()
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    assert refining.work() is None and len(found) == 1
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert refining.work() is None


def test_an_excluded_pair_stays_out(found):
    bpy.context.window_manager.meshclash.active_row = 1
    bpy.ops.meshclash.exclude_pair()
    while refining.work() is not None:
        pass
    assert list(listed()) == ["A × B", "C × D"]
    bpy.ops.meshclash.include_pair()
    assert all(depth <= 0.03 for depth in listed().values()) and len(listed()) == 3
