"""The overlay without a window: nothing is installed; batches are made once per signature."""

import contextlib
from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import make_report, make_row

from addon import results, scene_results
from addon.overlay import draw, heat_map, lines, strip


def test_nothing_is_installed_in_background(registered):
    assert bpy.app.background
    assert not any(overlay.HANDLERS.installed for overlay in (draw, lines, heat_map, strip))


def test_nothing_is_drawn_without_results_or_when_switched_off(registered, monkeypatch):
    made = []
    monkeypatch.setattr(draw, "_current_batches", lambda *_args: made.append(1))
    draw._draw(draw._draw_result)
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    bpy.context.scene.meshclash.overlay = False
    draw._draw(draw._draw_result)
    assert made == []


@pytest.fixture
def made(registered, monkeypatch):
    """What batches are made of, as (triangles of A, of B, segments, stale triangles)."""
    log = []

    def make(signature, data):
        log.append(tuple(len(part) // size for part, size in
                         ((data.faces_a, 3), (data.faces_b, 3), (data.curves, 2), (data.stale, 3))))  # fmt: skip
        return SimpleNamespace(signature=signature)

    monkeypatch.setattr(draw, "_make_batches", make)
    return log


def current():
    context = bpy.context
    result = scene_results.result_of(context.scene.session_uid)
    return draw._current_batches(context, context.scene.meshclash, result)


def test_batches_are_made_anew_only_when_something_else_is_to_be_seen(made):
    context, settings, listed = bpy.context, bpy.context.scene.meshclash, bpy.context.window_manager.meshclash
    touching = make_row(b="C", verdict="touching")
    results.show_report(context, context.scene, make_report(make_row(), touching))
    assert current() == current() and made == [(1, 2, 1, 0)]
    listed.around = "ALL"
    listed.active_row = 1  # drawn beside all clashes, which stay as they are
    assert len(current()) == 2 and made[1:] == [(1, 2, 1, 0)]
    settings.overlay_xray = False  # no matter of arrays
    listed.sort_key, listed.sort_reverse = "FACES", True
    assert len(current()) == 2 and len(made) == 2
    settings.overlay_scope = "ACTIVE"
    assert len(current()) == 1 and len(made) == 2
    settings.overlay_scope = "ALL"
    listed.around = "ISOLATE"  # an isolated pair is drawn alone
    assert len(current()) == 1 and len(made) == 2
    listed.around = "ALL"
    listed.search = "nobody"  # what is not listed is not drawn, but the selected pair is
    assert len(current()) == 2 and made[2:] == [(0, 0, 0, 0)]


def test_statuses_decide_what_is_drawn_where_the_list_asks_for_them(made):
    context, listed = bpy.context, bpy.context.window_manager.meshclash
    results.show_report(context, context.scene, make_report(make_row(), make_row(b="C")))
    listed.around, listed.active_row = "ALL", 0
    current()
    bpy.ops.meshclash.set_status(status="REVIEWED")
    current()
    assert len(made) == 2
    listed.statuses = {"REVIEWED"}
    current()
    assert made[2:] == [(1, 2, 1, 0)]
    bpy.ops.meshclash.set_status(status="OPEN")
    current()
    assert made[3:] == [(0, 0, 0, 0)]


def test_a_pair_that_grows_stale_changes_its_colour(made):
    context, uid = bpy.context, bpy.context.scene.session_uid
    results.show_report(context, context.scene, make_report(make_row(), make_row(b="C")))
    for names in ((), ("C",), ("C", "nobody"), ("A",)):
        scene_results.mark_stale(uid, names)
        current()
    assert made == [(2, 4, 2, 0), (1, 2, 1, 3), (1, 2, 1, 3), (0, 0, 0, 6)]


def test_the_selected_pair_stands_out_and_dots_of_others_are_hidden_by_what_lies_before_them(made, monkeypatch):
    context, listed, looks = bpy.context, bpy.context.window_manager.meshclash, []
    monkeypatch.setattr(draw, "restored_state", contextlib.nullcontext)
    monkeypatch.setattr(draw, "_draw_batches", lambda _view, _batches, look, _settings: looks.append(look))
    results.show_report(context, context.scene, make_report(make_row(), make_row(b="C")))
    listed.around = "ALL"
    for row, expected in ((-1, [(1.0, False)]), (0, [(draw.BESIDE_SELECTED, False), (1.0, True)])):
        listed.active_row = row
        looks.clear()
        draw._draw(draw._draw_result)
        assert [(look.strength, look.in_front) for look in looks] == expected
    others, chosen = looks
    assert others.passes(0.5) == (("GREATER", 0.5 * draw.BESIDE_SELECTED), ("LESS_EQUAL", draw.BESIDE_SELECTED))
    assert chosen.passes(0.5) == draw.passes(True, 0.5)


def test_passes():
    assert draw.passes(False, 0.3) == (("LESS_EQUAL", 1.0),)
    assert draw.passes(True, 0.3) == (("GREATER", 0.3), ("LESS_EQUAL", 1.0))
