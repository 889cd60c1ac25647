"""Drop-in modules: the interfaces of trimesh's collision manager and of python-fcl, answered by this engine."""
