"""The order of the list and the report are never of different ages, whatever is done in whatever sequence."""

import os
from dataclasses import replace

import bpy
import numpy as np
import pytest
from ui_fakes import draw, make_report, make_row, unequal_ages

from addon import results, reviews, scene_results
from addon.handlers import on_load_post, on_save_pre, on_undo
from addon.ops.way_out import MESHCLASH_OT_find_ways_out
from addon.ui import groups, panels

SEED = int(os.environ.get("MESHCLASH_SEED", "0"))
NAMES = [f"Part {k}" for k in range(9)]


class Session:
    """One scene whose results are replaced by what a user and Live do."""

    def __init__(self, seed):
        self.rng, self.done = np.random.default_rng(seed), []
        self.scene, self.listed = bpy.context.scene, bpy.context.window_manager.meshclash

    @property
    def uid(self):
        return self.scene.session_uid

    def report(self):
        count = int(self.rng.integers(0, 30))
        pairs = {tuple(sorted(self.rng.choice(9, 2, replace=False).tolist())) for _ in range(count)}
        verdicts = ("clash", "touching", "contained")
        rows = [
            make_row(NAMES[a], NAMES[b], verdicts[int(self.rng.integers(3))], float(self.rng.uniform(0.001, 1.0)))
            for a, b in sorted(pairs)
        ]
        return make_report(*sorted(rows, key=lambda row: row.order))

    def detect(self):
        results.show_report(bpy.context, self.scene, self.report())

    def live(self):
        results.show_live(bpy.context, self.uid, self.report(), False)

    def list_live(self):
        if scene_results.result_of(self.uid) is not None:
            results.list_live(bpy.context, self.uid)

    def live_ends(self):
        scene_results.live_ended(self.uid, frozenset(), None)
        results.list_live(bpy.context, self.uid)

    def undo(self):
        on_undo(self.scene)

    def exclude(self):
        some = self.rng.choice(9, 2, replace=False)
        item = self.scene.meshclash.excluded_pairs.add()
        item.name_a, item.name_b = (NAMES[k] for k in some)
        results.follow_exclusions(bpy.context, self.scene)

    def include_by_undo(self):
        self.scene.meshclash.excluded_pairs.clear()
        on_undo(self.scene)

    def excluded_while_another_scene_is_listed(self):
        self.scene.meshclash.excluded_pairs.clear()
        scene_results.exclude(self.uid, self.scene.meshclash.excluded_names)

    def reload(self):
        on_save_pre()
        on_load_post()

    def refine(self):
        result = scene_results.result_of(self.uid)
        if result is not None and result.report.rows:
            some = self.rng.choice(len(result.report.rows), 3)
            rows = [result.report.rows[k] for k in some.tolist()]
            scene_results.refine(self.uid, [replace(row, depth=float(self.rng.uniform(0, 1))) for row in rows])

    def sort_refined(self):
        results.sort_refined(bpy.context, self.uid)

    def sort_without_list(self):
        scene_results.sort_again(self.uid)

    def check_again(self):
        result = scene_results.result_of(self.uid)
        if result is not None and result.report.rows:
            row = result.report.rows[int(self.rng.integers(len(result.report.rows)))]
            scene_results.replace_pair(self.uid, row.id, [row] * int(self.rng.integers(0, 2)))
            results.relist(bpy.context, self.scene, self.listed.selected)

    def ask(self):
        self.listed.sort_key = ("WORST", "A", "MEASURE", "GROUP", "STATUS")[int(self.rng.integers(5))]
        self.listed.search = ("", "Part 3", "nothing", "1")[int(self.rng.integers(4))]

    def choose(self):
        count = len(self.listed.rows)
        self.listed.active_row = int(self.rng.integers(-1, count)) if count else -1

    def choose_group(self):
        count = len(self.listed.groups)
        self.listed.active_group = int(self.rng.integers(-1, count)) if count else -1

    def say(self):
        rows = results.chosen_rows(bpy.context)
        reviews.say(self.scene, rows[:2], status="APPROVED")
        results.list_said(bpy.context)

    def clear(self):
        scene_results.drop_result(self.uid)

    def clear_list(self):
        results.clear_list(bpy.context)

    def check(self):
        """Whatever a panel or a poll asks can be answered, and by the report of now."""
        assert not unequal_ages(bpy.context)
        result = scene_results.result_of(self.uid)
        MESHCLASH_OT_find_ways_out.poll(bpy.context)
        results.neighbour(bpy.context)
        if result is not None:
            draw(panels.MESHCLASH_PT_results, bpy.context)
        if groups.MESHCLASH_PT_groups.poll(bpy.context):
            draw(groups.MESHCLASH_PT_groups, bpy.context)


OPERATIONS = [name for name in vars(Session) if not name.startswith("_") and name not in ("report", "uid", "check")]


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_300_operations_in_any_order(registered, seed):
    session = Session(seed)
    for _ in range(300):
        name = OPERATIONS[int(session.rng.integers(len(OPERATIONS)))]
        session.done.append(name)
        try:
            getattr(session, name)()
            session.check()
        except Exception as error:
            raise AssertionError(f"after {session.done[-8:]}") from error


def test_the_list_is_sorted_by_what_it_shows_once_all_is_refined_and_stays_so(registered):
    rows = [make_row("A", name, depth=depth) for name, depth in (("B", 0.93), ("C", 0.8), ("D", 0.7))]
    results.show_report(bpy.context, bpy.context.scene, make_report(*rows))
    uid, listed = bpy.context.scene.session_uid, bpy.context.window_manager.meshclash
    results.select_pair(bpy.context, rows[1].id)
    scene_results.refine(uid, [replace(rows[2], depth=1.5)])
    results.show_refined(bpy.context, uid)
    assert [row.name_b for row in listed.rows] == ["B", "C", "D"]
    results.list_said(bpy.context)
    assert [row.name_b for row in listed.rows] == ["B", "C", "D"]
    results.sort_refined(bpy.context, uid)
    assert [row.name_b for row in listed.rows] == ["D", "B", "C"]
    assert listed.selected == rows[1].id and listed.active_row == 2
