"""Meshes that stay on disk: built, opened and asked without ever being held in memory."""
