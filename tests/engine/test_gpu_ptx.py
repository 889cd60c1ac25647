"""The PTX gate: every kernel compiles for CUDA devices without one, and nothing in it is fused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import meshclash
import pytest

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="there is no CUDA for macOS")


def compiled(*capability):
    environment = {**os.environ, "PYTHONPATH": str(Path(meshclash.__file__).parents[1])}
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, HERE / "gpu_ptx.py", *map(str, capability)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


KERNELS = (
    "make_keys", "count_digits", "sum_before", "move_keys", "link", "clear", "fit", "count_pairs", "sum_levels",
    "expand_pairs", "gather_leaves", "test_leaves", "gather_hits", "begin_queue", "run_queue", "test_queued",
)  # fmt: skip


def test_every_kernel_compiles_and_fuses_nothing():
    compilation = compiled(9, 0)
    assert compilation["fused without the option"]  # else the checks below would say nothing
    found = compilation["kernels"]
    assert sorted(found) == sorted(KERNELS)
    for name, ptx in found.items():
        assert ptx["target"].startswith("sm_90"), name
        assert ptx["entries"] == 1, name
        assert not ptx["fused"], name
        assert ptx["loose"] == 0, name  # without a rounding mode the driver may fuse
