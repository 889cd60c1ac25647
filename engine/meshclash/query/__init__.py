"""Queries about one or two objects: contacts, distances, clearances, penetration, rays, points and verdicts."""
