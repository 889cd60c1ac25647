"""Work cut into tasks, for this process or workers on Dask; run from a checkout, in no wheel and no extension."""
