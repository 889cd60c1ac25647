"""What a list of 100,000 pairs costs: filtering, sorting, selecting, turning pages, and memory.

    python tests/window/long_list.py [ROWS]                        # with Blender's module bpy: what the extension does
    python tests/window/run.py --blender 5.2 --scenario long_list  # the same in a window, with the redraw after it

The pairs are made up, their objects are in the scene; the time of an act is the median of `TIMES`.
"""

from __future__ import annotations

import gc
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np

ROWS, OBJECTS, TIMES = 100_000, 450, 5
REVIEWED = 5000  # pairs that have a status
VERDICTS = ("clash", "touching", "contained", "duplicate")
SHARES = (0.4, 0.55, 0.04, 0.01)
SPACING = 3.0


def modules(find: Callable[[str], ModuleType]) -> SimpleNamespace:
    """The modules of the extension that are measured."""
    names = (
        "results",
        "scene_results",
        "meshclash.clash.pair_row",
        "meshclash.clash.report",
        "meshclash.clash.options",
        "meshclash.clash.review.revisions",
        "overlay.draw",
        "overlay.render_data",
    )
    return SimpleNamespace(**{name.rpartition(".")[2]: find(name) for name in names})


def make_objects() -> None:
    """Cubes with one mesh, named as assemblies name their parts."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    bpy.ops.mesh.primitive_cube_add()
    mesh = bpy.context.object.data
    bpy.data.objects.remove(bpy.context.object)
    side = int(np.ceil(np.sqrt(OBJECTS)))
    for k in range(OBJECTS):
        item = bpy.data.objects.new(f"Assembly.Bolt.M8.{k:04}", mesh)
        item.location = SPACING * (k % side), SPACING * (k // side), 0.0
        bpy.context.scene.collection.objects.link(item)
    bpy.context.view_layer.update()


def make_report(addon: SimpleNamespace, count: int) -> Any:
    """A report of so many pairs of these objects, each with two triangles a side and four segments."""
    rng = np.random.default_rng(16)
    items = list(bpy.context.scene.objects)
    pairs = list(itertools.islice(itertools.combinations(items, 2), count))
    verdicts = rng.choice(len(VERDICTS), len(pairs), p=SHARES)
    depths = np.sort(rng.random(len(pairs)))[::-1]
    rows = []
    for at, (a, b) in enumerate(pairs):
        place = np.array(a.location, np.float32)
        corners = rng.random((4, 3, 3), np.float32) + place
        sides = [
            addon.pair_row.PairSide(
                item.name, item.name, item.name, np.arange(faces, dtype=np.int32), highlight=triangles
            )
            for item, faces, triangles in ((a, 2, corners[:2]), (b, at % 9, corners[2:]))
        ]
        rows.append(addon.pair_row.PairRow(
            addon.revisions.pair_id(a.name, b.name), *sides, 1, VERDICTS[verdicts[at]], 2, 4,
            location=tuple(place.tolist()), depth=float(depths[at]), curves=corners[:, :2],
        ))  # fmt: skip
    options = addon.options.DetectOptions()
    stats = {"seconds": 1.0, "timings": {}, "objects": OBJECTS, "triangles": 12 * OBJECTS, "volume_tests": 0,
             "primitive_tests": 0, "exact_tests": 0}  # fmt: skip
    return addon.report.DetectReport("", 1.0, options, rows, [], stats)


def review(addon: SimpleNamespace) -> None:
    """Gives pairs all over the list statuses, every other one of them is approved."""
    rows = addon.scene_results.existing_result(bpy.context.scene.session_uid).report.rows
    for at, row in enumerate(rows[:: max(1, len(rows) // REVIEWED)]):
        item = bpy.context.scene.meshclash.reviews.add()
        item.name, item.name_a, item.name_b = row.id, row.a.name, row.b.name
        item.status = ("APPROVED", "REVIEWED")[at % 2]
    addon.results.list_again(bpy.context)


def acts(addon: SimpleNamespace) -> dict[str, list[Callable[[], object]]]:
    """What is timed: of each act its turns, one of which is done at a time."""
    listed = bpy.context.window_manager.meshclash

    def set_to(name: str, *values: object) -> list[Callable[[], object]]:
        return [lambda value=value: setattr(listed, name, value) for value in values]

    def select(place: int) -> Callable[[], object]:
        rows = addon.scene_results.existing_result(bpy.context.scene.session_uid).report.rows
        return lambda: addon.results.select_pair(bpy.context, rows[place % len(rows)].id)

    return {
        "search names": set_to("search", "0123", "bolt 0007 m8", "", "44", ""),
        "filter verdicts": set_to("show_clash", False, True),
        "filter statuses": set_to("statuses", {"REVIEWED"}, {"OPEN", "APPROVED"}, set(listed_statuses(listed))),
        "sort by A, B": set_to("sort_key", "A", "B"),
        "sort by faces, depth": set_to("sort_key", "FACES", "MEASURE"),
        "sort by status, worst": set_to("sort_key", "STATUS", "WORST"),
        "turn round": set_to("sort_reverse", True, False),
        "turn pages": set_to("page", 250, 2, 499, 1),
        "select a pair, alone": [*set_to("around", "ISOLATE"), *(select(k) for k in (5, 77_777, 41))][1:],
        "select a pair, among all": [*(select(k) for k in (50_000, 99_999, 7))],
    }  # fmt: skip


def listed_statuses(listed: Any) -> list[str]:
    """All statuses."""
    return [item.identifier for item in listed.bl_rna.properties["statuses"].enum_items]


def prepare(addon: SimpleNamespace, name: str) -> None:
    """Sets what an act needs beforehand."""
    bpy.context.window_manager.meshclash.around = "ISOLATE" if name.endswith("alone") else "ALL"


def resident() -> float:
    """Megabytes that this process holds."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096 / 1e6


def memory(addon: SimpleNamespace, count: int) -> dict[str, float]:
    """Makes and shows the report; megabytes that the process holds more after each step."""
    gc.collect()
    before = resident()
    report = make_report(addon, count)
    made = resident()
    addon.results.show_report(bpy.context, bpy.context.scene, report)
    shown = resident()
    joined = addon.render_data.JoinedRows(report.rows)
    table = addon.scene_results.existing_result(bpy.context.scene.session_uid).table
    return {
        "report [MB]": round(made - before, 1), "list [MB]": round(shown - made, 1),
        "of that columns [MB]": round(table.nbytes / 1e6, 1), "drawn arrays [MB]": round(joined.nbytes / 1e6, 1),
    }  # fmt: skip


def _arrays_only(signature: tuple[object, ...], data: Any) -> SimpleNamespace:
    """Instead of batches, where there is no GPU: the arrays of which they are made."""
    from addon.overlay import render_data

    return SimpleNamespace(signature=signature, curves=render_data.line_groups(data.curves, data.curve_rows))


def main(count: int) -> None:
    """Measures in Blender's module and prints a table."""
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "engine")]
    import importlib

    bpy.ops.wm.read_factory_settings(use_empty=True)
    package = importlib.import_module("addon")
    package.register()
    addon = modules(lambda name: importlib.import_module(name if name.startswith("meshclash.") else f"addon.{name}"))
    make_objects()
    print(f"Blender {bpy.app.version_string}, {count:,} rows, {memory(addon, count)}")
    review(addon)
    addon.draw._make_batches = _arrays_only
    for name, turns in acts(addon).items():
        prepare(addon, name)
        spent, drawn = [], []
        for turn in itertools.islice(itertools.cycle(turns), TIMES * len(turns)):
            begin = time.thread_time()
            turn()
            spent.append(time.thread_time() - begin)
            result = addon.scene_results.existing_result(bpy.context.scene.session_uid)
            addon.draw._current_batches(bpy.context, bpy.context.scene.meshclash, result)
            drawn.append(time.thread_time() - begin)
        row = (1e3 * value for value in (statistics.median(spent), max(spent), statistics.median(drawn), max(drawn)))
        print("{:<26} list {:6.1f} ms, at most {:6.1f}; with the overlay's arrays {:6.1f}, {:6.1f}".format(name, *row))
    package.unregister()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
