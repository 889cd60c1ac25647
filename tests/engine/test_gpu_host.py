"""The breadth-first algorithm on the CPU: its answers are those of ``collide``, its hierarchies are well formed."""

import meshclash as mc
import numpy as np
import pytest
from gpu_cases import about, cases, moved, single
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.answering.exact_contacts import finished_contacts
from meshclash.gpu.breadth_first import Workspace, traverse
from meshclash.gpu.device_engine import chunk_of_hits
from meshclash.gpu.pyramid import CHILDREN, locate, width_for
from meshclash.gpu.trees import build_trees, refit_trees
from meshclash.traversal.question import Answer
from oracles.device_model.backend import HostBackend
from oracles.mesh_generators import MAKERS
from strategies import grid_meshes, matrix, poses, rotation


def answer_of(meshes_a, meshes_b, asked, threads=1):
    backend = HostBackend(threads)
    a = build_trees(backend, meshes_a)
    b = a if meshes_b is None else build_trees(backend, meshes_b)
    question = about(meshes_a, meshes_b, asked)
    chunk, counts = chunk_of_hits(a, b, question, traverse(Workspace(backend), a, b, question))
    return Answer(*finished_contacts(question, [chunk]), *counts, backend.threads)


def same(answer, found):
    return answer.pairs.tobytes() == found.pairs.tobytes() and answer.kinds.tobytes() == found.kinds.tobytes()


@given(grid_meshes(), grid_meshes(), poses(), poses(), st.booleans())
def test_awkward_meshes_as_collide(mesh_a, mesh_b, pose_a, pose_b, touching):
    a, b = mc.TriangleMesh(*mesh_a), mc.TriangleMesh(*mesh_b)
    answer = answer_of([a], [b], single(pose_a, pose_b, crossing_only=not touching))
    assert same(answer, mc.collide(a, b, pose_a, pose_b, touching=touching))


@given(grid_meshes(), poses())
def test_awkward_meshes_as_self_collide(mesh, pose):
    a = mc.TriangleMesh(*mesh)
    assert same(answer_of([a], None, single(pose, pose, with_itself=True)), mc.self_collide(a, pose))


@pytest.mark.parametrize("name", cases())
def test_cases_as_the_cpu(name):
    meshes_a, meshes_b, asked = cases()[name]
    answer = answer_of(meshes_a, meshes_b, asked)
    meshes_b = meshes_a if meshes_b is None else meshes_b
    pairs = []
    for job, (i, j) in enumerate(asked.jobs.tolist()):
        pose_a, pose_b = (np.vstack([r[min(job, len(r) - 1)], (0, 0, 0, 1)]) for r in (asked.rows_a, asked.rows_b))
        if asked.with_itself:
            found = mc.self_collide(meshes_a[i], pose_a)
        else:
            found = mc.collide(meshes_a[i], meshes_b[j], pose_a, pose_b, touching=not asked.crossing_only)
        mine = answer.jobs == job
        assert answer.pairs[mine].tobytes() == found.pairs.tobytes()
        assert answer.kinds[mine].tobytes() == found.kinds.tobytes()
        pairs += found.pairs.tolist()
    assert len(pairs) == len(answer.pairs)
    assert (len(pairs) == 0) == (name in ("far apart", "itself"))


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("threads", [1, 2])
def test_large_meshes_as_collide(kind, threads):
    mesh = mc.TriangleMesh(*MAKERS[kind](60_000, 1))
    rng = np.random.default_rng(5)
    size = float((mesh.bounds[1] - mesh.bounds[0]).max())
    pose = matrix(rotation(rng), 0.1 * size * rng.uniform(-1, 1, 3))
    found = mc.collide(mesh, mesh, None, pose)
    answer = answer_of([mesh], None, single(None, pose), threads)
    assert len(found) > 100
    assert same(answer, found)
    assert answer.threads == threads


@given(grid_meshes(most_triangles=40), st.integers(1, 3))
@settings(max_examples=50)
def test_hierarchies_are_well_formed(mesh, copies):
    meshes = [mc.TriangleMesh(*mesh) for _ in range(copies)]
    trees = build_trees(HostBackend(), meshes)
    check_trees(trees)
    refit_trees(HostBackend(), trees, moved(meshes))
    check_trees(trees)


def check_trees(trees):
    """Every node but a root has one parent, every triangle one leaf, and every box holds its triangles exactly."""
    assert sorted(trees.order.tolist()) == list(range(len(trees.order)))
    inner = trees.links[:, 0] >= 0
    children = trees.links[inner].ravel()
    assert sorted([*children.tolist(), *trees.root_nodes.tolist()]) == list(range(len(trees.links)))
    assert np.array_equal(trees.parents[trees.links[inner]], np.repeat(np.flatnonzero(inner)[:, None], 2, axis=1))
    below = [[] for _ in trees.links]
    for leaf in np.flatnonzero(~inner):
        node = leaf
        while node >= 0:
            below[node].append(int(trees.order[~trees.links[leaf, 0]]))
            node = int(trees.parents[node])
    for node, triangles in enumerate(below):
        tree = int(trees.tree_of[triangles[0]])
        assert {int(trees.tree_of[t]) for t in triangles} == {tree}
        corners = trees.vertices[trees.triangles[triangles]].reshape(-1, 3) - trees.origins[tree]
        assert (trees.boxes[node, :3].astype(float) < corners.min(axis=0)).all()
        assert (trees.boxes[node, 3:].astype(float) > corners.max(axis=0)).all()
    for root, triangles in zip(trees.root_nodes, trees.first_triangles, strict=True):
        assert min(below[root]) == triangles


@given(st.lists(st.integers(0, 4), min_size=1, max_size=70))
def test_the_pyramid_finds_what_each_output_belongs_to(counts):
    width = width_for(len(counts))
    sums = np.zeros(2 * width, np.int64)
    sums[width : width + len(counts)] = counts
    HostBackend().sum_up(sums, width)
    expected = [(k, number) for k, count in enumerate(counts) for number in range(count)]
    assert sums[1] == len(expected)
    assert [locate(sums, width, slot, CHILDREN) for slot in range(len(expected))] == expected


def test_levels_are_told_in_order():
    meshes_a, meshes_b, asked = cases()["flush boxes"]
    backend = HostBackend()
    a, b = build_trees(backend, meshes_a), build_trees(backend, meshes_b)
    told = []
    hits = traverse(Workspace(backend), a, b, asked, lambda level, pairs: told.append((level, len(pairs))))
    assert [level for level, _ in told] == list(range(hits.levels))
    assert sum(count for _, count in told) == hits.volume_tests
    assert told[0] == (0, 1)
