"""Point clouds as surfaces: the implicit surface, its hierarchy, collisions, distances, files. No mesh is made."""
