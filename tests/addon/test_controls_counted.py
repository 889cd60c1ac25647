"""How much the tab asks of a newcomer: controls that are open after the first Detect, and its height with a pair."""

from types import SimpleNamespace

import bpy
import pytest
from ui_fakes import RecordingLayout, make_report, make_row

from addon import results, ui
from addon.ui import panels as tab
from addon.ui.parts import TabPanel

MOST_CONTROLS = 25
CONTROLS = {"prop", "prop_enum", "operator", "operator_menu_enum", "popover", "menu", "template_list"}
WIDTH, HEIGHT = 300, 778  # of a sidebar [px at scale 1]
LINE, BIG, GAP, HEADER = 20.0, 30.0, 4.0, 26.0  # heights of a button, of a large one, between rows, of a panel's title
LIST_ROW, LIST_FRAME = 20.0, 12.0


@pytest.fixture
def pair(registered):
    """A result in which a clash is selected that has a status and a comment."""
    rows = [make_row(a=f"A long name of a part {number}", b=f"B {number}") for number in range(10)]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    listed = bpy.context.window_manager.meshclash
    listed.around, listed.active_row = "ALL", 0
    bpy.ops.meshclash.set_status(status="REVIEWED")
    bpy.context.scene.meshclash.comment = "Ask the engineer for another hole"
    return listed


def open_panels():
    """The panels of the tab that are open when it is first seen."""
    panels = [cls for cls in ui.CLASSES if issubclass(cls, TabPanel)]
    shown = [panel for panel in panels if not hasattr(panel, "poll") or panel.poll(context())]
    closed = {panel.__name__ for panel in shown if "DEFAULT_CLOSED" in getattr(panel, "bl_options", ())}
    inside = [panel for panel in shown if getattr(panel, "bl_parent_id", "") not in closed]
    return inside, [panel for panel in inside if panel.__name__ not in closed]


def context():
    """That of a sidebar of 300 px."""
    real = bpy.context
    return SimpleNamespace(
        scene=real.scene, window_manager=real.window_manager, preferences=real.preferences,
        active_object=real.active_object, view_layer=real.view_layer,
        region=SimpleNamespace(width=WIDTH, height=HEIGHT),
    )  # fmt: skip


def drawn(panel, method="draw"):
    layout = RecordingLayout()
    getattr(panel, method)(SimpleNamespace(layout=layout), context())
    return layout.calls


def controls_of(calls):
    """Each button counts; an enumeration that is spread out has as many as it has items."""
    found = 0
    for name, args, kwargs in calls:
        spread = name == "prop" and kwargs.get("expand")
        found += len(args[0].bl_rna.properties[args[1]].enum_items) if spread else name in CONTROLS
    return found


def test_after_the_first_detect_few_controls_are_open(registered):
    rows = [make_row(a=f"A {number}", b=f"B {number}") for number in range(10)]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    titles, panels = open_panels()
    assert {panel.bl_label for panel in panels} == {"Detect", "Results"}
    calls = [call for panel in panels for call in drawn(panel)]
    for panel in titles:
        for method in ("draw_header", "draw_header_preset"):
            if method in vars(panel) and panel.__name__ != "MESHCLASH_PT_detect":
                calls += drawn(panel, method)
    presets = 1  # Blender's own button in the title of Detect
    count = controls_of(calls) + presets
    assert 10 < count <= MOST_CONTROLS, count


def test_the_counting_sees_every_item_of_what_is_spread_out(registered):
    listed = bpy.context.window_manager.meshclash
    assert controls_of([("prop", (listed, "around"), {"expand": True}), ("label", (), {"text": "A"})]) == 3


def test_a_selected_pair_with_status_and_comment_fits_the_sidebar(pair, monkeypatch):
    """By the rows that are drawn down to the comment, with the titles above them: those of Detect, Options, Results."""
    monkeypatch.setattr(tab, "draw_pair_facts", lambda *_: None)
    height = 3 * HEADER
    for panel in open_panels()[1]:
        layout = MeasuredLayout()
        panel.draw(SimpleNamespace(layout=layout), context())
        height += layout.height()
    assert 400.0 < height <= HEIGHT, height


class MeasuredLayout:
    """A layout that knows how high what is drawn in it is; rows are as high as their highest part."""

    def __init__(self, across=False, gap=GAP):
        self.__dict__.update(across=across, gap=gap, parts=[], scale=1.0)

    def _add(self, part):
        self.parts.append(part)
        return part

    def row(self, align=False, **_):
        return self._add(MeasuredLayout(True))

    def split(self, **_):
        return self._add(MeasuredLayout(True))

    def column(self, align=False, **_):
        return self._add(MeasuredLayout(gap=0.0 if align else GAP))

    def box(self):
        return self._add(MeasuredLayout(gap=GAP))

    def grid_flow(self, columns=1, **_):
        return self._add(MeasuredGrid(columns))

    def template_list(self, *_args, rows=5, **_kwargs):
        self._add(rows * LIST_ROW + LIST_FRAME)

    def __getattr__(self, name):
        def drawn(*_args, **_kwargs):
            self._add(LINE)
            return SimpleNamespace()

        return drawn

    def __setattr__(self, name, value):
        self.__dict__["scale" if name == "scale_y" else name] = value

    def height(self):
        heights = [part if isinstance(part, float) else part.height() for part in self.parts]
        heights = [height for height in heights if height]
        whole = max(heights, default=0.0) if self.across else sum(heights) + self.gap * max(0, len(heights) - 1)
        return self.scale * whole


class MeasuredGrid(MeasuredLayout):
    """Parts in so many columns."""

    def __init__(self, columns):
        super().__init__()
        self.__dict__["columns"] = columns

    def height(self):
        return LINE * -(-len(self.parts) // self.columns)
