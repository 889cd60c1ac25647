"""Bounding volumes: each is one file with a short list of verbs, and one line in ``registry.py``."""
