"""Distances and clearances breadth first, on the CPU: they are those of ``distance`` and ``clearance``."""

import meshclash as mc
import numpy as np
import pytest
from gpu_cases import TOLERANCE, about, cases, single
from hypothesis import given
from hypothesis import strategies as st
from meshclash.answering.exact_distances import decided_within, sorted_within
from meshclash.gpu.breadth_first import Workspace
from meshclash.gpu.nearness import find_clearances, find_distances
from meshclash.gpu.trees import build_trees
from meshclash.traversal.question import Answer, Goal
from oracles.device_model.backend import HostBackend
from oracles.mesh_generators import MAKERS
from solids import box
from strategies import grid_meshes, matrix, poses, rotation

NO_KINDS = np.empty(0, np.uint8)


def packed_trees(meshes_a, meshes_b, threads=1):
    backend = HostBackend(threads)
    a = build_trees(backend, meshes_a)
    return Workspace(backend), a, a if meshes_b is None else build_trees(backend, meshes_b)


def distances_of(meshes_a, meshes_b, asked, threads=1):
    question = about(meshes_a, meshes_b, asked)._replace(goal=Goal.NEAREST)
    (pairs, distances, jobs, points), counts = find_distances(*packed_trees(meshes_a, meshes_b, threads), question)
    return Answer(pairs, NO_KINDS, jobs, *counts, distances=distances, points=points)


def clearances_of(meshes_a, meshes_b, asked, tolerance, threads=1):
    question = about(meshes_a, meshes_b, asked)._replace(goal=Goal.WITHIN, tolerance=tolerance)
    part = decided_within(question, find_clearances(*packed_trees(meshes_a, meshes_b, threads), question)[0])
    return sorted_within(question, part, [])


def same_clearances(answer, found):
    return all(
        getattr(answer, mine).tobytes() == getattr(found, theirs).tobytes()
        for mine, theirs in (("pairs", "pairs"), ("distances", "distances"), ("jobs", "pose"))
    )


def check_distance(answer, job, found, meeting):
    """The CPU's numbers; where surfaces meet, a pair that meets, the first."""
    pair = tuple(answer.pairs[job].tolist())
    assert answer.distances[job] == found.distance
    if found.distance > 0.0:
        assert pair == (found.triangle_a, found.triangle_b)
        assert answer.points[job].tolist() == [found.point_a.tolist(), found.point_b.tolist()]
    else:
        assert pair == tuple(meeting.pairs[0].tolist())


@given(grid_meshes(), grid_meshes(), poses(), poses(), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_awkward_meshes_as_the_cpu(mesh_a, mesh_b, pose_a, pose_b, tolerance):
    a, b = mc.TriangleMesh(*mesh_a), mc.TriangleMesh(*mesh_b)
    asked = single(pose_a, pose_b)
    answer = clearances_of([a], [b], asked, tolerance)
    assert same_clearances(answer, mc.clearance(a, b, tolerance, pose_a, pose_b))
    meeting = mc.collide(a, b, pose_a, pose_b)
    check_distance(distances_of([a], [b], asked), 0, mc.distance(a, b, pose_a, pose_b), meeting)


@pytest.mark.parametrize("name", [name for name, case in cases().items() if not case[2].with_itself])
def test_cases_as_the_cpu(name):
    meshes_a, meshes_b, asked = cases()[name]
    of_b = meshes_a if meshes_b is None else meshes_b
    clearances = clearances_of(meshes_a, meshes_b, asked, TOLERANCE)
    distances = distances_of(meshes_a, meshes_b, asked)
    for job, (i, j) in enumerate(asked.jobs.tolist()):
        pose_a, pose_b = (np.vstack([r[min(job, len(r) - 1)], (0, 0, 0, 1)]) for r in (asked.rows_a, asked.rows_b))
        given = meshes_a[i], of_b[j]
        found = mc.clearance(*given, TOLERANCE, pose_a, pose_b)
        mine = clearances.jobs == job
        assert clearances.pairs[mine].tobytes() == found.pairs.tobytes()
        assert clearances.distances[mine].tobytes() == found.distances.tobytes()
        check_distance(distances, job, mc.distance(*given, pose_a, pose_b), mc.collide(*given, pose_a, pose_b))
    assert (len(clearances.pairs) == 0) == (name == "far apart")


def test_objects_as_near_as_rounding_but_not_meeting():
    """Two boxes whose faces are one unit in the last place apart: no contact, and no distance of 0."""
    gap = np.nextafter(1.0, 2.0)
    a, b = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))), mc.TriangleMesh(*box((gap, 0, 0), (2, 1, 1)))
    answer, found = distances_of([a], [b], single()), mc.distance(a, b)
    assert len(mc.collide(a, b)) == 0
    assert 0.0 < answer.distances[0] == found.distance < 1e-15
    i, j = answer.pairs[0]  # the CPU stops at the first pair that is 0 in float64
    assert (i, j) <= (found.triangle_a, found.triangle_b)
    assert mc.clearance(a, b, found.distance).pairs[0].tolist() == [i, j]
    assert same_clearances(clearances_of([a], [b], single(), 1e-15), mc.clearance(a, b, 1e-15))
    assert len(clearances_of([a], [b], single(), 0.0).pairs) == 0


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("threads", [1, 2])
def test_large_meshes_as_the_cpu(kind, threads):
    mesh = mc.TriangleMesh(*MAKERS[kind](30_000, 1))
    rng = np.random.default_rng(5)
    size = float((mesh.bounds[1] - mesh.bounds[0]).max())
    for shift in (0.1, 1.1, 2.5):
        pose = matrix(rotation(rng), shift * size * np.array([1.0, 0.3, -0.2]))
        asked = single(None, pose)
        found = mc.distance(mesh, mesh, None, pose)
        check_distance(distances_of([mesh], None, asked, threads), 0, found, mc.collide(mesh, mesh, None, pose))
        tolerance = found.distance + 0.01 * size
        answer = clearances_of([mesh], None, asked, tolerance, threads)
        assert len(answer.pairs) > 0
        assert same_clearances(answer, mc.clearance(mesh, mesh, tolerance, None, pose))


@given(grid_meshes(), grid_meshes(), poses(), st.integers(0), st.integers(0))
def test_a_known_pair_changes_nothing(mesh_a, mesh_b, pose, first, second):
    a, b = mc.TriangleMesh(*mesh_a), mc.TriangleMesh(*mesh_b)
    meshes = [a], [b]
    asked = single(pose)
    cold = distances_of(*meshes, asked)
    some = np.array([[first % a.triangle_count, second % b.triangle_count]], np.int32)
    warm = distances_of(*meshes, asked._replace(start=some))
    for name in ("pairs", "distances", "points"):
        assert getattr(warm, name).tobytes() == getattr(cold, name).tobytes()
    assert warm.volume_tests <= cold.volume_tests
