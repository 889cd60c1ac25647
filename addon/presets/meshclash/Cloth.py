"""Preset for cloth and simulations: find surfaces that meet, without reusing data of other frames."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "deforming"}
