"""Operators that use a heat map: write attributes and colours, vertex weights, and a corrective shape key."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any

import bpy
import numpy as np
from bpy.types import Operator
from meshclash.clash.errors import DetectError
from meshclash.clash.events import ClashEvent
from meshclash.clash.kernel_parts import BASIC_PARTS
from meshclash.clash.verdicts import QUIET_VERDICTS
from meshclash.messages import Sentence
from numpy.typing import NDArray

from .. import preferences, running_work, scene_results, shown_things, view
from ..adapters import vertex_weights
from ..adapters.face_marks import meshes_of
from ..adapters.heat_attributes import remove_heat, write_heat
from ..adapters.source import BlenderSource
from ..core.corrective import Corrections, corrective_steps
from ..redraw import tag_redraw
from ..screens import view3d_areas
from ..texts import said
from ..translations import translated
from .detect import scene_of
from .loading import load_steps
from .marks import MeshCleaner, own_writing
from .polls import in_object_mode, possible
from .task import Task
from .timeline import FrameOperator, ScannedOperator

MOST_EVENTS = 100
"""Largest number of events for a shape key, the worst ones."""


class HeatOperator(ScannedOperator):
    """Base of the operators that write the heat map of a scan."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context) and super().poll(context)


class MESHCLASH_OT_write_heat(HeatOperator):
    """Store how often and how deep each face clashes in mesh attributes, with colours for the viewport"""

    bl_idname = "meshclash.write_heat"
    bl_label = "Write Heat Map"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        found = _Warmth(context)
        with own_writing(context):
            for mesh in meshes_of(context.scene):
                remove_heat(mesh)
            for name, often, depth in found.of_meshes():
                found.attempt(partial(write_heat, bpy.data.meshes[name], often, depth, found.warmth(often, depth)))
        answer = found.told(self)
        if found.written:
            show_colours(context)
            meshes = (found.written, "mesh")
            self.report({"INFO"}, said("Heat map written to {meshes} and shown in the viewports", meshes=meshes))
        return answer


HEATED = ("SOLID", "VERTEX")
"""Shading and colour settings of a 3D view that make a heat map visible."""


def show_colours(context: bpy.types.Context) -> None:
    """Make the 3D views show the colours of meshes."""
    for _window, _screen, area in view3d_areas(context):
        shading, views = area.spaces.active.shading, shown_things.heated_views()
        if (shading.type, shading.color_type) != HEATED:
            views.setdefault(area.as_pointer(), (shading.type, shading.color_type))
            shading.type, shading.color_type = HEATED


def hide_colours(context: bpy.types.Context) -> None:
    """Restore the 3D views as before `show_colours`; changes by the user in the meantime are kept."""
    views = shown_things.heated_views()
    for _window, _screen, area in view3d_areas(context):
        shading, before = area.spaces.active.shading, views.get(area.as_pointer())
        if before is not None and (shading.type, shading.color_type) == HEATED:
            shading.type, shading.color_type = before[0], before[1]
    views.clear()


class _Warmth:
    """The heat map of the last scan, by mesh: a mesh gets the largest values of its objects.

    Attributes:
        items: full names of the objects of each mesh.
        problems: why other objects cannot be changed.
        written: number of meshes written.
    """

    def __init__(self, context: bpy.types.Context) -> None:
        scanned = scene_results.timeline_of(context.scene.session_uid)
        assert scanned is not None
        self.problems: list[str] = [
            Sentence("'{name}' has modifiers that change its faces", name=name) for name in sorted(scanned.heat.unknown)
        ]
        self.items: dict[str, list[str]] = {}
        self.written = 0
        self._parts: dict[str, list[tuple[NDArray[np.float32], NDArray[np.float32]]]] = {}
        for name, heat in scanned.heat.objects.items():
            item = view.find_object(context, name)
            if item is None or item.type != "MESH" or not item.data.is_editable:
                self.problems.append(Sentence("'{name}' no longer exists, or is linked from a library", name=name))
                continue
            share = (heat.frames / scanned.timeline.done).astype(np.float32)
            self._parts.setdefault(item.data.name, []).append((share, heat.depth))
            self.items.setdefault(item.data.name, []).append(name)
        every = [part for found in self._parts.values() for part in found]
        self._most = [np.float32(max((part[k].max() for part in every), default=0.0)) for k in (0, 1)]

    def of_meshes(self) -> Iterator[tuple[str, NDArray[np.float32], NDArray[np.float32]]]:
        """Yield the name of each mesh, and how often and how deep its faces clash."""
        for name, found in self._parts.items():
            yield name, _largest([part[0] for part in found]), _largest([part[1] for part in found])

    def warmth(self, often: NDArray[np.float32], depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return values of faces from 0 to 1, by depth if depths are known, otherwise by the number of clashes."""
        return depth / self._most[1] if depth.any() else often / self._most[0]

    def attempt(self, write: Callable[[], None]) -> None:
        """Write a mesh, or record why that failed."""
        try:
            write()
            self.written += 1
        except DetectError as error:
            self.problems.append(str(error))

    def told(self, operator: Operator) -> set[str]:
        """Report the problems; return the operator's result."""
        if not self.written:
            why = Sentence.joined("; ", self.problems) or "No face clashes: pairs that only touch are not counted"
            operator.report({"ERROR"}, translated(why))
            return {"CANCELLED"}
        if self.problems:
            operator.report({"WARNING"}, translated(Sentence.joined("; ", self.problems)))
        return {"FINISHED"}


def _largest(parts: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the elementwise maximum of arrays of different lengths, (n,) float32."""
    found = np.zeros(max(map(len, parts)), np.float32)
    for part in parts:
        np.maximum(found[: len(part)], part, out=found[: len(part)])
    return found


class MESHCLASH_OT_remove_heat(MeshCleaner):
    """Remove the attributes and colours of the heat map from all meshes of the scene"""

    bl_idname = "meshclash.remove_heat"
    bl_label = "Remove Heat Map"
    bl_options = {"REGISTER", "UNDO"}
    done = "Removed from {meshes}"

    def execute(self, context: bpy.types.Context) -> set[str]:
        hide_colours(context)
        return super().execute(context)

    def clean(self, _context: bpy.types.Context, mesh: bpy.types.Mesh) -> bool:
        """Implement `MeshCleaner.clean`."""
        return remove_heat(mesh)


class MESHCLASH_OT_heat_group(HeatOperator):
    """Add a vertex group to each mesh that clashes, with weights from the heat map"""

    bl_idname = "meshclash.heat_group"
    bl_label = "Heat to Vertex Group"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        found = _Warmth(context)
        with own_writing(context):
            for name, often, depth in found.of_meshes():
                item, warmth = view.find_object(context, found.items[name][0]), found.warmth(often, depth)
                if item is None or len(warmth) > len(item.data.polygons):
                    found.problems.append(
                        Sentence("'{name}' has fewer faces than when it was scanned: scan again", name=name)
                    )
                    continue
                found.attempt(partial(vertex_weights.write_group, item, warmth))
        return found.told(self)


class MESHCLASH_OT_corrective_key(FrameOperator):
    """Add a shape key to the active object that moves its vertices out of the objects that it clashes with"""

    bl_idname = "meshclash.corrective_key"
    bl_label = "Corrective Shape Key"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context) and super().poll(context) and possible(
            cls, events_of_active(context), "Scan the timeline, and make a clashing mesh the active object"
        )  # fmt: skip

    def make(self, context: bpy.types.Context) -> Task:
        """Implement `FrameOperator.make`."""
        self.events, self.corrected = events_of_active(context), context.active_object.name_full
        points = vertex_weights.vertices_to_move(context.active_object)
        return Task(_corrective(BlenderSource.from_context(context), self.corrected, self.events, points, self._keep))

    def _keep(self, found: Corrections) -> None:
        self.found = found

    def take(self, context: bpy.types.Context, scene_uid: int) -> str:
        """Implement `FrameOperator.take`."""
        item, found = scene_of(scene_uid).objects.get(self.corrected), self.found
        if item is None:
            raise DetectError(Sentence("'{name}' has been removed", name=self.corrected))
        moved = int(found.moves.any(axis=1).sum())
        if not moved:
            raise DetectError(
                Sentence.joined("; ", found.left_out.values())
                or Sentence("No vertex of '{name}' is inside an object that it clashes with", name=self.corrected)
            )
        points = vertex_weights.vertices_to_move(item)
        if len(points) != len(found.moves):
            raise DetectError(Sentence("the vertices of '{name}' have changed: try again", name=self.corrected))
        key = vertex_weights.write_key(item, points + found.moves, [(event.start, event.end) for event in self.events])
        tag_redraw(context)
        return Sentence(
            "Shape key '{key}' moves {moved} of the vertices of '{name}'",
            key=key,
            moved=f"{moved:,}",
            name=self.corrected,
        )


def _corrective(
    source: BlenderSource,
    name: str,
    events: list[ClashEvent],
    points: NDArray[np.float64],
    keep: Callable[[Corrections], None],
) -> Generator[Any, None, None]:
    module = yield from load_steps(preferences.cache_folder(), BASIC_PARTS)
    with running_work.own_frames():
        keep((yield from corrective_steps(source, module, name, events, points)))


def events_of_active(context: bpy.types.Context) -> list[ClashEvent]:
    """Return the events in which the active object clashes, worst first; an empty list if it is not a mesh."""
    item, scanned = context.active_object, scene_results.timeline_of(context.scene.session_uid)
    if item is None or item.type != "MESH" or scanned is None:
        return []
    events = (event for event in scanned.events if event.row.verdict not in QUIET_VERDICTS)
    owners = ((event, {side.owner for side in event.row.sides}) for event in events)
    return [event for event, names in owners if len(names) == 2 and item.name_full in names][:MOST_EVENTS]


CLASSES = (
    MESHCLASH_OT_write_heat,
    MESHCLASH_OT_remove_heat,
    MESHCLASH_OT_heat_group,
    MESHCLASH_OT_corrective_key,
)
