"""Cloth and simulations: surfaces that meet, found anew in every frame."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "deforming"}
