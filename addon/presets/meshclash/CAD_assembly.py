"""Preset for parts that fit together: overlaps within the precision of the coordinates are ignored."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "intersection"}
