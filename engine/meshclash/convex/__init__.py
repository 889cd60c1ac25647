"""Convex polyhedra: exact hulls of points, and the closest features of two hulls, followed from frame to frame."""
