"""Functions for `poll`: whether an operator can run now; if not, its tooltip says why."""

from __future__ import annotations

import bpy
from bpy.types import Operator

from .. import results, running_work, scene_results
from ..texts import said


def possible(operator: type[Operator], holds: object, otherwise: str) -> bool:
    """Return whether a condition holds; otherwise set the tooltip that explains why the operator is disabled."""
    if not holds:
        operator.poll_message_set(said(otherwise))
    return bool(holds)


def is_idle(operator: type[Operator]) -> bool:
    """Return whether no other task runs."""
    return possible(operator, running_work.running_task() is None, "Another task is running: press ESC to stop it")


def in_object_mode(operator: type[Operator], context: bpy.types.Context) -> bool:
    """Return whether meshes can be written."""
    return possible(operator, context.mode == "OBJECT", "Leave Edit Mode first")


def has_pair(operator: type[Operator], context: bpy.types.Context) -> bool:
    """Return whether a pair is selected."""
    return possible(operator, results.active_pair(context), "Select a pair in the list")


def has_result(operator: type[Operator], context: bpy.types.Context) -> bool:
    """Return whether the scene has a result."""
    return possible(operator, scene_results.result_of(context.scene.session_uid), "Press Detect first")


def lists_pairs(operator: type[Operator], context: bpy.types.Context) -> bool:
    """Return whether pairs of the scene are listed."""
    listed = context.window_manager.meshclash
    known = listed.found if listed.scene_uid == context.scene.session_uid else 0
    return possible(operator, known, "No pairs are listed")
