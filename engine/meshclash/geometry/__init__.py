"""Basic geometry: predicates, distances, transforms. It does not depend on hierarchies, buffers or scenes."""
