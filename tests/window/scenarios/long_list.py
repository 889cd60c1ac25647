"""A list of 100,000 pairs: every row is reached, and what acts on the list cost until the window is drawn again."""

import statistics
import time
from collections.abc import Generator
from typing import Any

import bpy
import long_list

from . import scenes


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    long_list.make_objects()
    scenes.show_all(window)
    yield from window.open_tab(width=420)
    addon = long_list.modules(window.module)
    window.notes["memory"] = long_list.memory(addon, long_list.ROWS)
    long_list.review(addon)
    yield 1.0
    yield from window.show("list")
    listed = bpy.context.window_manager.meshclash
    assert listed.found == listed.total == long_list.ROWS
    listed.page = addon.results.page_count(listed.found)
    last = addon.scene_results.existing_result(bpy.context.scene.session_uid).report.rows[-1]
    assert window.rows[-1].pair_id == last.id, "the last row is on the last page"
    yield from window.click_row(0)
    yield 0.5
    assert listed.selected == window.rows[0].pair_id
    yield from window.show("last_page")
    for name, turns in long_list.acts(addon).items():
        with window.context():
            long_list.prepare(addon, name)
        window.redraw()
        yield 0.1
        used = time.thread_time()
        idle = statistics.median(window.redraw() for _ in range(3))
        rest = (time.thread_time() - used) / 3
        acted, worked, drawn = [], [], []
        for turn in turns:
            begin, used = time.perf_counter(), time.thread_time()
            with window.context():
                turn()
            acted.append(time.perf_counter() - begin)
            drawn.append(acted[-1] + window.redraw())
            worked.append(time.thread_time() - used)
            yield 0.05
        window.notes[name] = (
            f"{1e3 * statistics.median(acted):.0f} ms, at most {1e3 * max(acted):.0f}; until drawn again "
            f"{1e3 * statistics.median(drawn):.0f}, of which a redraw without any change takes {1e3 * idle:.0f}; "
            f"processor time of both in Blender's thread {1e3 * statistics.median(worked):.0f}, "
            f"of which {1e3 * rest:.0f} without any change"
        )
    listed.search = "0123 0124"
    assert listed.found == 1 and window.rows[0].name == "Assembly.Bolt.M8.0123 × Assembly.Bolt.M8.0124"
    yield from window.show("found")
