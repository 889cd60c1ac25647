"""Parts that fit: overlaps that their coordinates cannot tell from flush are ignored."""

import bpy

bpy.context.scene.meshclash.preset = {"test": "intersection"}
