"""Readers of point cloud files."""
