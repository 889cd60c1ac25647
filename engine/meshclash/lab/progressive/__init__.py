"""Progressive meshes of clustered meshes (CHPM), and what comes near by them."""
