"""Progressive meshes of clustered meshes (CHPM), and contacts found with these meshes."""
