"""Broad phase: find the pairs of objects whose boxes overlap."""
