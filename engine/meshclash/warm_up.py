"""``warm_up``: compile every kernel, one after the other, so that the first real question is answered at once."""

from collections.abc import Callable, Generator

import numpy as np

from .hierarchy.build import build, refit
from .jit import parallel_region, thread_limit
from .pointcloud.cloud import PointCloud
from .pointcloud.deviation import deviation
from .pointcloud.distance import cloud_distance
from .pointcloud.query import collide_clouds
from .query.collide import collide, collides, self_collide
from .query.verdict import verdict
from .scene import Scene
from .traversal.forest import plant
from .traversal.leaf_tests import contact
from .traversal.question import Question
from .traversal.wide_engine import WideEngine
from .types.mesh import TriangleMesh
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


def _scene() -> None:
    scene = Scene()
    for mesh in _two_boxes():
        scene.add(mesh)
    scene.contacts(touch_tolerance=1e-3)


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


def warm_up() -> Generator[Progress, None, None]:
    """Compile the kernels that queries use, or load them from the cache; yields Progress before each step.

    A step is one kernel or a few small ones: some seconds each on the first run on a machine, milliseconds later on.
    """
    a, b = _two_boxes()
    steps: list[tuple[str, Callable[[], object]]] = [
        ("hierarchies", lambda: refit(build(a), _CORNERS)),
        ("triangle contacts", lambda: collides(a, b)),
        ("intersection curves", lambda: (collide(a, a).outlines(), collide(a, b).segments())),
        ("contacts within one object", lambda: self_collide(a)),
        ("surface topology", lambda: a.topology),
        ("object verdicts", lambda: verdict(a, b)),
        ("duplicates", lambda: verdict(a, a)),
        ("hierarchies for much use", lambda: build(a, split="sah")),
        (
            "gaps",
            lambda: verdict(a, TriangleMesh(_CORNERS + np.array([1.5, 0.0, 0.0]), _BOX), touch_tolerance=1.0),
        ),
        ("scenes", _scene),
        ("work on several cores", lambda: _together(a)),
        *_cloud_steps(_cloud(), a),
    ]
    for done, (text, step) in enumerate(steps):
        yield Progress(done / len(steps), f"compiling {text} ({done + 1} of {len(steps)})")
        step()
    yield Progress(1.0, "ready")
