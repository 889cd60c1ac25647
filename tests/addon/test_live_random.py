"""Live in Blender follows random histories: after every frame its rows are those of a fresh detection.

MESHCLASH_LIVE_FRAMES=50000 python -m pytest tests/addon/test_live_random.py    # frames in all, not a few hundred
"""

import os

import bpy
import numpy as np
import pytest
from live_driver import LiveDriver, described, detected

from addon import running_work
from addon.core import live as live_module

FRAMES = int(os.environ.get("MESHCLASH_LIVE_FRAMES", "200"))
SEEDS = 4
MOST = 14
"""Objects at once."""


class History:
    """Random operations on a scene of small boxes, many of which look alike to a reader that trusts numbers."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.made = 0
        self.scene = bpy.context.scene
        self.group = bpy.data.collections.new("Group")
        self.part("Inner", collection=self.group)
        self.instancer = bpy.data.objects.new("Instancer", None)
        self.instancer.instance_type, self.instancer.instance_collection = "COLLECTION", self.group
        self.scene.collection.objects.link(self.instancer)
        for _ in range(8):
            self.new()
        self.name_alike()
        bpy.context.view_layer.update()

    def part(self, name, collection=None, mesh=None):
        if mesh is None:
            size = self.rng.uniform(0.6, 1.2, 3)
            corners = [(x, y, z) for x in (0, size[0]) for y in (0, size[1]) for z in (0, size[2])]
            faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
            mesh = bpy.data.meshes.new(name)
            mesh.from_pydata(corners, [], faces)
        item = bpy.data.objects.new(name, mesh)
        item.location = self.rng.uniform(0, 3, 3)
        (collection or self.scene.collection).objects.link(item)
        return item

    def name_alike(self):
        """Two objects whose names have one hash in Blender; only one of them is visible."""
        self.part("Az")
        self.part("BY").hide_set(True)

    @property
    def parts(self):
        return [item for item in self.scene.collection.objects if item.type == "MESH"]

    def one(self):
        return self.parts[self.rng.integers(len(self.parts))]

    def new(self):
        if len(self.parts) < MOST:
            self.made += 1
            self.part(f"P{self.made}")

    def move(self):
        self.one().location = self.rng.uniform(0, 3, 3)

    def move_all(self):
        for item in self.parts:
            item.location = np.array(item.location) + 0.1 * self.rng.normal(size=3)

    def turn(self):
        self.one().rotation_euler = self.rng.uniform(-3, 3, 3)

    def scale(self):
        self.one().scale = self.rng.choice([-1.0, 1.0, 0.5, 2.0], 3)

    def rename(self):
        self.made += 1
        self.one().name = f"N{self.made}"

    def swap_names(self):
        one, other = self.one(), self.one()
        if one != other:
            names = one.name, other.name
            one.name, other.name = "Swapped", names[0]
            one.name = names[1]

    def hide(self):
        item = self.one()
        item.hide_set(not item.hide_get())

    def hide_one_show_another(self):
        one, other = self.one(), self.one()
        hidden = one.hide_get(), other.hide_get()
        one.hide_set(hidden[1])
        other.hide_set(hidden[0])

    def swap_alike(self):
        for name in ("Az", "BY"):
            item = bpy.data.objects.get(name)
            if item is not None:
                item.hide_set(not item.hide_get())

    def disable(self):
        item = self.one()
        item.hide_viewport = not item.hide_viewport

    def other_mesh(self):
        self.one().data = self.one().data

    def deform(self):
        mesh = self.one().data
        for vertex in mesh.vertices:
            vertex.co = np.array(vertex.co) + 0.05 * self.rng.normal(size=3)
        mesh.update()

    def shape_key(self):
        item = self.one()
        if item.data.shape_keys is None and item.data.users == 1:
            item.shape_key_add(name="Basis")
            for point in item.shape_key_add(name="Wide").data:
                point.co.x *= 1.6
        elif item.data.shape_keys is not None:
            item.data.shape_keys.key_blocks[1].value = self.rng.uniform()

    def modifier(self):
        item = self.one()
        if item.modifiers:
            item.modifiers.clear()
        else:
            item.modifiers.new("Array", "ARRAY").count = int(self.rng.integers(1, 4))

    def delete(self):
        if len(self.parts) > 4:
            bpy.data.objects.remove(self.one())

    def delete_and_make(self):
        """Another object of the same name at the same place of the list, in one update."""
        item = self.parts[-1]
        name = item.name
        bpy.data.objects.remove(item)
        self.part(name)

    def parent(self):
        one, other = self.one(), self.one()
        if one.parent is not None:
            one.parent = None
        elif one != other and other.parent is None and not one.children:
            one.parent = other

    def move_instancer(self):
        self.instancer.location = self.rng.uniform(0, 3, 3)

    def change_group(self):
        linked = [item for item in self.group.objects if item.name != "Inner"]
        if linked:
            self.group.objects.unlink(linked[0])
        else:
            self.group.objects.link(self.one())

    def drive_visibility(self):
        """Movements of one object hide another, which Blender reports as an update without any flag."""
        item, source = self.one(), self.one()
        if item == source:
            return
        if item.animation_data is not None:
            item.animation_data_clear()
            return
        driver = item.driver_add("hide_viewport").driver
        variable = driver.variables.new()
        variable.type, variable.targets[0].transform_type = "TRANSFORMS", "LOC_X"
        variable.targets[0].id = source
        driver.expression = "var > 1.5"

    def animate(self):
        item, frame = self.one(), int(self.rng.integers(1, 6))
        item.hide_viewport = bool(self.rng.integers(2))
        item.keyframe_insert("hide_viewport", frame=frame)
        item.keyframe_insert("location", frame=frame)

    def go_to(self):
        self.scene.frame_set(int(self.rng.integers(1, 6)))

    def undo(self):
        bpy.ops.ed.undo_push(message="state")
        self.move_all()
        bpy.ops.ed.undo_push(message="moved")
        bpy.ops.ed.undo()
        self._find_again()
        if self.rng.integers(2):
            bpy.ops.ed.redo()
            self._find_again()

    def _find_again(self):
        """Undo replaces all data of Blender."""
        self.scene = bpy.context.scene
        self.group, self.instancer = bpy.data.collections["Group"], bpy.data.objects["Instancer"]

    def step(self):
        """Does one to three things; returns their names."""
        common = [self.move, self.move_all, self.move_all, self.turn, self.go_to]
        rare = [
            self.new, self.scale, self.rename, self.swap_names, self.hide, self.hide_one_show_another, self.swap_alike,
            self.disable, self.other_mesh, self.deform, self.shape_key, self.modifier, self.delete,
            self.delete_and_make, self.parent, self.move_instancer, self.change_group, self.drive_visibility,
            self.animate, self.undo,
        ]  # fmt: skip
        done = []
        for _ in range(self.rng.integers(1, 4)):
            choices = common if self.rng.uniform() < 0.6 else rare
            action = choices[self.rng.integers(len(choices))]
            action()
            done.append(action.__name__)
        return done


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_frames_are_equal_to_asking_anew(registered, engine, monkeypatch, seed):
    monkeypatch.setattr(live_module, "QUIET_SECONDS", 0.0)
    bpy.context.preferences.edit.use_global_undo = True
    history, driver = History(seed), None
    past = []
    try:
        driver = LiveDriver()
        for frame in range(FRAMES // SEEDS):
            past.append(history.step())
            rows = driver.settle()
            assert described(rows) == described(detected(engine)), (seed, frame, past[-5:])
    finally:
        if driver is not None:
            running_work.stop_live()
