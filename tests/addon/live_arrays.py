"""Live over arrays: a scene without Blender, and a driver that runs one step after the other."""

import numpy as np
from fake_scene import BOX, make_object
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import FrameScene, Progress
from meshclash.clash.job import detect_steps
from meshclash.clash.options import DetectOptions
from meshclash.clash.verdicts import APART
from meshclash.types.steps import run_to_end

from addon.core.changes import Changes
from addon.core.live import Live


class ArrayScene:
    """A scene of boxes, for Live and for Detect alike; unchanged objects are handed out as they were."""

    file, scale_length = "", 1.0

    def __init__(self, *objects):
        self.objects = {item.identity: item for item in objects}
        self.meshes = {"box": BOX}
        self.skipped = []
        self.wanted = DetectOptions()
        self.reads = 0
        self.problem = None

    def options(self):
        return self.wanted

    def put(self, name, x, mesh_key="box"):
        self.objects[name] = make_object(name, x, mesh_key)

    def frame(self):
        used = {item.mesh_key for item in self.objects.values()}
        return FrameScene(1, list(self.objects.values()), {key: self.meshes[key] for key in used}, list(self.skipped))

    def evaluate(self):
        pass

    def read_steps(self, options, changes, _frame=None):
        if self.problem:
            raise InputError(self.problem)
        self.reads += 1
        frame = self.frame()
        for _ in frame.objects:
            yield Progress(0.5, "Reading")
        return frame

    def restore(self):
        pass


def loading(engine):
    def load(_parts):
        yield Progress(0.0, "Loading the engine")
        return engine

    return load


class Driver:
    """Live with its answers."""

    def __init__(self, scene, engine, budget=10.0):
        self.scene, self.engine = scene, engine
        self.answers = []
        self.live = Live(scene, loading(engine), lambda report, incomplete: self.answers.append((report, incomplete)))
        self.live.budget = budget

    def change(self):
        self.live.note(Changes(visible=True))

    def until(self, condition):
        """Runs step by step until a condition holds, however many steps that takes."""
        for _ in range(100_000):
            self.live.run_slice(0.0)
            if condition():
                return
        raise AssertionError("what is waited for does not happen")

    def answer(self):
        """Runs until there is one answer more."""
        before = len(self.answers)
        self.until(lambda: len(self.answers) > before)

    def settle(self):
        """Until there is nothing left to do."""
        self.until(lambda: not self.live.busy)
        return self.answers[-1][0]

    def fresh(self):
        scene = ArrayScene(*self.scene.objects.values())
        scene.meshes = self.scene.meshes
        return run_to_end(detect_steps(scene, self.scene.wanted, self.engine))


def described(report):
    """Everything of a report that a different order of the two objects in the engine may not change."""
    return sorted(described_row(row) for row in report.rows)


def described_row(row):
    depth, distance = (value and round(value, 6) for value in (row.depth, row.distance))
    if row.verdict == APART:  # which of several nearest faces is named is open
        return (row.id, row.verdict, distance)
    return (
        row.id, row.verdict, distance, depth, row.a.faces.tolist(), row.b.faces.tolist(), row.a.highlight.tobytes(),
        row.b.highlight.tobytes(), segments(row.curves),
    )  # fmt: skip


def segments(curves):
    ends = np.round(curves.astype(np.float64), 5) + 0.0
    return sorted(sorted(map(tuple, segment)) for segment in ends.tolist())
