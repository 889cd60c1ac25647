"""Stand-ins for what only a window or the engine can give."""

from types import SimpleNamespace

import numpy as np

from addon.core.frame_scene import Progress
from addon.core.options import DetectOptions
from addon.core.pair_row import PairRow, pair_id
from addon.core.report import DetectReport

TRIANGLE = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], np.float32)

ENGINE = SimpleNamespace(
    jit=SimpleNamespace(has_shipped_kernels=lambda: True),
    kernels=SimpleNamespace(code=SimpleNamespace(fill_tables=lambda: None)),
)
"""An engine whose kernels need not be compiled, and that can do nothing else."""
SEVERITIES = {"touching": 1, "near": 0, "apart": 0}


def make_row(a="A", b="B", verdict="clash", depth=0.25, offset=0.0, **changes):
    values = {
        "id": pair_id(a, b), "a": a, "b": b, "owner_a": a, "owner_b": b, "source_a": a, "source_b": b,
        "frame": 1, "verdict": verdict, "severity": SEVERITIES.get(verdict, 2), "contacts": 1,
        "faces_a": np.array([0], np.int32), "faces_b": np.array([1, 2], np.int32),
        "original_faces_a": np.array([0], np.int32), "original_faces_b": np.array([1, 2], np.int32),
        "location": (0.0, 0.0, 0.0), "depth": depth,
        "highlight_a": TRIANGLE + offset, "highlight_b": np.concatenate((TRIANGLE, TRIANGLE)) + offset,
        "curves": TRIANGLE[:, :2] + offset,
    }  # fmt: skip
    return PairRow(**{**values, **changes})


def make_report(*rows, **options):
    stats = {
        "objects": 2, "triangles": 24, "volume_tests": 10, "primitive_tests": 5, "exact_tests": 1,
        "seconds": 0.5, "timings": {"read": 0.1, "query": 0.4},
    }  # fmt: skip
    return DetectReport("", 1.0, DetectOptions(**options), list(rows), [], stats)


def fake_detect_steps(report, count=3, fail_at=None, error=None, log=None):
    """A replacement of job.detect_steps that yields `count` times; `log` gets "closed" when it is stopped early."""

    def steps(_source, _options, _engine, highlights=True, prepare=None, remember=False):
        try:
            for index in range(count):
                if index == fail_at:
                    raise error
                yield Progress(index / count, f"step {index}")
        except GeneratorExit:
            if log is not None:
                log.append("closed")
            raise
        return report

    return steps


class RecordingLayout:
    """Takes any layout call, remembers its arguments and gives back a layout."""

    def __init__(self, calls=None):
        object.__setattr__(self, "calls", [] if calls is None else calls)

    def __getattr__(self, name):
        def call(*args, **kwargs):
            self.calls.append((name, args, kwargs))
            return RecordingLayout(self.calls)

        return call

    def __setattr__(self, name, value):
        self.calls.append((name, (value,), {}))

    def texts(self):
        """Every text that is shown."""
        return [kwargs["text"] for _, _, kwargs in self.calls if kwargs.get("text")]

    def operators(self):
        return [args[0] for name, args, _ in self.calls if name == "operator"]


def draw(cls, context, method="draw"):
    """Draws a panel into a recording layout."""
    layout = RecordingLayout()
    getattr(cls, method)(SimpleNamespace(layout=layout), context)
    return layout


def timer():
    return SimpleNamespace(type="TIMER", value="NOTHING")


def escape():
    return SimpleNamespace(type="ESC", value="PRESS")
