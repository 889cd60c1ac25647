"""Where the time of Detect goes: processor time by stage, of examples or buildings.

python tests/addon/detect_stages.py FILE.blend|FILE.ifc... [--runs 5] [--digest FILE.json]

Least of the runs, each a second or later press; the engine is asked on one core. IFC models need ifcopenshell beside
bpy. With --digest it writes hashes of reports and of everything that is drawn, to compare two versions.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "engine"), str(ROOT / "tests" / "addon")]

os.environ["NUMBA_NUM_THREADS"] = "1"

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from meshclash.clash.job import detect_steps  # noqa: E402
from meshclash.clash.options import DetectOptions  # noqa: E402
from meshclash.clash.report import DetectReport  # noqa: E402
from meshclash.types.steps import run_to_end  # noqa: E402

from addon import engine  # noqa: E402
from addon.adapters.source import BlenderSource  # noqa: E402
from addon.core.table import RowTable  # noqa: E402
from addon.overlay.render_data import JoinedRows  # noqa: E402

DRAWN = ("highlight", "whole", "dots")
WRITING: dict[str, Callable[[DetectReport], Any]] = {
    "list": lambda report: (RowTable(report.rows), JoinedRows(report.rows)),
    "file": DetectReport.to_json,
}


def main() -> int:
    """Measures every file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--digest", type=Path)
    options = parser.parse_args()
    module, digests = engine.load(), {}
    time.perf_counter = time.process_time  # what the extension and the engine measure their stages with
    for path in options.files:
        _open(path)
        detect(module, highlights=True)
        runs = [stages(module) for _ in range(options.runs)]
        digests[path.stem] = digest(detect(module, highlights=True))
        report = detect(module, highlights=False)
        print(f"{path.stem}: {report.stats['objects']} objects, {len(report.rows)} rows; bpy {bpy.app.version_string}")
        for name in runs[0]:
            print(f"  {name:<24}{1e3 * min(run[name] for run in runs):9.1f} ms")
        print(f"  {'all':<24}{1e3 * min(sum(run.values()) for run in runs):9.1f} ms", flush=True)
    if options.digest:
        options.digest.write_text(json.dumps(digests, indent=1), "utf-8")
    return 0


def _open(path: Path) -> None:
    if path.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(path))
        return
    from ifc_through_blender import read_model

    read_model(path)


def detect(module: Any, highlights: bool) -> DetectReport:
    """The report of the open scene."""
    source = BlenderSource.from_context(bpy.context)
    return run_to_end(detect_steps(source, DetectOptions(), module, highlights=highlights))


def stages(module: Any) -> dict[str, float]:
    """Seconds of processor time by stage, of one press."""
    rows = dict(detect(module, highlights=False).stats["timings"])["report"]
    report = detect(module, highlights=True)
    found = dict(report.stats["timings"])
    found["highlights"] = found.pop("report") - rows
    found["rows"] = rows
    for name, write in WRITING.items():
        started = time.process_time()
        write(report)
        found[name] = time.process_time() - started
    return found


def digest(report: DetectReport) -> dict[str, str]:
    """Hashes of what the report says and of what is drawn, each row's."""
    found = {}
    said = replace(report, created="", stats={}).as_dict()
    for row, pair in zip(report.rows, said["pairs"], strict=True):
        arrays = [getattr(side, name) for side in row.sides for name in DRAWN] + [row.curves]
        drawn = hashlib.sha256(json.dumps(pair).encode())
        for array in arrays:
            drawn.update(str((array.dtype, array.shape)).encode() + np.ascontiguousarray(array).tobytes())
        found[f"{row.id} {row.frame}"] = drawn.hexdigest()
    found["order"] = hashlib.sha256("".join(found).encode()).hexdigest()
    return found


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # bpy's tear-down may change it
