"""The tests that the user can choose; `registry` lists them."""
