"""Preset that finds all objects closer than 50 mm."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "clearance", "tolerance": 0.05}
