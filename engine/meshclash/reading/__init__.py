"""Readers of meshes in files, by the library that each format has."""
