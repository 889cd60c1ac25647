"""Stand-ins for what only a window or the engine can give."""

from types import SimpleNamespace

import numpy as np
from meshclash.clash.frame_scene import Progress
from meshclash.clash.options import DetectOptions
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.clash.report import DetectReport
from meshclash.clash.review.revisions import pair_id

TRIANGLE = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], np.float32)

ENGINE = SimpleNamespace(Scene=object)
"""An engine whose kernels need not be compiled, and that can do nothing else."""
SEVERITIES = {"touching": 1, "near": 0, "apart": 0}


def make_side(name, **changes):
    values = {"name": name, "owner": name, "source": name, "faces": np.array([0], np.int32)}
    return PairSide(**{**values, "original_faces": values["faces"], **changes})


def make_row(a="A", b="B", verdict="clash", depth=0.25, offset=0.0, **changes):
    """A row of two objects; what is to be different of one of them ends in `_a` or `_b`."""
    faces = np.array([1, 2], np.int32)
    values = {
        "id": pair_id(a, b), "frame": 1, "verdict": verdict, "severity": SEVERITIES.get(verdict, 2), "contacts": 1,
        "location": (0.0, 0.0, 0.0), "depth": depth, "curves": TRIANGLE[:, :2] + offset,
    }  # fmt: skip
    of_a = {"highlight": TRIANGLE + offset}
    of_b = {"faces": faces, "original_faces": faces, "highlight": np.concatenate((TRIANGLE, TRIANGLE)) + offset}
    of = {"_a": of_a, "_b": of_b}
    for name, value in changes.items():
        if name[-2:] in of:
            of[name[-2:]][name[:-2]] = value
        else:
            values[name] = value
    return PairRow(a=make_side(a, **of_a), b=make_side(b, **of_b), **values)


def make_report(*rows, **options):
    stats = {
        "objects": 2, "triangles": 24, "volume_tests": 10, "primitive_tests": 5, "exact_tests": 1,
        "seconds": 0.5, "timings": {"read": 0.1, "query": 0.4},
    }  # fmt: skip
    return DetectReport("", 1.0, DetectOptions(**options), list(rows), [], stats)


def fake_detect_steps(report, count=3, fail_at=None, error=None, log=None):
    """A replacement of job.detect_steps that yields `count` times; `log` gets "closed" when it is stopped early."""

    def steps(_source, _options, _engine, highlights=True, prepare=None, remember=False, followed=None):
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
        """Every text that is shown, without the spaces that put it at one side of a button."""
        return [kwargs["text"].strip() for _, _, kwargs in self.calls if kwargs.get("text")]

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
