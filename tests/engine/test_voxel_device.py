"""Voxels on a device: the host backend and the simulated kernels give the bits of the CPU, and what faults end in."""

import os
import subprocess
import sys
from pathlib import Path

import gpu_voxel_cases
import meshclash as mc
import numpy as np
import pytest
from gpu_cases import needs_cuda_target
from gpu_devices import pretended
from hypothesis import given
from meshclash.gpu.state import DeviceFault, OutOfDeviceMemory
from meshclash.types.steps import run
from meshclash.voxels.bricks import common_bricks, list_voxels
from meshclash.voxels.device import common_voxels_on
from meshclash.voxels.marking import mark_steps
from oracles.device_model.backend import HostBackend
from oracles.mesh_generators import bumpy_sphere
from triangles_in_voxels import triangles_near_a_region
from voxels import MEMORY, on_grid

HERE = Path(__file__).parent
BALLS = [mc.TriangleMesh(*bumpy_sphere(3000, seed)) for seed in (1, 2)]


class Failing(HostBackend):
    """the host backend in the place of a device; fails in its n-th operation."""

    def __init__(self, fail_at=None, fault=None):
        super().__init__()
        self.calls, self.fail_at, self.fault = 0, fail_at, fault

    def upload(self, array):
        self._count()
        return super().upload(array)

    def download(self, array, count=None):
        self._count()
        return super().download(array, count)

    def run(self, *arguments):
        self._count()
        super().run(*arguments)

    def _count(self):
        self.calls += 1
        if self.calls - 1 == self.fail_at:
            raise self.fault


@pytest.fixture
def backends(monkeypatch):
    """A device that can be used; the test may say how the next backend fails."""
    with pretended(monkeypatch, Failing, "point_crossover") as device_and_plan:
        yield device_and_plan


@pytest.mark.slow
@given(triangles_near_a_region())
def test_the_host_marks_what_the_cpu_marks(case):
    triangle, low, high = case
    grid, thing = on_grid(mc.TriangleMesh(triangle, [[0, 1, 2]]), low, high, resolution=21)
    expected = list_voxels(run(mark_steps(thing, grid, MEMORY)), grid.brick_size)
    found = list_voxels(common_voxels_on(HostBackend(), (thing, thing), grid, MEMORY), grid.brick_size)
    assert found.tobytes() == expected.tobytes()


def test_the_host_compares_as_the_cpu():
    for name, (grid, first, second) in gpu_voxel_cases.cases().items():
        marked = [run(mark_steps(thing, grid, MEMORY)) for thing in (first, second)]
        expected = list_voxels(common_bricks(*marked), grid.brick_size)
        found = common_voxels_on(HostBackend(), (first, second), grid, MEMORY)
        assert list_voxels(found, grid.brick_size).tobytes() == expected.tobytes(), name
        assert len(expected), name
        again = list_voxels(common_bricks(found, found), grid.brick_size)  # looked up by their names
        assert again.tobytes() == expected.tobytes(), name


@pytest.mark.slow
@needs_cuda_target
def test_the_kernels_do_what_the_host_does(tmp_path):
    engine = Path(mc.__file__).parents[1]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    environment["PYTHONPATH"] = f"{engine}{os.pathsep}{HERE}"
    command = [sys.executable, HERE / "gpu_voxel_simulation.py", tmp_path / "found.npz"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found, host = dict(np.load(tmp_path / "found.npz")), gpu_voxel_cases.steps(HostBackend())
    assert sorted(found) == sorted(host)
    for name, array in host.items():
        assert found[name].dtype == array.dtype, name
        assert found[name].tobytes() == array.tobytes(), name


def asked(device):
    return mc.voxels.voxel_collide(*BALLS, mode="voxels", resolution=50, device=device)


@pytest.mark.slow
def test_a_device_answers_as_the_cpu(backends):
    made, _ = backends
    expected, found = asked("cpu"), asked("cuda")
    assert found.voxels.tobytes() == expected.voxels.tobytes() and len(found.voxels) > 100
    assert (expected.stats.device, found.stats.device) == ("cpu", "cuda") and len(made) == 1
    assert asked("auto").stats.device == "cpu"


@pytest.mark.parametrize("fault", [DeviceFault("the device failed: lost"), OutOfDeviceMemory("full")])
def test_after_a_fault_in_any_operation_the_cpu_answers(backends, fault):
    made, plan = backends
    expected = asked("cpu").voxels.tobytes()
    asked("cuda")
    for place in range(made[0].calls):
        plan["next"] = lambda place=place: Failing(place, fault)
        mc.device_state(refresh=True)
        with pytest.warns(RuntimeWarning, match="the CPU was used"):
            found = asked("cuda")
        assert found.voxels.tobytes() == expected and found.stats.device == "cpu"
        assert "the CPU was used" in found.stats.note


def test_what_a_device_does_not_answer_is_refused(backends):
    for mode in ("exact", "solid"):
        with pytest.raises(mc.DeviceUnavailable, match="CPU only"):
            mc.voxels.voxel_collide(*BALLS, mode=mode, device="cuda")
    with pytest.raises(mc.UnsupportedOption, match="MiB"):
        mc.voxels.voxel_collide(*BALLS, mode="voxels", resolution=900, device="cuda", memory=1 << 24)
    with pytest.raises(mc.UnsupportedOption):
        mc.voxels.voxel_collide(*BALLS, mode="voxels", device="tpu")
