"""The overlay without a window: nothing is installed; batches are made once per signature."""

from types import SimpleNamespace

import bpy
from ui_fakes import make_report, make_row

from addon import results, session
from addon.overlay import draw


def test_nothing_is_installed_in_background(registered):
    assert bpy.app.background
    assert draw._State.handles == ()


def test_nothing_is_drawn_without_results_or_when_switched_off(registered, monkeypatch):
    made = []
    monkeypatch.setattr(draw, "_current_batches", lambda *_args: made.append(1))
    draw._draw(draw._draw_result)
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    bpy.context.scene.meshclash.overlay = False
    draw._draw(draw._draw_result)
    assert made == []


def test_batches_are_made_anew_only_when_the_signature_changes(registered, monkeypatch):
    made = []

    def make(signature, data):
        made.append(len(data.faces_a))
        return SimpleNamespace(signature=signature)

    monkeypatch.setattr(draw, "_make_batches", make)
    context, settings = bpy.context, bpy.context.scene.meshclash
    touching = make_row(b="C", verdict="touching")
    results.show_report(context, context.scene, make_report(make_row(), touching))

    def current():
        return draw._current_batches(context, settings, session.result_of(context.scene.session_uid))

    assert current() is current()
    assert made == [3]
    context.window_manager.meshclash.isolate = False
    context.window_manager.meshclash.active_row = 1
    current()
    settings.overlay_xray = False  # no matter of arrays
    current()
    assert made == [3, 6]
    settings.overlay_scope = "ACTIVE"
    current()
    assert made == [3, 6, 3]
    settings.overlay_scope = "ALL"
    context.window_manager.meshclash.isolate = True  # an isolated pair is drawn alone
    current()
    assert made == [3, 6, 3]


def test_a_pair_that_grows_stale_changes_its_colour(registered, monkeypatch):
    made = []

    def make(signature, data):
        made.append((len(data.faces_a), len(data.faces_b), len(data.curves), len(data.stale)))
        return SimpleNamespace(signature=signature)

    monkeypatch.setattr(draw, "_make_batches", make)
    context, uid = bpy.context, bpy.context.scene.session_uid
    results.show_report(context, context.scene, make_report(make_row(), make_row(b="C")))
    for names in ((), ("C",), ("C", "nobody"), ("A",)):
        session.mark_stale(uid, names)
        draw._current_batches(context, context.scene.meshclash, session.result_of(uid))
    assert made == [(6, 12, 4, 0), (3, 6, 2, 9), (3, 6, 2, 9), (0, 0, 0, 18)]


def test_passes():
    assert draw._passes(False, 0.3) == (("LESS_EQUAL", 1.0),)
    assert draw._passes(True, 0.3) == (("GREATER", 0.3), ("LESS_EQUAL", 1.0))
