"""Traverse two hierarchies at the same time: one implementation for every bounding volume and every leaf test."""
