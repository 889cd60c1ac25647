"""Everything nearer than 50 mm."""

import bpy

bpy.context.scene.meshclash.begin_preset(test="clearance", tolerance=0.05)
