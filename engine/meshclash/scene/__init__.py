"""Scenes: many objects with poses, and queries about all pairs of them."""
