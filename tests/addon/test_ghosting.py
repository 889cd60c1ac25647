"""Ghosts: what is changed of a view is given back, whatever ends it."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from addon import ghosting, handlers, shown_things
from addon.overlay import bodies


class FakeArea:
    """A 3D view; bpy without a window has none whose shading could be set."""

    type = "VIEW_3D"

    def __init__(self, key, **shading):
        self.key = key
        self.shading = SimpleNamespace(**{"type": "RENDERED", "show_xray": False, "xray_alpha": 0.5, **shading})
        self.spaces = SimpleNamespace(active=SimpleNamespace(shading=self.shading, local_view=None))

    def as_pointer(self):
        return self.key


@pytest.fixture
def areas():
    return [FakeArea(1), FakeArea(2, type="SOLID", show_xray=True)]


@pytest.fixture
def context(areas, registered):
    window = SimpleNamespace(screen=SimpleNamespace(areas=areas))
    data = SimpleNamespace(screens=[window.screen])
    return SimpleNamespace(window_manager=SimpleNamespace(windows=[window]), blend_data=data, area=areas[0])


def shading(area):
    return dict(vars(area.shading))


def test_views_are_given_back(context, areas):
    before = [shading(area) for area in areas]
    for area in areas:
        ghosting.enter(area)
        ghosting.enter(area)  # once more changes nothing
        assert vars(area.shading) == ghosting.GHOSTED and ghosting.is_ghosted(area)
    ghosting.leave(context)
    assert [shading(area) for area in areas] == before and not ghosting.is_ghosted(areas[0])


def test_what_the_user_changed_meanwhile_stays(context, areas):
    ghosting.enter(areas[0])
    areas[0].shading.type = "MATERIAL"
    areas[0].shading.xray_alpha = 0.8
    ghosting.leave(context)
    assert shading(areas[0]) == {"type": "MATERIAL", "show_xray": False, "xray_alpha": 0.8}


def test_a_saved_file_has_no_ghosts_and_the_window_keeps_them(context, areas):
    before = shading(areas[0])
    ghosting.enter(areas[0])
    ghosting.suspend(context)
    assert shading(areas[0]) == before
    ghosting.resume(context)
    assert ghosting.is_ghosted(areas[0]) and not ghosting.is_ghosted(areas[1])
    ghosting.leave(context)
    assert shading(areas[0]) == before


def test_loading_a_file_forgets_them(context, areas):
    ghosting.enter(areas[0])
    handlers.on_load_pre()
    assert shown_things.ghosted_views() == {}


def test_bodies_are_the_evaluated_triangles_in_the_world(registered, add_box):
    box = add_box("Box", (0, 0, 0), (1, 2, 3), location=(5.0, 0.0, 0.0))
    box.modifiers.new("Two", "ARRAY").relative_offset_displace = (2.0, 0.0, 0.0)
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corners, normals = bodies.flat_triangles(box, depsgraph)
    assert len(corners) == len(normals) == 3 * 24
    assert corners.min(axis=0).tolist() == [5, 0, 0] and corners.max(axis=0).tolist() == [8, 2, 3]
    triangles, flat = corners.reshape(-1, 3, 3), normals[::3]
    assert np.allclose(np.linalg.norm(flat, axis=1), 1.0)
    assert np.allclose(np.einsum("ij,ij->i", triangles[:, 1] - triangles[:, 0], flat), 0.0)
    assert len(bodies.flat_triangles(empty, depsgraph)[0]) == 0
