"""Solvers of queries: one file for each kind of object; ``table.py`` assigns queries to functions."""
