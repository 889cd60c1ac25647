"""Contacts between two frames: every vertex moves along a straight line from time 0 to time 1."""
