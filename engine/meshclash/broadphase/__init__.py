"""Broad phase: which pairs of objects come close enough to be looked at."""
