"""The time-critical test: without a window, in Live, and as it is drawn."""

import json
from itertools import pairwise

import bpy
import numpy as np
import pytest
from fake_scene import BOX, make_object
from live_arrays import ArrayScene, Driver
from meshclash.clash.cell_text import format_probability
from meshclash.clash.frame_scene import SourceMesh
from meshclash.clash.job import detect_steps
from meshclash.clash.options import DetectOptions
from meshclash.clash.queries import time_critical
from meshclash.clash.verdicts import LIKELY, MEETS, UNLIKELY
from meshclash.types.steps import run_to_end

from addon import commandline
from addon.core import live as live_module
from addon.overlay import render_data

DONE, CLASHES, WRONG = 0, 1, 2


def sphere(radius, rings=60):
    """A closed sphere of many triangles, about the origin."""
    polar, turn = np.meshgrid(np.linspace(0, np.pi, rings), np.arange(rings) * 2 * np.pi / rings, indexing="ij")
    vertices = radius * np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], -1)
    index = np.arange(rings * rings).reshape(rings, rings)
    beside, below, across = np.roll(index, -1, 1)[:-1], index[1:], np.roll(index, -1, 1)[1:]
    quads = [(index[:-1], below, across), (index[:-1], across, beside)]
    triangles = np.concatenate([np.stack(corners, -1).reshape(-1, 3) for corners in quads]).astype(np.int32)
    faces = np.arange(len(triangles), dtype=np.int32)
    return SourceMesh(vertices.reshape(-1, 3).astype(np.float32), triangles, faces, True)


def nested(budget=1e-9):
    """Two spheres, one closely inside the other: their surfaces do not meet, and to know that takes a while."""
    scene = ArrayScene(make_object("outer", 0.0, "outer"), make_object("inner", 0.0, "inner"))
    scene.meshes = {"outer": sphere(1.0), "inner": sphere(0.98)}
    scene.wanted = DetectOptions(test="time-critical", budget=budget)
    return scene


@pytest.fixture
def boxes(add_box, tmp_path):
    """A and B overlap; C is far away, D inside A without touching it."""
    add_box("A", (0, 0, 0), (1, 1, 1))
    add_box("B", (0, 0, 0), (1, 1, 1), location=(0.75, 0, 0))
    add_box("C", (0, 0, 0), (1, 1, 1), location=(5, 0, 0))
    add_box("D", (0, 0, 0), (0.25, 0.25, 0.25), location=(0.25, 0.25, 0.25))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "boxes.blend"))
    return tmp_path / "boxes.blend"


def test_headless_with_time_enough_lists_the_surfaces_that_meet(boxes, tmp_path):
    path = tmp_path / "report.json"
    asked = [str(boxes), "--test", "time-critical", "--budget", "10", "--report", str(path), "--quiet"]
    assert commandline.main(asked) == DONE
    report = json.loads(path.read_text(encoding="utf-8"))
    (pair,) = report["pairs"]
    assert (pair["verdict"], pair["a"], pair["b"], pair["probability"]) == ("meets", "A", "B", 1.0)
    assert (len(pair["faces_a"]), len(pair["faces_b"]), pair["contacts"]) == (1, 1, 1)
    assert 0.75 <= pair["location"][0] <= 1.0
    assert report["options"]["budget"] == 10.0
    assert commandline.main([*asked, "--fail-on", "clash"]) == CLASHES


@pytest.mark.parametrize("budget", ["0", "-1", "nan", "inf", "soon", None])
def test_headless_refuses_budgets_that_are_no_time(boxes, tmp_path, capsys, budget):
    path = tmp_path / "report.json"
    given = [] if budget is None else [f"--budget={budget}"]
    assert commandline.main([str(boxes), "--test", "time-critical", *given, "--report", str(path)]) == WRONG
    assert "budget" in capsys.readouterr().err
    assert not path.exists()


def test_without_time_a_pair_is_listed_with_its_probability_and_a_box(engine):
    scene = nested()
    report = run_to_end(detect_steps(scene, scene.wanted, engine))
    (row,) = report.rows
    assert row.verdict in (LIKELY, UNLIKELY)
    assert 0.0 < row.probability < 1.0
    assert (row.verdict == LIKELY) == (row.probability >= 0.5)
    assert row.curves.shape == (12, 2, 3)
    assert sorted(np.ptp(edge, axis=0).astype(bool).sum() for edge in row.curves) == [1] * 12
    assert np.abs(row.curves).max() <= 1.0 + 1e-5
    assert (row.contacts, row.a.count, row.b.count) == (0, 0, 0)
    assert row.location is not None
    assert 0.0 <= row.probability_lower <= row.probability <= row.probability_upper <= 1.0
    assert row.probability_lower < row.probability_upper
    written = report.as_dict()["pairs"][0]
    for name in ("probability", "probability_lower", "probability_upper"):
        assert written[name] == getattr(row, name)
    assert format_probability(written) == (
        f"{row.probability:.0%} ({row.probability_lower:.0%} to {row.probability_upper:.0%})"
    )


def test_boxes_of_probable_pairs_are_drawn_in_the_colour_of_their_probability(engine):
    report = run_to_end(detect_steps(nested(), nested().wanted, engine))
    data = render_data.collect(report.rows)
    assert data.guesses.shape == (24, 3) and data.guess_colours.shape == (24, 4)
    assert len(data.curves) == len(data.faces_a) == 0
    assert np.allclose(data.guess_colours, render_data.probability_colour(report.rows[0].probability))
    assert render_data.bounds(report.rows[0]) is not None
    assert [render_data.probability_colour(p)[:2] for p in (0.0, 0.5, 1.0)] == [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]


def test_live_refines_while_nothing_changes_until_all_is_certain(engine, monkeypatch):
    monkeypatch.setattr(live_module, "SHOW_SECONDS", 0.0)
    monkeypatch.setattr(live_module, "SHOW_SHARE", 1e9)
    driver = Driver(nested(), engine)
    driver.change()
    assert driver.settle().rows == []  # the surfaces do not meet
    uncertain = [(report, flag) for report, flag in driver.answers if flag]
    assert len(uncertain) > 2
    assert all(0.0 < row.probability < 1.0 for report, _ in uncertain for row in report.rows)
    assert not driver.answers[-1][1]


def test_live_writes_a_row_again_only_when_it_would_say_something_else(engine, monkeypatch):
    monkeypatch.setattr(live_module, "SHOW_SECONDS", 0.0)
    monkeypatch.setattr(live_module, "SHOW_SHARE", 1e9)
    scene, written = nested(), []
    for name, x in (("left", 5.0), ("right", 5.75)):
        scene.put(name, x)
    scene.meshes["box"] = BOX
    original = time_critical.probability_draft

    def spy(*arguments):
        draft = original(*arguments)
        row = draft.row
        shown = (row.probability, row.probability_lower, row.probability_upper)
        written.append((*row.names, row.verdict, *(round(100 * share) for share in shown)))
        return draft

    monkeypatch.setattr(time_critical, "probability_draft", spy)
    driver = Driver(scene, engine)
    driver.settle()
    assert written.count(("left", "right", MEETS, 100, 100, 100)) == 1
    guesses = [row for row in written if row[0] == "inner"]
    assert len(guesses) > 1 and all(old != new for old, new in pairwise(guesses))
    scene.put("right", 5.5)
    driver.change()
    driver.settle()
    assert written.count(("left", "right", MEETS, 100, 100, 100)) == 2  # elsewhere


def test_live_refines_with_all_the_time_of_a_call_whatever_the_test_s_budget(engine, monkeypatch):
    driver = Driver(nested(), engine)
    driver.change()
    while not driver.live.incomplete:
        driver.live.run_slice(0.0)
    budgets = []

    def spy(asked):
        budgets.append(asked.options.budget)
        raise InterruptedError

    monkeypatch.setattr(time_critical, "_search_steps", spy)
    with pytest.raises(InterruptedError):
        driver.live.run_slice(1000.0)
    assert 500.0 < budgets[0] <= 1000.0


def test_live_says_what_is_missing(engine):
    driver = Driver(nested(), engine)
    driver.change()
    while not driver.live.incomplete:
        driver.live.run_slice(0.0)
    assert driver.live.shortfall == "Still searching: 1 pair not certain yet"


@pytest.mark.parametrize("seed", range(4))
def test_any_history_in_live_ends_in_what_a_detection_finds(engine, seed):
    rng = np.random.default_rng(seed)
    scene = ArrayScene(*(make_object(f"O{k}", 0.75 * k) for k in range(4)))
    scene.wanted = DetectOptions(test="time-critical", budget=1.0 if seed % 2 else 1e-9)
    driver = Driver(scene, engine)
    for step in range(20):
        name = str(rng.choice(list(scene.objects)))
        action = rng.integers(4)
        if action == 0:
            scene.put(f"N{step}", float(rng.integers(0, 12)) / 4)
        elif action == 1 and len(scene.objects) > 1:
            del scene.objects[name]
        elif action == 2:  # another test in between
            scene.wanted = DetectOptions()
            driver.change()
            driver.settle()
            scene.wanted = DetectOptions(test="time-critical", budget=1e-9)
        else:
            scene.put(name, float(rng.integers(0, 12)) / 4)
        driver.change()
        for _ in range(rng.integers(0, 30)):
            driver.live.run_slice(0.0)
    scene.wanted = DetectOptions(test="time-critical", budget=10.0)
    driver.change()
    settled, fresh = driver.settle(), driver.fresh()
    assert {row.verdict for row in settled.rows} <= {MEETS}
    assert [(row.id, row.verdict) for row in settled.rows] == [(row.id, row.verdict) for row in fresh.rows]


def test_the_panel_s_budget_is_in_milliseconds(registered):
    settings = bpy.context.scene.meshclash
    settings.test = "time-critical"
    settings.budget = 2.5
    assert settings.detect_options(1.0).budget == pytest.approx(0.0025)
    settings.test = "intersection"
    assert settings.detect_options(1.0).budget is None
