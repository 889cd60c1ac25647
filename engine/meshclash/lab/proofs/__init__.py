"""Verdicts with proofs that a small program checks in plain integers."""
