"""Drop-in modules with the interfaces of trimesh, python-fcl and Blender's BVHTree."""
