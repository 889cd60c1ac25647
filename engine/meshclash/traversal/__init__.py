"""Simultaneous traversal of two hierarchies: one text for every volume and every leaf test."""
