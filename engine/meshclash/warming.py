"""``warm_up``: compile all kernels, so that the first real query does not have to wait."""

import math
from collections.abc import Callable, Generator, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from .answering.devices import kernel_steps
from .broadphase.extent_gaps import extent_gaps
from .broadphase.incremental import SweepAndPrune
from .broadphase.sweep import cut_to_spheres, overlapping_pairs, overlapping_portions, world_boxes
from .continuous.adjacent_triangles import Neighbours
from .continuous.impacts import edge_edge_impacts
from .continuous.moving_engine import MovingEngine
from .continuous.moving_tree import Elements, MovingTree
from .convex.closest_features import closest_features
from .convex.convex_distance import COLUMNS as DISTANCE_COLUMNS
from .convex.convex_distance import convex_distance_beside, convex_distances_together
from .convex.exact_shapes import Box, Cylinder, Halfspace
from .convex.expanding_polytope import new_room as new_hull_room
from .convex.expanding_polytope import part_convex_together
from .convex.face_heights import face_heights_together
from .convex.hull import ConvexHull
from .convex.near_surface import SurfaceTree, bound_each_together
from .errors import UnsupportedOption
from .files.pcd import unpack_lzf
from .geometry.intersection import contact_segments, new_room, overlap_outlines
from .geometry.neighbours import touching_beyond_shared
from .hierarchy.build import DEFAULT_LEAF_SIZE, build, parts_steps, refit
from .hierarchy.oriented import oriented_boxes_of
from .hierarchy.slabs import slabs_of
from .jit import parallel_region, thread_limit
from .massive.levels import MeshLevels
from .massive.mesh import ClusteredMesh
from .massive.pieces import Piece, all_simplified, joined
from .massive.ply import walk_rows
from .messages import shown
from .motion.convex_contact_time import convex_contact_time
from .motion.motion_piece import make_piece
from .pointcloud.cloud import PointCloud
from .pointcloud.cloud_distance import cloud_distance
from .pointcloud.deviation import deviation
from .pointcloud.query import collide_clouds
from .query.clearance import clearance
from .query.collide import collide, collides, self_collide
from .query.distance import distance
from .query.flat_faces import Hulls
from .query.massive_collide import massive_collide
from .query.nearest import nearest
from .query.penetration import penetration
from .query.rays import ray_first
from .query.self_clearance import near_features
from .query.shortcuts.object_pairs import MOST_OBJECTS
from .query.signed_distance import signed_distance
from .query.swept_collide import swept_collide, swept_self_collide
from .query.verdict import verdict
from .query.voxel_collide import voxel_collide
from .query.voxel_overlaps import voxel_overlaps
from .scene.collisions import find_enclosed
from .scene.pose_table import PoseTable
from .scene.scene import Scene
from .solid.ball_growth import new_search_room
from .solid.branch_and_bound import new_cells, refine_depths
from .solid.case import Case
from .solid.coincidence import deny_coincidence
from .solid.contact_centres import find_centres
from .solid.depth import FIRST_BALL, overlap_depths
from .solid.depth_intervals import COLUMNS
from .solid.field import NEAREST, measure_field
from .solid.flush_containment import fills_cavity, span_within
from .solid.sampling import ALL_PLACES, EFFORT, sample_sides
from .solid.shrinkage_bound import component_signs, gather_normals, move_inward
from .traversal.bounds import world_bounds
from .traversal.forest import Forest, TreeSet, pack_trees
from .traversal.near_wide import traverse_near_together
from .traversal.nearest_triangles import COMPILED_FOR
from .traversal.oriented_boxes import oriented_boxes, separated_pairs
from .traversal.point import IDENTITY, new_point_workspace
from .traversal.question import Answer, Question
from .traversal.ray_casting import COMPILED_FOR as RAYS_COMPILED_FOR
from .traversal.solids import Solids, solid_of
from .traversal.stars import FEWEST
from .traversal.wide_engine import WideEngine
from .types.mesh import TriangleMesh
from .types.pose import Pose, check_stack
from .types.results import Progress
from .types.steps import run
from .volumes.registry import DEFAULT_VOLUME, VOLUMES
from .voxels.map import VoxelMap
from .voxels.self_collision import voxel_self_collide
from .voxels.surface import voxelise

_CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
_Steps = dict[str, list[tuple[str, Callable[[], object]]]]
_BOX = np.array(
    [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]
)  # fmt: skip


def _two_boxes() -> tuple[TriangleMesh, TriangleMesh]:
    return TriangleMesh(_CORNERS, _BOX), TriangleMesh(_CORNERS + 0.5, _BOX)


def _measured_scene(other: TriangleMesh) -> None:
    scene = Scene()
    scene.add(_two_boxes()[0])
    scene.add(other)
    scene.clearances(1.0)
    scene.distances()


def _probabilities(a: TriangleMesh, b: TriangleMesh) -> None:
    scene = Scene()
    moved, _ = scene.add(a), scene.add(b)
    scene.time_critical()
    scene.set_pose(moved, Pose.identity())
    scene.time_critical()


def _no_pairs() -> Case:
    """Return a case without pairs: judging it compiles no kernel that makes hierarchies or finds contacts."""
    numbers, places = np.empty(0, np.int64), np.empty((0, 3))
    indices, truths, signs = np.empty(0, np.int32), np.empty(0, np.bool_), np.empty(0, np.int8)
    boxes, rows = np.empty((0, 6)), np.empty((0, 3, 4))
    tree_set = TreeSet(places, places, 0, 0, DEFAULT_VOLUME, True, ())
    tree_set.all_used = truths
    tree_set.forest = Forest(
        indices, indices, boxes.astype(np.float32), indices, np.empty((0, 3), np.int32), places,
        *(*[numbers] * 4, np.empty((0, 6), np.int64)),
    )  # fmt: skip
    solids = Solids(truths, signs, indices, signs, truths, indices, numbers)
    answer = Answer(np.empty((0, 2), np.int32), np.empty(0, np.uint8), indices, 0, 0, 0, 1)
    return Case(tree_set, solids, np.empty((0, 2), np.int64), rows, rows, boxes, boxes, answer, np.empty((0, 2)))


def _measure_nothing() -> None:
    case, numbers, places = _no_pairs(), np.empty(0, np.int64), np.empty((0, 3))
    work, answer, boxes, room = new_point_workspace(), case.answer, np.empty((0, 7)), new_search_room()
    contacts = numbers, answer.pairs, answer.kinds, places
    overlap_depths(*case.posed(), boxes, numbers, *contacts, FIRST_BALL, room, work, np.empty((0, COLUMNS)))
    refine_depths(*case.posed(), boxes, numbers, room, work, *new_cells(), np.empty((0, COLUMNS)))
    forest, signs = case.tree_set.forest, case.solids.inside
    component_signs(*case.posed()[:4], IDENTITY, IDENTITY[:, :3].copy(), work, signs)
    gather_normals(forest.vertices, forest.triangles, signs, np.empty((0, 3, 3)), places)
    move_inward(places, places, np.eye(3, 4), 0.0, places)
    span_within(*case.posed(), 0, 0, 0, 0, False, answer.pairs, places, 0.0, work)
    fills_cavity(*case.posed(), 0, 0, 0, 0, 0.0, work)


def _judge_nothing() -> None:
    case, numbers = _no_pairs(), np.empty(0, np.int64)
    spans, truths, asked = np.empty((0, 4), np.int64), np.empty(0, np.bool_), np.empty((0, 2), np.bool_)
    work, answer = new_point_workspace(), case.answer
    contacts, scratch = (answer.pairs, answer.kinds), (numbers, work, EFFORT, np.zeros(3, np.int64))
    sample_sides(*case.posed(), asked, ALL_PLACES, numbers, *contacts, *scratch, numbers)
    deny_coincidence(*case.posed(), spans, work, truths)
    world_bounds(case.tree_set, numbers, case.rows_a)
    find_enclosed(*case.posed(), work, np.empty(0, np.int8))
    rows = case.jobs, case.rows_a, case.rows_b, truths, numbers
    find_centres(case.tree_set.forest, *rows, *contacts, answer.jobs, 0, 0, new_room(), np.empty((0, 3)))


def _sweep_and_cut() -> None:
    """Compile kernels of scenes besides contacts and verdicts."""
    everyone = np.ones(2, np.bool_)
    overlapping_pairs(np.zeros((2, 6)), everyone, everyone)
    list(overlapping_portions(np.zeros((2, 6)), everyone, everyone, 4, 4))
    SweepAndPrune().update(np.arange(2), np.zeros((2, 6)))
    bounds, rows = np.zeros((1, 2, 3)), np.eye(4)[None, :3].copy()
    cut_to_spheres(bounds, np.zeros(1), rows, world_boxes(bounds, rows, 0.0))
    extent_gaps(bounds, np.zeros(1), rows, np.zeros((1, 2), np.int64))
    PoseTable().travel(np.zeros(1, np.int64))
    check_stack(np.eye(4)[None])
    triangles = np.empty((0, 3, 3))
    contact_segments(triangles, triangles, np.empty(0, np.uint8))
    overlap_outlines(triangles, triangles)


def _scene(touch_tolerance: float) -> None:
    scene = Scene()
    for mesh in _two_boxes():
        scene.add(mesh)
    scene.contacts(touch_tolerance=touch_tolerance)


def _fit_oriented() -> None:
    """Fit the oriented box of an object with enough triangles for one, and compare it with itself."""
    tree_set, still = pack_trees([build(TriangleMesh(_CORNERS, np.tile(_BOX, (4, 1))))]), np.eye(4)[None, :3]
    separated_pairs(tree_set, oriented_boxes(tree_set), np.zeros((1, 2), np.int64), still, still)


def _verdicts_at_once(a: TriangleMesh, b: TriangleMesh) -> None:
    """Compute two verdicts: the second one takes the fast path."""
    for _ in range(2):
        verdict(a, b)


def _configurations(a: TriangleMesh) -> None:
    inner = TriangleMesh(0.5 * _CORNERS + 0.5 * _CORNERS.mean(axis=0), _BOX)  # a box inside the other
    few, many = Scene(), Scene()
    moved, _ = few.add(a), few.add(inner)
    few.collides(np.stack([np.eye(4)] * 2)[:, None], [moved])
    few.collides(np.eye(4)[None], [moved])
    many.add(inner)
    for _ in range(MOST_OBJECTS):
        many.add(a)
    many.collides(set_a=[0])


def _steps_of_scene(a: TriangleMesh, b: TriangleMesh) -> None:
    scene = Scene()
    scene.add(a)
    scene.add(b)
    for first_only in (True, False):
        scene.step(first_only=first_only)


def _clustered(mesh: TriangleMesh) -> None:
    """Compile kernels that only clustered meshes use."""
    ids, corners = np.zeros((1, 3), np.int32), np.zeros((1, 3, 3))
    touching_beyond_shared(ids, corners, ids, corners)
    walk_rows(*(np.zeros(8, np.uint8), False), *np.ones((2, 1), np.int64), 0, *np.zeros((2, 1), np.int64))
    with TemporaryDirectory() as folder, ClusteredMesh.build(mesh, Path(folder) / "mesh") as clustered:
        collide(clustered, mesh)
        self_collide(clustered)
        distance(clustered, clustered, None, [[1, 0, 0, 4], [0, 1, 0, 0], [0, 0, 1, 0]])
        MeshLevels.build(clustered).close()
        massive_collide(clustered, mesh, epsilon=0.1)
    piece = joined([Piece(*mesh.arrays, 0.0, 0.0)], 1e-9)
    for count in (1, 2):
        all_simplified(count * [piece], count * [0], min(count, thread_limit(None)))


def _together(mesh: TriangleMesh) -> None:
    tree_set, row = pack_trees([build(mesh)]), np.eye(4)[None, :3].copy()
    with parallel_region(thread_limit(None)) as count:
        if count > 1:
            question = Question(tree_set.side, tree_set.side, np.zeros((1, 2), np.int64), row, row, threads=count)
            WideEngine(question).work_together(count)


def _frames_together(mesh: TriangleMesh) -> None:
    elements = Elements(mesh.triangles, mesh.vertex_count)
    tree = MovingTree(build(mesh).tree, mesh, mesh, np.zeros(3), elements)
    with parallel_region(thread_limit(None)) as count:
        if count > 1:
            neighbours = Neighbours(mesh.triangles, mesh.vertices, mesh.vertices, elements)
            engine = MovingEngine(tree, tree, DEFAULT_LEAF_SIZE, True, False, count, neighbours.counted_steps)
            engine.begin(1.0)
            engine.work_together(count)


def _sheet(across: int) -> TriangleMesh:
    """Return a sheet with about ``across`` triangles along each side."""
    u, v = np.divmod(np.arange(across * across), across)
    lower = (u[:, None] * across + v[:, None] + np.array([0, across, 1]))[(u < across - 1) & (v < across - 1)]
    return TriangleMesh(np.stack([u, v, 0 * u], axis=1).astype(float), lower)


def _build_together(mesh: TriangleMesh) -> None:
    with parallel_region(thread_limit(None)) as count:
        run(parts_steps(count, mesh, DEFAULT_VOLUME, "lbvh", DEFAULT_LEAF_SIZE))


def _measure_together(mesh: TriangleMesh) -> None:
    """Measure enough points that several cores are used."""
    points = np.tile(mesh.vertices, (COMPILED_FOR // len(mesh.vertices), 1))
    measure_field(build(mesh), np.eye(4)[:3], points, NEAREST)
    nearest(mesh, points)


def _cast_together(mesh: TriangleMesh) -> None:
    """Cast enough rays that several cores are used."""
    ray_first(mesh, np.full((RAYS_COMPILED_FOR, 3), 2.0), (1.0, 0.0, 0.0))


def _stacks_together(mesh: TriangleMesh) -> None:
    """Compile the kernels for stacks of poses on several cores: of convex solids, exact shapes and distances."""
    still, point, form, none = np.eye(4)[None, :3].copy(), np.zeros((1, 3)), np.zeros(4), np.empty((0, 2), np.int64)
    alike = point[None], form, still
    with parallel_region(thread_limit(None)) as count:
        if count > 1:
            traverse_near_together(0, 0, np.empty(0, np.int64), count)
            rooms, told, numbers = new_hull_room(1, shape=(count,)), np.empty(1, np.int64), np.empty((1, 1))
            part_convex_together(point, still, point, still, none, told, rooms, numbers, told)
            convex_distances_together(*alike, *alike, 1.0, np.zeros((2, 5)), none, numbers, count)
            searched = SurfaceTree.of(mesh).asked(Cylinder(1.0, 1.0), still, still, np.ones(3))
            bound_each_together(*searched, none, np.empty(0, np.int32), np.empty((0, DISTANCE_COLUMNS)), count)
            hulls, face = Hulls.of(mesh.vertices, mesh.triangles, form), np.array([0.0, 0.0, 1.0, 0.0, 0.0])
            heights = np.empty((0, 2), np.int32), numbers
            face_heights_together(face, still, *hulls, still, 0.0, none, *heights, count)


def _voxels_together() -> None:
    """Mark the voxels of enough triangles that several cores are used."""
    sheet = _sheet(300)
    voxel_collide(sheet, sheet, mode="voxels", resolution=8)


def _exact_shapes(a: TriangleMesh) -> None:
    """Measure distances of round solids, of half-spaces and of a pair in world coordinates."""
    solid = Cylinder(1.0, 1.0)
    distance(solid, a)
    distance(solid, Halfspace((0.0, 0.0, 1.0)))
    clearance(solid, a, 0.1)
    collides(Box(1.0), Box(1.0), None, [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])
    here, told = np.eye(4), np.empty(DISTANCE_COLUMNS)
    convex_distance_beside(solid.points, solid.form, here, solid.points, solid.form, here, math.inf, told)
    still = make_piece(0.0, 1.0, here[:3], here[:3], False)
    convex_contact_time((solid, solid), (still, still), (2.0, 2.0), 1e-3)


def _fan() -> TriangleMesh:
    """Return enough triangles around a vertex that ``self_collide`` compares their directions."""
    following = np.arange(1, FEWEST + 1)
    angles = 2.0 * np.pi / FEWEST * following[:, None]
    corners = np.concatenate([np.zeros((1, 3)), np.hstack([np.cos(angles), np.sin(angles), 0.0 * angles])])
    return TriangleMesh(corners, np.stack([0 * following, following, following % FEWEST + 1], axis=1))


def _two_in_one() -> TriangleMesh:
    """Return two separate boxes as one mesh, which is not convex."""
    return TriangleMesh(np.concatenate([_CORNERS, _CORNERS + 3.0]), np.concatenate([_BOX, _BOX + 8]))


def _cloud() -> PointCloud:
    """Return points on a sphere, along a spiral."""
    k = np.arange(400) + 0.5
    z, turn = 1.0 - 2.0 * k / len(k), 2.399963 * k
    r = np.sqrt(1.0 - z * z)
    points = np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
    return PointCloud(points, points)


def _cloud_distances(cloud: PointCloud, mesh: TriangleMesh) -> None:
    far = np.eye(4)
    far[0, 3] = 4.0
    cloud_distance(cloud, cloud, None, far)
    cloud_distance(cloud, mesh, None, far)
    deviation(cloud, cloud, None, far)
    deviation(cloud, mesh, None, far, signed=True)


def _cloud_against_mesh(cloud: PointCloud, mesh: TriangleMesh) -> None:
    hits = collide_clouds(cloud, mesh)
    _ = hits.region
    hits.undecided()


def _cloud_steps(cloud: PointCloud, mesh: TriangleMesh) -> list[tuple[str, Callable[[], object]]]:
    """Return the steps that only point clouds need."""
    return [
        ("point hierarchies", lambda: cloud.evaluate(cloud.points)),
        ("point clouds against each other", lambda: collide_clouds(cloud, cloud).undecided()),
        ("point clouds against meshes", lambda: _cloud_against_mesh(cloud, mesh)),
        ("distances of point clouds", lambda: _cloud_distances(cloud, mesh)),
        ("compressed files of points", lambda: unpack_lzf(np.zeros(2, np.uint8), np.zeros(1, np.uint8))),
    ]


def _ask_open_mesh() -> None:
    """Run all point queries and verdicts on a mesh that is open, cracked and flipped."""
    corners = _CORNERS[_BOX].reshape(-1, 3) * (1.0 + 1e-6 * np.arange(36)[:, None])
    signed_distance(TriangleMesh(corners, np.arange(36).reshape(-1, 3)), _CORNERS)


def _steps() -> _Steps:
    """Return the steps of each of ``PARTS``."""
    a, b = _two_boxes()
    far = TriangleMesh(_CORNERS + np.array([1.5, 0.0, 0.0]), _BOX)
    return {
        "contacts": [
            ("hierarchies", lambda: build(a)),
            ("moved vertices", lambda: refit(build(a), _CORNERS)),
            ("triangle contacts", lambda: (collides(a, b), self_collide(a))),
            ("long thin triangles", lambda: (oriented_boxes_of(build(a).parts), self_collide(_fan()))),
        ],
        "scenes": [("intersection curves", _sweep_and_cut), ("oriented boxes of objects", _fit_oriented)],
        "depths": [("depths", _measure_nothing)],
        "verdicts": [("object verdicts", _judge_nothing), ("surface topology", lambda: solid_of(a))],
        "more": [
            ("hierarchies for much use", lambda: build(a, split="sah")),
            ("contacts by voxels", lambda: collide(a, b, engine="voxels")),
            ("voxels on several cores", _voxels_together),
            ("verdicts of small solids", lambda: _verdicts_at_once(a, b)),
            ("scenes in many configurations", lambda: _configurations(a)),
        ],
        "large": [
            ("contacts on several cores", lambda: _together(a)),
            ("hierarchies on several cores", lambda: _build_together(a)),
            ("distances to points on several cores", lambda: _measure_together(a)),
            ("rays on several cores", lambda: _cast_together(a)),
            ("stacks of poses on several cores", lambda: _stacks_together(a)),
        ],
        "gaps": [("gaps", lambda: verdict(a, far, touch_tolerance=1.0)), ("scenes with gaps", lambda: _scene(1e-3))],
        "distances": [
            ("distances", lambda: (distance(a, far), slabs_of(build(a).parts))),
            ("clearances", lambda: clearance(a, far, 1.0).points()),
            ("features near each other", lambda: near_features(a, 0.1)),
            ("distances in scenes", lambda: _measured_scene(far)),
        ],
        "clouds": _cloud_steps(_cloud(), a),
        "points": [
            ("points against meshes", _ask_open_mesh),
            ("nearest points", lambda: nearest(a, _CORNERS)),
            ("rays", lambda: ray_first(a, _CORNERS - 1.0, (1.0, 0.0, 0.0))),
        ],
        "probabilities": [("time-critical search", lambda: _probabilities(a, b))],
        "continuous": [
            ("impacts of points and edges", lambda: edge_edge_impacts(np.zeros((1, 4, 3)), np.ones((1, 4, 3)))),
            ("contacts between frames", lambda: (swept_collide(a, b).points(), swept_self_collide(a))),
            ("contacts between frames on several cores", lambda: _frames_together(a)),
        ],
        "voxels": [
            ("other contacts by voxels", lambda: (voxel_self_collide(a), voxel_overlaps([a, b]).boxes(0))),
            ("common volumes", lambda: voxel_collide(a, b, mode="solid", resolution=4)),
            ("common voxels", lambda: voxel_collide(a, b, mode="voxels", resolution=4)),
            ("voxels of a surface", lambda: voxelise(a, resolution=4, separating=6)),
            ("voxel maps", lambda: VoxelMap(a, resolution=4).touch(_CORNERS)),
        ],
        "motion": [
            ("exact shapes", lambda: _exact_shapes(a)),
            ("convex hulls", lambda: closest_features(ConvexHull(_CORNERS), ConvexHull(_CORNERS * (1.0, 1.0, 0.0)))),
            ("steps of scenes", lambda: _steps_of_scene(a, b)),
        ],
        "massive": [("clustered meshes", lambda: _clustered(a))],
        "seldom": [
            ("stacks of poses", lambda: collides(a, b, None, np.stack([np.eye(4)] * 2))),
        ],
        "penetration": [("penetration", lambda: (penetration(a, b), penetration(_two_in_one(), a)))],
    }


PARTS = (
    "contacts",
    "scenes",
    "depths",
    "verdicts",
    "large",
    "more",
    "gaps",
    "distances",
    "points",
    "clouds",
    "probabilities",
    "continuous",
)
"""Parts of the warm-up. ``Scene.contacts`` needs the first four parts, and gaps for a touch tolerance. Distances and
clearances of scenes need the first four and distances. "clouds" is for point clouds, "probabilities" for time-critical
detection, and "continuous" for contacts between frames (together with contacts, large and more). "large" has the
multithreaded kernels for many triangles, points or contacts.

No two of the first four parts compile the same kernel. With two processes, let one process compile contacts and scenes
and the other one depths and verdicts, which share most of their helpers: each is about half of the work. Four processes
can compile one part each."""
SPECIAL_PARTS = (
    "voxels",
    "motion",
    "massive",
    "seldom",
    "penetration",
    "builders",
    "paper",
    *(f"{name} {what}" for name in VOLUMES for what in ("volumes", "contacts")),
)
"""Parts that are compiled only if named: voxel queries (with more), scene steps and convex hulls ("motion"), clustered
meshes (with contacts, scenes, more and distances), rare queries, penetration, and the parts of ``lab``: builders other
than the fastest, reproductions of papers, hierarchies and contacts of one kind of volume."""


DEVICE_PART = "gpu"
"""The part for GPUs: it searches for a GPU and compiles the GPU's kernels if it can be used. This part is not in
``PARTS``, because it is useful only after ``configure_device`` has enabled a GPU."""

_warm: set[str] = set()
"""Parts that this process has warmed up; the search for a GPU is repeated each time."""


def warm_up(parts: Sequence[str] = PARTS) -> Generator[Progress, None, None]:
    """Compile the kernels that queries use, or load them from the cache. The generator yields Progress before each
    step.

    Each step compiles one kernel, or a few small kernels. On the first run on a computer, the warm-up takes seconds.
    Later runs take milliseconds. If the kernels of a part are already loaded, this part is skipped.

    Args:
        parts: names from ``PARTS``, ``SPECIAL_PARTS`` and "gpu", in the order in which to run them; "gpu" comes last.

    Raises:
        UnsupportedOption: an unknown part.

    Example:
        >>> import meshclash as mc
        >>> _ = mc.run(mc.warm_up(["contacts"]))
    """
    known_parts = (*PARTS, *SPECIAL_PARTS, DEVICE_PART)
    if isinstance(parts, str) or not isinstance(parts, Sequence):
        raise UnsupportedOption(f"parts must be a list of kernel parts, not {shown(parts)}")
    unknown = [part for part in parts if part not in known_parts]
    if unknown:
        raise UnsupportedOption(
            f"the kernel part {shown(unknown[0])} does not exist; available parts are {', '.join(known_parts)}"
        )
    cold = [part for part in parts if part not in _warm and part != DEVICE_PART]
    known = _steps() if cold else {}
    if not known.keys() >= set(cold):
        lab = import_module(".lab.warming", __package__)
        known.update(lab.lab_steps(*_two_boxes(), _cloud().points))
    steps = [step for part in cold for step in known[part]]
    done = 0
    if DEVICE_PART in parts:
        yield Progress(0.0, "looking for a GPU")
        steps += kernel_steps()
        done = 1
    for k, (text, step) in enumerate(steps):
        yield Progress((k + done) / (len(steps) + done), f"compiling {text} ({k + 1} of {len(steps)})")
        step()
    _warm.update(cold)
    yield Progress(1.0, "ready")
