"""Stacks of poses: answers do not depend on the number of threads, and a stack can be stopped between two slices."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash import jit
from meshclash.convex import convex_distance, hull_separation, near_surface
from meshclash.query import flat_faces
from meshclash.traversal import near_engine
from slices import limit
from strategies import rotation

SHAPES = {
    "sphere": mc.shapes.Sphere(0.5),
    "capsule": mc.shapes.Capsule(0.2, 1.0),
    "box": mc.shapes.Box((1.0, 0.6, 0.8), 0.1),
    "cylinder": mc.shapes.Cylinder(0.4, 0.9),
    "half-space": mc.shapes.Halfspace((0.3, 0.2, 1.0), 0.1),
    "hull": mc.shapes.Inflated(mc.shapes.ConvexHull(np.random.default_rng(5).normal(size=(30, 3))), 0.05),
}
BALL, ROCK = mc.shapes.sphere(0.6, 0.003), mc.shapes.ConvexHull(np.random.default_rng(4).normal(size=(40, 3))).mesh()
BUMPY = mc.TriangleMesh(
    BALL.vertices * (1.0 + 0.2 * np.sin(7.0 * BALL.vertices).prod(axis=1, keepdims=True)), BALL.triangles
)


@pytest.fixture(scope="module", autouse=True)
def _shared():
    """Let all stacks use several threads at once, in parts of few poses."""
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, seconds=0.0, shared=True)
        for module in (hull_separation, convex_distance, near_surface, flat_faces):
            patch.setattr(module, "_PART", 7)
        for module in (hull_separation, convex_distance):
            patch.setattr(module, "_PARTS_OF_WORKER", 2)
        for name, value in (("_SHORTEST_PART", 5), ("_LONGEST_PART", 5), ("_PARTS_OF_WORKER", 2)):
            patch.setattr(near_engine, name, value)
        yield


def poses_of(seed, count, walk):
    """Poses at random, or along a walk, so that neighbours are near each other."""
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (count, 1, 1))
    if walk:
        poses[:, :3, :3] = rotation(rng)
        poses[:, :3, 3] = np.cumsum(0.02 * rng.normal(size=(count, 3)), axis=0) + rng.uniform(-1, 1, 3)
    else:
        poses[:, :3, :3] = [rotation(rng) for _ in range(count)]
        poses[:, :3, 3] = rng.uniform(-2, 2, (count, 3))
    return poses


def same(asked, fields):
    """Whether one thread and several give the same bits."""
    one, more = asked(threads=1), asked(threads=None)
    for name in fields:
        x, y = np.asarray(getattr(one, name)), np.asarray(getattr(more, name))
        assert x.dtype == y.dtype and x.tobytes() == y.tobytes(), name


STACKS = given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.booleans())


@pytest.mark.parametrize("pair", [(ROCK, ROCK), (BALL, mc.shapes.box(0.7))], ids=["rocks", "ball and box"])
@STACKS
def test_penetrations_of_convex_solids(pair, seed, count, walk):
    """Polytopes of a ball have more corners than the first buffers hold, so parts are repeated."""
    poses = poses_of(seed, count, walk)
    fields = "depth", "direction", "lower_bound", "point_a", "point_b", "pairs"
    same(lambda threads: mc.penetration(*pair, pose_b=poses, threads=threads), fields)


@pytest.mark.parametrize("permitted", [0.0, 0.3])
@STACKS
def test_distances_of_meshes(permitted, seed, count, walk):
    poses = poses_of(seed, count, walk)
    fields = "distance", "point_a", "point_b", "triangle_a", "triangle_b"
    options = {"pose_b": poses, "relative_error": permitted, "lower_limit": permitted}
    same(lambda threads: mc.distance(BUMPY, ROCK, threads=threads, **options), fields)


@settings(max_examples=30)
@STACKS
def test_clearances_of_meshes(seed, count, walk):
    poses = poses_of(seed, min(count, 12), walk)
    same(lambda threads: mc.clearance(ROCK, ROCK, 0.1, pose_b=poses, threads=threads), ("pairs", "distances", "pose"))


@STACKS
def test_exact_shapes(seed, count, walk):
    poses, rng = poses_of(seed, count, walk), np.random.default_rng(seed)
    a, b = (SHAPES[name] for name in rng.choice(list(SHAPES), 2))
    b = rng.choice([b, ROCK])
    same(lambda threads: mc.distance(a, b, pose_b=poses, threads=threads), ("distance", "point_a", "point_b"))
    met = [mc.collides(a, b, pose_b=poses, threads=threads).tolist() for threads in (1, 2)]
    assert met[0] == met[1]


@settings(max_examples=15)
@STACKS
def test_configurations_of_a_scene(seed, count, walk):
    """The distances of a scene are those of each pair alone."""
    scene, poses = mc.Scene(), poses_of(seed, min(count, 20), walk)
    fixed, moved = scene.add(ROCK), scene.add(BUMPY)
    found = scene.distances(poses=poses[:, None], movers=[moved])
    alone = mc.distance(ROCK, BUMPY, pose_b=poses, threads=1).distance
    outside = found.distance > 0.0
    assert found.pairs.tolist() == [[fixed, moved]] * len(poses)
    assert (found.distance[outside] == alone[outside]).all()


@pytest.mark.parametrize(
    "question",
    [
        lambda poses: mc.steps(mc.penetration, ROCK, ROCK, None, poses),
        lambda poses: mc.steps(mc.distance, BUMPY, ROCK, None, poses),
        lambda poses: mc.steps(mc.distance, SHAPES["box"], SHAPES["cylinder"], None, poses),
        lambda poses: mc.steps(mc.collides, SHAPES["box"], ROCK, None, poses),
        lambda poses: mc.steps(mc.distance, ROCK, SHAPES["half-space"], None, poses),
    ],
    ids=["penetration", "distance", "shapes", "shape and mesh", "half-space"],
)
def test_a_stack_tells_its_progress_and_can_be_stopped(question):
    poses = poses_of(1, 400, False)
    told = []
    mc.run(question(poses), lambda progress: told.append(progress.fraction))
    assert told == sorted(told) and len(set(told)) > 3 and told[0] >= 0.0 and told[-1] <= 1.0
    stopped = question(poses)
    next(stopped)
    next(stopped)
    stopped.close()
    with jit.parallel_region(2) as workers:
        assert workers == 2
    mc.run(question(poses))
