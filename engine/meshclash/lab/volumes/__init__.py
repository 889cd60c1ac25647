"""Bounding volumes that no detection needs: the registry finds them by name."""
