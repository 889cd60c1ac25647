"""Small questions for the device, the host backend and the simulator: awkward ones, each in few triangles."""

import importlib.util
import os

import meshclash as mc
import numpy as np
import pytest
from meshclash.traversal.forest import Side
from meshclash.traversal.question import Goal, Question
from solids import box, joined, refined, sheet, torus
from strategies import matrix, rotation

needs_cuda_target = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None and "CI" not in os.environ, reason="the extra 'gpu' is not installed"
)
"""Of tests that compile kernels or ask the CUDA target; where the whole suite must run, nothing is skipped."""


def about(meshes_a, meshes_b, asked):
    """A question about meshes that only backends can answer; the first ones twice for None."""
    a = Side(meshes_a)
    return asked._replace(a=a, b=a if meshes_b is None else Side(meshes_b))


def single(pose_a=None, pose_b=None, count=1, **flags):
    """One job, or a stack of poses for the first object, of any meshes."""
    rows = [
        np.eye(4)[None, :3] if pose is None else np.asarray(pose).reshape(-1, 4, 4)[:, :3] for pose in (pose_a, pose_b)
    ]
    return Question(None, None, np.zeros((count, 2), np.int64), *(np.ascontiguousarray(r) for r in rows), **flags)


def cases():
    """Name -> (meshes of a, meshes of b or None for the same, what is asked)."""
    rng = np.random.default_rng(7)
    one = mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1))))
    two = mc.TriangleMesh(*box((0.5, 0.25, 0), (1.5, 1.25, 1)))
    ring = mc.TriangleMesh(*torus(1.0, 0.3, 8, 5))
    grid = mc.TriangleMesh(*sheet((0, 0), (1, 1), 0.0, 3))
    lone = mc.TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0.1]], [[0, 1, 2]])
    upright = mc.TriangleMesh([[0.2, 0.2, -1], [0.3, 0.2, 1], [0.2, 0.3, 1]], [[0, 1, 2]])
    double = mc.TriangleMesh(*joined((grid.vertices, grid.triangles), (grid.vertices, grid.triangles)))
    turned = matrix(rotation(rng), (0.3, 0.1, 0.2))
    stack = np.stack([matrix(rotation(rng), rng.uniform(-1, 1, 3)) for _ in range(3)])
    many = Question(
        None, None, np.array([[0, 1], [1, 2], [2, 0], [0, 3], [2, 2]], np.int64),
        np.stack([matrix(rotation(rng), rng.uniform(-0.5, 0.5, 3))[:3] for _ in range(5)]),
        np.stack([matrix(rotation(rng), rng.uniform(-0.5, 0.5, 3))[:3] for _ in range(5)]),
    )  # fmt: skip
    return {
        "flush boxes": ([one], [two], single()),
        "crossing only": ([ring], [one], single(turned, crossing_only=True)),
        "stack": ([ring], [two], single(stack, count=3)),
        "lone triangles": ([lone], [upright], single()),
        "far apart": ([one], [two], single(matrix(shift=(1e9, 0, 0)))),
        "itself": ([ring], None, single(with_itself=True)),
        "a sheet twice": ([double], None, single(turned, turned, with_itself=True)),
        "many": ([one, ring, grid, lone], None, many),
    }


def moved(meshes):
    """The same triangles with other vertices."""
    rng = np.random.default_rng(3)
    return [mesh.with_vertices(mesh.vertices + rng.uniform(-0.1, 0.1, mesh.vertices.shape)) for mesh in meshes]


TIGHT = ("stack", "lone triangles")
"""Cases that the queue is asked about with next to no room, too."""
TOLERANCE = 0.25
"""Of the clearances that are asked [m]."""


def object_boxes(count=24):
    """Boxes of objects, some of them equal, touching or without extent, and two sets."""
    rng = np.random.default_rng(11)
    low = rng.integers(0, 4, (count, 3)).astype(float)
    boxes = np.hstack([low, low + rng.integers(0, 3, (count, 3))])
    return boxes, rng.random(count) < 0.7, rng.random(count) < 0.7


def steps(backend, with_fast):
    """Everything a backend makes of the cases, as arrays by name."""
    found = {}
    for name, (meshes_a, meshes_b, asked) in cases().items():
        for key, array in _of_case(backend, meshes_a, meshes_b, asked, with_fast):
            found[f"{name}: {key}"] = array
    for key, array in _of_boxes(backend):
        found[f"objects: {key}"] = array
    return found


def _of_case(backend, meshes_a, meshes_b, asked, with_fast):
    """Names and arrays of one case: trees, levels, results."""
    from meshclash.gpu.breadth_first import Workspace, traverse
    from meshclash.gpu.trees import build_trees, refit_trees

    space, asked = Workspace(backend), about(meshes_a, meshes_b, asked)
    a = build_trees(backend, meshes_a)
    b = a if meshes_b is None else build_trees(backend, meshes_b)
    for key in ("links", "parents", "order", "boxes"):
        yield key, backend.download(getattr(a, key))
    levels = []
    hits = traverse(space, a, b, asked, lambda _, pairs: levels.append(pairs))
    yield from ((f"level {level}", pairs) for level, pairs in enumerate(levels))
    yield "hits", hits.rows
    yield "counts", np.array(hits[1:])
    if with_fast:
        yield from _of_traversal(backend, space, a, b, asked)
    if not asked.with_itself:
        yield from _near_of_case(space, a, b, asked)
    refit_trees(backend, a, moved(meshes_a))
    yield "refitted", backend.download(a.boxes)


def of_queue(backend, meshes_a, meshes_b, asked):
    """Names and arrays of what the queue says of a case."""
    from meshclash.gpu.breadth_first import Workspace
    from meshclash.gpu.trees import build_trees

    a = build_trees(backend, meshes_a)
    b = a if meshes_b is None else build_trees(backend, meshes_b)
    yield from _of_traversal(backend, Workspace(backend), a, b, about(meshes_a, meshes_b, asked))


def _of_traversal(backend, space, a, b, asked):
    fast = backend.traverse_fast(space, a, b, asked)
    yield "queue", fast.rows[np.lexsort(fast.rows.T[::-1])]
    yield "queue counts", np.array([fast.volume_tests, fast.leaf_pairs])


def _near_of_case(space, a, b, asked):
    """Names and arrays of distances and clearances."""
    from meshclash.gpu.nearness import find_clearances, find_distances

    for kind, find, goal in (
        ("clearances", find_clearances, Goal.WITHIN),
        ("distances", find_distances, Goal.NEAREST),
    ):
        levels = []
        question = asked._replace(goal=goal, tolerance=TOLERANCE)
        chunk, counts = find(space, a, b, question, lambda _, pairs, levels=levels: levels.append(pairs))
        yield from ((f"{kind}, level {level}", pairs) for level, pairs in enumerate(levels))
        yield from ((f"{kind}, column {column}", array) for column, array in enumerate(chunk))
        yield f"{kind}, counts", np.array(counts)


def _of_boxes(backend):
    """Names and arrays of the broad phase."""
    from meshclash.gpu.breadth_first import Workspace
    from meshclash.gpu.object_pairs import find_object_pairs

    levels = []
    pairs = find_object_pairs(Workspace(backend), *object_boxes(), lambda _, pairs: levels.append(pairs))
    yield from ((f"level {level}", nodes) for level, nodes in enumerate(levels))
    yield "pairs", pairs
