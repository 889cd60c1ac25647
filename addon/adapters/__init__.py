"""Adapters between Blender and the core: the only modules of the detection that import bpy."""
