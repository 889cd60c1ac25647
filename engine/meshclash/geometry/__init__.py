"""Pure leaf mathematics: predicates, distances, transforms. Nothing here knows of hierarchies, buffers or scenes."""
