"""Which device answers, what it keeps, and that every fault ends in the CPU's answer and a plain message."""

import gc
import importlib.util
import warnings
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from gpu_cases import moved
from gpu_devices import pretended
from meshclash import warming
from meshclash.gpu import device, trees
from meshclash.gpu.state import DeviceFault, DeviceState, OutOfDeviceMemory
from oracles.device_model.backend import HostBackend
from solids import box, refined, torus
from strategies import matrix


class FakeDevice(HostBackend):
    """the host backend in the place of a device, that fails in its n-th operation."""

    def __init__(self, fail_at=None, fault=None):
        super().__init__()
        self.calls = 0
        self.fail_at, self.fault = fail_at, fault

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name in ("empty", "upload", "download", "read", "link", "fit", "step"):
            self.calls += 1
            if self.calls - 1 == self.fail_at:
                raise self.fault
        return found


@pytest.fixture
def backends(monkeypatch):
    """A device that can be used; the test may say how the next backend fails."""
    with pretended(monkeypatch, FakeDevice, "crossover") as device_and_plan:
        yield device_and_plan


A = mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1))))
B = mc.TriangleMesh(*torus(0.8, 0.3, 10, 6))
POSE = matrix(shift=(0.2, 0.1, 0.05))
STACK = np.stack([POSE, matrix(shift=(9.0, 0.0, 0.0)), np.eye(4)])


def as_bytes(found):
    return found.pairs.tobytes(), found.kinds.tobytes(), found.pose.tobytes(), found.segments().tobytes()


def test_auto_stays_on_the_cpu_until_a_crossover_is_known(backends, monkeypatch):
    made, _ = backends
    assert mc.collide(A, B).stats.device == "cpu"
    mc.configure_device(crossover=A.triangle_count + B.triangle_count + 1)
    assert mc.collide(A, B).stats.device == "cpu"
    assert made == []
    mc.configure_device(crossover=A.triangle_count + B.triangle_count)
    assert mc.collide(A, B).stats.device == "cuda"
    assert mc.collide(A, B, device="cpu").stats.device == "cpu"
    monkeypatch.setenv(device.variable_of("crossover"), "1")
    mc.configure_device()
    assert mc.collide(A, B).stats.device == "cuda"
    assert mc.collide(A, B, volume="sphere").stats.device == "cpu"


@pytest.mark.parametrize("reproducible", [False, True])
def test_every_query_answers_as_the_cpu(backends, reproducible):
    mc.configure_device(reproducible=reproducible)
    for touching in (True, False):
        for pose in (POSE, STACK):
            on_device = mc.collide(A, B, pose, touching=touching, device="cuda")
            assert on_device.stats.device == "cuda"
            assert on_device.stats.note == ""
            assert as_bytes(on_device) == as_bytes(mc.collide(A, B, pose, touching=touching))
            meeting = mc.collides(A, B, pose, touching=touching, device="cuda")
            assert np.array_equal(meeting, mc.collides(A, B, pose, touching=touching))
            assert type(meeting) is type(mc.collides(A, B, pose, touching=touching))
    assert as_bytes(mc.self_collide(B, device="cuda")) == as_bytes(mc.self_collide(B))
    built = mc.build(A, volume="obb")
    assert as_bytes(mc.collide(built, B, volume="obb", device="cuda")) == as_bytes(mc.collide(A, B))


NEAR_QUERIES = {
    "clearance": lambda device: mc.clearance(A, B, 0.05, POSE, device=device),
    "distance": lambda device: mc.distance(A, B, matrix(shift=(2.0, 0.1, 0.05)), device=device),
}


def near_bytes(found):
    if isinstance(found, mc.Distance):
        return found.distance, found.point_a.tobytes(), found.point_b.tobytes(), found.triangle_a, found.triangle_b
    return found.pairs.tobytes(), found.distances.tobytes(), found.pose.tobytes(), found.points().tobytes()


@pytest.mark.parametrize("name", NEAR_QUERIES)
def test_what_is_near_is_the_cpus_answer(backends, name):
    made, _ = backends
    ask = NEAR_QUERIES[name]
    found, expected = ask("cuda"), ask("cpu")
    assert (found.stats.device, expected.stats.device, found.stats.note) == ("cuda", "cpu", "")
    assert near_bytes(found) == near_bytes(expected)
    size = A.triangle_count + B.triangle_count
    assert ask("auto").stats.device == "cpu"
    mc.configure_device(crossover=1, **{f"{name}_crossover": size + 1})
    assert ask("auto").stats.device == "cpu"
    mc.configure_device(**{f"{name}_crossover": size})
    assert ask("auto").stats.device == "cuda"
    assert len(made) == 1


def test_stacks_and_known_pairs_of_what_is_near(backends):
    poses = np.stack([matrix(shift=(2.0 + 0.1 * k, 0.1, 0.0)) for k in range(4)])
    found, expected = (mc.distance(A, B, poses, device=device) for device in ("cuda", "cpu"))
    for name in ("distance", "point_a", "point_b", "triangle_a", "triangle_b"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for start in (expected, mc.distance(A, B, poses[0])):
        again = mc.distance(A, B, poses, start=start, device="cuda")
        assert np.array_equal(again.distance, expected.distance)
        assert again.stats.volume_tests < found.stats.volume_tests
    near = [mc.clearance(A, B, 1.2, poses, device=device) for device in ("cuda", "cpu")]
    assert near_bytes(near[0]) == near_bytes(near[1])
    assert set(near[0].pose) == {0, 1, 2}
    assert mc.distance(mc.build(A, volume="obb"), B, poses, device="cuda").distance.tolist() == found.distance.tolist()
    with pytest.raises(mc.InvalidMesh):
        mc.clearance(A, "B", 0.1, device="cuda")


def test_scenes_ask_the_device_about_all_pairs_at_once(backends):
    made, _ = backends
    scene = mc.Scene()
    for mesh, pose in ((A, None), (B, POSE), (A, matrix(shift=(0.4, 0.0, 0.3))), (B, matrix(shift=(5.0, 0.0, 0.0)))):
        scene.add(mesh, pose)
    expected, found = scene.contacts(), scene.contacts(device="cuda")
    assert (expected.stats.device, found.stats.device) == ("cpu", "cuda")
    assert len(made) == 1
    assert len(found.pairs) == 3
    for one, other in zip(found.pairs, expected.pairs, strict=True):
        assert (one.a, one.b, one.verdict, one.depth) == (other.a, other.b, other.verdict, other.depth)
        assert as_bytes(one.contacts) == as_bytes(other.contacts)
    with pytest.raises(mc.UnsupportedOption, match="auto, cpu, cuda"):
        scene.contacts(device="gpu")


def scene_of(count=6):
    scene = mc.Scene()
    for k in range(count):
        scene.add((A, B)[k % 2], matrix(shift=(1.15 * k, 0.1 * k, 0.0)))
    return scene


SCENE_QUERIES = {
    "clearances": lambda device: scene_of().clearances(0.3, device=device),
    "distances": lambda device: scene_of().distances(most=7, device=device),
    "contacts": lambda device: scene_of().contacts(device=device),
}


def scene_bytes(found):
    """All that is said of each pair; of those that meet, the contacts."""
    rows = []
    for pair in found.pairs:
        rows.append((pair.a, pair.b, pair.verdict, pair.depth))
        rows.append(None if pair.contacts is None else as_bytes(pair.contacts))
        if isinstance(found, mc.SceneGaps):
            rows.append((pair.gap, pair.triangles, pair.near_a.tobytes(), pair.near_b.tobytes()))
            rows.append(None if pair.points is None else pair.points.tobytes())
    return rows


@pytest.mark.parametrize("name", SCENE_QUERIES)
def test_scenes_are_answered_as_by_the_cpu(backends, monkeypatch, name):
    made, _ = backends
    expected, found = (SCENE_QUERIES[name](device) for device in ("cpu", "cuda"))
    assert (expected.stats.device, found.stats.device, found.stats.note) == ("cpu", "cuda", "")
    assert len(made) == 1
    assert len(found.pairs) >= 3
    assert scene_bytes(found) == scene_bytes(expected)
    monkeypatch.setattr(device, "_state", [DeviceState(False, "there is none")])
    with pytest.raises(mc.DeviceUnavailable, match="there is none"):
        SCENE_QUERIES[name]("cuda")


def test_boxes_of_scenes_are_compared_on_the_device_from_a_number_of_objects_on(backends):
    made, _ = backends
    mc.configure_device(object_crossover=7)
    expected = scene_bytes(scene_of().contacts())
    assert made == []
    mc.configure_device(object_crossover=6)
    assert scene_bytes(scene_of().contacts()) == expected
    assert len(made) == 1
    assert mc.Scene().contacts(device="cuda").pairs == []


@pytest.mark.parametrize("name", SCENE_QUERIES)
@pytest.mark.parametrize("fault", [DeviceFault("the device failed: [700] lost"), OutOfDeviceMemory("out of memory")])
def test_a_fault_in_a_scene(backends, name, fault):
    made, plan = backends
    ask = SCENE_QUERIES[name]
    expected = scene_bytes(ask("cuda"))
    operations = made[-1].calls
    assert operations > 60
    for n in range(0, operations, 29):
        mc.device_state(refresh=True)
        backends_before = len(made)
        plan["next"] = lambda n=n, first=backends_before: FakeDevice(n if len(made) == first else None, fault)
        with pytest.warns(RuntimeWarning, match="the CPU was used instead"):
            found = ask("cuda")
        assert scene_bytes(found) == expected
        assert str(fault) in found.stats.note


@pytest.mark.parametrize("fault", [DeviceFault("the device failed: [700] lost"), OutOfDeviceMemory("out of memory")])
def test_a_fault_anywhere_ends_in_the_cpus_answer(backends, fault):
    made, plan = backends
    expected = as_bytes(mc.collide(A, B, POSE))
    mc.collide(A, B, POSE, device="cuda")
    operations = made[-1].calls
    assert operations > 30
    for n in range(0, operations, 3):
        mc.device_state(refresh=True)
        plan["next"] = lambda n=n: FakeDevice(n, fault)
        with pytest.warns(RuntimeWarning, match="the CPU was used instead"):
            found = mc.collide(A, B, POSE, device="cuda")
        assert as_bytes(found) == expected
        assert found.stats.device == "cpu"
        assert str(fault) in found.stats.note
    plan["next"] = FakeDevice
    if isinstance(fault, OutOfDeviceMemory):
        assert mc.collide(A, B, POSE, device="cuda").stats.device == "cuda"
        return
    assert "700" in mc.device_state().reason
    with pytest.raises(mc.DeviceUnavailable, match="700"):
        mc.collide(A, B, POSE, device="cuda")
    mc.configure_device(crossover=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_bytes(mc.collide(A, B, POSE)) == expected
    assert "yet" in (device._state.clear() or mc.device_state(look=False).reason)
    assert mc.device_state(refresh=True).usable
    assert mc.device_state(look=False).usable


@pytest.mark.parametrize("name", NEAR_QUERIES)
@pytest.mark.parametrize("fault", [DeviceFault("the device failed: [700] lost"), OutOfDeviceMemory("out of memory")])
def test_a_fault_while_looking_for_what_is_near(backends, name, fault):
    made, plan = backends
    ask = NEAR_QUERIES[name]
    expected = near_bytes(ask("cuda"))
    operations = made[-1].calls
    assert operations > 30
    for n in range(0, operations, 5):
        mc.device_state(refresh=True)
        plan["next"] = lambda n=n: FakeDevice(n, fault)
        with pytest.warns(RuntimeWarning, match="the CPU was used instead"):
            found = ask("cuda")
        assert near_bytes(found) == expected
        assert found.stats.device == "cpu"
        assert str(fault) in found.stats.note


def test_two_threads_at_once(backends):
    """The second one is answered by the CPU, and is told so."""
    token = device._token.pop()
    try:
        found = mc.collide(A, B, POSE, device="cuda")
    finally:
        device._token.append(token)
    assert found.stats.device == "cpu"
    assert "another thread" in found.stats.note
    assert as_bytes(found) == as_bytes(mc.collide(A, B, POSE))
    assert mc.collide(A, B, POSE, device="cuda").stats.device == "cuda"


@pytest.mark.parametrize("name", NEAR_QUERIES)
def test_two_threads_at_once_ask_what_is_near(backends, name):
    expected = near_bytes(NEAR_QUERIES[name]("cuda"))
    token = device._token.pop()
    try:
        found = NEAR_QUERIES[name]("cuda")
    finally:
        device._token.append(token)
    assert (found.stats.device, near_bytes(found)) == ("cpu", expected)
    assert "another thread" in found.stats.note


@pytest.mark.slow
def test_trees_stay_on_the_device(backends, monkeypatch):
    packed_trees, refitted = [], []
    pack_trees, refit = trees.build_trees, trees.refit_trees
    monkeypatch.setattr(device, "build_trees", lambda m, meshes: packed_trees.append(meshes) or pack_trees(m, meshes))
    monkeypatch.setattr(device, "refit_trees", lambda m, t, meshes: refitted.append(meshes) or refit(m, t, meshes))
    a, b = (mc.TriangleMesh(mesh.vertices, mesh.triangles) for mesh in (A, B))
    for _ in range(2):
        mc.collide(a, b, POSE, device="cuda")
    assert (len(packed_trees), len(refitted)) == (2, 0)
    [other] = moved([a])
    assert as_bytes(mc.collide(other, b, POSE, device="cuda")) == as_bytes(mc.collide(other, b, POSE))
    assert (len(packed_trees), len(refitted)) == (2, 1)
    both = mc.collide(a, other, device="cuda")  # a deformed copy against the original: neither takes the other's trees
    assert as_bytes(both) == as_bytes(mc.collide(a, other))
    packed_trees.clear()
    refitted.clear()
    del a, b, other, both
    gc.collect()
    mc.collide(A, B, device="cuda")
    assert len(device._session[0].kept) == 2


def test_settings_that_make_no_sense():
    for options in (
        {"crossover": 0},
        {"crossover": 1.5},
        {"memory_limit": -1},
        {"memory_limit": True},
        {"reproducible": "best"},
    ):
        with pytest.raises(mc.UnsupportedOption, match=next(iter(options))):
            mc.configure_device(**options)


def test_without_cuda_support(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    state = mc.device_state(refresh=True)
    monkeypatch.undo()
    assert not state.usable
    assert "pip install 'meshclash[gpu]'" in state.reason
    with pytest.raises(mc.DeviceUnavailable, match="meshclash"):
        mc.collide(A, B, device="cuda")
    mc.device_state(refresh=True)


def test_a_broken_installation_is_a_reason(monkeypatch):
    def broken(name, package=None):
        raise ImportError(f"libnvvm.so is missing for {name}")

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(device.importlib, "import_module", broken)
    state = mc.device_state(refresh=True)
    monkeypatch.undo()
    assert not state.usable
    assert "libnvvm.so is missing" in state.reason
    mc.device_state(refresh=True)


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="a driver is installed")
def test_this_machine_says_why_it_has_no_device():
    state = mc.device_state(refresh=True)
    assert not state.usable
    assert len(state.reason) > 20
    assert "\n" not in state.reason


class FakeKernel:
    """A kernel that is compiled once."""

    def __init__(self, fault=None):
        self.compiled = 0
        self.fault = fault

    def prepare(self):
        if self.fault is not None:
            raise self.fault
        self.compiled += 1


def texts_of_warming_up(parts=("gpu",)):
    told = list(mc.warm_up(parts))
    fractions = [progress.fraction for progress in told]
    assert fractions == sorted(set(fractions))
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    return [progress.text for progress in told]


def test_warming_up_takes_a_step_for_each_kernel(backends, monkeypatch):
    kernels = {"one": FakeKernel(), "two": FakeKernel(), "three": FakeKernel()}
    monkeypatch.setattr(FakeDevice, "missing_kernels", lambda self: kernels)
    steps = mc.warm_up(["gpu"])
    assert next(steps).text == "looking for a GPU"
    for done, name in enumerate(kernels):
        assert next(steps).text == f"compiling {name} for the GPU ({done + 1} of 3)"
        assert [kernel.compiled for kernel in kernels.values()] == [1] * done + [0] * (3 - done)
    assert next(steps).text == "ready"
    monkeypatch.setattr(warming, "_warm", set())
    assert len(texts_of_warming_up(("gpu", "contacts"))) == 2 + 4 + 3  # of the part, and of the GPU
    assert len(texts_of_warming_up(("gpu", "contacts"))) == 2 + 3  # the device may be another one


def test_a_kernel_that_cannot_be_compiled_ends_the_use_of_the_device(backends, monkeypatch):
    kernels = {"one": FakeKernel(), "two": FakeKernel(DeviceFault("it fuses")), "three": FakeKernel()}
    monkeypatch.setattr(FakeDevice, "missing_kernels", lambda self: kernels)
    with pytest.warns(RuntimeWarning, match="it fuses"):
        assert texts_of_warming_up()[-1] == "ready"
    assert [kernel.compiled for kernel in kernels.values()] == [1, 0, 0]
    assert len(backends[0]) == 1
    assert "it fuses" in mc.device_state().reason
    assert texts_of_warming_up() == ["looking for a GPU", "ready"]
    with pytest.raises(mc.UnsupportedOption, match=r"contacts, .*gpu"):
        list(mc.warm_up(["cuda"]))
