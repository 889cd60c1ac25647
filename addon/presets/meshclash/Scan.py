"""Preset for a scan against a model: ignore overlaps within 10 mm of noise, and count gaps up to 10 mm as touching."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "intersection", "permitted_overlap": 0.01, "touch_tolerance": 0.01}
