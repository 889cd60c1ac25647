"""Decisions about clashes: groups with a common cause, and a history of who decided what."""
