"""A scan against a model: overlaps within 10 mm of noise are ignored, and gaps of as much count as touching."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "intersection", "permitted_overlap": 0.01, "touch_tolerance": 0.01}
