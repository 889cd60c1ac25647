"""Hierarchies over the primitives of one object: builders, refit, validation."""
