"""Basic geometry: predicates, distances, transforms. The package does not depend on hierarchies, buffers or scenes."""
