"""The PTX gate: every kernel compiles for CUDA devices without one, and nothing in it is fused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gpu_budget
import meshclash
import pytest
from gpu_cases import needs_cuda_target

HERE = Path(__file__).parent
pytestmark = needs_cuda_target


def compiled_at_once(alone, shared):
    """What three processes say at the same time: one compiles all into its own cache, two the same few into one."""
    engine = Path(meshclash.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(engine)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = [
        subprocess.Popen(
            [sys.executable, HERE / "gpu_ptx.py", *brief],
            env={**environment, "MESHCLASH_CACHE_DIR": str(cache)}, **options,
        )
        for brief, cache in (([], alone), (["briefly"], shared), (["briefly"], shared))
    ]  # fmt: skip
    found = []
    for process in running:
        printed, errors = process.communicate()
        assert process.returncode == 0, errors
        found.append(json.loads(printed.splitlines()[-1]))
    return found


KERNELS = (
    "make_keys", "count_digits", "sum_before", "move_keys", "link", "clear", "fit", "count_pairs", "sum_levels",
    "expand_pairs", "gather_leaves", "test_leaves", "gather_hits", "clear_queue", "run_queue", "gather_late",
    "test_queued", "evaluate_points", "measure_from_cloud", "measure_from_mesh",
    "count_near_pairs", "set_limits", "lower_limits", "measure_leaves", "find_nearest", "select_leaves",
    "gather_lengths", "test_boxes", "mark_surface", "keep_common_voxels",
)  # fmt: skip
MODULES = ("boxes_gpu", "build_gpu", "near_gpu", "traverse_gpu", "measure_gpu", "device_gpu")


@pytest.mark.slow
def test_every_kernel_compiles_and_fuses_nothing(tmp_path):
    caches = tmp_path / "alone", tmp_path / "shared"
    for cache in caches:
        cache.mkdir(mode=0o700)
    compilation, one, other = compiled_at_once(*caches)
    assert one == other
    assert len(one) >= 8 and all(one.values())
    assert compilation["fused without the option"]  # else the checks below would say nothing
    found = compilation["kernels"]
    assert sorted(found) == sorted(KERNELS)
    for name, kernel in found.items():
        assert kernel["targets"][0] == "sm_75", name
        assert kernel["targets"][1].startswith("sm_90"), name
        assert kernel["entries"] == [1, 1], name
        assert not kernel["fused"], name
        assert not kernel["read-only cache"], name  # it would not see what other blocks write
        assert not kernel["approximate"], name  # every operation rounds as IEEE 754 says
        assert kernel["loose"] == 0, name  # without a rounding mode the driver may fuse
        assert kernel["parameters as launched"], name
        assert kernel["backend code"], name
        assert kernel["kept"], name  # as it was: PTX, backend code and names, from plain data
    for cache, names in zip(caches, (KERNELS, one), strict=True):
        kept = {path.name.split("-")[0] for path in cache.rglob("*.kernel")}
        assert {f"{module}.{name}" for name in names for module in MODULES} >= kept
        assert len(kept) == len(names)
    check_budgets({name: kernel["budget"] for name, kernel in found.items()})


def check_budgets(found):
    """No kernel takes more of a device than ``gpu_budget.json`` says; ``python gpu_budget.py`` writes that anew."""
    golden = json.loads(gpu_budget.GOLDEN.read_text())
    assert sorted(found) == sorted(golden)
    over = {
        f"{name}, capability {capability}": text
        for name, kernel in found.items()
        for capability, taken in kernel.items()
        if (text := gpu_budget.excess(taken, golden[name][capability]))
    }
    assert over == {}


def test_what_takes_more_than_its_budget_is_told():
    golden = {"registers": 40, "shared": 36, "local": 0}
    assert gpu_budget.excess({"registers": 56, "shared": 36, "local": 0}, golden) == ""
    assert gpu_budget.excess({"registers": 57, "shared": 36, "local": 0}, golden) == "57 of registers, at most 56"
    assert gpu_budget.excess({"registers": 8, "shared": 37, "local": 8}, golden) == (
        "37 of shared, at most 36, 8 of local, at most 0"
    )


def test_budgets_leave_room_for_a_block_on_every_device():
    """65,536 registers and 48 KB of shared memory, also without asking for more."""
    for name, kernel in json.loads(gpu_budget.GOLDEN.read_text()).items():
        for taken in kernel.values():
            assert 0 < taken["registers"] * 256 <= 65_536, name
            assert taken["shared"] <= 48 << 10, name
