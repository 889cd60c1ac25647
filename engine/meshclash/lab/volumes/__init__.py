"""Bounding volumes that detection does not need; the registry finds them by name."""
