"""Nothing of the lab is imported before it is asked for, and then it is found by its name alone."""

import pytest
from subprocesses import run_python

CODE = """
import json, sys
import numpy as np
import meshclash as mc
from meshclash.warming import warm_up
box = mc.shapes.ConvexHull(np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)).mesh()
other = mc.TriangleMesh(box.vertices + 0.5, box.triangles)
scene = mc.Scene()
scene.add(box), scene.add(other)
answers = len(mc.collide(box, other)), len(scene.contacts().pairs)
def lab():
    return sorted(name for name in sys.modules if name.startswith("meshclash.lab"))
before = lab()
tree = mc.build(box, volume="dop18", split="kah")
volumes = lab()
print(json.dumps([answers, before, volumes, tree.volumes.shape[1]]))
"""


@pytest.mark.slow
def test_the_lab_is_imported_on_demand():
    answers, before, volumes, width = run_python(CODE)
    assert min(answers) > 0 and before == [] and width == 18
    assert volumes == [
        "meshclash.lab",
        "meshclash.lab.heuristics",
        "meshclash.lab.volumes",
        "meshclash.lab.volumes.kdop",
    ]
