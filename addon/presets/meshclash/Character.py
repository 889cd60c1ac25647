"""Preset for a body and its clothes: overlaps below half a centimetre are ignored."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "intersection", "permitted_overlap": 0.005}
