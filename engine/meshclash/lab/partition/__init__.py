"""Space partitions: find pairs of boxes that meet by the cells that contain them, without hierarchies."""
