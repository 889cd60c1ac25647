"""Point clouds as in the founding paper (Klein and Zachmann 2004)."""
