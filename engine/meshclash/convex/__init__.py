"""Convex polyhedra: exact hulls of points, and the closest features of two hulls, updated from frame to frame."""
