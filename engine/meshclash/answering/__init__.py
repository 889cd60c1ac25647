"""Choose an engine for a question, run it in slices, and make its answer exact."""
