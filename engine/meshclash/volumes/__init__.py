"""Bounding volumes: each is one file with a few functions, and one line in ``registry.py``."""
