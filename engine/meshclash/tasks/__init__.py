"""Work cut into tasks, for this process or workers on Dask. The package does not import it, the extension lacks it."""
