"""What compiling costs: each kernel cold and from the cache, and the first answer of a fresh process.

Every measurement is a process of its own. Seconds are of the processor, so that other work on the machine counts
little; the first answers are also given on the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .table import Row, format_table, write_json

ENGINE = Path(__file__).resolve().parents[1]
QUESTIONS = {
    "collides": "mc.collides(a, b)",
    "collide": "mc.collide(a, b)",
    "verdict": "mc.verdict(a, b)",
    "Scene.contacts": "scene.contacts()",
    "collides, two clouds": "mc.collides(cloud, cloud)",
    "collides, cloud and mesh": "mc.collides(cloud, a)",
}
START = """
import json, sys, time
clock, processor = time.perf_counter(), time.process_time()
import numpy
numpy_seconds = time.process_time() - processor
import numba
numba_seconds = time.process_time() - processor - numpy_seconds
import meshclash as mc
from meshclash.warming import _cloud, _two_boxes
engine_seconds = time.process_time() - processor - numpy_seconds - numba_seconds
a, b = _two_boxes()
cloud = _cloud()
scene = mc.Scene()
scene.add(a)
scene.add(b)
"""
FIRST_ANSWER = (
    START
    + """
before = time.process_time()
QUESTION
first = time.process_time() - before
before = time.process_time()
QUESTION
print(json.dumps([numpy_seconds, numba_seconds, engine_seconds, first, time.process_time() - before,
                  time.perf_counter() - clock]))
"""
)
KERNELS = (
    START
    + """
from pathlib import Path
from numba.core import event
from numba.core.dispatcher import Dispatcher
from meshclash import jit
from meshclash.kernels import cache

class Times(event.Listener):
    def __init__(self):
        self.stack, self.kernels, self.helpers = [], {}, {}
    def on_start(self, e):
        self.stack.append(time.process_time())
    def on_end(self, e):
        seconds = time.process_time() - self.stack.pop()
        if self.stack:
            self.helpers[self.outer] = self.helpers.get(self.outer, 0) + 1
        else:
            function = e.data["dispatcher"].py_func
            name = f"{function.__module__}.{function.__qualname__}".replace(".<locals>", "")
            self.kernels[name] = self.kernels.get(name, 0.0) + seconds
            self.helpers[name] = self.helpers.pop(self.outer, 0) + self.helpers.get(name, 0)
    outer = ""

times = Times()
event.register("numba:compile", times)
loads = {}
load = cache.KernelCache.load_overload
def timed(self, *arguments):
    before = time.process_time()
    try:
        return load(self, *arguments)
    finally:
        name = self._label.replace("<locals>.", "")
        loads[name] = loads.get(name, 0.0) + time.process_time() - before
cache.KernelCache.load_overload = timed
before = time.process_time()
for _ in mc.warm_up():
    pass
total = time.process_time() - before
sizes = {}
for path in Path(jit.CACHE_DIRECTORY).rglob("*.kernel"):
    sizes[path.name.rpartition("-")[0]] = sizes.get(path.name.rpartition("-")[0], 0) + path.stat().st_size
print(json.dumps([total, times.kernels, times.helpers, loads, sizes]))
"""
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this bench."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report to a file, too")


def run(options: argparse.Namespace) -> int:
    """Measure, print two tables, and return 0."""
    with tempfile.TemporaryDirectory(prefix="meshclash-latency-") as folder:
        cold, warm = (_measure(KERNELS, Path(folder) / "all") for _ in range(2))
        kernels = _kernel_rows(cold, warm)
        print(format_table(kernels))
        print(
            f"all kernels: {cold[0]:.1f} s cold, {warm[0]:.2f} s from the cache, {sum(cold[4].values()) / 1e6:.1f} MB\n"
        )
        answers = _answer_rows(Path(folder))
        print(format_table(answers))
    if options.json:
        write_json(options.json, {"kernels": kernels, "first answers": answers})
    return 0


def _measure(code: str, cache: Path) -> Any:
    """What the code prints, run in a fresh process with that cache folder."""
    environment = {**os.environ, "MESHCLASH_CACHE_DIR": str(cache), "PYTHONPATH": str(ENGINE)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _kernel_rows(cold: Any, warm: Any) -> list[Row]:
    _, compiled, helpers, _, sizes = cold
    loads = warm[3]
    rows: list[Row] = []
    for name, seconds in sorted(compiled.items(), key=lambda item: -item[1]):
        short = name.rpartition(".")[2]
        rows.append(
            {
                "kernel": name.partition(".")[2],
                "compiled [s]": seconds,
                "helpers": helpers.get(name, 0),
                "from cache [ms]": 1e3 * sum(t for n, t in loads.items() if n.endswith(f".{short}")),
                "cache [kB]": sum(size for n, size in sizes.items() if n.endswith(f".{short}")) // 1000,
            }
        )
    return rows


def _answer_rows(folder: Path) -> list[Row]:
    rows: list[Row] = []
    for name, question in QUESTIONS.items():
        code = FIRST_ANSWER.replace("QUESTION", question)
        for state in ("cold", "warm"):
            numpy_s, numba_s, engine_s, first, again, clock = _measure(code, folder / name)
            rows.append(
                {
                    "first": name,
                    "cache": state,
                    "import numpy [s]": numpy_s,
                    "numba [s]": numba_s,
                    "meshclash [s]": engine_s,
                    "first call [s]": first,
                    "second call [ms]": 1e3 * again,
                    "process on the clock [s]": clock,
                }
            )
    return rows
