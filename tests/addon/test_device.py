"""The choice of the device in the preferences, and what it says about a GPU that cannot be used."""

from types import SimpleNamespace

import bpy
import pytest
from meshclash.clash.statistics import RunStatistics
from ui_fakes import RecordingLayout

from addon import engine, preferences
from addon.core import device_gain
from addon.ops import loading
from addon.ui import panels


@pytest.fixture(autouse=True)
def undecided(monkeypatch):
    monkeypatch.setattr(engine, "_gpu_from", [{}])
    engine.load().configure_device()
    yield
    engine.load().configure_device()


def settings_of(engine_module):
    return engine_module.gpu.device._settings.crossovers


def test_the_choice_reaches_the_engine_at_once_or_when_it_is_loaded(monkeypatch):
    module = engine.load()
    engine.use_gpu_from({"crossover": 5000, "point_crossover": 300})
    assert (settings_of(module)["crossover"], settings_of(module)["point_crossover"]) == (5000, 300)
    assert settings_of(module)["distance_crossover"] is None
    engine.use_gpu_from(None)
    assert settings_of(module)["crossover"] is None
    monkeypatch.setattr(engine, "_engine", None)
    engine.use_gpu_from({"crossover": 7000})
    assert settings_of(module)["crossover"] is None
    assert settings_of(engine.load())["crossover"] == 7000


def test_by_default_the_cpu_is_used():
    assert preferences.gpu_from(bpy.context) is None
    chosen = SimpleNamespace(**dict.fromkeys(preferences.CROSSOVERS, 0) | {"device": "GPU", "gpu_from": 123})
    installed = SimpleNamespace(preferences=chosen)
    context = SimpleNamespace(preferences=SimpleNamespace(addons={preferences.BASE: installed}))
    assert preferences.gpu_from(context) == {"crossover": 123}
    chosen.gpu_objects_from = 5
    assert preferences.gpu_from(context) == {"crossover": 123, "object_crossover": 5}
    chosen.device = "CPU"
    assert preferences.gpu_from(context) is None


def test_every_crossover_of_the_engine_can_be_set():
    assert sorted(preferences.CROSSOVERS.values()) == sorted(engine.load().gpu.device.CROSSOVERS)
    for name in preferences.CROSSOVERS:
        assert name in preferences.MESHCLASH_AP_preferences.__annotations__
        assert hasattr(preferences._Defaults, name)


def shown(**settings):
    layout = RecordingLayout()
    preferences.draw_device(layout, SimpleNamespace(), SimpleNamespace(**settings))
    return layout.texts()


def test_the_page_says_what_is_known_of_a_gpu(monkeypatch):
    module = engine.load()
    state = module.gpu.state.DeviceState(False, "no NVIDIA driver was found: install one, or use the CPU")
    monkeypatch.setattr(module.gpu.device, "_look", lambda: state)
    monkeypatch.setattr(module.gpu.device, "_state", [])
    assert not any("driver" in text for text in shown(device="CPU", gpu_from=1))
    assert any("MeshClash has not looked for a GPU yet" in text for text in shown(device="GPU", gpu_from=1))
    assert engine.look_for_gpu(None) == (False, "No NVIDIA driver was found: install one, or use the CPU")
    assert any("No NVIDIA driver was found" in text for text in shown(device="GPU", gpu_from=1))
    assert any("GPU: No NVIDIA driver was found" in line for line in engine.diagnose())
    found = module.gpu.state.DeviceState(True, "", "Some GPU", (9, 0), 1 << 33, "driver for CUDA 13.0")
    monkeypatch.setattr(module.gpu.device, "_look", lambda: found)
    assert engine.look_for_gpu(None) == (True, "Some GPU, driver for CUDA 13.0")
    assert any("Some GPU" in text for text in shown(device="GPU", gpu_from=1))


def test_users_of_blender_are_sent_to_a_zip(monkeypatch):
    module = engine.load()
    monkeypatch.setattr(module.gpu.device.importlib.util, "find_spec", lambda name: None)
    usable, text = engine.look_for_gpu(None)
    monkeypatch.undo()
    module.gpu.device._state.clear()
    assert not usable
    assert text == "No CUDA support is installed (it comes with a zip that build_extension.py --gpu makes)"


def test_before_the_engine_is_loaded_nothing_is_known(monkeypatch):
    monkeypatch.setattr(engine, "_engine", None)
    assert engine.device_known() == (False, "The engine is not loaded yet")


def test_the_button(registered, monkeypatch):
    module = engine.load()
    monkeypatch.setattr(module.gpu.device, "_look", lambda: module.gpu.state.DeviceState(False, "there is none"))
    assert bpy.ops.meshclash.look_for_gpu() == {"FINISHED"}
    assert module.device_state(look=False).reason == "there is none"
    module.gpu.device._state.clear()


def test_what_a_gpu_needs_is_ready_before_the_first_question(monkeypatch):
    module = engine.load()
    monkeypatch.setattr(module.gpu.device, "_state", [module.gpu.state.DeviceState(False, "there is none")])
    texts = [[step.text for step in loading.load_steps(None, (), gpu=gpu)] for gpu in (False, True)]
    assert "First use on this computer: looking for a GPU" in texts[1]
    assert [text for text in texts[1] if not text.startswith("First use")] == texts[0]


def stats_of(device, seconds, note=""):
    return {"device": device, "device_note": note, "objects": 3, "triangles": 900, "frames": 1,
            "seconds": seconds + 1.0, "timings": {"read": 1.0, "query": seconds}}  # fmt: skip


def test_what_a_gpu_gains_is_told_once_both_have_answered(monkeypatch):
    monkeypatch.setattr(device_gain, "_cpu_seconds", {})
    assert device_gain.gain("collision", stats_of("cuda", 0.5)) is None
    device_gain.note_answer("collision", stats_of("cpu", 2.0))
    assert device_gain.gain("collision", stats_of("cuda", 0.5)) == 4.0
    assert device_gain.gain("collision", stats_of("cpu", 0.5)) is None
    assert device_gain.gain("clearance", stats_of("cuda", 0.5)) is None
    device_gain.note_answer("clearance", stats_of("cuda", 3.0))
    assert device_gain.gain("clearance", stats_of("cuda", 0.5)) is None


def test_the_statistics_say_what_answered_and_why(monkeypatch):
    monkeypatch.setattr(device_gain, "_cpu_seconds", {})
    monkeypatch.setattr(engine, "device_known", lambda: (True, "Some GPU, driver for CUDA 13.0"))
    context = SimpleNamespace(region=SimpleNamespace(width=400))

    def texts(stats):
        layout = RecordingLayout()
        panels.draw_answered(layout, context, "collision", stats)
        return layout.texts(), layout.operators()

    assert texts(stats_of("cpu", 2.0)) == (["Computed by", "CPU"], [])
    assert texts(stats_of("cuda", 0.5)) == (["Computed by", "Some GPU", "Speed Compared With CPU", "Not measured"], [])
    device_gain.note_answer("collision", stats_of("cpu", 2.0))
    assert texts(stats_of("cuda", 0.5))[0][-1] == "4.0 times as fast"
    shown_texts, operators = texts(stats_of("cpu", 2.0, "the device is gone; the CPU was used instead"))
    assert "the device is gone" in " ".join(shown_texts)
    assert operators == ["meshclash.look_for_gpu"]
    assert texts({}) == ([], [])


def test_a_run_keeps_each_reason_once_and_says_where_a_gpu_answered():
    def answer(device, note):
        counts = {"volume_tests": 0, "primitive_tests": 0, "exact_tests": 0, "threads": 1}
        stats = SimpleNamespace(device=device, note=note, **counts)
        return SimpleNamespace(stats=stats, timings={}, left_out=0, beyond=None)

    first, second = RunStatistics(1.0), RunStatistics(1.0)
    first.add_answer(answer("cuda", ""))
    for note in ("it is full", "it is full", "it is gone"):
        second.add_answer(answer("cpu", note))
    assert second.as_dict()["device"] == "cpu"
    first.add(second)
    assert first.as_dict()["device"] == "cuda"
    assert first.as_dict()["device_note"] == "it is full; it is gone"
