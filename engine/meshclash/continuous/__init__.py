"""Contacts between two frames: every vertex moves on a straight line from time 0 to time 1."""
