"""Many points at once: kernels in the simulator against the CPU, which device answers, and what faults end in."""

import os
import subprocess
import sys
from pathlib import Path

import gpu_point_cases
import meshclash as mc
import numpy as np
import pytest
from clouds import random_pose
from gpu_devices import pretended
from gpu_point_cases import clouds, points_near, solid
from meshclash.gpu import device
from meshclash.gpu.state import DeviceFault, DeviceState, OutOfDeviceMemory
from meshclash.pointcloud import measure
from oracles.device_model.backend import HostBackend

HERE = Path(__file__).parent


class FakeDevice(HostBackend):
    """the host backend in the place of a device: fails in its n-th operation, and is unsure of every third sign."""

    def __init__(self, fail_at=None, fault=None):
        super().__init__()
        self.calls = 0
        self.uploads = 0
        self.fail_at, self.fault = fail_at, fault

    def _count(self):
        self.calls += 1
        if self.calls - 1 == self.fail_at:
            raise self.fault

    def empty(self, shape, dtype):
        self._count()
        return super().empty(shape, dtype)

    def upload(self, array):
        self._count()
        self.uploads += 1
        return super().upload(array)

    def download(self, array, count=None):
        self._count()
        return super().download(array, count)

    def run(self, module, kernel, entries, *arguments):
        self._count()
        super().run(module, kernel, entries, *arguments)
        if kernel == "measure_from_mesh":
            out, certain = arguments[-2:]
            certain[::3] = False
            out[::3] = np.nan


@pytest.fixture
def backends(monkeypatch):
    """A device that can be used; the test may say how the next backend fails."""
    with pretended(monkeypatch, FakeDevice, "point_crossover") as device_and_plan:
        yield device_and_plan


CLOUDS = clouds()
MESH = solid()
SCAN = CLOUDS["with normals"]
POSE = random_pose(2, (10.5, 0.8, 1.1))


def answers(chosen):
    """Everything that takes a device, asked of one."""
    found = {
        "inside a mesh": mc.clouds.deviation(SCAN, MESH, POSE, signed=True, device=chosen),
        "beside a mesh": mc.clouds.deviation(SCAN, MESH, device=chosen),
        "before a cloud": mc.clouds.deviation(
            CLOUDS["plain"], SCAN, random_pose(5, (0.2, 0, 0)), signed=True, device=chosen
        ),
        "beside a cloud": mc.clouds.deviation(SCAN, CLOUDS["plain"], device=chosen),
    }
    for name, cloud in CLOUDS.items():
        parts = cloud.evaluate(points_near(cloud, 300), device=chosen)
        found |= {f"{name} {k}": part for k, part in enumerate(parts)}
    return found


@pytest.fixture(scope="module")
def expected():
    return answers("cpu")


def same(found, expected):
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype, name
        assert found[name].tobytes() == array.tobytes(), name


def test_a_device_answers_as_the_cpu(backends, expected):
    same(answers("cuda"), expected)
    assert len(backends[0]) == 1
    assert (expected["inside a mesh"] < 0.0).any()
    assert (expected["inside a mesh"] > 0.0).any()


def test_portions_are_large_on_a_device_and_make_no_difference(backends, expected, monkeypatch):
    monkeypatch.setattr(measure, "_CHUNK_OF_DEVICE", 70)
    steps = list(mc.steps(mc.clouds.deviation, SCAN, MESH, POSE, signed=True, device="cuda"))
    assert sum(step.text == "measuring deviations" for step in steps) == -(-SCAN.point_count // 70)
    assert [step.fraction for step in steps] == sorted(step.fraction for step in steps)
    same({"inside a mesh": mc.clouds.deviation(SCAN, MESH, POSE, signed=True, device="cuda")},
         {"inside a mesh": expected["inside a mesh"]})  # fmt: skip


@pytest.mark.slow
def test_what_is_on_the_device_stays_there(backends):
    made, _ = backends
    mesh, cloud = solid(), clouds()["plain"]
    for other, arrays in ((mesh, 12), (cloud, 8)):
        mc.clouds.deviation(SCAN, other, device="cuda")
        before = made[0].uploads
        mc.clouds.deviation(SCAN, other, device="cuda")
        again = made[0].uploads - before
        before = made[0].uploads
        mc.clouds.deviation(SCAN, mc.clouds.PointCloud(cloud.points) if other is cloud else solid(), device="cuda")
        assert made[0].uploads - before == again + arrays
    residents = device._session[0]._residents
    count = len(residents)
    assert count >= 2  # and what the collector has not freed yet
    del mesh, cloud, other
    import gc

    gc.collect()
    assert len(residents) < count
    for _ in range(device._MOST_KEPT + 3):
        kept = [clouds()["plain"] for _ in range(3)]
        for one in kept:
            one.evaluate(one.points[:1], device="cuda")
    assert len(residents) <= device._MOST_KEPT


def test_auto_stays_on_the_cpu_until_a_crossover_is_known(backends, monkeypatch):
    made, _ = backends
    mc.configure_device(crossover=1)
    answers("auto")
    assert made == []
    mc.configure_device(point_crossover=SCAN.point_count + 1)
    mc.clouds.deviation(SCAN, MESH)
    assert made == []
    mc.configure_device(point_crossover=SCAN.point_count)
    mc.clouds.deviation(SCAN, MESH)
    assert len(made) == 1
    monkeypatch.setenv(device.variable_of("point_crossover"), "5")
    mc.configure_device()
    before = made[0].calls
    SCAN.evaluate(SCAN.points[:4])
    assert made[0].calls == before
    SCAN.evaluate(SCAN.points[:5])
    assert made[0].calls > before


@pytest.mark.parametrize("fault", [DeviceFault("the device failed: [700] lost"), OutOfDeviceMemory("out of memory")])
@pytest.mark.parametrize("question", ["inside a mesh", "evaluate"])
def test_a_fault_anywhere_ends_in_the_cpus_answer(backends, fault, question, expected, monkeypatch):
    made, plan = backends
    monkeypatch.setattr(measure, "_CHUNK_OF_DEVICE", 300)
    cloud = CLOUDS["of spheres"]
    at = points_near(cloud, 300)

    def ask():
        if question == "evaluate":
            return b"".join(part.tobytes() for part in cloud.evaluate(at, device="cuda"))
        return mc.clouds.deviation(SCAN, MESH, POSE, signed=True, device="cuda").tobytes()

    right = ask()
    operations = made[-1].calls
    assert operations > 10
    for n in range(operations):
        mc.device_state(refresh=True)
        plan["next"] = lambda n=n: FakeDevice(n, fault)
        with pytest.warns(RuntimeWarning, match="the CPU was used instead") as warned:
            assert ask() == right
        assert len(warned) == 1
        assert str(fault) in str(warned[0].message)
    plan["next"] = FakeDevice
    assert mc.device_state().usable == isinstance(fault, OutOfDeviceMemory)


def test_options_that_cannot_be(backends, monkeypatch):
    for ask in (lambda d: mc.clouds.deviation(SCAN, MESH, device=d), lambda d: SCAN.evaluate(SCAN.points, device=d)):
        with pytest.raises(mc.UnsupportedOption, match="auto, cpu, cuda"):
            ask("gpu")
    monkeypatch.setattr(device, "_look", lambda: DeviceState(False, "there is none"))
    mc.device_state(refresh=True)
    for ask in (lambda d: mc.clouds.deviation(SCAN, MESH, device=d), lambda d: SCAN.evaluate(SCAN.points, device=d)):
        with pytest.raises(mc.DeviceUnavailable, match="there is none"):
            ask("cuda")
    with pytest.raises(mc.UnsupportedOption, match="point_crossover"):
        mc.configure_device(point_crossover=0)


@pytest.fixture(scope="module")
def given_arrays():
    return gpu_point_cases.arrays()


@pytest.fixture(scope="module")
def simulated(tmp_path_factory, given_arrays):
    folder = tmp_path_factory.mktemp("simulator")
    np.savez(folder / "given.npz", **given_arrays)
    engine = Path(mc.__file__).parents[1]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    environment["PYTHONPATH"] = f"{engine}{os.pathsep}{HERE}"
    command = [sys.executable, HERE / "gpu_point_simulation.py", folder / "given.npz", folder / "found.npz"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(np.load(folder / "found.npz"))


@pytest.mark.slow
def test_the_kernels_do_what_the_cpu_does(given_arrays, simulated):
    host = gpu_point_cases.steps(HostBackend(), given_arrays)
    assert sorted(simulated) == sorted(host)
    for name, array in host.items():
        assert simulated[name].dtype == array.dtype, name
        if "signed True" not in name:
            assert simulated[name].tobytes() == array.tobytes(), name
    undecided = simulated["mesh, signed True: undecided"]
    assert 0 < undecided.sum() < 0.7 * len(undecided)
    found, right = (side["mesh, signed True: distances"][~undecided] for side in (simulated, host))
    assert found.tobytes() == right.tobytes()
    assert (right < 0.0).any()
