"""Preset for building services against structure: overlaps below a centimetre are ignored."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "intersection", "permitted_overlap": 0.01}
