"""Simultaneous traversal of two hierarchies: the same code for every volume and every leaf test."""
