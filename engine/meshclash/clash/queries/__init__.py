"""The tests that can be chosen; `registry` has the list."""
