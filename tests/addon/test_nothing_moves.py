"""No control of the tab moves while somebody reviews: 40 actions, and where each control is before and after."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from live_driver import LiveDriver
from ui_fakes import PlacedLayout

from addon import results, scene_results
from addon.ui import groups, panels

PANELS = (
    panels.MESHCLASH_PT_detect, panels.MESHCLASH_PT_exclusions, panels.MESHCLASH_PT_results, groups.MESHCLASH_PT_groups,
)  # fmt: skip


@pytest.fixture
def hall(registered, add_box):
    """Posts in a slab, and boxes that overlap elsewhere, by depths of all sizes."""
    add_box("Slab", (-5, -5, -1), (60, 5, 0))
    for k in range(9):
        add_box(f"Post.{k:03}", (3 * k, 0, -0.01 * (k + 1)), (3 * k + 1, 1, 2))
    for k in range(4):
        add_box(f"Pump with a very long name {k}", (3 * k, 20, 0), (3 * k + 2, 22, 2), (0.5 * k, 0.0, 0.0))
    add_box("Tank", (1, 21, 1), (14, 24, 4))
    bpy.context.view_layer.update()
    bpy.ops.meshclash.detect()
    return bpy.context.window_manager.meshclash


def placed(high):
    """Where each control of the panels is in a sidebar of some height [px], and how high the panels are."""
    region = SimpleNamespace(width=333, height=high)
    context = SimpleNamespace(
        area=None, region=region, preferences=bpy.context.preferences, scene=bpy.context.scene,
        window_manager=bpy.context.window_manager, active_object=None, view_layer=bpy.context.view_layer,
    )  # fmt: skip
    found = {}
    for panel in PANELS:
        layout = PlacedLayout()
        panel.draw(SimpleNamespace(layout=layout), context)
        found |= {(panel.__name__, *key): place for key, place in layout.places().items()}
        found[panel.__name__, "height"] = layout.height()
    return found


def jumps(before, after):
    return {key: (before[key], after[key]) for key in before.keys() & after.keys() if before[key] != after[key]}


class Hand:
    """What a reviewer does."""

    def __init__(self, listed, seed):
        self.listed, self.rng, self.live = listed, np.random.default_rng(seed), None

    def choose(self):
        self.listed.active_row = int(self.rng.integers(len(self.listed.rows)))

    def choose_none(self):
        self.listed.active_row = -1

    def say(self):
        if self.listed.active_row >= 0:
            status = ("OPEN", "REVIEWED", "APPROVED", "RESOLVED")[int(self.rng.integers(4))]
            bpy.ops.meshclash.set_status(status=status)

    def comment(self):
        if self.listed.active_row >= 0:
            bpy.context.scene.meshclash.comment = "seen"

    def exclude(self):
        if bpy.ops.meshclash.exclude_pair.poll():
            bpy.ops.meshclash.exclude_pair()

    def step(self):
        bpy.ops.meshclash.step_pair(step=1)

    def say_of_group(self):
        if self.listed.active_group >= 0:
            bpy.ops.meshclash.set_listed_status(status="REVIEWED")

    def search(self):
        self.listed.search = ("", "Post", "Pump")[int(self.rng.integers(3))]

    def sort(self):
        self.listed.sort_key = ("WORST", "MEASURE", "STATUS", "A")[int(self.rng.integers(4))]

    def filter(self):
        self.listed.show_touching = not self.listed.show_touching

    def list_all(self):
        if bpy.ops.meshclash.list_all.poll():
            bpy.ops.meshclash.list_all()

    def move(self):
        bpy.data.objects["Post.003"].location.z += 0.01
        bpy.context.view_layer.update()
        scene_results.mark_stale(bpy.context.scene.session_uid, ["Post.003"])

    def settings(self):
        bpy.context.scene.meshclash.skip_same_parent = not bpy.context.scene.meshclash.skip_same_parent

    def way_out(self):
        row = results.active_pair(bpy.context)
        if row is not None:
            scene_results.existing_result(bpy.context.scene.session_uid).ways[row.id] = (0.0, 0.1, 0.3)

    def live_on(self):
        if self.live is None:
            self.live = LiveDriver()
            self.live.tick(30)

    def live_off(self):
        if self.live is not None:
            self.live.escape()
            self.live = None

    def detect(self):
        if self.live is None:
            bpy.ops.meshclash.detect()


ACTIONS = [name for name in vars(Hand) if not name.startswith("_")]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("high", [500, 900])  # in a low sidebar Blender's list would grow with its rows
def test_40_actions_move_no_control(hall, seed, high):
    hand = Hand(hall, seed)
    hall.active_group = 0
    hall.active_row = 0
    before, found = placed(high), []
    for _ in range(40):
        name = ACTIONS[int(hand.rng.integers(len(ACTIONS)))]
        getattr(hand, name)()
        if hall.active_row < 0 and len(hall.rows):
            pass
        if not groups.MESHCLASH_PT_groups.poll(bpy.context):  # Live has no groups
            hand.live_off()
            bpy.ops.meshclash.detect()
        after = placed(high)
        found += [(name, *item) for item in jumps(before, after).items()]
        before = {**before, **after}
    hand.live_off()
    assert not found
