"""What a review of 100,000 pairs in 500 groups costs: the median and worst of `TIMES` of each act, and memory.

python tests/addon/long_review.py [ROWS]    # with Blender's module bpy
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "engine"), str(ROOT / "tests" / "addon")]
# ruff: noqa: E402 - a checkout is no package

import bpy  # isort: skip
import numpy as np
from meshclash.clash.options import DetectOptions
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.clash.report import DetectReport
from meshclash.clash.review.revisions import Identity, pair_id
from ui_fakes import draw

import addon
from addon import histories, scene_results
from addon.ops import detect
from addon.ops.task import Task
from addon.ui import groups, panels

ROWS, GROUPS, TIMES = 100_000, 500, 5


def make_report(count: int) -> DetectReport:
    """Pairs of `GROUPS` families of posts with a slab of its own each."""
    rng = np.random.default_rng(34)
    rows, revision = [], []
    empty = np.empty(0, np.int32)
    options = DetectOptions()
    box = np.array([[0.0, 0, 0], [1, 1, 1]])
    for group in range(GROUPS):
        slab = f"Slab {chr(65 + group // 26)}{chr(65 + group % 26)}"
        names = [f"Post {slab[5:]}.{k:03}" for k in range(count // GROUPS)]
        revision += [Identity(f"\0{name}", name, box, 12, 6.0) for name in (slab, *names)]
        for name in names:
            a, b = (PairSide(text, text, text, empty, counted=4) for text in (name, slab))
            depth = float(rng.uniform(0.1, 0.2))
            key = pair_id(f"\0{name}", f"\0{slab}")
            rows.append(PairRow(key, a, b, 1, "clash", 4, 8, tuple(rng.random(3)), depth, depth, depth))
    rows.sort(key=lambda row: row.order)
    stats = {"seconds": 1.0, "timings": {}, "objects": len(revision), "triangles": 0, "volume_tests": 0,
             "primitive_tests": 0, "exact_tests": 0}  # fmt: skip
    tested = [item.name for item in revision]
    return DetectReport("", 1.0, options, rows, [], stats, tested=tested, revision=revision)


def timed(act: Callable[[], object]) -> float:
    """Milliseconds of processor time of an act with the drawing after it."""
    started = time.process_time()
    act()
    for panel in (panels.MESHCLASH_PT_results, groups.MESHCLASH_PT_groups):
        draw(panel, bpy.context)
    return 1000.0 * (time.process_time() - started)


def detected(scene: bpy.types.Scene, report: DetectReport) -> str:
    """What a detection takes after its last pair: processor time of all steps, of the longest one, and of the end."""
    task = Task(detect.answer_steps(scene.session_uid, found(report), "cause"))
    times = []
    while not task.ended:
        started = time.process_time()
        task.run_slice(0.0)
        times.append(time.process_time() - started)
    started = time.process_time()
    detect.accept(bpy.context, scene.session_uid, task.result)
    end = time.process_time() - started
    return f"{sum(times):6.2f} s in steps, the longest {max(times):.2f} s; at the end {end:.2f} s"


def found(report: DetectReport) -> Generator[None, None, DetectReport]:
    """A detection whose work is done."""
    yield from ()
    return report


def resident() -> int:
    """Bytes of this process in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def acts() -> dict[str, list[Callable[[], object]]]:
    """What is timed: of each act its turns."""
    listed = bpy.context.window_manager.meshclash

    def status(value: str) -> Callable[[], object]:
        return lambda: bpy.ops.meshclash.set_listed_status(status=value)

    def put(name: str, value: object) -> Callable[[], object]:
        return lambda: setattr(listed, name, value)

    return {
        "choose a group": [put("active_group", k) for k in (3, 77, 400, 12, 250)],
        "status of the group": [status(value) for value in ("REVIEWED", "APPROVED", "RESOLVED", "OPEN", "APPROVED")],
        "all pairs again": [bpy.ops.meshclash.list_all],
        "next item": [lambda: bpy.ops.meshclash.step_pair(step=1)],
        "filter by name": [put("search", text) for text in ("Slab CC", "", "Post B", "", "Slab DD", "")],
        "filter by status": [put("statuses", {"APPROVED"}), put("statuses", {"OPEN", "APPROVED"})],
        "filter by progress": [put("progress", {"ACTIVE"}), put("progress", {"NEW"}), put("progress", set())],
        "sort by group": [put("sort_key", "GROUP"), put("sort_key", "WORST")],
        "sort by progress": [put("sort_key", "PROGRESS"), put("sort_key", "WORST")],
        "sort by assignee": [put("sort_key", "ASSIGNEE"), put("sort_key", "WORST")],
    }  # fmt: skip


def main() -> None:
    """Prints a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon.register()
    scene, report = bpy.context.scene, make_report(count)
    bpy.context.window_manager.meshclash.around = "ALL"
    before = resident()
    for turn in ("first Detect", "second Detect"):
        print(f"{turn:24} {detected(scene, report)}")
    print(f"{len(report.rows):,} rows in {len(bpy.context.window_manager.meshclash.groups)} groups")
    print(f"memory: history, list and groups {(resident() - before) / 1e6:.0f} MB")
    assert len(scene_results.existing_result(scene.session_uid).report.rows) == count
    print(f"{'act, with drawing':24} {'median':>8}    {'worst':>8}")
    for name, turns in acts().items():
        times = [timed(turns[k % len(turns)]) for k in range(max(TIMES, len(turns)))]
        print(f"{name:24} {statistics.median(times):8.1f} ms {max(times):8.1f} ms")
    started = time.perf_counter()
    histories.before_save()
    milliseconds, size = 1000.0 * (time.perf_counter() - started), len(scene.meshclash.history) / 1e6
    print(f"{'into the file':24} {milliseconds:8.1f} ms, {size:.1f} MB")


if __name__ == "__main__":
    main()
