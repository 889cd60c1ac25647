"""The open Blender file as a source for Live: each reading covers only what has changed."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import bpy
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import FrameScene, Progress, Skipped
from meshclash.clash.options import DetectOptions
from meshclash.messages import Sentence

from ..core.changes import Changes
from .enumeration import Enumeration, Memory, Wanted
from .lookup import scene_with
from .objects import SELECTION, resolve_set
from .source import metres_per_unit


class LiveSource:
    """Reads one scene; keeps session uids and names, never Blender data.

    Args:
        scene: the scene to follow.
        view_layer: layer of `scene` whose visible objects are tested.
    """

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        self.scene_uid = scene.session_uid
        self._view_layer = view_layer.name
        self._memory = Memory()
        self._sets: tuple[Wanted, Wanted] | None = None
        self._selection: frozenset[str] | None = None

    @property
    def file(self) -> str:
        """Path of the open file; "" if it was never saved."""
        return bpy.data.filepath

    @property
    def scale_length(self) -> float:
        """Metres per Blender unit of the scene; 1.0 if the scene is gone."""
        scene = self.scene()
        return 1.0 if scene is None else metres_per_unit(scene)

    def scene(self) -> bpy.types.Scene | None:
        """The scene, or None if it was removed."""
        return scene_with(self.scene_uid)

    def options(self) -> DetectOptions:
        """Return the options in the panel, without common volumes, which take so long that only Detect measures them.

        Raises:
            InputError: the scene is gone, or an option is out of range.
        """
        scene = self.scene()
        if scene is None:
            raise InputError("the scene was removed")
        return replace(scene.meshclash.checked_options(metres_per_unit(scene)), overlap_volume=False)

    def evaluate(self) -> None:
        """Evaluate the scene, so that handlers note all changes before it is read.

        Raises:
            InputError: the scene is gone or not shown.
        """
        self._depsgraph()

    def read_steps(self, options: DetectOptions, changes: Changes) -> Generator[Progress, None, FrameScene]:
        """Read objects that may have changed since the last completed call; call `evaluate` first.

        Objects whose mesh cannot be used are left out; `skipped` has the reasons.

        Raises:
            InputError: the scene is gone or not shown, or a set is invalid.
        """
        scene, view_layer = self._current()
        sets = (
            self._resolved(options.set_a, scene, view_layer),
            self._resolved(options.set_b, scene, view_layer),
        )
        memory, depsgraph = self._memory.renewed(changes, sets == self._sets), self._depsgraph()
        followed = memory.follow(scene.frame_current, depsgraph)
        if followed is not None:
            return followed
        result = FrameScene(scene.frame_current)
        enumeration = Enumeration(scene, *sets, result, memory)
        enumeration.run(depsgraph)
        yield Progress(0.0, "Reading objects")
        for mesh_key, waiting in enumeration.waiting.items():
            try:
                enumeration.read_waiting(mesh_key, self._depsgraph())
            except InputError as error:
                result.skipped.append(Skipped(waiting.name, str(error)))
            yield Progress(0.5, Sentence("Reading {name}", name=waiting.name))
        enumeration.finish()
        self._memory, self._sets = enumeration.memory(), sets
        return result

    def forget(self) -> None:
        """Free all data that was read from the scene."""
        self._memory = Memory()

    def _current(self) -> tuple[bpy.types.Scene, bpy.types.ViewLayer]:
        scene = self.scene()
        view_layer = None if scene is None else scene.view_layers.get(self._view_layer)
        if scene is None or view_layer is None:
            raise InputError("the scene or its view layer was removed or renamed")
        return scene, view_layer

    def _depsgraph(self) -> bpy.types.Depsgraph:
        """Return the updated graph: between an undo or a deletion and its evaluation, it refers to deleted data."""
        view_layer = self._current()[1]
        view_layer.update()
        if view_layer.depsgraph is None:
            raise InputError("the scene is not shown in any window")
        return view_layer.depsgraph

    def _resolved(self, expression: str, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Wanted:
        """Return the full names of the objects in a set. Collections are read again each time; a selection is read only
        at the start.
        """
        if expression != SELECTION:
            return resolve_set(expression, scene, view_layer)
        if self._selection is None:
            self._selection = resolve_set(expression, scene, view_layer)
        return self._selection
