"""Hierarchies that are drawn, and the advisor."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from ui_fakes import draw, escape, timer

from addon import running_work, shown_things
from addon.core import levels
from addon.core.levels import SPLITS, VOLUMES
from addon.core.methods import METHODS
from addon.ops import hierarchy as operators
from addon.ops.detect import Run
from addon.ui import hierarchy as panels
from addon.ui import methods as method_panels


@pytest.fixture
def ball(registered):
    """An active ball of some hundred triangles, moved, turned and stretched."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=12)
    item = bpy.context.active_object
    item.location, item.rotation_euler, item.scale = (3.0, -2.0, 1.0), (0.3, 0.2, 0.1), (1.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    return item


def settings():
    return bpy.context.scene.meshclash


def shown():
    return shown_things.shown_hierarchy()


def told(panel):
    """All texts of a panel; a long one is several labels."""
    return " ".join(draw(panel, bpy.context).texts())


def test_the_choices_are_those_of_the_engine(engine):
    from meshclash.hierarchy import build
    from meshclash.volumes import registry

    for items, known in ((VOLUMES, registry.VOLUMES), (SPLITS, build.SPLITS)):
        names = [name for name, _, _ in items]
        assert set(names) == set(known), "addon/core/levels.py lists other names than the engine"
        assert len(names) == len(set(names))


@pytest.mark.parametrize("volume", [name for name, _, _ in VOLUMES])
def test_a_volume_with_more_lines_than_a_box_has_a_cost(engine, volume):
    lines = engine.lab.level_wireframe(engine.shapes.sphere(1.0, 0.1), 0, volume)
    assert (len(lines) > 12) == (volume in levels.COSTS), "COSTS of addon/core/levels.py"


def test_nothing_is_shown_until_it_is_asked_for_and_nothing_stays_after(ball):
    assert shown() is None and not bpy.ops.meshclash.hide_hierarchy.poll()
    assert bpy.ops.meshclash.show_hierarchy() == {"FINISHED"}
    assert shown().name == ball.name and shown().count == 8  # level 3
    assert bpy.ops.meshclash.hide_hierarchy() == {"FINISHED"}
    assert shown() is None


@pytest.mark.parametrize("level", [0, 2, 50])
def test_the_lines_of_boxes_surround_the_mesh(ball, level):
    settings().hierarchy_level = level
    bpy.ops.meshclash.show_hierarchy()
    low, high = shown().lines.min(axis=0), shown().lines.max(axis=0)
    points = np.array([vertex.co for vertex in ball.data.vertices])
    assert (low <= points.min(axis=0) + 1e-6).all() and (high >= points.max(axis=0) - 1e-6).all()
    assert (high - low <= np.ptp(points, axis=0) + 1e-3).all()  # in the object's own space, and no larger than it
    assert len(shown().lines) == 24 * shown().count  # twelve edges each
    assert shown().level == min(level, shown().depth)
    assert shown().lines.dtype == np.float32 and shown().lines.flags["C_CONTIGUOUS"]


def test_the_slider_changes_the_level_without_building_again(ball):
    bpy.ops.meshclash.show_hierarchy()
    before = shown()
    settings().hierarchy_level = 1
    assert shown() is before and (before.level, before.count) == (1, 2)


@pytest.mark.parametrize(("volume", "split"), [("sphere", "lbvh"), ("boxtree", "sah"), ("aabb", "median")])
def test_another_volume_or_builder_builds_again(ball, volume, split):
    bpy.ops.meshclash.show_hierarchy()
    settings().hierarchy_volume, settings().hierarchy_split = volume, split
    assert (shown().volume, shown().split) == (volume, split)
    assert len(shown().lines) and np.isfinite(shown().lines).all()


def test_levels_with_too_many_volumes_are_not_drawn(ball, monkeypatch):
    monkeypatch.setattr(levels, "MOST_NODES", 10)
    settings().hierarchy_level = 6
    bpy.ops.meshclash.show_hierarchy()
    assert shown().level == 3 and shown().count == 8
    assert "too many volumes" in told(panels.MESHCLASH_PT_hierarchy)


def test_volumes_with_many_lines_are_drawn_down_to_higher_levels(ball, monkeypatch):
    monkeypatch.setattr(levels, "MOST_NODES", 16 * 20)
    settings().hierarchy_level = 6
    found = {}
    for volume in ("aabb", "ssv"):
        settings().hierarchy_volume = volume
        bpy.ops.meshclash.show_hierarchy()
        found[volume] = shown().level
    assert found == {"aabb": 6, "ssv": 4}


def test_a_changed_mesh_makes_it_stale_and_a_moved_object_does_not(ball):
    bpy.ops.meshclash.show_hierarchy()
    ball.location.x += 1.0
    bpy.context.view_layer.update()
    assert not shown().stale
    ball.data.vertices[0].co.z += 0.25
    ball.data.update()
    bpy.context.view_layer.update()
    assert shown().stale
    assert "changed since" in told(panels.MESHCLASH_PT_hierarchy)
    bpy.ops.meshclash.show_hierarchy()
    assert not shown().stale


def test_loading_a_file_and_disabling_free_it(ball):
    import addon

    bpy.ops.meshclash.show_hierarchy()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert shown() is None
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.meshclash.show_hierarchy()
    addon.unregister()
    assert shown() is None
    addon.register()


def test_what_cannot_be_shown_is_explained(registered):
    assert not bpy.ops.meshclash.show_hierarchy.poll()
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.objects.active = empty
    with pytest.raises(RuntimeError, match="no faces of its own"):
        bpy.ops.meshclash.show_hierarchy()
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.active_object.scale.x = 0.0
    with pytest.raises(RuntimeError, match="has a scale of 0"):
        bpy.ops.meshclash.show_hierarchy()
    with pytest.raises(RuntimeError, match="no object 'Gone'"):
        bpy.ops.meshclash.show_hierarchy(name="Gone")


@pytest.fixture
def two_balls(ball):
    """Two balls that meet, both selected."""
    other = ball.copy()
    other.location.x += 1.5
    bpy.context.scene.collection.objects.link(other)
    other.select_set(True)
    bpy.context.view_layer.update()
    return ball, other


@pytest.fixture
def few(monkeypatch):
    """Tries two volumes by two builders; compiling every kind takes minutes."""
    monkeypatch.setattr(operators, "QUICK_VOLUMES", ("aabb", "sphere"))
    monkeypatch.setattr(operators, "QUICK_SPLITS", ("lbvh", "median"))


def test_the_advisor_measures_the_selected_objects(two_balls, few, engine):
    assert bpy.ops.meshclash.advise() == {"FINISHED"}
    advice = shown_things.advice()
    assert {(c.volume, c.split) for c in advice.candidates} == {
        (volume, split) for volume in ("aabb", "sphere") for split in ("lbvh", "median")
    }
    assert set(advice.names) == {item.name for item in two_balls}
    times = [c.query_seconds for c in advice.candidates]
    assert times == sorted(times) and advice.best is advice.candidates[0]
    assert advice.best_once in advice.candidates
    text = told(panels.MESHCLASH_PT_advisor)
    assert "Best for repeated queries:" in text and "Build Time Query Time Memory Tests" in text
    assert text.count("Spheres, Median") == 1 + sum(
        (c.volume, c.split) == ("sphere", "median") for c in (advice.best, advice.best_once)
    )
    assert all(f"{c.bytes_per_triangle:.0f} B" in text for c in advice.candidates)


def test_the_advisor_runs_in_steps_and_stops(two_balls, few, monkeypatch):
    monkeypatch.setattr(operators.Task.run_slice, "__defaults__", (0.0,))
    reports = []
    operator = SimpleNamespace(run=Run(bpy.context, operators._advice_task(bpy.context)),
                               report=lambda kind, text: reports.append((*kind, text)))  # fmt: skip
    seen = set()
    while "Trying Spheres by Morton Curve" not in seen:
        assert operators.MESHCLASH_OT_advise.modal(operator, bpy.context, timer()) == {"PASS_THROUGH"}
        seen.add(operator.run.task.text)
    assert "Trying Boxes by Morton Curve" in seen
    assert operators.MESHCLASH_OT_advise.modal(operator, bpy.context, escape()) == {"CANCELLED"}
    assert reports[-1][0] == "WARNING"
    assert shown_things.advice() is None and running_work.running_task() is None


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_advisor_wants_two_objects(ball, count):
    ball.select_set(False)
    for _ in range(count):
        other = ball.copy()
        bpy.context.scene.collection.objects.link(other)
        other.select_set(True)
    assert not bpy.ops.meshclash.advise.poll()


def test_the_advisor_explains_objects_without_faces(ball):
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.select_set(True)
    with pytest.raises(RuntimeError, match="select two objects with faces to measure: 1"):
        bpy.ops.meshclash.advise()


@pytest.mark.parametrize("method", [name for name, _, _ in METHODS if name != "clouds"])
def test_the_methods_of_the_papers_run_on_two_objects(two_balls, engine, method):
    settings = bpy.context.scene.meshclash
    settings.method = method
    assert bpy.ops.meshclash.run_method() == {"FINISHED"}
    found = shown_things.method_run()
    assert found.method == method and set(found.names) == {item.name for item in two_balls} and found.lines
    text = told(method_panels.MESHCLASH_PT_methods)
    assert all(value in text for _, value in found.lines)


def test_cloud_queries_need_a_scan(two_balls, engine):
    bpy.context.scene.meshclash.method = "clouds"
    with pytest.raises(RuntimeError, match="needs a scan"):
        bpy.ops.meshclash.run_method()
