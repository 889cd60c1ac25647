"""Scan Timeline in Blender without a window: its modal operators with events made by hand."""

from functools import partial
from types import SimpleNamespace

import bpy
from ui_fakes import escape, timer

from addon.ops import timeline


class Driver:
    """What `invoke` and Blender's event loop do, with a stand-in for the operator; one step a tick on any machine."""

    def __init__(self, cls=timeline.MESHCLASH_OT_scan_timeline):
        self.reports, self.cls = [], cls
        methods = {name: getattr(cls, name) for name in ("make", "take", "stopped", "_note") if hasattr(cls, name)}
        self.operator = SimpleNamespace(report=lambda kind, text: self.reports.append((*kind, text)))
        for name, method in methods.items():
            setattr(self.operator, name, method.__get__(self.operator))
        self.operator.run = self.run = timeline._Scan(bpy.context, self.operator.make(bpy.context))
        task = self.run.task
        task.run_slice = partial(task.run_slice, 0.0)

    def send(self, event):
        return self.cls.modal(self.operator, bpy.context, event)

    def tick(self):
        return self.send(timer()) == {"PASS_THROUGH"}

    def finish(self):
        for _ in range(20000):
            if not self.tick():
                return self.reports[-1]
        raise AssertionError("the scan does not end")

    def escape(self):
        return self.send(escape())
