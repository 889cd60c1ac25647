"""The open Blender file as a source of frames for the detection job."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
import numpy as np
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import FrameScene, Progress
from meshclash.messages import Sentence

from ..core.changes import Changes
from .enumeration import Enumeration, Memory
from .objects import resolve_set
from .updates import changes_of


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """Return the length of a Blender unit in metres; 1.0 without a unit system."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return 1.0
    return float(str(np.float32(settings.scale_length)))  # 0.001 instead of 0.00100000005


def _changing() -> tuple[list[Any], list[Any]]:
    """Return the lists of handlers that receive changes after an evaluation."""
    return bpy.app.handlers.frame_change_post, bpy.app.handlers.depsgraph_update_post


class BlenderSource:
    """Reads evaluated objects of one scene.

    The source stores names, never Blender data, because the user may undo, delete or load a file between two slices.
    From frame to frame, the source reads only objects that Blender reports as changed.

    Args:
        scene: the scene to read.
        view_layer: layer of `scene` whose visible objects are tested.
    """

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        self.file: str = bpy.data.filepath
        self.scale_length = metres_per_unit(scene)
        self._scene, self._uid = scene.name, scene.session_uid
        self._view_layer = view_layer.name
        self._frame = (scene.frame_current, scene.frame_subframe)
        self._moved = False
        self._sets: dict[str, frozenset[str] | None] = {}
        self._memory, self._changes = Memory(), Changes(everything=True)

    @classmethod
    def from_context(cls, context: bpy.types.Context) -> BlenderSource:
        """Return a source for the scene and view layer of a context."""
        return cls(context.scene, context.view_layer)

    def read_steps(self, set_a: str, set_b: str, frame: int | None) -> Generator[Progress, None, FrameScene]:
        """Go to `frame` (None: stay at the current frame), and read all visible objects of the two sets.

        Raises:
            InputError: a set is invalid, or an object was deleted in the meantime.
        """
        if frame is None:
            return (yield from self._read_steps(set_a, set_b, Memory()))
        while True:
            self._go_to(frame)
            changes, self._changes = self._changes, Changes()
            result = yield from self._read_steps(set_a, set_b, self._memory.renewed(changes))
            if result.frame == self._current()[0].frame_current == frame:
                return result
            # The frame was changed in the meantime.
            self._memory, self._changes = Memory(), Changes(everything=True)

    def _read_steps(self, set_a: str, set_b: str, memory: Memory) -> Generator[Progress, None, FrameScene]:
        scene, depsgraph = self._current()[0], self._depsgraph()
        followed = memory.follow(scene.frame_current, depsgraph)
        if followed is not None:
            return followed
        result = FrameScene(scene.frame_current)
        enumeration = Enumeration(scene, self._resolved(set_a), self._resolved(set_b), result, memory)
        enumeration.run(depsgraph)
        yield Progress(0.0, "Reading objects")
        for count, (mesh_key, waiting) in enumerate(enumeration.waiting.items()):
            enumeration.read_waiting(mesh_key, self._depsgraph())
            yield Progress((count + 1) / len(enumeration.waiting), Sentence("Reading {name}", name=waiting.name))
        enumeration.finish()
        if self._moved:
            self._memory = enumeration.memory()
        return result

    def _go_to(self, frame: int) -> None:
        if not self._moved:
            self._moved = True
            for handlers in _changing():
                handlers.append(self._note)
        scene, view_layer = self._current()
        view_layer.update()  # notes edits since then before the frame changes
        scene.frame_set(frame)

    def _note(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Record changes; Blender calls this after every evaluation."""
        if scene.name == self._scene and depsgraph.mode == "VIEWPORT":
            self._changes.add(changes_of(depsgraph))

    def restore(self) -> None:
        """Restore the frame at which this source was created, if the frame was changed and the scene still exists."""
        if not self._moved:
            return
        self._moved = False
        for handlers in _changing():
            if self._note in handlers:  # loading a file removes it
                handlers.remove(self._note)
        self._memory = Memory()
        scene = bpy.data.scenes.get(self._scene)
        if scene is not None and scene.session_uid == self._uid:  # not a scene of another file
            view_layer = scene.view_layers.get(self._view_layer)
            if view_layer is not None:
                view_layer.update()  # notes edits during the last frame
            scene.frame_set(self._frame[0], subframe=self._frame[1])

    def _current(self) -> tuple[bpy.types.Scene, bpy.types.ViewLayer]:
        scene = bpy.data.scenes.get(self._scene)
        view_layer = None if scene is None else scene.view_layers.get(self._view_layer)
        if scene is None or view_layer is None:
            raise InputError(Sentence("scene '{name}' was deleted or renamed during the run", name=self._scene))
        return scene, view_layer

    def _depsgraph(self) -> bpy.types.Depsgraph:
        """Return the updated graph: between an undo or a deletion and its evaluation, it refers to deleted data."""
        view_layer = self._current()[1]
        view_layer.update()
        return view_layer.depsgraph

    def _resolved(self, expression: str) -> frozenset[str] | None:
        """Return the full names of the objects in a set. The set is evaluated once, so a new selection does not affect
        a run over many frames.
        """
        if expression not in self._sets:
            self._sets[expression] = resolve_set(expression, *self._current())
        return self._sets[expression]
