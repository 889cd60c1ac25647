"""Texts of the tab fit their places, in every language, at the default width of a sidebar and in a narrow one."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from meshclash.clash.queries.registry import TESTS
from scans import add_scan
from ui_fakes import EDGES, PlacedLayout, make_report, make_row

from addon import histories, results, scene_results, translations, ui
from addon.texts import text_width
from addon.ui import groups, lists, panels, tests, timeline
from addon.ui.parts import TabPanel

ALWAYS = ("Timeline", "Scans", "Massive Model")  # need an animation, a scan or a massive file only to be shown
POPOVERS = panels.MESHCLASH_PT_filter, panels.MESHCLASH_PT_messages, panels.MESHCLASH_PT_gone
UNIT, HEADER = 20.0, 40.0  # [px at scale 1]: of the width of popovers, of a header without its texts
PANELS = tuple(cls for cls in ui.CLASSES if issubclass(cls, TabPanel))


@pytest.fixture
def filled(registered):
    rows = [make_row(a=f"Housing {k}", b=f"Bolt {k}", depth=0.0012 * (k + 1)) for k in range(10)]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    listed = bpy.context.window_manager.meshclash
    listed.active_row, listed.active_group = 0, 0
    return listed


def region_of(width, active=None):
    """The context in which the sidebar is drawn."""
    return SimpleNamespace(
        area=None, region=SimpleNamespace(width=width, height=900), preferences=bpy.context.preferences,
        scene=bpy.context.scene, window_manager=bpy.context.window_manager, active_object=active,
        view_layer=bpy.context.view_layer,
    )  # fmt: skip


def cut(width, active=None):
    """The texts that are cut: of all panels, of those that are only shown for some objects, popovers, and lists."""
    context, found = region_of(width, active), []
    for panel in PANELS:
        if panel.bl_label not in ALWAYS and hasattr(panel, "poll") and not panel.poll(context):
            continue
        layout = PlacedLayout()
        panel.draw(SimpleNamespace(layout=layout), context)
        found += [(panel.__name__, *text) for text in layout.cut(width, text_width)]
        found += cut_in_header(panel, context, width)
    for popover in POPOVERS:
        layout = PlacedLayout()
        popover.draw(SimpleNamespace(layout=layout), context)
        inside = popover.bl_ui_units_x * UNIT + EDGES
        found += [(popover.__name__, *text) for text in layout.cut(inside, text_width)]
    for kind, data, rows in lists_of(context):
        for index, item in enumerate(getattr(data, rows)):
            layout = PlacedLayout()
            kind.draw_item(*(None, context, layout, data, item, 0, data, "", index)[: arguments(kind)])
            found += [(kind.__name__, *text) for text in layout.cut(width - lists.FRAME + EDGES, text_width)]
    return found


def arguments(kind):
    """How many arguments the drawing of a row takes: the number of the row is left out where nothing needs it."""
    return kind.draw_item.__code__.co_argcount


def cut_in_header(panel, context, width):
    """What stands beside the title of a panel, where both need more than its width."""
    if not hasattr(panel, "draw_header_preset"):
        return []
    layout = PlacedLayout()
    panel.draw_header_preset(SimpleNamespace(layout=layout), context)
    texts = [text for _, text, _ in layout.shown()]
    beside = sum(text_width(text) for text in texts)
    room = width - EDGES - HEADER - text_width(translations.iface_(panel.bl_label, translations.CONTEXT))
    return [(panel.__name__, text, round(beside), round(room)) for text in texts if beside > room]


def lists_of(context):
    """The lists of the tab that have rows, with where these are."""
    listed, settings = context.window_manager.meshclash, context.scene.meshclash
    return (
        (lists.MESHCLASH_UL_pairs, listed, "rows"), (groups.MESHCLASH_UL_groups, listed, "groups"),
        (timeline.MESHCLASH_UL_events, listed, "events"), (tests.MESHCLASH_UL_tests, settings, "kept_tests"),
        (lists.MESHCLASH_UL_excluded, settings, "excluded_pairs"), (lists.MESHCLASH_UL_fits, settings, "fits"),
    )  # fmt: skip


@pytest.fixture(params=["en_US", "de_DE", "ja_JP"])
def language(request, monkeypatch):
    """A language without Blender's own mechanism, which has one until it starts anew."""
    known = translations.languages().texts.get(request.param, {})

    def said(text, _context=None):
        return known.get(text, text)

    for module in (translations, lists):
        monkeypatch.setattr(module, "iface_", said)
    return request.param


@pytest.fixture
def again(monkeypatch):
    """What a second detection may tell: many pairs that are new, reopened, still found, and gone."""
    counts = {"NEW": 1234, "REOPENED": 123, "STILL": 123, "ACTIVE": 7}
    monkeypatch.setattr(results, "progress_counts", lambda *_: counts)
    decision = SimpleNamespace(names=("Housing with a long name", "Bolt"), gone="2026-11-28T10:00:00")
    monkeypatch.setattr(histories, "gone", lambda _scene: [(f"pair {k}", decision) for k in range(1234)])
    monkeypatch.setattr(histories, "why_gone", lambda *_: "No longer found, because an object was moved or changed")


@pytest.mark.parametrize("width", [300, 333])
def test_no_text_is_cut(filled, again, language, width):
    found = cut(width)
    scene_results.mark_stale(bpy.context.scene.session_uid, ["Housing 1"])
    bpy.context.scene.meshclash.skip_same_parent = True
    found += cut(width)
    assert not found, sorted({*found})


@pytest.fixture
def passing(registered, add_box):
    """A scene in which B goes through A, with a scan and kept tests; its timeline is scanned."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    mover = add_box("Mover with a long name", (0, 0, 0), (1, 1, 1))
    for frame, x in ((1, -5.0), (9, 5.0)):
        mover.location.x = x
        mover.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 9
    bpy.ops.meshclash.scan_timeline()
    for name in ("Pipes and walls", "Everything that is near to something else"):
        bpy.ops.meshclash.keep_test(name=name)
    bpy.ops.meshclash.detect()
    bpy.context.window_manager.meshclash.active_row = 0
    assert scene_results.timeline_of(scene.session_uid).events
    return scene


@pytest.mark.parametrize("width", [300, 333])
def test_no_text_of_the_other_panels_is_cut(passing, language, width):
    scan = add_scan("Scan", np.zeros((3, 3)))
    found = cut(width, bpy.data.objects["A"]) + cut(width, scan)
    listed = bpy.context.window_manager.meshclash
    listed.active_event = 0
    passing.meshclash.timeline_own = True
    for name in TESTS:
        passing.meshclash.test = name
        found += cut(width, scan)
    assert not found, sorted({*found})
