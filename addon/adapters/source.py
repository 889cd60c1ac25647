"""The open Blender file as a source of frames for the detection job."""

from __future__ import annotations

from collections.abc import Generator

import bpy
import numpy as np

from ..core.errors import InputError
from ..core.frame_scene import FrameScene, Progress
from .enumeration import Enumeration
from .objects import resolve_set


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """How many metres a Blender unit is; without a unit system, one."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return 1.0
    return float(str(np.float32(settings.scale_length)))  # 0.001, not the 0.00100000005 that float32 makes of it


class BlenderSource:
    """Reads evaluated objects of one scene.

    It keeps names, never Blender data: between two slices the user may undo, delete or load.

    Args:
        scene: the scene to read.
        view_layer: whose visible objects take part; a layer of `scene`.
    """

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        self.file: str = bpy.data.filepath
        self.scale_length = metres_per_unit(scene)
        self._scene = scene.name
        self._view_layer = view_layer.name
        self._frame = (scene.frame_current, scene.frame_subframe)
        self._moved = False
        self._sets: dict[str, frozenset[str] | None] = {}

    @classmethod
    def from_context(cls, context: bpy.types.Context) -> BlenderSource:
        """The scene and view layer of a context."""
        return cls(context.scene, context.view_layer)

    def read_steps(self, set_a: str, set_b: str, frame: int | None) -> Generator[Progress, None, FrameScene]:
        """Goes to `frame` (None = stays where it is) and reads all visible objects of the two sets.

        Raises:
            InputError: a set is wrong, or an object was deleted meanwhile.
        """
        scene, _ = self._current()
        if frame is not None:
            self._moved = True
            scene.frame_set(frame)
        result = FrameScene(scene.frame_current)
        enumeration = Enumeration(scene, self._resolved(set_a), self._resolved(set_b), result)
        enumeration.run(self._depsgraph())
        yield Progress(0.0, "Reading objects")
        for count, (mesh_key, waiting) in enumerate(enumeration.waiting.items()):
            enumeration.read_waiting(mesh_key, self._depsgraph())
            yield Progress((count + 1) / len(enumeration.waiting), f"Reading {waiting.name}")
        enumeration.finish()
        return result

    def restore(self) -> None:
        """Puts back the frame at which this source was made, when it was changed and the scene still exists."""
        scene = bpy.data.scenes.get(self._scene)
        if self._moved and scene is not None:
            scene.frame_set(self._frame[0], subframe=self._frame[1])
            self._moved = False

    def _current(self) -> tuple[bpy.types.Scene, bpy.types.ViewLayer]:
        scene = bpy.data.scenes.get(self._scene)
        view_layer = None if scene is None else scene.view_layers.get(self._view_layer)
        if scene is None or view_layer is None:
            raise InputError(f"scene '{self._scene}' was deleted or renamed during the run")
        return scene, view_layer

    def _depsgraph(self) -> bpy.types.Depsgraph:
        """The graph, up to date: between an undo or a deletion and its evaluation it refers to data that is gone."""
        view_layer = self._current()[1]
        view_layer.update()
        return view_layer.depsgraph

    def _resolved(self, expression: str) -> frozenset[str] | None:
        """The names of a set; found once, so that a change of the selection does not change a run over many frames."""
        if expression not in self._sets:
            self._sets[expression] = resolve_set(expression, *self._current())
        return self._sets[expression]
