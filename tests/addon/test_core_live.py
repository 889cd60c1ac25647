"""Live over arrays: whatever changes and whenever it is interrupted, its answer becomes that of a fresh detection."""

from dataclasses import replace

import numpy as np
import pytest
from fake_scene import BOX, make_object
from live_arrays import ArrayScene, Driver, described
from meshclash.clash.frame_scene import Progress, Skipped
from meshclash.clash.options import DetectOptions
from meshclash.clash.queries import distance
from meshclash.clash.rules import Rules
from meshclash.clash.verdicts import CONTACT, NEAR

from addon.core import live as live_module
from addon.core.live import Live


def row_of_boxes(count=5):
    return ArrayScene(*(make_object(f"O{k}", 0.75 * k) for k in range(count)))


@pytest.fixture(autouse=True)
def _no_quiet_time(monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)


TESTS = [DetectOptions(), DetectOptions(test="clearance", tolerance=0.3), DetectOptions(test="distance")]


@pytest.mark.parametrize("wanted", TESTS, ids=lambda wanted: wanted.test)
@pytest.mark.parametrize("seed", range(6))
def test_any_history_ends_in_what_a_detection_finds(engine, seed, wanted, monkeypatch):
    """Moves, deformations, new shapes, new, removed and renamed objects, in both modes, interrupted anywhere."""
    monkeypatch.setattr(live_module, "RETRY_SECONDS", 0.0 if seed % 2 else 1e9)
    rng = np.random.default_rng(seed)
    scene = row_of_boxes(4)
    scene.wanted = wanted
    driver = Driver(scene, engine, budget=[10.0, 0.0][seed // 2 % 2])
    for step in range(25):
        name = str(rng.choice(list(scene.objects) or ["none"]))
        action = rng.integers(6)
        if action == 0 or not scene.objects:
            scene.put(f"N{step}", float(rng.integers(0, 12)) / 4)
        elif action == 1:
            del scene.objects[name]
        elif action == 2:  # deformed: the same triangles
            scene.meshes[step] = replace(BOX, vertices=BOX.vertices * np.float32(rng.choice([0.5, 1.5])))
            scene.objects[name] = replace(scene.objects[name], mesh_key=step)
        elif action == 3:  # another topology
            scene.meshes[step] = replace(BOX, triangles=BOX.triangles[:-2], face_of_triangle=BOX.face_of_triangle[:-2])
            scene.objects[name] = replace(scene.objects[name], mesh_key=step)
        else:
            scene.put(name, float(rng.integers(0, 12)) / 4, scene.objects[name].mesh_key)
        driver.change()
        for _ in range(rng.integers(0, 30)):
            driver.live.run_slice(0.0)
    assert described(driver.settle()) == described(driver.fresh())
    assert not driver.answers[-1][1]


def test_nothing_is_read_while_nothing_changes(engine):
    driver = Driver(row_of_boxes(), engine)
    driver.settle()
    for _ in range(5):
        driver.live.run_slice()
    assert driver.scene.reads == 1 and len(driver.answers) == 1


def test_over_the_budget_it_says_who_meets_and_completes_when_quiet(engine, monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 1e9)
    monkeypatch.setattr(live_module, "RETRY_SECONDS", 1e9)
    driver = Driver(row_of_boxes(), engine, budget=0.0)
    for k in range(4):
        driver.scene.put("O0", 0.01 * k)
        driver.change()
        driver.answer()
    report, incomplete = driver.answers[-1]
    assert incomplete and driver.live.incomplete and driver.live.busy
    moved = [row for row in report.rows if "O0" in row.names]
    assert [(row.verdict, row.contacts, len(row.a.faces)) for row in moved] == [(CONTACT, 1, 1)]
    assert len(report.rows) == len(driver.fresh().rows)
    assert driver.live.complete_cost > 0.0
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)
    assert described(driver.settle()) == described(driver.fresh())
    assert not driver.live.incomplete


def test_over_the_budget_gaps_have_their_length_and_get_their_faces_when_quiet(engine, monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 1e9)
    monkeypatch.setattr(live_module, "RETRY_SECONDS", 1e9)
    scene = ArrayScene(*(make_object(f"O{k}", 1.5 * k) for k in range(3)))
    scene.wanted = DetectOptions(test="clearance", tolerance=0.6)
    driver = Driver(scene, engine, budget=0.0)
    for k in range(4):
        scene.put("O0", 0.75 + 0.01 * k)
        scene.put("O2", 2.9 + 0.01 * k)
        driver.change()
        driver.answer()
    report, incomplete = driver.answers[-1]
    assert incomplete
    told = {row.names: (row.verdict, row.distance, len(row.a.faces)) for row in report.rows}
    assert told["O0", "O1"] == (CONTACT, 0.0, 1)
    assert told["O1", "O2"] == (NEAR, pytest.approx(0.43), 1)
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)
    assert described(driver.settle()) == described(driver.fresh())


def test_pairs_beyond_the_nearest_are_counted_once(engine, monkeypatch):
    monkeypatch.setattr(distance, "MOST_PAIRS", 4)
    scene = ArrayScene(*(make_object(f"O{k}", 1.5 * k * k) for k in range(5)))
    scene.wanted = DetectOptions(test="distance")
    driver = Driver(scene, engine)
    driver.settle()
    for _ in range(3):
        driver.change()
        report = driver.settle()
    assert len(report.rows) == 4
    assert report.stats["left_out"] == driver.fresh().stats["left_out"]
    assert report.stats["left_out"]["pairs"] == 6


def test_within_the_budget_every_answer_is_complete(engine):
    driver = Driver(row_of_boxes(), engine)
    for k in range(5):
        driver.scene.put("O0", 0.01 * k)
        driver.change()
        driver.settle()
    assert [incomplete for _, incomplete in driver.answers] == [False] * 5


def test_a_wrong_input_is_told_and_gets_another_chance(engine):
    driver = Driver(row_of_boxes(), engine)
    driver.scene.problem = "nothing is selected"
    driver.until(lambda: driver.live.problem)
    assert driver.live.problem == "nothing is selected" and not driver.answers
    driver.scene.problem = None
    driver.change()
    assert described(driver.settle()) == described(driver.fresh())
    assert not driver.live.problem


def test_a_mesh_that_the_engine_refuses_is_named_and_the_others_are_answered(engine):
    driver = Driver(row_of_boxes(), engine)
    before = described(driver.settle())
    driver.scene.meshes["bad"] = replace(BOX, vertices=BOX.vertices * np.float32(1e35))
    for mesh, skipped in (("bad", ["Broken"]), ("box", []), ("bad", ["Broken"])):  # new, mended, damaged again
        driver.scene.put("Broken", 0.25, mesh)
        driver.change()
        report = driver.settle()
        assert [item.name for item in report.skipped] == skipped and all(item.lost for item in report.skipped)
        assert (described(report) == before) == bool(skipped)
        assert described(report) == described(driver.fresh())


def test_changed_settings_are_noticed_without_a_change_of_the_scene(engine):
    driver = Driver(row_of_boxes(), engine)
    driver.settle()
    for wanted in (
        DetectOptions(permitted_overlap=0.3),
        DetectOptions(rules=Rules(listed_pairs=frozenset({("O0", "O1")}))),
        DetectOptions(),
    ):
        driver.scene.wanted = wanted
        driver.live.look_at_options()
        assert driver.live.busy
        assert described(driver.settle()) == described(driver.fresh())


def test_objects_that_were_left_out_are_in_the_report(engine):
    driver = Driver(row_of_boxes(), engine)
    driver.scene.skipped = [Skipped("Plane", "it has no faces")]
    assert [item.name for item in driver.settle().skipped] == ["Plane"]


def test_an_empty_scene_has_an_empty_answer(engine):
    driver = Driver(ArrayScene(), engine)
    assert driver.settle().rows == []


def test_closing_frees_what_was_built(engine):
    import gc
    import weakref

    driver = Driver(row_of_boxes(), engine)
    driver.settle()
    frame = driver.live._steps.gi_frame.f_locals["answers"]
    alive = weakref.ref(frame.world.scene)
    del frame
    driver.live.close()
    driver.live.close()
    gc.collect()
    assert alive() is None


def test_what_a_test_needs_is_compiled_when_it_is_asked(engine):
    scene, asked = row_of_boxes(), []

    def load(parts):
        asked.append(tuple(parts))
        yield Progress(0.0, "Loading the engine")
        return engine

    driver = Driver(scene, engine)
    driver.live = Live(scene, load, lambda report, incomplete: driver.answers.append((report, incomplete)))
    driver.settle()
    scene.wanted = DetectOptions(test="distance")
    for _ in range(2):
        driver.change()
        driver.settle()
    assert asked == [live_module.PARTS, ("distances",)]
    assert driver.live.ready


def test_errors_of_loading_pass_through(engine):
    def load(_parts):
        yield Progress(0.0, "Loading the engine")
        raise RuntimeError("no numba")

    live = Live(row_of_boxes(), load, lambda *_: None)
    with pytest.raises(RuntimeError, match="no numba"):
        live.run_slice(60.0)
