"""Live with scans: its answer becomes that of a fresh detection, and a pair is asked again only when it changed."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from live_driver import LiveDriver, detected
from meshclash.clash.frame_scene import Progress
from meshclash.clash.verdicts import CONTACT
from scans import add_scan, ball, wall
from spied import asked_by, noted

from addon import running_work, scene_results
from addon.core import live as live_module

MEASURED = {"intersection": {}, "clearance": {"tolerance": 0.3}, "distance": {}}


@pytest.fixture(autouse=True)
def _no_quiet_time(monkeypatch):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)


@pytest.fixture
def room(registered, add_box):
    """A wall and a ball of points that meet, a box that enters both, and a small one beside."""
    add_scan("Ball", ball()[0], as_mesh=True)
    add_scan("Wall", wall(), location=(0.0, 0.0, 0.9))
    add_box("Box", (0.8, -2, -2), (3, 2, 2))
    add_box("Small", (-0.1, -0.1, -0.1), (0.1, 0.1, 0.1), (5.0, 0.0, 0.0))
    return bpy.data.objects


def ask(test, **options):
    settings = bpy.context.scene.meshclash
    settings.test = test
    for name, value in options.items():
        setattr(settings, name, value)


@pytest.fixture
def driver(room):
    made = LiveDriver()
    yield made
    running_work.stop_live()


def described(rows):
    """What two runs must agree on; how deep two meshes overlap is an estimate."""
    return sorted(
        (*row.names, row.verdict, round(row.depth or 0.0, 5) if {*row.names} & {"Ball", "Wall"} else None,
         None if row.distance is None else round(row.distance, 5), row.a.points.tolist(), row.b.points.tolist(),
         row.a.faces.tolist(), row.b.faces.tolist(), np.round(row.a.dots, 5).tolist(), np.round(row.b.dots, 5).tolist())
        for row in rows
    )  # fmt: skip


@pytest.mark.parametrize("test", MEASURED)
def test_it_finds_what_detect_finds(driver, room, engine, test):
    ask(test, **MEASURED[test])
    rng = np.random.default_rng(3)
    for step in range(8):
        item = room[str(rng.choice(["Ball", "Wall", "Box", "Small"]))]
        if step % 4 == 3:
            item.hide_set(not item.hide_get())
        elif step % 4 == 2 and item.data.vertices:
            item.data.vertices[0].co.x += 0.05
            item.data.update()
        else:
            item.location = rng.integers(-4, 5, 3) / 4
        driver.tick(int(rng.integers(0, 4)))
        rows = driver.settle()
        assert described(rows) == described(detected(engine)), step
    assert any(row.a.points.size or row.b.points.size for row in rows)


def test_only_pairs_that_changed_are_asked_again(driver, room):
    work = []

    def settled():
        driver.settle()
        stats = evaluations_of(driver)
        work.append(stats)
        return stats

    assert settled() > 0
    room["Small"].location.y = 1.0
    assert settled() == 0
    room["Wall"].location.z = 0.8
    moved = settled()
    assert 0 < moved < work[0], "the ball and the box are not asked again"


def evaluations_of(driver):
    """How often surfaces were evaluated for the last answer."""
    return result_of(driver).report.stats["exact_tests"]


def test_another_tolerance_asks_all_pairs_anew_of_the_same_clouds(driver, room, engine, monkeypatch):
    driver.settle()
    made = []
    monkeypatch.setattr(engine.clouds.PointCloud, "make", noted(engine.clouds.PointCloud.make, made))
    for options in ({"tolerance": 0.1}, {"tolerance": 0.5}):
        ask("clearance", **options)
        assert described(driver.settle()) == described(detected(engine))
        assert len(made) == 2  # by the fresh detection
        made.clear()
    bpy.context.scene.meshclash.point_budget = 1000
    assert described(driver.settle()) == described(detected(engine))
    assert len(made) == 4


def test_a_change_ends_the_search_for_certainty(driver, room, engine, monkeypatch):
    """However long it would take: the next answer is about the scene as it is."""
    ask("time-critical", budget=0.01)
    driver.settle()
    original, refining = engine.Scene.time_critical, []

    def unsure(scene, budget, **sets):
        found = yield from original.slices(scene, **sets)
        while refining:
            yield Progress(0.5, "comparing surfaces")
        refining.append(budget)
        nothing = np.zeros(len(found.pairs), np.bool_)
        return replace(found, complete=nothing, probability=np.full(len(found.pairs), 0.7))

    monkeypatch.setattr(engine.Scene, "time_critical", asked_by(unsure, original))
    for x in (-0.1, -0.2, 9.0):
        shown, _ = result_of(driver), refining.clear()
        room["Box"].location.x = x
        bpy.context.view_layer.update()
        driver.until(lambda before=shown: result_of(driver) is not before)
        driver.tick(3)
        assert driver.run.live.busy and refining
    rows = result_of(driver).report.rows
    assert rows and not any("Box" in row.names for row in rows)


def result_of(driver):
    """The last answer."""
    return scene_results.result_of(driver.run.scene_uid)


@pytest.mark.parametrize("test", MEASURED)
def test_over_the_budget_it_says_who_meets_and_completes_when_quiet(driver, room, engine, monkeypatch, test):
    ask(test, **MEASURED[test])
    driver.settle()
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 1e9)
    driver.run.live.complete_cost, driver.run.live._retry_at = 1.0, 1e18
    room["Box"].location.x = -0.1
    bpy.context.view_layer.update()
    driver.until(lambda: result_of(driver).incomplete)
    result = result_of(driver)
    rows = {row.names: row for row in result.report.rows}
    assert rows["Ball", "Box"].verdict == CONTACT
    assert rows["Ball", "Box"].distance == (None if test == "intersection" else 0.0)
    assert rows["Ball", "Box"].location is not None
    if test == "distance":
        assert rows["Ball", "Small"].verdict == "apart"
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)
    assert described(driver.settle()) == described(detected(engine))


def test_time_critical_pairs_of_scans_become_certain(driver, room):
    ask("time-critical", budget=0.01)
    rows = {row.names: (row.verdict, row.probability) for row in driver.settle()}
    assert rows == dict.fromkeys([("Ball", "Box"), ("Ball", "Wall"), ("Box", "Wall")], ("meets", 1.0))
    room["Box"].location.x = 0.3
    assert {row.names for row in driver.settle()} == {("Ball", "Wall"), ("Box", "Wall")}


def test_scans_in_live_are_dropped_when_they_leave(driver, room):
    assert any(row.b.name == "Wall" or row.a.name == "Wall" for row in driver.settle())
    bpy.data.objects.remove(room["Wall"])
    assert not any("Wall" in row.names for row in driver.settle())
    bpy.data.objects.remove(room["Ball"])
    assert driver.settle() == []
