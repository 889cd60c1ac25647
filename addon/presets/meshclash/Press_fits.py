"""Preset for parts that are pressed into each other: overlaps below 0.2 mm are ignored."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "intersection", "permitted_overlap": 0.0002}
