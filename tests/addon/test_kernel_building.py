"""Waiting for kernels that a process beside the window compiles: progress, ESC, failures, and what comes after."""

from types import SimpleNamespace

import bpy
import pytest
from meshclash.clash import kernel_parts
from meshclash.clash.options import DetectOptions
from meshclash.clash.queries.registry import TESTS

from addon import engine, kernel_building
from addon.core import levels
from addon.core.advisor import parts_to_measure
from addon.core.live import PARTS as LIVE_PARTS
from addon.core.voxel_boxes import PARTS as VOXEL_PARTS
from addon.ops import loading, massive


class FakeBuilder:
    """Compiles one part at each look that is taken at it."""

    def __init__(self, parts, dies_after=None):
        self.wanted, self.done, self.looks, self.stopped, self.problem = list(parts), [], 0, False, ""
        self._dies_after = dies_after

    @property
    def processes(self):
        self.looks += 1
        if self.looks == self._dies_after:
            self.problem = "a process that compiles was ended by signal 9"
        return 0 if self.problem else 1

    def missing(self, parts):
        return [part for part in parts if part not in self.done]

    def want_first(self, parts):
        rest = [part for part in self.wanted if part not in (*self.done, *parts)]
        self.wanted = [*self.done, *(part for part in parts if part not in self.done), *rest]

    def state(self, parts):
        left = len(self.missing(parts))
        self.done += [part for part in self.wanted if part not in self.done][:1]
        return SimpleNamespace(fraction=1.0 - left / len(parts), seconds=33.0 * left, running="")

    def stop(self):
        self.stopped = True


@pytest.fixture
def world(monkeypatch):
    """An engine that lacks all kernels, and the builders that were started for it."""
    made, stored, notes = [], set(), []

    def look():
        stored.update(part for builder in made for part in builder.done)

    module = SimpleNamespace(
        jit=SimpleNamespace(
            missing_parts=lambda parts: [part for part in parts if part not in stored], look_for_new_kernels=look
        ),
        kernels=SimpleNamespace(cache=SimpleNamespace(note=notes.append)),
    )
    world = SimpleNamespace(module=module, made=made, notes=notes, dies_after=None)

    def own_builder(parts):
        made.append(FakeBuilder(parts, world.dies_after))
        return made[-1]

    monkeypatch.setattr(engine, "kernel_builder", lambda: SimpleNamespace(own_builder=own_builder))
    monkeypatch.setattr(kernel_building, "PAUSE", 0.0)
    monkeypatch.setattr(kernel_building, "_running", [])
    monkeypatch.setattr(kernel_building, "_failed", [])
    return world


def texts(world, *parts):
    return [step.text for step in kernel_building.ready_steps(world.module, parts)]


def test_the_bar_says_how_long_it_takes_and_nothing_is_waited_for_twice(world):
    told = texts(world, "contacts", "depths")
    assert told == [f"Compiling for this computer (only once): about {s}" for s in ("1 min left", "35 s left")]
    assert texts(world, "contacts", "depths") == []
    (builder,) = world.made
    assert builder.wanted == list(dict.fromkeys(["contacts", "depths", *kernel_parts.EVERYTHING]))
    assert not builder.stopped, "it goes on with what other questions need"


def test_a_question_that_comes_later_goes_first(world):
    texts(world, "contacts")
    texts(world, "massive")
    (builder,) = world.made
    assert builder.done == ["contacts", "massive"], "what else is missing waits"


def test_escape_ends_the_process_and_the_next_press_goes_on(world):
    steps = kernel_building.ready_steps(world.module, ["contacts", "depths", "voxels"])
    assert ["2 min" in next(steps).text, "1 min" in next(steps).text] == [True, True]
    steps.close()
    assert world.made[0].stopped and kernel_building._running == [] and world.made[0].done == ["contacts", "depths"]
    texts(world, "contacts", "depths", "voxels")
    assert world.made[1].wanted[0] == "voxels", "what is compiled stays"


@pytest.mark.parametrize("dies_after", [1, 2])
def test_where_no_process_can_compile_the_engine_does(world, dies_after):
    world.dies_after = dies_after
    texts(world, "contacts", "depths", "voxels")
    assert world.made[0].stopped and world.notes == [
        "kernels are compiled in the window: a process that compiles was ended by signal 9"
    ]
    assert texts(world, "contacts", "depths") == [] and len(world.made) == 1, "it is not tried again and again"


def test_a_process_that_ends_too_early_is_no_success(world, monkeypatch):
    monkeypatch.setattr(FakeBuilder, "processes", 0)
    assert texts(world, "contacts") == []
    assert "ended before all was compiled" in world.notes[0]


def test_a_folder_that_cannot_be_used_is_told(world, monkeypatch):
    def refuse(parts):
        raise OSError("not used: everybody may write into /there")

    monkeypatch.setattr(engine, "kernel_builder", lambda: SimpleNamespace(own_builder=refuse))
    assert texts(world, "contacts") == [] and "everybody may write" in world.notes[0]


def test_nothing_runs_any_more_when_the_extension_is_disabled(world, registered):
    texts(world, "contacts")
    registered.unregister()
    assert world.made[0].stopped
    registered.register()


def test_without_a_window_nothing_is_started(world, monkeypatch):
    engine.load()
    monkeypatch.setattr(engine, "_engine", world.module)
    monkeypatch.setattr(engine, "diagnose", list)
    assert bpy.app.background
    list(loading.load_steps(None, ["contacts"]))
    assert world.made == []


def test_all_that_the_extension_asks_for_is_compiled_for_its_packages():
    kinds = [name for name, *_ in levels.VOLUMES]
    asked = {*LIVE_PARTS, *VOXEL_PARTS, *massive.PARTS, *kernel_parts.CLOUD_PARTS, *kernel_parts.LARGE_PARTS}
    asked |= set(parts_to_measure(kinds, [name for name, *_ in levels.SPLITS]))
    for test in TESTS.values():
        for options in (DetectOptions(), DetectOptions(touch_tolerance=1.0, overlap_volume=True)):
            asked |= set(test.parts(options))
    assert asked <= set(kernel_parts.EVERYTHING)
    known = engine.load().warming
    assert set(kernel_parts.EVERYTHING) <= {*known.PARTS, *known.SPECIAL_PARTS}
