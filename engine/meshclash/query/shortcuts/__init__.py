"""Single questions about prepared meshes, with little Python: a record of each mesh, a workspace, one kernel or two.

A question in full costs some thirty microseconds of Python before an engine begins, and the kernels need one for two
small meshes. What they cannot tell at once is asked in full, with the same answer.
"""
