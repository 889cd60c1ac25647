"""Operators on the table of fits: permitted overlaps for pairs of names."""

from __future__ import annotations

import bpy
from bpy.types import Operator
from meshclash.clash.units import rounded_up

from .. import results

DIGITS = 2  # digits of the default length of a fit


class MESHCLASH_OT_add_fit(Operator):
    """Allow an overlap between two objects by name, filled in from the selected pair"""

    bl_idname = "meshclash.add_fit"
    bl_label = "Add Fit"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings, row = context.scene.meshclash, results.active_pair(context)
        fit = settings.fits.add()
        if row is not None:
            fit.name_a, fit.name_b = row.names
            fit.permitted = rounded_up(row.depth_upper or row.depth or 0.0, DIGITS)
        settings.active_fit = len(settings.fits) - 1
        return {"FINISHED"}


class MESHCLASH_OT_remove_fit(Operator):
    """Remove the fit"""

    bl_idname = "meshclash.remove_fit"
    bl_label = "Remove Fit"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = context.scene.meshclash
        return 0 <= settings.active_fit < len(settings.fits)

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = context.scene.meshclash
        settings.fits.remove(settings.active_fit)
        settings.active_fit = max(0, min(settings.active_fit, len(settings.fits) - 1))
        return {"FINISHED"}


CLASSES = (MESHCLASH_OT_add_fit, MESHCLASH_OT_remove_fit)
