"""Live in Blender without a window: its modal operator with events made by hand, compared with Detect."""

from functools import partial
from types import SimpleNamespace

import bpy
import numpy as np
from meshclash.clash.job import detect_steps
from meshclash.clash.verdicts import APART
from meshclash.types.steps import run_to_end
from ui_fakes import escape, timer

from addon import scene_results
from addon.adapters.source import BlenderSource
from addon.ops import live


class LiveDriver:
    """What `invoke` and Blender's event loop do, with a stand-in for the operator; one step a tick on any machine."""

    def __init__(self):
        self.reports = []
        self.operator = SimpleNamespace(
            run=live.LiveRun(bpy.context), report=lambda kind, text: self.reports.append((*kind, text))
        )
        self.run = self.operator.run
        self.run.live.run_slice = partial(self.run.live.run_slice, 0.0)

    def send(self, event):
        return live.MESHCLASH_OT_live.modal(self.operator, bpy.context, event)

    def tick(self, times=1):
        """Sends timer events; False once Live has ended."""
        return all(self.send(timer()) == {"PASS_THROUGH"} for _ in range(times))

    def escape(self):
        return self.send(escape())

    def until(self, condition):
        """Sends timer events until a condition holds, however many that takes."""
        for _ in range(100_000):
            if condition():
                return
            if not self.tick():
                raise AssertionError(f"Live has stopped: {self.reports}")
        raise AssertionError("what is waited for does not happen")

    def settle(self):
        """Evaluates the scene and runs until there is nothing left to do; returns the rows of the answer."""
        bpy.context.view_layer.update()
        self.tick()
        self.until(lambda: not (self.run.live.busy or self.run._unlisted))
        result = scene_results.result_of(self.run.scene_uid)
        return result.report.rows if result else []


def detected(engine):
    """The rows that a fresh detection of the context's scene finds; none where it has nothing to test."""
    scene = bpy.context.scene
    options = scene.meshclash.checked_options(1.0)
    frame = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
    if not (frame.objects or frame.scans):
        return []
    return run_to_end(detect_steps(BlenderSource.from_context(bpy.context), options, engine)).rows


def described(rows):
    """What two runs must agree on, whatever the order in which the engine has the objects."""
    return sorted(_described_row(row) for row in rows)


def _described_row(row):
    distance = None if row.distance is None else f"{row.distance:.6g}"
    if row.verdict == APART:  # which of several nearest faces is named is open
        return row.id, row.a.name, row.b.name, row.verdict, distance
    return (
        row.id, row.a.name, row.b.name, row.verdict, distance, row.a.faces.tolist(), row.b.faces.tolist(),
        row.a.points.tolist(), row.b.points.tolist(),
        np.sort(row.a.highlight.ravel()).tobytes(), np.sort(row.b.highlight.ravel()).tobytes(),
    )  # fmt: skip
