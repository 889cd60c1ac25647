"""Choose an engine for a question, run it in slices, and make the result exact."""
