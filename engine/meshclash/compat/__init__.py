"""Drop-in modules: the interfaces of trimesh, python-fcl and Blender's BVHTree, answered by this engine."""
