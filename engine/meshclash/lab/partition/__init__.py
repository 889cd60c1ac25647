"""Space partitions: pairs of boxes that meet, found by the cells they lie in, without hierarchies."""
