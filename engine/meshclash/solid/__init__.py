"""The relation between two objects, derived from their contacts: clash, touching, contained or duplicate, and the
depth.
"""
