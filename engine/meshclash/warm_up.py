"""``warm_up``: compile every kernel, one after the other, so that the first real question is answered at once."""

from collections.abc import Callable, Generator, Sequence

import numpy as np

from .errors import UnsupportedOption
from .hierarchy.build import as_hierarchy, build, refit
from .jit import parallel_region, thread_limit
from .pointcloud.cloud import PointCloud
from .pointcloud.deviation import deviation
from .pointcloud.distance import cloud_distance
from .pointcloud.query import collide_clouds
from .proximity import scene_clearances, scene_distances
from .query.clearance import clearance
from .query.collide import collide, collides, self_collide
from .query.distance import distance
from .query.verdict import verdict
from .scene import Scene
from .solid.depth import deepen_by_points
from .solid.judge import Case, Limits, depth_steps, judge
from .solid.solids import gather_solids
from .traversal.bounds import world_bounds
from .traversal.forest import plant
from .traversal.leaf_tests import contact
from .traversal.point import new_point_workspace
from .traversal.question import Answer, Question
from .traversal.run import run
from .traversal.wide_engine import WideEngine
from .types.mesh import TriangleMesh
from .types.pose import Pose, pose_stack
from .types.results import Progress

_CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
_BOX = np.array(
    [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]
)  # fmt: skip


def _two_boxes() -> tuple[TriangleMesh, TriangleMesh]:
    return TriangleMesh(_CORNERS, _BOX), TriangleMesh(_CORNERS + 0.5, _BOX)


def _scene(touch_tolerance: float) -> None:
    scene = Scene()
    for mesh in _two_boxes():
        scene.add(mesh)
    scene.contacts(touch_tolerance=touch_tolerance)


def _measured_scene(other: TriangleMesh) -> None:
    scene = Scene()
    scene.add(_two_boxes()[0])
    scene.add(other)
    scene_clearances(scene, 1.0)
    scene_distances(scene)


def _chances(a: TriangleMesh, b: TriangleMesh) -> None:
    scene = Scene()
    moved, _ = scene.add(a), scene.add(b)
    scene.time_critical()
    scene.set_pose(moved, Pose.identity())
    scene.time_critical()


def _no_contacts() -> Case:
    """Two boxes to judge without the contacts between them: no kernel of the traversal is needed for it."""
    trees = [as_hierarchy(mesh) for mesh in _two_boxes()]
    grove = plant(trees)
    jobs, (rows, _) = np.array([[0, 1]], np.int64), pose_stack(None)
    boxes = world_bounds(grove.forest, jobs[0], np.concatenate([rows, rows]))
    answer = Answer(np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32), 0, 0, 0, 1)
    return Case(grove, gather_solids(trees), jobs, rows, rows, boxes[:1], boxes[1:], answer)


def _measure_nothing() -> None:
    case = _no_contacts()
    posed, depths = case.posed(), np.zeros(1)
    run(depth_steps(case, posed, np.zeros(1, np.int64), 1, np.zeros(2, np.int64), np.empty((0, 3))))
    deepen_by_points(*posed, 0, 1, np.empty((0, 3)), new_point_workspace(), depths)


def _judge_nothing() -> None:
    case = _no_contacts()
    for second in (case.boxes_b, case.boxes_a):  # equal boxes are compared as duplicates
        judge(case._replace(boxes_b=second), Limits())


def _together(mesh: TriangleMesh) -> None:
    grove, row = plant([build(mesh)]), np.eye(4)[None, :3].copy()
    with parallel_region(thread_limit(None)) as count:
        if count > 1:
            question = Question(grove, grove, np.zeros((1, 2), np.int64), row, row, contact, threads=count)
            WideEngine(question).work_together(count)


def _cloud() -> PointCloud:
    """Points on a sphere, by a spiral."""
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


def _cloud_steps(cloud: PointCloud, mesh: TriangleMesh) -> list[tuple[str, Callable[[], object]]]:
    """What only point clouds need."""
    return [
        ("point hierarchies", lambda: cloud.evaluate(cloud.points)),
        ("point clouds against each other", lambda: collides(cloud, cloud)),
        ("point clouds against meshes", lambda: collide_clouds(cloud, mesh).region),
        ("distances of point clouds", lambda: _cloud_distances(cloud, mesh)),
    ]


def _steps() -> dict[str, list[tuple[str, Callable[[], object]]]]:
    """The steps of each of ``PARTS``."""
    a, b = _two_boxes()
    far = TriangleMesh(_CORNERS + np.array([1.5, 0.0, 0.0]), _BOX)
    return {
        "depths": [
            ("hierarchies", lambda: build(a)),
            ("surface topology", lambda: a.topology),
            ("depths", _measure_nothing),
        ],
        "contacts": [("triangle contacts", lambda: collides(a, b))],
        "verdicts": [("surface topology", lambda: a.topology), ("object verdicts", _judge_nothing)],
        "scenes": [("intersection curves", lambda: collide(a, a).outlines()), ("scenes", lambda: _scene(0.0))],
        "more": [
            ("moved vertices", lambda: refit(build(a), _CORNERS)),
            ("contacts within one object", lambda: self_collide(a)),
            ("hierarchies for much use", lambda: build(a, split="sah")),
            ("contacts on several cores", lambda: _together(a)),
        ],
        "gaps": [("gaps", lambda: verdict(a, far, touch_tolerance=1.0)), ("scenes with gaps", lambda: _scene(1e-3))],
        "distances": [
            ("distances", lambda: distance(a, far)),
            ("clearances", lambda: clearance(a, far, 1.0).points()),
            ("distances in scenes", lambda: _measured_scene(far)),
        ],
        "clouds": _cloud_steps(_cloud(), a),
        "chances": [("time-critical search", lambda: _chances(a, b))],
    }


PARTS = ("depths", "contacts", "verdicts", "scenes", "more", "gaps", "distances", "clouds", "chances")
"""Parts of the warm-up, as two processes can share them: the first takes depths, contacts, more and distances, the
second verdicts, scenes and gaps. ``Scene.contacts`` needs the first four, with a touch tolerance also gaps; distances
and clearances of scenes need the first four and distances. Only point clouds need "clouds", only
time-critical detection needs "chances"."""


def warm_up(parts: Sequence[str] = PARTS) -> Generator[Progress, None, None]:
    """Compile the kernels that queries use, or load them from the cache; yields Progress before each step.

    A step is one kernel or a few small ones: seconds each on the first run on a machine, milliseconds later on.

    Args:
        parts: which of ``PARTS``, in the order in which to go.

    Raises:
        UnsupportedOption: a part that does not exist.
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise UnsupportedOption(f"there is no part {unknown[0]!r} to warm up; there are {', '.join(PARTS)}")
    known = _steps()
    steps = [step for part in parts for step in known[part]]
    for done, (text, step) in enumerate(steps):
        yield Progress(done / len(steps), f"compiling {text} ({done + 1} of {len(steps)})")
        step()
    yield Progress(1.0, "ready")
