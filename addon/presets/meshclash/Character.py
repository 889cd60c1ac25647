"""A body and its clothes: overlaps below half a centimetre are ignored."""

import bpy

bpy.context.scene.meshclash.begin_preset(test="intersection", permitted_overlap=0.005)
