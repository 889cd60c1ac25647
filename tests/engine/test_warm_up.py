"""After warming up, no main query meets a kernel that has to be compiled or loaded."""

import pytest
from subprocesses import run_python

COUNTING = '''
import collections, gc, json
import numpy as np
import meshclash as mc
from meshclash.scene.live_contacts import LiveContacts
from numba.core.dispatcher import Dispatcher

def kernels():
    """Signatures of each kernel; those that a factory makes share their name."""
    found = collections.Counter()
    for d in gc.get_objects():
        if isinstance(d, Dispatcher) and d.py_func.__module__.startswith("meshclash"):
            found.update((f"{d.py_func.__module__}.{d.py_func.__qualname__}", str(s)) for s in d.signatures)
    return found
'''

CODE = (
    COUNTING
    + """
progress = list(mc.warm_up())
list(mc.warm_up(["paper"]))
warm = kernels()
rng = np.random.default_rng(1)
corners = rng.uniform(0, 1, (60, 3)).astype(np.float32)
a = mc.TriangleMesh(corners, np.arange(60).reshape(-1, 3))
box = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
b = mc.TriangleMesh(box, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))
shift = np.eye(4)
shift[0, 3] = 0.25
stack = np.stack([np.eye(4), shift])
for query in (mc.collide, mc.collides):
    query(a, b, stack, shift)
    query(mc.build(a, leaf_size=2), b, mc.Pose.from_matrix(shift), touching=False)
mc.collide(a, b, shift, engine="voxels").segments()
u, v = (g.ravel() for g in np.mgrid[:200, :200])
first = (200 * u + v)[(u < 199) & (v < 199)]
halves = np.concatenate([np.stack((first + i, first + j, first + 200), axis=1) for i, j in ((0, 1), (1, 201))])
sheet = np.stack([u, v, 0.01 * u * v], axis=1) / 200.0
for lift in (0.0, 0.1):
    a_sheet, b_sheet = mc.TriangleMesh(sheet, halves), mc.TriangleMesh(sheet + [0.99, 0.0, lift], halves)
    assert mc.collide(a_sheet, b_sheet).stats.engine == "voxels"
mc.self_collide(a).segments()
mc.collide(b, b).outlines()
for pose in (None, shift):
    for tolerance in (0.0, 0.1):
        mc.verdict(b, b, pose, permitted_overlap=tolerance, touch_tolerance=tolerance)
        mc.verdict(a, b, pose, permitted_overlap=tolerance, touch_tolerance=tolerance)
turned = np.eye(4)
turned[:3] = np.array([[2, -1, 2, -3], [2, 2, -1, 1.8], [-1, 2, 2, 2.4]]) / 3
mc.verdict(b, b, turned, depth="exact")  # both shrink until they share nothing
mc.contains(b, corners, shift)
mc.winding_number(a, corners)
mc.nearest(a, corners, shift, k=2)
mc.ray_all(a, corners, corners + 1.0, pose=shift)
mc.signed_distance(mc.TriangleMesh(b.vertices, b.triangles[1:]), corners, shift)
mc.refit(mc.build(a), corners + 1)
b.is_closed
scene = mc.Scene()
ids = [scene.add(mesh, pose) for mesh in (a, b) for pose in (None, shift)]
scene.contacts(touch_tolerance=0.1, permitted_overlap=0.1, set_a=ids[:2], keep=lambda pairs: pairs[:, 0] >= 0)
scene.set_vertices(ids[0], corners + 0.5)
scene.add(mc.TriangleMesh(corners, np.arange(60).reshape(-1, 3).repeat(3, axis=0)))
scene.contacts()
far = np.eye(4)
far[0, 3] = 4.0
for pose in (shift, far):
    mc.distance(a, b, pose, start=mc.distance(a, b))
    mc.clearance(a, b, 4.0, pose).points()
scene.add(b, far)
scene.distances(most=3)
scene.clearances(5.0)
k = np.arange(3000) + 0.5
z = 1 - k / 1500
ball = np.stack([np.sqrt(1 - z * z) * np.cos(2.4 * k), np.sqrt(1 - z * z) * np.sin(2.4 * k), z], 1)
clouds = mc.clouds.PointCloud(ball), mc.clouds.PointCloud(ball, ball, surface="apss")
for cloud in clouds:
    for other in (*clouds, b, mc.build(a)):
        mc.collides(cloud, other, None, stack)
        mc.collide(other, cloud, shift).touched(0)
        mc.lab.cloud_collision(cloud, other, budget=1e-3)
        mc.lab.cloud_collision(cloud, other, node_size=0.1)
        mc.lab.cloud_distance(other, cloud, shift)
    mc.lab.cloud_collision(cloud, clouds[0], method="paper")
    mc.clouds.deviation(cloud, b, shift, signed=True)
    mc.clouds.deviation(cloud, b, None, mc.Pose.from_matrix(shift), signed=True)
    mc.clouds.deviation(cloud, clouds[1], shift, signed=True)
    cloud.evaluate(ball[:3])
mc.time_critical(a, b, shift, budget=1e-3)
mc.time_critical(b, mc.build(a, leaf_size=2), shift, steps=100, count="antichain")
moved = a.vertices + 0.25
mc.motion.swept_collide(mc.build(a), b, None, moved, [b.vertices] * 2)
for first_only in (False, True):
    mc.motion.swept_self_collide(a, None, moved[::-1], first_only=first_only)
for ask in (mc.motion.point_triangle_impacts, mc.motion.edge_edge_impacts):
    ask(corners.reshape(-1, 4, 3), moved.reshape(-1, 4, 3))
live = LiveContacts(scene)
for first_contact in (True, False):
    scene.set_poses(ids, np.stack([shift] * len(ids)))
    live.update(first_contact=first_contact)
scene.collides()
scene.ray_first(corners, corners + 1.0)
scene.collides(np.stack([np.eye(4)] * 3)[:, None], ids[:1])
for k in range(3):
    scene.time_critical(budget=1e-3)
    scene.set_vertices(ids[0], corners + 0.1 * k)
    scene.remove(ids.pop())
after = kernels()
print(json.dumps([progress, sorted((after - warm).elements()), len(warm)]))
"""
)


@pytest.fixture(scope="module")
def session():
    return run_python(CODE)


@pytest.mark.slow
@pytest.mark.needs_jit
def test_queries_find_all_kernels_ready(session):
    _, compiled_later, count = session
    assert compiled_later == []
    assert count > 10


@pytest.mark.needs_jit
def test_progress_rises_to_one(session):
    progress = session[0]
    fractions = [fraction for fraction, _ in progress]
    assert fractions == sorted(set(fractions))
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    assert len(progress) > 5
    assert all(isinstance(text, str) and text for _, text in progress)


BETWEEN_FRAMES = (
    COUNTING
    + """
from meshclash.continuous import moving_engine
from meshclash.traversal import wide_engine

list(mc.warm_up(["contacts", "large", "more", "continuous"]))
warm = kernels()
wide_engine.STEPS_ALONE, moving_engine.STEPS = 1, 9  # several cores
rng = np.random.default_rng(1)
sheet = mc.TriangleMesh(rng.integers(-2, 3, (60, 3)), np.arange(60).reshape(-1, 3))
end = rng.integers(-2, 3, (60, 3)).astype(float)
stages, threads = collections.Counter(), 0
for found in (
    mc.motion.swept_self_collide(sheet, None, end), mc.motion.swept_self_collide(sheet, None, end, first_only=True),
    mc.motion.swept_collide(sheet, mc.build(sheet), sheet.vertices + 9, None, None, [end, end + 9]),
):
    stages.update(found.counters)
    threads = max(threads, found.stats.threads)
points = rng.integers(-2, 3, (200, 8, 3)) * np.where(rng.random((200, 1, 1)) < 0.5, 1.0, 1.0 + 2.0**-50)
points[:50, 0] *= 2.0**-100
for ask in (mc.motion.point_triangle_impacts, mc.motion.edge_edge_impacts):
    stages.update(ask(points[:, :4], points[:, 4:]).counters)
print(json.dumps([sorted((kernels() - warm).elements()), stages, threads]))
"""
)


@pytest.mark.slow
@pytest.mark.needs_jit
def test_contacts_between_frames_find_all_kernels_ready_integers_and_several_cores_included():
    compiled_later, stages, threads = run_python(BETWEEN_FRAMES, NUMBA_NUM_THREADS=2)
    assert compiled_later == []
    assert all(stages.values()), stages
    assert threads == 2


CLUSTERED = (
    COUNTING
    + """
import struct, tempfile
from pathlib import Path
list(mc.warm_up(["contacts", "scenes", "more", "distances", "large", "massive"]))
warm = kernels()
rng = np.random.default_rng(1)
corners = rng.uniform(0, 1, (600, 3)).astype(np.float32)
soup = mc.TriangleMesh(corners, np.arange(600).reshape(-1, 3))
box = mc.TriangleMesh(rng.uniform(0, 1, (40, 3)), rng.integers(0, 40, (90, 3)))
far = np.eye(4)
far[0, 3] = 4.0
ply = b"ply\\nformat binary_little_endian 1.0\\nelement vertex 600\\n"
ply += b"".join(b"property float %c\\n" % axis for axis in b"xyz")
ply += b"element face 200\\nproperty list uchar int vertex_indices\\nend_header\\n" + corners.tobytes()
ply += b"".join(struct.pack("<B3i", 3, 3 * k, 3 * k + 1, 3 * k + 2) for k in range(200))
with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    (folder / "a.ply").write_bytes(ply)
    a = mc.massive.ClusteredMesh.build(folder / "a.ply", folder / "a", cluster_triangles=32)
    b = mc.massive.ClusteredMesh.build((box.vertices, box.triangles), folder / "b", cluster_triangles=32)
    c = mc.massive.ClusteredMesh.build(corners.reshape(-1, 3, 3), folder / "c", cluster_triangles=32)
    for first, second in ((a, b), (a, c), (c, soup), (box, b), (a, a)):
        for pose in (None, far):
            mc.collide(first, second, pose).segments()
            mc.collides(first, second, pose, touching=False)
            mc.clearance(first, second, 0.1, pose).points()
            mc.distance(first, second, pose)
    for mesh in (a, b, c):
        mc.self_collide(mesh)
        mesh.verify()
        mc.massive.MeshLevels.build(mesh).close()
        mc.massive.massive_collide(mesh, b, far, epsilon=0.1, delta=5.0).resolve()
    for mesh in (a, b, c):
        mesh.close()
print(json.dumps([sorted((kernels() - warm).elements()), len(warm)]))
"""
)


@pytest.mark.slow
@pytest.mark.needs_jit
def test_clustered_meshes_find_all_kernels_ready():
    compiled_later, count = run_python(CLUSTERED)
    assert compiled_later == []
    assert count > 10


REPEATED = (
    COUNTING
    + """
from meshclash.clash.kernel_parts import BASIC_PARTS
list(mc.warm_up(BASIC_PARTS))
warm = kernels()
box = mc.TriangleMesh(
    [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]],
)
scene, poses = mc.Scene(), np.stack([np.eye(4)] * 3)
ids = [scene.add(box) for _ in range(3)]
for k in range(3):
    poses[:, 0, 3] = k * np.array([0.25, 0.0, 4.0])
    scene.set_poses(ids, poses)
    scene.set_vertices(ids[0], box.vertices * (1.0 + 0.1 * k))
    scene.contacts()
print(json.dumps([sorted((kernels() - warm).elements()), len(warm)]))
"""
)


@pytest.mark.slow
@pytest.mark.needs_jit
def test_a_repeated_test_of_moved_and_deformed_objects_finds_all_kernels_ready():
    compiled_later, count = run_python(REPEATED)
    assert compiled_later == []
    assert count > 10


VOXELS = (
    COUNTING
    + """
list(mc.warm_up(["contacts", "more", "voxels"]))
warm = kernels()
shift = np.eye(4)
shift[0, 3] = 0.25
ball = mc.TriangleMesh(*OCTAHEDRON)
for mode in ("exact", "voxels", "solid"):
    for pose in (None, shift):
        mc.voxels.voxel_collide(ball, ball, pose, mode=mode)
        mc.voxels.voxel_collide(ball, ball, pose, mode=mode, resolution=24)
mc.voxels.voxel_self_collide(ball)
mc.voxels.voxel_overlaps([ball, ball, ball]).boxes(0)
for separating in (6, 26):
    mc.voxels.voxelise(ball, resolution=16, separating=separating)
mc.voxels.VoxelMap(ball, resolution=16).touch(np.array(ball.vertices))
print(json.dumps([sorted((kernels() - warm).elements()), len(warm)]))
""".replace(
        "OCTAHEDRON", repr(([[0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, -1]],
                        [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])),
    )
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.needs_jit
def test_voxels_find_all_kernels_ready():
    compiled_later, count = run_python(VOXELS)
    assert compiled_later == []
    assert count > 10


LARGE = (
    COUNTING
    + """
list(mc.warm_up(["contacts", "points", "large"]))
warm = kernels()
across = 1025
u, v = (g.ravel() for g in np.mgrid[:across, :across])
first = (across * u + v)[(u < across - 1) & (v < across - 1)]
sides = (0, 1), (1, across + 1)
halves = np.concatenate([np.stack((first + i, first + j, first + across), axis=1) for i, j in sides])
sheet = mc.TriangleMesh(np.stack([u, v, 0.0 * u], axis=1) / across, halves)
mc.build(sheet)
box = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
mc.signed_distance(mc.TriangleMesh(box, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)), sheet.vertices[: 1 << 18])
print(json.dumps([sorted((kernels() - warm).elements()), len(sheet.triangles)]))
"""
)


@pytest.mark.slow
@pytest.mark.needs_jit
def test_two_million_triangles_find_all_kernels_for_several_cores_ready():
    """The first such mesh, and as many points, were compiled for in the window although a package had kernels."""
    compiled_later, triangles = run_python(LARGE, NUMBA_NUM_THREADS=2)
    assert compiled_later == []
    assert triangles >= 1 << 21
