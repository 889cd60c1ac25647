"""Rigid motion: when objects that move and turn first touch, how long they stay in contact, when to look again."""
