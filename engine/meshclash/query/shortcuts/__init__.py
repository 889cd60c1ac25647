"""Fast paths for single queries of prepared meshes: a record of each mesh, a workspace, and one or two kernels.

The general path takes about thirty microseconds of Python before an engine starts; the kernels take about one
microsecond for two small meshes. If a fast path cannot decide at once, the general path is used, with the same result.
"""
