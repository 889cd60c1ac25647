"""Queries on one or two objects: all contacts, first contact, self-contact, verdict."""
