"""Operators on the pair selected in the result list."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Operator
from meshclash.clash.errors import DetectError
from meshclash.messages import Sentence

from .. import results, scene_results, view
from ..adapters import face_selection
from ..translations import translated
from .marks import own_writing
from .polls import has_pair, has_result, possible


class _PairOperator(Operator):
    """Shared poll: a pair is selected in the list."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_pair(cls, context)


class MESHCLASH_OT_select_faces(_PairOperator):
    """Select the contacting faces of both objects in Edit Mode"""

    bl_idname = "meshclash.select_faces"
    bl_label = "Select Contacting Faces"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        row = results.active_pair(context)
        meshes = row is None or row.scans != "ab"
        return possible(cls, meshes, "Scans have points but no faces") and super().poll(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        row = results.selected_pair(context)
        chosen: list[tuple[bpy.types.Object, np.ndarray]] = []
        problems: list[str] = []
        for side in row.sides:
            source = view.find_object(context, side.source)
            if side.is_scan:
                problems.append(Sentence("'{name}' is a scan: it has points but no faces to select", name=side.source))
                continue
            try:
                chosen.append((source, face_selection.selectable(source, side.source, side.original_faces)))
            except DetectError as error:
                problems.append(str(error))
        if not chosen:
            self.report({"ERROR"}, translated(Sentence.joined("; ", problems)))
            return {"CANCELLED"}
        with own_writing(context):  # selecting does not change shapes
            face_selection.select_in_edit_mode(context, chosen)
        if problems:
            self.report({"WARNING"}, translated(Sentence.joined("; ", problems)))
        return {"FINISHED"}


class MESHCLASH_OT_exclude_pair(_PairOperator):
    """Exclude this pair from all tests"""

    bl_idname = "meshclash.exclude_pair"
    bl_label = "Exclude This Pair"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        row = results.selected_pair(context)
        following = results.neighbour(context)
        excluded = context.scene.meshclash.excluded_pairs
        if not any({pair.name_a, pair.name_b} == {*row.names} for pair in excluded):
            pair = excluded.add()
            pair.name_a, pair.name_b = row.a.name, row.b.name
        results.follow_exclusions(context, context.scene)
        if following is None:
            view.leave_isolation(context)
        results.select_pair(context, following)
        return {"FINISHED"}


class MESHCLASH_OT_include_pair(Operator):
    """Stop excluding the pair. It returns to the list, or the next Detect tests it"""

    bl_idname = "meshclash.include_pair"
    bl_label = "Remove From Excluded Pairs"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = context.scene.meshclash
        return 0 <= settings.active_excluded < len(settings.excluded_pairs)

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = context.scene.meshclash
        pair = settings.excluded_pairs[settings.active_excluded]
        names = f"{pair.name_a} × {pair.name_b}"
        settings.excluded_pairs.remove(settings.active_excluded)
        settings.active_excluded = max(0, min(settings.active_excluded, len(settings.excluded_pairs) - 1))
        back = results.follow_exclusions(context, context.scene)
        self.report(
            {"INFO"},
            translated(
                Sentence("{names} is back in the list", names=names)
                if back
                else Sentence("the next Detect tests {names} again", names=names)
            ),
        )
        return {"FINISHED"}


class MESHCLASH_OT_show_results(Operator):
    """Show the results of this scene"""

    bl_idname = "meshclash.show_results"
    bl_label = "Show Results of This Scene"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        results.relist(context, context.scene)
        return {"FINISHED"}


class MESHCLASH_OT_clear_results(Operator):
    """Clear the list of results and the overlay"""

    bl_idname = "meshclash.clear_results"
    bl_label = "Clear Results"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_result(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        view.leave_isolation(context)
        scene_results.drop_result(context.scene.session_uid)
        results.clear_list(context)
        return {"FINISHED"}


CLASSES = (
    MESHCLASH_OT_select_faces,
    MESHCLASH_OT_exclude_pair,
    MESHCLASH_OT_include_pair,
    MESHCLASH_OT_show_results,
    MESHCLASH_OT_clear_results,
)
