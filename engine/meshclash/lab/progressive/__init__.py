"""Progressive meshes of clustered meshes (CHPM), and contacts found with them."""
