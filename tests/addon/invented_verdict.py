"""Run in a process of its own, with a copy of the extension whose table of verdicts has one entry more.

Given: the folder of the copy, the entry's name. The engine of this process says it of every pair that clashes.
"""

import json
import sys
from types import SimpleNamespace

import bpy
import ui_fakes

folder, invented = sys.argv[1:]
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)

import addon  # noqa: E402

assert addon.__path__ == [f"{folder}/addon"]
from conftest import _add_box as add_box  # noqa: E402
from meshclash.clash.job import detect_steps  # noqa: E402
from meshclash.clash.options import DetectOptions  # noqa: E402
from meshclash.types.steps import run_to_end  # noqa: E402

from addon import engine as loader  # noqa: E402
from addon import results  # noqa: E402
from addon.adapters.source import BlenderSource  # noqa: E402
from addon.core import saved  # noqa: E402
from addon.ops.detect import summary  # noqa: E402
from addon.ui import lists, panels  # noqa: E402


def saying_it(original):
    """What the engine's watch tells, with another verdict."""

    def take_changes(watch):
        changes = original(watch)
        for pair in changes.found.values():
            pair.verdict = SimpleNamespace(name=invented.upper(), severity=2)
            pair.depth = pair.depth_lower = pair.depth_upper = 0.5
        return changes

    return take_changes


engine = loader.load()
engine.motion.LiveContacts.take_changes = saying_it(engine.motion.LiveContacts.take_changes)
addon.register()
for name, x in (("A", 0.0), ("B", 0.5)):
    add_box(name, (x, 0, 0), (x + 1, 1, 1))
bpy.context.view_layer.update()
report = run_to_end(detect_steps(BlenderSource.from_context(bpy.context), DetectOptions(), engine))
results.show_report(bpy.context, bpy.context.scene, report)
listed = bpy.context.window_manager.meshclash
before, listed.filling = len(listed.rows), False
panel = ui_fakes.draw(panels.MESHCLASH_PT_results, bpy.context)
line = ui_fakes.RecordingLayout()
lists.MESHCLASH_UL_pairs.draw_item(None, bpy.context, line, listed, listed.rows[0], 0, listed, "active_row", 0)
setattr(listed, f"show_{invented}", False)
told = {
    "verdicts": [row.verdict for row in report.rows],
    "json": [pair["verdict"] for pair in json.loads(report.to_json())["pairs"]],
    "csv": invented in report.to_csv(),
    "html": f".verdict.{invented}" in report.to_html(),
    "table": invented in report.to_table(),
    "saved": [row.verdict for row in saved.from_text(saved.to_text(report), "", 1.0).rows],
    "fails": len(report.clashes),
    "summary": summary(report),
    "panel": panel.texts(),
    "icons": [given["icon"] for _, _, given in line.calls if given.get("icon")],
    "listed": [before, len(listed.rows)],
}
addon.unregister()
print("told " + json.dumps(told), flush=True)
