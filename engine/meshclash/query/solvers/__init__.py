"""Solvers of the questions: a file for each kind of object; ``table.py`` says which function answers what."""
