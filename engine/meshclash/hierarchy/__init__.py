"""Hierarchies over the triangles of one object: builders and refit."""
