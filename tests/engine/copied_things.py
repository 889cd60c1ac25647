"""One example of every public class, with uses that fill its caches and questions whose answers must survive a copy.

``EXAMPLES`` has an entry for each class that ``public_classes`` finds. ``copied`` copies in every way there is.
"""

import copy
import enum
import functools
import importlib
import inspect
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import meshclash as mc
import numpy as np
from meshclash.compat import bvhtree, fcl
from meshclash.compat import trimesh as compat_trimesh
from meshclash.errors import MeshClashError
from meshclash.reading import part as reading_part
from meshclash.types.results import QueryStats
from strategies import matrix, rotation

SUBJECTS = sorted(stub.parent.name for stub in Path(mc.__file__).parent.glob("*/__init__.pyi"))
"""Packages of public names."""
ELSEWHERE = fcl, compat_trimesh, bvhtree, reading_part
"""Modules without a stub, all of whose classes are public that have no underscore."""
Random = np.random.Generator


def public_classes() -> dict[type, str]:
    """Every class that users can name, or are given by ``read``, and where it is found."""
    found: dict[type, str] = {}
    for package in ("meshclash", *(f"meshclash.{subject}" for subject in SUBJECTS)):
        module = importlib.import_module(package)
        for name in module.__all__:
            if inspect.isclass(getattr(module, name)):
                found.setdefault(getattr(module, name), f"{package}.{name}")
    for module in ELSEWHERE:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        for name in getattr(module, "__all__", own):
            value = getattr(module, name)
            if inspect.isclass(value) and not name.startswith("_"):
                found.setdefault(value, f"{module.__name__}.{name}")
    return found


# What is told of an answer: nested tuples that compare equal where the answers are the same.

_MOST_DEEP = 4
_CALLED = "points", "segments", "outlines", "to_dict", "to_dicts", "level_pairs", "nearest", "resolve", "faces"
"""Methods of results without arguments."""
_UNTOLD = frozenset(
    (
        "stats",
        "nbytes",
        "seconds",
        "timings",
        "swaps",
        "sorted_anew",
        "note",
        "tree",
        "derived",
        "build_seconds",
        "query_seconds",
        "best_once",
    )
)


def told(value: Any, depth: int = 0) -> Any:
    """All that a value says in public, as plain values; times and counts of work are left out."""
    if value is None or isinstance(value, bool | int | str | bytes | enum.Enum | Path):
        return value
    if isinstance(value, float | np.number | np.bool_):
        return "nan" if np.isnan(value) else float(value)
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, dict):
        return tuple((told(key, depth), told(item, depth)) for key, item in value.items() if key not in _UNTOLD)
    if isinstance(value, set | frozenset):
        return tuple(sorted(map(repr, value)))
    if isinstance(value, QueryStats) or depth > _MOST_DEEP:
        return type(value).__name__
    if isinstance(value, mc.TriangleMesh):
        return "mesh", told(value.vertices), told(value.triangles), value.resolution, value.shell
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return tuple(told(item, depth + 1) for item in value)
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    names = [name for name in dir(value) if not name.startswith("_") and name not in _UNTOLD]
    said = [(name, _told_of(value, name, depth)) for name in names]
    return type(value).__name__, tuple(said)


def _told_of(value: Any, name: str, depth: int) -> Any:
    try:
        found = getattr(value, name)
        if inspect.isroutine(found):
            return told(found(), depth + 1) if name in _CALLED else None
        return told(found, depth + 1)
    except (MeshClashError, AttributeError) as refused:
        return type(refused).__name__


@dataclass(frozen=True)
class Example:
    """An object of a class: how it is made, what fills its caches, what it is asked, and how it is changed.

    ``uses`` may leave the object in another state; ``ask`` gives the same answer to objects of one state. ``change`` of
    an object must not be seen by a copy that was made before.
    """

    make: Callable[[Random], Any]
    uses: tuple[Callable[[Any, Random], object], ...] = ()
    ask: Callable[[Any, int], Any] = lambda thing, pick: told(thing)
    change: Callable[[Any, Random], object] | None = None
    shallow: Callable[[Any], Any] = copy.copy


@dataclass(frozen=True)
class Refuses:
    """An object that is neither copied nor pickled, and says why in a TypeError."""

    make: Callable[[Random], Any]
    says: str = "open file"


# Ways to copy.


def _by_pickle(thing: Any, protocol: int) -> Any:
    return pickle.loads(pickle.dumps(thing, protocol))


def _out_of_band(thing: Any, read_only: bool) -> Any:
    """As Dask sends it: arrays beside the pickle, as buffers that may be read-only, or those of the original."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(thing, 5, buffer_callback=buffers.append)
    given = [bytes(buffer.raw()) for buffer in buffers] if read_only else buffers
    return pickle.loads(data, buffers=given)


WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    **{f"pickle {protocol}": functools.partial(_by_pickle, protocol=protocol) for protocol in (2, 3, 4, 5)},
    "pickle 5, read-only buffers": functools.partial(_out_of_band, read_only=True),
    "pickle 5, shared buffers": functools.partial(_out_of_band, read_only=False),
    "deepcopy of a pickle": lambda thing: copy.deepcopy(_by_pickle(thing, 4)),
    "pickle of a deepcopy": lambda thing: _by_pickle(copy.deepcopy(thing), 5),
}
"""Copies that have nothing in common with the original."""


# Things.


def pose_of(rng: Random, reach: float = 1.0) -> np.ndarray:
    """A rigid matrix (4, 4)."""
    return matrix(rotation(rng), rng.uniform(-reach, reach, 3))


def mesh_of(rng: Random) -> mc.TriangleMesh:
    """Closed and open meshes of a few triangles, soups, shells."""
    kind = rng.integers(6)
    if kind == 0:
        return mc.shapes.box(rng.uniform(0.5, 1.5, 3))
    if kind == 1:
        return mc.shapes.sphere(rng.uniform(0.4, 0.8), 0.1)
    if kind == 2:
        return mc.shapes.cylinder(rng.uniform(0.3, 0.7), rng.uniform(0.5, 1.5), 0.1)
    box = mc.shapes.box(rng.uniform(0.5, 1.5, 3))
    if kind == 3:
        return mc.TriangleMesh(
            box.vertices[box.triangles].reshape(-1, 3), np.arange(36).reshape(12, 3), 1e-7, weld=True
        )
    if kind == 4:
        return mc.TriangleMesh(box.vertices, box.triangles, shell=True)
    return mc.TriangleMesh(box.vertices, box.triangles[:-2]).with_vertices(box.vertices * rng.uniform(0.8, 1.2))


def tree_of(rng: Random) -> mc.Hierarchy:
    """Hierarchies of a few kinds."""
    return mc.build(mesh_of(rng), str(rng.choice(["aabb", "aabb", "sphere"])))


def cloud_of(rng: Random, count: int = 80) -> mc.clouds.PointCloud:
    """Points on a sphere."""
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return mc.clouds.PointCloud(0.7 * normals, normals if rng.integers(2) else None)


_PLACES = np.random.default_rng(7)
POSES = np.stack([pose_of(_PLACES, 0.8) for _ in range(6)])


@functools.cache
def part() -> mc.TriangleMesh:
    """What meshes are asked about with: a sphere, the same in every process."""
    return mc.shapes.sphere(0.6, 0.1)


def _beside(thing: Any) -> Any:
    return part() if not isinstance(thing, mc.Hierarchy) or thing.volume == "aabb" else mc.build(part(), thing.volume)


MESH_QUESTIONS: tuple[Callable[[Any], Any], ...] = (
    lambda m: [mc.collides(m, _beside(m), pose_b=pose) for pose in POSES],
    lambda m: mc.collides(m, _beside(m), pose_b=POSES).tolist(),
    lambda m: told(mc.collide(m, _beside(m), pose_b=POSES[0]).pairs),
    lambda m: told(mc.collide(m, m, pose_b=POSES[1])),
    lambda m: told(np.round([mc.distance(m, part(), pose_b=matrix(shift=(0, 0, z))).distance for z in (2, 3)], 12)),
    lambda m: str(mc.verdict(m, part(), pose_b=POSES[2])),
    lambda m: str(mc.verdict(m, m, pose_b=POSES[3])),
    lambda m: told(mc.clearance(m, part(), 0.1, pose_b=matrix(shift=(0, 0, 1.5))).pairs),
    lambda m: mc.time_critical(m, part(), pose_b=POSES[4], k_min=10**9, p_min=2.0 - 1e-9).colliding,
    lambda m: mc.contains(_solid(m), [[0, 0, 0], [9, 9, 9]]).tolist(),
    lambda m: told(mc.self_collide(m).pairs),
    lambda m: mc.voxels.voxel_collide(m, part(), pose_b=POSES[5], resolution=16).apart,
    lambda m: told((_mesh(m).bounds, _mesh(m).topology.component, _mesh(m).is_closed, _mesh(m).used_vertices)),
    lambda m: told(mc.motion.swept_collide(m, part(), end_b=_moved(part().vertices), first_only=True).pairs),
    lambda m: told(_mesh(m)),
)


def _mesh(thing: Any) -> mc.TriangleMesh:
    return thing.mesh if isinstance(thing, mc.Hierarchy) else thing


def _solid(thing: Any) -> mc.TriangleMesh:
    mesh = _mesh(thing)
    return mesh if mesh.is_closed else part()


def _moved(points: np.ndarray) -> np.ndarray:
    return points + np.array((1.0, 0.1, 0.2))


def ask_mesh(thing: Any, pick: int) -> Any:
    """Three of the questions."""
    count = len(MESH_QUESTIONS)
    return [_answer(MESH_QUESTIONS[(pick + k * 4) % count], thing) for k in range(3)]


def _answer(question: Callable[[Any], Any], thing: Any) -> Any:
    try:
        return question(thing)
    except MeshClashError as refused:
        return type(refused).__name__


def use_mesh(thing: Any, rng: Random) -> None:
    """One of the questions, so that what it prepares is kept."""
    _answer(MESH_QUESTIONS[rng.integers(len(MESH_QUESTIONS))], thing)


def use_mesh_much(thing: Any, _rng: Random) -> None:
    """So many questions that a better tree is due."""
    for pose in POSES:
        mc.collides(thing, thing, pose_b=pose)
        mc.collides(thing, thing, pose_b=POSES)
    if isinstance(thing, mc.TriangleMesh | mc.Hierarchy) and getattr(thing, "volume", "aabb") == "aabb":
        mc.distance(thing, thing, pose_b=matrix(shift=(3, 0, 0)))
        mc.distance(thing, thing, pose_b=matrix(shift=(3, 0, 0)))


def refit_in_place(tree: mc.Hierarchy, rng: Random) -> None:
    """Deform a hierarchy, its arrays written over."""
    mc.refit(tree, tree.mesh.vertices * rng.uniform(0.2, 3.0) + rng.uniform(-2, 2, 3), in_place=True)


def cloud_answers(cloud: Any, pick: int) -> Any:
    """What a cloud says of itself, and where it meets a mesh."""
    at = np.array([[0.7, 0.0, 0.0], [0.1, 0.7, 0.0], [5.0, 0.0, 0.0]])
    if pick % 2:
        return told((cloud.points, cloud.bounds, cloud.bandwidth, cloud.has_normals, cloud.evaluate(at)))
    return told((mc.collides(cloud, part(), pose_b=POSES[pick % 6]), mc.collide(cloud, part(), pose_b=POSES[0]).points))


def use_cloud(cloud: Any, rng: Random) -> None:
    """Build it, or ask it."""
    if rng.integers(2):
        cloud.build()
    else:
        cloud_answers(cloud, int(rng.integers(6)))


# Scenes.


def scene_of(rng: Random) -> mc.Scene:
    """A few meshes, hierarchies and sometimes a cloud, some of them shared, with names."""
    scene, things = mc.Scene(), [mesh_of(rng) for _ in range(3)]
    if rng.integers(2):
        things.append(mc.build(mesh_of(rng)))
    if rng.integers(3) == 0:
        things.append(cloud_of(rng))
    for k in range(5):
        thing = things[rng.integers(len(things))]
        scene.add(thing, pose_of(rng, 1.2), name=f"part {k}" if k % 2 else None, resolution=None if k else 1e-7)
    return scene


def _some_id(scene: mc.Scene, rng: Random) -> int:
    ids = list(scene)
    return ids[rng.integers(len(ids))]


def move(scene: mc.Scene, rng: Random) -> None:
    """Give an object another pose."""
    scene.set_pose(_some_id(scene, rng), pose_of(rng, 1.2))


def deform(scene: mc.Scene, rng: Random) -> None:
    """Give an object other vertices, where it is a mesh."""
    identifier = _some_id(scene, rng)
    thing = scene.posed(identifier)[0]
    if not isinstance(thing, mc.clouds.PointCloud):
        scene.set_vertices(identifier, _mesh(thing).vertices * rng.uniform(0.7, 1.4))


def come_and_go(scene: mc.Scene, rng: Random) -> None:
    """Take an object out, and add one."""
    scene.remove(_some_id(scene, rng))
    scene.add(mesh_of(rng), pose_of(rng))


def change_scene(scene: mc.Scene, rng: Random) -> None:
    """All of these."""
    come_and_go(scene, rng)
    move(scene, rng)
    deform(scene, rng)


def _configurations(scene: mc.Scene) -> np.ndarray:
    return np.stack([POSES[k % 6] for k in range(len(scene))])


def _step(scene: mc.Scene) -> Any:
    step = scene.step()
    return step.begun, step.persisting, step.ended, step.pairs


def _estimate(scene: mc.Scene) -> Any:
    found = scene.time_critical(steps=150)
    return found.pairs, found.colliding, found.complete, found.probability


SCENE_QUESTIONS: tuple[Callable[[mc.Scene], Any], ...] = (
    lambda s: s.any(),
    lambda s: told([(pair.a, pair.b, str(pair), pair.name_a, pair.location is None) for pair in s.contacts()]),
    lambda s: told(s.collides().pairs),
    lambda s: [told(s.collides(_configurations(s)).pairs) for _ in range(2)],
    lambda s: told([(gap.a, gap.b, round(gap.gap, 12)) for gap in s.distances()]),
    lambda s: told([(gap.a, gap.b, str(gap)) for gap in s.clearances(0.1)]),
    lambda s: told(_step(s)),
    lambda s: told(_estimate(s)),
    lambda s: told((s.boxes(), [s.name_of(i) for i in s], s.revisions(np.array(list(s))))),
)


def ask_scene(scene: mc.Scene, pick: int) -> Any:
    """Three of the questions, the last of them twice: a step and a search go on from what is kept."""
    count = len(SCENE_QUESTIONS)
    return [_answer(SCENE_QUESTIONS[(pick + k) % count], scene) for k in (0, 3, 3, 7, 7)]


def use_scene(scene: mc.Scene, rng: Random) -> None:
    """One of the questions."""
    _answer(SCENE_QUESTIONS[rng.integers(len(SCENE_QUESTIONS))], scene)


def watched(kind: Callable[[mc.Scene], Any]) -> Callable[[Random], dict[str, Any]]:
    """A scene with one who watches it."""

    def make(rng: Random) -> dict[str, Any]:
        scene = scene_of(rng)
        return {"scene": scene, "watcher": kind(scene)}

    return make


def ask_watcher(both: dict[str, Any], pick: int) -> Any:
    """Two updates, with a change between them."""
    rng, said = np.random.default_rng(pick), []
    for _ in range(2):
        changes = both["watcher"].update()
        said.append((sorted(changes.found), [str(changes.found[key]) for key in sorted(changes.found)]))
        said.append((sorted(changes.gone), sorted(changes.meeting), both["watcher"].incomplete))
        move(both["scene"], rng)
    return said


def use_watcher(both: dict[str, Any], rng: Random) -> None:
    """An update, or a part of one, after a change."""
    [move, deform, come_and_go][rng.integers(3)](both["scene"], rng)
    updating = mc.steps(both["watcher"].update, first_contact=bool(rng.integers(2)))
    if rng.integers(3):
        mc.run(updating)
    else:
        next(updating, None)
        updating.close()


def update_watcher(both: dict[str, Any], _rng: Random) -> None:
    """Let the watcher take note of all changes, and tell them."""
    both["watcher"].update()


def watch_beside(both: dict[str, Any]) -> dict[str, Any]:
    """A shallow copy of the watcher: it watches the same scene."""
    return {"scene": both["scene"], "watcher": copy.copy(both["watcher"])}


# Small things.


def matrix_of_rules(rng: Random) -> mc.CollisionMatrix:
    """Rules of some groups."""
    rules = mc.CollisionMatrix()
    change_rules(rules, rng)
    return rules


def change_rules(rules: mc.CollisionMatrix, rng: Random) -> None:
    """Say more."""
    rules.assign(rng.integers(0, 9, 3).tolist(), f"group {rng.integers(3)}")
    rules.set_rule(f"group {rng.integers(3)}", f"group {rng.integers(3)}", bool(rng.integers(2)))
    rules.set_pair(*rng.choice(9, 2, replace=False).tolist(), bool(rng.integers(2)))


_ALL_PAIRS = np.array([(i, j) for i in range(9) for j in range(i)], np.int64)


def boxes_of(rng: Random) -> tuple[np.ndarray, np.ndarray]:
    """Ids and boxes."""
    low = rng.uniform(0, 3, (8, 3))
    return np.arange(8), np.concatenate([low, low + rng.uniform(0.2, 1.5, (8, 3))], axis=1)


def sorted_boxes(rng: Random) -> mc.motion.SweepAndPrune:
    """Boxes that were sorted once."""
    sweep = mc.motion.SweepAndPrune()
    sweep.update(*boxes_of(rng))
    return sweep


def ask_sweep(sweep: mc.motion.SweepAndPrune, pick: int) -> Any:
    """Its pairs, and what begins and ends with other boxes."""
    return told((sweep.pairs, sweep.update(*boxes_of(np.random.default_rng(pick))), sweep.pairs))


def climbing(rng: Random) -> mc.lab.ClimbingPolytope:
    """A polytope that was turned."""
    polytope = mc.lab.ClimbingPolytope(rng.normal(size=(20, 3)), 9)
    polytope.turned(np.eye(3))
    return polytope


def ask_climbing(polytope: mc.lab.ClimbingPolytope, pick: int) -> Any:
    """Its extents in another pose."""
    return polytope.turned(np.linalg.qr(np.random.default_rng(pick).normal(size=(3, 3)))[0]).tolist()


def wake_ups(rng: Random) -> mc.lab.WakeUps:
    """Some moments, of which some were put off."""
    wake = mc.lab.WakeUps()
    for _ in range(9):
        wake.set(f"key {rng.integers(5)}", float(rng.uniform(0, 9)))
    return wake


def ask_wake(wake: mc.lab.WakeUps, pick: int) -> Any:
    """What is due."""
    return len(wake), wake.next_moment, wake.take_due(float(pick % 5) + 3.0), len(wake), wake.next_moment


def events_of(rng: Random) -> list[mc.clash.Event]:
    """What was said of some clashes."""
    said = ("status", "active"), ("comment", "look"), ("assignee", "me"), ("status", "approved")
    ids = [rng.bytes(8).hex() for _ in said]
    return [
        mc.clash.Event(ids[k], f"2026-01-01T00:00:00.{k:06}+00:00", f"author {k}", f"clash {rng.integers(3)}", *said[k])
        for k in range(len(said))
    ]


def journal_of(rng: Random) -> mc.clash.Journal:
    """A journal in a file."""
    journal = mc.clash.Journal(Path(tempfile.mkdtemp()) / "journal.jsonl")
    journal.add(events_of(rng))
    return journal


def ask_journal(journal: mc.clash.Journal, _pick: int) -> Any:
    """What it has, and what another one adds to the file."""
    before = len(journal.events)
    read = journal.read()
    return before, [told(said) for said in read], told(journal.events), journal.damaged


def change_journal(journal: mc.clash.Journal, rng: Random) -> None:
    """Read what another one wrote to the file, which stays as it was."""
    other = mc.clash.Journal(journal.path.with_suffix(".other"))
    other.add(events_of(rng))
    kept, journal.path, journal._read_to = journal.path, other.path, 0
    journal.read()
    journal.path = kept


def clashes_of(rng: Random) -> mc.clash.Clashes:
    """Rows of a list."""
    boxes = rng.uniform(0, 1, (4, 1, 3)) + np.array([[0, 0, 0], [1, 1, 1]])
    return mc.clash.Clashes(np.arange(4), np.arange(4) + 1, rng.uniform(0, 1, 4), boxes, ["CLASH"] * 4)


def parts_of(count: int = 5) -> list[mc.clash.Part]:
    """Objects that were tested."""
    return [mc.clash.Part(f"id {k}", f"Bolt.{k:03}", "Bolt") for k in range(count)]


def voxel_map(rng: Random) -> mc.voxels.VoxelMap:
    """A small map."""
    return mc.voxels.VoxelMap(mc.shapes.box(rng.uniform(0.5, 1.5, 3)), resolution=12)


def ask_map(known: mc.voxels.VoxelMap, pick: int) -> Any:
    """Which points are inside."""
    points = np.random.default_rng(pick).uniform(-1, 1, (40, 3))
    return told((known.grid, known.touch(points)))


def fcl_objects(rng: Random) -> list[fcl.CollisionObject]:
    """Two objects."""
    shapes = fcl.Box(1.0, 0.5, 0.5), fcl.Box(0.5, 1.0, 0.5)
    return [fcl.CollisionObject(shape, fcl.Transform(rng.uniform(-0.4, 0.4, 3))) for shape in shapes]


def ask_shape(shape: fcl.CollisionGeometry, pick: int) -> Any:
    """Whether it collides with a box, and how far it is from one."""
    first, second = fcl.CollisionObject(shape), fcl.CollisionObject(fcl.Box(1.0, 1.0, 1.0), fcl.Transform([0.9, 0, 0]))
    far = fcl.CollisionObject(second.geometry, fcl.Transform([4.0, 0, 0.1 * (pick % 3)]))
    return fcl.collide(first, second), round(fcl.distance(first, far), 12)


def use_shape(shape: fcl.CollisionGeometry, _rng: Random) -> None:
    """As it is asked."""
    ask_shape(shape, 0)


def bvh_model(rng: Random) -> fcl.BVHModel:
    """A model that was ended."""
    model, mesh = fcl.BVHModel(), mesh_of(rng)
    model.beginModel()
    model.addSubModel(mesh.vertices, mesh.triangles)
    model.endModel()
    return model


def change_model(model: fcl.BVHModel, _rng: Random) -> None:
    """Give it another triangle."""
    model.beginModel()
    model.addSubModel([[5, 0, 0], [6, 0, 0], [5, 1, 0]], [[0, 1, 2]])
    model.endModel()


def convex(_rng: Random) -> fcl.Convex:
    """A box of six faces with four corners."""
    mesh = mc.shapes.box(1.0)
    faces = [[4, *face.tolist()] for face in mc.shapes.ConvexHull(mesh).faces]
    return fcl.Convex(mc.shapes.ConvexHull(mesh).vertices, 6, np.concatenate(faces))


def collision_result(rng: Random) -> fcl.CollisionResult:
    """What two objects do."""
    result = fcl.CollisionResult()
    fcl.collide(*fcl_objects(rng), fcl.CollisionRequest(9, True), result)
    return result


def ask_result(result: fcl.CollisionResult, _pick: int) -> Any:
    """What was found."""
    hits = [(hit.b1, hit.b2, told(hit.normal), told(hit.pos), hit.penetration_depth) for hit in result.contacts]
    return result.is_collision, hits


def distance_result(rng: Random) -> fcl.DistanceResult:
    """How far two objects are apart."""
    result = fcl.DistanceResult()
    fcl.distance(*fcl_objects(rng), fcl.DistanceRequest(True, True), result)
    return result


def manager_of(rng: Random) -> fcl.DynamicAABBTreeCollisionManager:
    """Objects of python-fcl."""
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(fcl_objects(rng))
    return manager


def ask_manager(manager: fcl.DynamicAABBTreeCollisionManager, _pick: int) -> Any:
    """Whether they collide, and how far they are apart."""
    hit, gap = fcl.CollisionData(), fcl.DistanceData()
    manager.collide(hit, fcl.defaultCollisionCallback)
    manager.distance(gap, fcl.defaultDistanceCallback)
    return manager.size(), hit.result.is_collision, round(gap.result.min_distance, 12)


def trimesh_manager(rng: Random) -> compat_trimesh.CollisionManager:
    """Objects of trimesh, one of them scaled."""
    import trimesh

    manager = compat_trimesh.CollisionManager()
    manager.add_object("a", trimesh.creation.box(rng.uniform(0.5, 1.0, 3)))
    manager.add_object("b", trimesh.creation.icosphere(1), pose_of(rng))
    manager.add_object("c", trimesh.creation.box((1, 1, 1)), np.diag([0.5, 0.5, 2.0, 1.0]))
    return manager


def ask_trimesh(manager: compat_trimesh.CollisionManager, pick: int) -> Any:
    """Whether they collide, and how far they are apart, before and after one moves."""
    before = told((manager.in_collision_internal(return_names=True), manager.min_distance_internal()))
    manager.set_transform("c", np.diag([0.5, 0.5, 2.0, 1.0]) + np.eye(4, k=3) * (pick % 4))
    return before, told(manager.in_collision_internal(return_names=True))


def change_trimesh(manager: compat_trimesh.CollisionManager, rng: Random) -> None:
    """Move one, and take one out."""
    manager.set_transform("b", pose_of(rng, 5.0))
    manager.remove_object("a")


def robot_of(_rng: Random) -> mc.Robot:
    """An arm of two links."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(
            '<robot name="r"><link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>'
            '<link name="arm"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>'
            '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="1 0 0"/>'
            '<axis xyz="0 0 1"/></joint></robot>'
        )
        return mc.Robot(path)


def ask_robot(robot: mc.Robot, _pick: int) -> Any:
    """Where its links are, and which are compared."""
    return told((robot.poses([[0.0], [1.0]]), robot.joints, [link.name for link in robot.links], robot.rules.groups))


def file_parts(rng: Random) -> reading_part.Parts:
    """Two parts of a file that share their triangles."""
    box = mc.shapes.box(rng.uniform(0.5, 1.5, 3))
    shape = reading_part.PartShape(box.vertices.copy(), box.triangles.copy(), resolution=1e-6)
    items = [
        reading_part.MeshPart(f"part {k}", shape, pose_of(rng) @ np.diag([k, 1, 1, 1]), {"k": "v"}) for k in (1, 2)
    ]
    return reading_part.Parts(Path("file.glb"), 1.0, True, tuple(items), (("lost", "why"),), {"camera": 1})


def ask_parts(parts: reading_part.Parts, pick: int) -> Any:
    """Their meshes, and whether these meet."""
    first, second = parts
    meet = mc.collides(first.mesh, second.mesh, first.pose, second.pose)
    return meet, parts.size, ask_part(first, pick), [each.name for each in parts], parts.left_out


def ask_part(one: reading_part.MeshPart, pick: int) -> Any:
    """Its mesh and pose."""
    return ask_mesh(one.mesh, pick), told(one.pose.matrix), one.shape.digest, one.properties


@functools.cache
def clustered() -> mc.massive.ClusteredMesh:
    """A mesh on disk."""
    path = Path(tempfile.mkdtemp()) / "sphere.mcm"
    return mc.massive.ClusteredMesh.build(mc.shapes.sphere(1.0, 0.01), path, memory=1 << 24, cluster_triangles=64)


@functools.cache
def levels() -> mc.massive.MeshLevels:
    """Its levels."""
    return mc.massive.MeshLevels.build(clustered())


def _meeting(rng: Random) -> tuple[Any, ...]:
    """Two solids with something in common."""
    return mc.shapes.box(rng.uniform(0.8, 1.2, 3)), mc.shapes.sphere(0.6, 0.1), None, pose_of(rng, 0.4)


def _scene_of_two(rng: Random) -> mc.Scene:
    a, b, _, pose = _meeting(rng)
    scene = mc.Scene()
    scene.add(a, name="a")
    scene.add(b, pose)
    scene.add(cloud_of(rng), matrix(shift=(0.2, 0, 0)), name="cloud")
    return scene


def _two_meshes(rng: Random) -> mc.Scene:
    a, b, _, pose = _meeting(rng)
    scene = mc.Scene()
    scene.add(a)
    scene.add(b, pose)
    return scene


def _impact(rng: Random, motion: Any = None) -> mc.motion.TimeOfContact:
    a, b, *_ = _meeting(rng)
    way = motion or mc.motion.KeyframedMotion([0.0, 1.0], [matrix(shift=(3, 0, 0)), matrix(shift=(-3, 0.1, 0))])
    return mc.motion.time_of_contact(a, b, motion_b=way, intervals=motion is None, depth=motion is None)


def _hulls(rng: Random) -> tuple[mc.shapes.ConvexHull, mc.shapes.ConvexHull]:
    return mc.shapes.ConvexHull(rng.uniform(-1, 1, (12, 3))), mc.shapes.ConvexHull(rng.uniform(2, 3, (12, 3)))


def _ring(count: int = 48) -> mc.TriangleMesh:
    """A ring about z."""
    turn = 2 * np.pi * np.arange(count) / count
    rings = [
        np.stack([radius * np.cos(turn), radius * np.sin(turn), np.full(count, z)], axis=1)
        for radius, z in ((1.0, 0.0), (1.1, 0.0), (1.1, 0.5), (1.0, 0.5))
    ]
    step, nxt = np.arange(count), (np.arange(count) + 1) % count
    triangles = []
    for k in range(4):
        low, high = count * k, count * ((k + 1) % 4)
        triangles += [np.stack([low + step, low + nxt, high + nxt], axis=1)]
        triangles += [np.stack([low + step, high + nxt, high + step], axis=1)]
    return mc.TriangleMesh(np.concatenate(rings), np.concatenate(triangles))


def use_result(result: Any, rng: Random) -> None:
    """Ask one of the things that are found when they are asked for."""
    names = [name for name in dir(result) if not name.startswith("_")]
    _told_of(result, names[rng.integers(len(names))], 0)


def result(make: Callable[[Random], Any], *uses: Callable[[Any, Random], object]) -> Example:
    """An answer, which says all it has."""
    return Example(make, (use_result, *uses))


def of_scene(ask: Callable[[mc.Scene], Any]) -> Example:
    """The answer of a small scene."""
    return result(lambda rng: ask(_scene_of_two(rng)))


def ask_exact_shape(shape: mc.shapes.ExactShape, pick: int) -> Any:
    """What a shape is, and how far it is from others."""
    pose = matrix(np.eye(3), np.random.default_rng(pick).normal(size=3) * 2.0)
    found = mc.distance(shape, mc.shapes.Sphere(0.1), None, pose)
    return told((repr(shape), shape.bounds, found.distance, found.points, mc.collides(mc.shapes.box(1.0), shape)))


EXACT_USES = (lambda shape, _: mc.distance(shape, mc.shapes.box(0.5)),)
MESH = Example(mesh_of, (use_mesh, use_mesh, use_mesh_much), ask_mesh)
SHAPE_USES = (use_shape,)
FCL_CONSTANTS = fcl.NODE_TYPE, fcl.OBJECT_TYPE, fcl.CCDMotionType, fcl.CCDSolverType, fcl.GJKSolverType
"""Classes of python-fcl whose attributes are numbers."""

EXAMPLES: dict[type, Example | Refuses] = {
    mc.TriangleMesh: MESH,
    mc.Hierarchy: Example(tree_of, (use_mesh, use_mesh, use_mesh_much, refit_in_place), ask_mesh, refit_in_place),
    mc.Scene: Example(scene_of, (use_scene, use_scene, use_scene, move, deform, come_and_go), ask_scene, change_scene),
    mc.Robot: Example(robot_of, (lambda robot, _: robot.poses([0.5]),), ask_robot),
    mc.CollisionMatrix: Example(
        matrix_of_rules,
        (lambda rules, _: rules(_ALL_PAIRS), change_rules),
        lambda rules, _: told((rules(_ALL_PAIRS), rules.groups, rules.revision)),
        change_rules,
    ),
    mc.Pose: result(lambda rng: mc.Pose.from_matrix(pose_of(rng))),
    mc.Contacts: result(lambda rng: mc.collide(*_meeting(rng))),
    mc.Distance: result(lambda rng: mc.distance(*_meeting(rng)[:3], matrix(shift=(0, 0, rng.uniform(2, 3))))),
    mc.Clearances: result(lambda rng: mc.clearance(*_meeting(rng)[:2], 0.05, pose_b=pose_of(rng))),
    mc.Penetration: result(lambda rng: mc.penetration(*_meeting(rng))),
    mc.SignedDistance: result(lambda rng: mc.signed_distance(part(), rng.uniform(-1, 1, (5, 3)))),
    mc.FeaturePairs: result(lambda rng: mc.near_features(mesh_of(rng), 0.1)),
    mc.NearestPoints: result(lambda rng: mc.nearest(part(), rng.uniform(-1, 1, (5, 3)), upper_limit=0.5, k=2)),
    mc.RayHits: result(lambda rng: mc.ray_first(part(), rng.uniform(-1, 1, (9, 3)), rng.normal(size=(9, 3)))),
    mc.TimeCritical: result(lambda rng: mc.time_critical(*_meeting(rng), steps=50)),
    mc.PairVerdict: result(lambda rng: mc.verdict(*_meeting(rng))),
    mc.PairGap: of_scene(lambda scene: scene.distances()[0]),
    mc.SceneContacts: of_scene(lambda scene: scene.contacts()),
    mc.SceneGaps: of_scene(lambda scene: scene.clearances(0.1)),
    mc.SceneCollisions: of_scene(lambda scene: scene.collides()),
    mc.SceneDistances: result(lambda rng: _two_meshes(rng).distances(poses=POSES[:2])),
    mc.Solidity: result(lambda rng: mc.solidity(mesh_of(rng))),
    mc.Progress: result(lambda _: mc.Progress(0.5, "half")),
    mc.QueryStats: Example(lambda rng: mc.QueryStats(int(rng.integers(9))), ask=lambda stats, _: repr(stats)),
    mc.clouds.PointCloud: Example(cloud_of, (use_cloud, use_cloud), cloud_answers),
    mc.clouds.CloudContacts: result(lambda rng: mc.collide(cloud_of(rng), part(), pose_b=pose_of(rng, 0.5))),
    mc.clouds.CloudDistance: result(lambda rng: mc.distance(cloud_of(rng), part(), pose_b=matrix(shift=(3, 0, 0)))),
    mc.lab.Advice: result(lambda rng: mc.lab.advise(*_meeting(rng), volumes=["aabb"], splits=["lbvh"])),
    mc.lab.Candidate: result(
        lambda rng: mc.lab.advise(*_meeting(rng), volumes=["aabb"], splits=["lbvh"]).candidates[0]
    ),
    mc.lab.CloudCollision: result(lambda rng: mc.lab.cloud_collision(cloud_of(rng), part())),
    mc.lab.PaperControl: result(lambda rng: mc.lab.PaperControl(float(rng.uniform(1, 2)))),
    mc.lab.ClimbingPolytope: Example(
        climbing, (lambda polytope, _: polytope.turned(-np.eye(3)),), ask_climbing, lambda p, _: p.turned(-np.eye(3))
    ),
    mc.lab.WakeUps: Example(wake_ups, (lambda wake, _: wake.forget("key 1"),), ask_wake, lambda w, _: w.take_due(9.0)),
    mc.lab.ProgressiveMeshes: Refuses(lambda _: mc.lab.ProgressiveMeshes.build(clustered())),
    mc.manifold.ContactPoints: result(lambda rng: mc.manifold.contact_points(mc.collide(*_meeting(rng)))),
    mc.manifold.ContactRegion: result(lambda rng: mc.manifold.contact_regions(mc.collide(*_meeting(rng)))[0]),
    mc.manifold.IntersectionCurve: result(lambda rng: mc.manifold.intersection_curves(mc.collide(*_meeting(rng)))[0]),
    mc.massive.ClusteredMesh: Refuses(lambda _: clustered()),
    mc.massive.MassiveCollision: result(
        lambda rng: mc.massive.massive_collide(*_meeting(rng), delta=0.01, epsilon=0.1)
    ),
    mc.massive.MeshLevel: Refuses(lambda _: levels().level(0.1)),
    mc.massive.MeshLevels: Refuses(lambda _: levels()),
    mc.motion.ContactInterval: result(lambda rng: _impact(rng).intervals[0]),
    mc.motion.Impacts: result(lambda rng: mc.motion.edge_edge_impacts(*rng.uniform(-1, 1, (2, 5, 4, 3)))),
    mc.motion.KeyframedMotion: Example(
        lambda rng: mc.motion.KeyframedMotion([0.0, 1.0, 2.0], [pose_of(rng) for _ in range(3)], "screw"),
        (lambda motion, _: motion.pose(0.3),),
        lambda motion, pick: told((motion.poses([0.1, 0.5, 1.7]), _impact(np.random.default_rng(pick), motion).time)),
    ),
    mc.motion.LiveChanges: result(lambda rng: mc.motion.LiveContacts(_scene_of_two(rng)).update()),
    mc.motion.LiveContacts: Example(
        watched(mc.motion.LiveContacts), (use_watcher, use_watcher), ask_watcher, update_watcher, watch_beside
    ),
    mc.motion.LiveGaps: Example(
        watched(lambda scene: mc.motion.LiveGaps(scene, most=4)),
        (use_watcher, use_watcher),
        ask_watcher,
        update_watcher,
        watch_beside,
    ),
    mc.motion.PairChanges: result(lambda rng: sorted_boxes(rng).update(*boxes_of(rng))),
    mc.motion.SceneEstimate: of_scene(lambda scene: scene.time_critical(steps=50)),
    mc.motion.SceneStep: of_scene(lambda scene: scene.step()),
    mc.motion.ScrewMotion: Example(
        lambda rng: mc.motion.ScrewMotion(pose_of(rng), pose_of(rng)),
        (lambda motion, _: motion.pose(0.3),),
        lambda motion, pick: told((motion.poses([0.1, 0.5]), _impact(np.random.default_rng(pick), motion).time)),
    ),
    mc.motion.SweepAndPrune: Example(
        sorted_boxes,
        (lambda sweep, rng: sweep.update(*boxes_of(rng)),),
        ask_sweep,
        lambda sweep, rng: sweep.update(*boxes_of(rng)),
    ),
    mc.motion.SweptContacts: result(
        lambda rng: mc.motion.swept_collide(*_meeting(rng)[:2], end_b=_moved(part().vertices))
    ),
    mc.motion.SweptPoints: result(
        lambda rng: mc.motion.swept_collide(*_meeting(rng)[:2], end_b=_moved(part().vertices)).points()
    ),
    mc.motion.TimeOfContact: result(_impact),
    mc.clash.Clashes: result(clashes_of),
    mc.clash.CoaxialFit: result(lambda _: mc.clash.coaxial_fit(_ring())),
    mc.clash.Comment: result(lambda _: mc.clash.Comment("now", "me", "look")),
    mc.clash.Decision: result(lambda rng: next(iter(mc.clash.decisions(events_of(rng)).values()))),
    mc.clash.Event: result(lambda rng: events_of(rng)[0]),
    mc.clash.Found: result(lambda _: mc.clash.Found("a", "b", ("c", "d"))),
    mc.clash.Group: result(lambda rng: mc.clash.group_clashes(parts_of(), clashes_of(rng))[0]),
    mc.clash.History: Example(
        lambda rng: mc.clash.History(events_of(rng)),
        (lambda history, rng: history.take(events_of(rng)),),
        lambda history, _: told((history.decisions, history.events, history.edits)),
        lambda history, rng: history.take(events_of(rng)),
    ),
    mc.clash.Identity: result(lambda rng: mc.clash.Identity("id", "name", rng.uniform(0, 1, (2, 3)), 12, 6.0)),
    mc.clash.Interference: result(
        lambda rng: mc.clash.Interference(mesh_of(rng), *([0.0] * (len(mc.clash.Interference._fields) - 1)))
    ),
    mc.clash.Journal: Example(journal_of, (lambda journal, _: journal.read(),), ask_journal, change_journal),
    mc.clash.Part: result(lambda _: parts_of()[0]),
    mc.shapes.ClosestFeatures: result(lambda rng: mc.shapes.closest_features(*_hulls(rng))),
    mc.shapes.EnclosingCapsule: result(lambda rng: mc.shapes.enclosing_capsule(mesh_of(rng))),
    mc.shapes.EnclosingSpheres: result(lambda rng: mc.shapes.enclosing_spheres(mesh_of(rng), 2)),
    mc.shapes.ExactShape: Example(lambda _: mc.shapes.Sphere(1.0), EXACT_USES, ask_exact_shape),
    mc.shapes.Sphere: Example(lambda rng: mc.shapes.Sphere(rng.uniform(0.5, 1.0)), EXACT_USES, ask_exact_shape),
    mc.shapes.Capsule: Example(lambda rng: mc.shapes.Capsule(rng.uniform(0.5, 1.0), 1.0), EXACT_USES, ask_exact_shape),
    mc.shapes.Box: Example(lambda rng: mc.shapes.Box(rng.uniform(0.5, 1.5, 3), 0.1), EXACT_USES, ask_exact_shape),
    mc.shapes.Cylinder: Example(lambda rng: mc.shapes.Cylinder(rng.uniform(0.5, 1), 1.0), EXACT_USES, ask_exact_shape),
    mc.shapes.Cone: Example(lambda rng: mc.shapes.Cone(rng.uniform(0.5, 1.0), 1.0), EXACT_USES, ask_exact_shape),
    mc.shapes.Ellipsoid: Example(lambda rng: mc.shapes.Ellipsoid(rng.uniform(0.5, 1, 3)), EXACT_USES, ask_exact_shape),
    mc.shapes.Halfspace: Example(lambda rng: mc.shapes.Halfspace(rng.normal(size=3)), EXACT_USES, ask_exact_shape),
    mc.shapes.Plane: Example(lambda rng: mc.shapes.Plane(rng.normal(size=3)), EXACT_USES, ask_exact_shape),
    mc.shapes.Inflated: Example(
        lambda rng: mc.shapes.Inflated(mc.shapes.box(rng.uniform(0.5, 1.5, 3)), 0.1), EXACT_USES, ask_exact_shape
    ),
    mc.shapes.ConvexHull: Example(
        lambda rng: _hulls(rng)[0],
        (lambda hull, rng: mc.shapes.closest_features(hull, _hulls(rng)[1]), lambda hull, _: hull.mesh()),
        lambda hull, pick: told(
            (
                hull.indices,
                hull.edges,
                hull.faces,
                mc.shapes.closest_features(hull, _hulls(np.random.default_rng(pick))[1]).distance,
            )
        ),
    ),
    mc.voxels.ShellContacts: result(lambda rng: voxel_map(rng).touch(rng.uniform(-1, 1, (40, 3)))),
    mc.voxels.SurfaceVoxels: result(lambda rng: mc.voxels.voxelise(mesh_of(rng), resolution=8)),
    mc.voxels.VoxelContacts: result(lambda rng: mc.voxels.voxel_collide(*_meeting(rng), resolution=12)),
    mc.voxels.VoxelMap: Example(
        voxel_map, (lambda known, rng: known.touch(rng.uniform(-1, 1, (rng.integers(60), 3))),), ask_map
    ),
    mc.voxels.VoxelOverlaps: Example(
        lambda rng: mc.voxels.voxel_overlaps(_meeting(rng)[:2], resolution=12),
        (use_result,),
        lambda found, _: told((found.pairs, found.counts, found.voxels(0), found.primitives(0, 1), found.boxes(0))),
    ),
    fcl.Transform: Example(
        lambda rng: fcl.Transform(rng.uniform(-1, 1, 3)), ask=lambda t, _: told((t.getRotation(), t.getTranslation()))
    ),
    fcl.CollisionGeometry: Example(lambda _: fcl.CollisionGeometry(), ask=lambda shape, _: shape.getNodeType()),
    fcl.Ellipsoid: Example(lambda rng: fcl.Ellipsoid(*rng.uniform(0.5, 1.0, 3)), SHAPE_USES, ask_shape),
    fcl.TriangleP: Example(lambda rng: fcl.TriangleP(*rng.uniform(-1, 1, (3, 3))), SHAPE_USES, ask_shape),
    fcl.Halfspace: Example(lambda rng: fcl.Halfspace([0.0, 0.0, 1.0], rng.uniform(-1, 0)), SHAPE_USES, ask_shape),
    fcl.Plane: Example(lambda rng: fcl.Plane([0.0, 1.0, 0.0], rng.uniform(-1, 1)), SHAPE_USES, ask_shape),
    **{kind: Example(lambda _, kind=kind: kind(), ask=lambda _, __: None) for kind in FCL_CONSTANTS},
    fcl.CostSource: result(lambda _: fcl.CostSource()),
    fcl.Box: Example(lambda rng: fcl.Box(*rng.uniform(0.5, 1.5, 3)), SHAPE_USES, ask_shape),
    fcl.Sphere: Example(lambda rng: fcl.Sphere(rng.uniform(0.5, 1.0)), SHAPE_USES, ask_shape),
    fcl.Capsule: Example(lambda rng: fcl.Capsule(rng.uniform(0.5, 1.0), 1.0), SHAPE_USES, ask_shape),
    fcl.Cylinder: Example(lambda rng: fcl.Cylinder(rng.uniform(0.5, 1.0), 1.0), SHAPE_USES, ask_shape),
    fcl.Cone: Example(lambda rng: fcl.Cone(rng.uniform(0.5, 1.0), 1.0), SHAPE_USES, ask_shape),
    fcl.Convex: Example(convex, SHAPE_USES, ask_shape),
    fcl.BVHModel: Example(
        bvh_model,
        SHAPE_USES,
        ask_shape,
        lambda model, _: (
            model.beginModel(),
            model.addSubModel([[5, 0, 0], [6, 0, 0], [5, 1, 0]], [[0, 1, 2]]),
            model.endModel(),
        ),
    ),
    fcl.CollisionObject: Example(
        lambda rng: fcl_objects(rng)[0],
        (lambda thing, _: fcl.collide(thing, thing),),
        lambda thing, pick: (ask_shape(thing.geometry, pick), told(thing.pose)),
        lambda thing, rng: thing.setTranslation(rng.uniform(5, 9, 3)),
    ),
    fcl.Contact: Example(
        lambda _: collision_result(np.random.default_rng(1)).contacts[0],
        ask=lambda hit, pick: told((hit.b1, hit.b2, hit.normal, hit.pos, ask_shape(hit.o1, pick))),
    ),
    fcl.CollisionRequest: result(lambda _: fcl.CollisionRequest(3, True)),
    fcl.CollisionResult: Example(
        collision_result,
        (),
        ask_result,
        lambda found, rng: fcl.collide(*fcl_objects(rng), fcl.CollisionRequest(99, True), found),
    ),
    fcl.DistanceRequest: result(lambda _: fcl.DistanceRequest(True)),
    fcl.DistanceResult: Example(distance_result, (), lambda found, _: told((found.min_distance, found.nearest_points))),
    fcl.ContinuousCollisionRequest: result(lambda _: fcl.ContinuousCollisionRequest(9)),
    fcl.ContinuousCollisionResult: result(lambda _: fcl.ContinuousCollisionResult()),
    fcl.CollisionData: Example(
        lambda rng: fcl.CollisionData(None, collision_result(rng)), (), lambda data, pick: ask_result(data.result, pick)
    ),
    fcl.DistanceData: Example(
        lambda rng: fcl.DistanceData(None, distance_result(rng)), (), lambda data, _: data.result.min_distance
    ),
    fcl.DynamicAABBTreeCollisionManager: Example(
        manager_of,
        (lambda manager, _: ask_manager(manager, 0),),
        ask_manager,
        lambda manager, rng: manager.registerObjects(fcl_objects(rng)),
    ),
    bvhtree.BVHTree: Example(
        lambda rng: bvhtree.BVHTree.FromPolygons(rng.normal(size=(12, 3)), np.arange(12).reshape(4, 3)),
        (lambda tree, _: (tree.ray_cast((0, 0, 0), (0, 0, 1)), tree.find_nearest((0, 0, 0))),),
        lambda tree, pick: told((tree.find_nearest_range((0, 0, pick)), tree.overlap(tree))),
    ),
    compat_trimesh.RayMeshIntersector: Example(
        lambda rng: compat_trimesh.RayMeshIntersector(mesh_of(rng)),
        (lambda rays, _: rays.intersects_any([[0, 0, 0]], [[0, 0, 1]]),),
        lambda rays, pick: told(rays.intersects_location([[0, 0, pick], [0.1, 0, 0]], [[0, 0, 1], [1, 0, 0]])),
    ),
    compat_trimesh.ProximityQuery: Example(
        lambda rng: compat_trimesh.ProximityQuery(mesh_of(rng)),
        (lambda query, _: query.on_surface([[0, 0, 0]]),),
        lambda query, pick: told((query.on_surface([[0, 0, pick]]), query.vertex([[0, 0, pick]]))),
    ),
    compat_trimesh.CollisionManager: Example(
        trimesh_manager, (lambda manager, _: manager.in_collision_internal(),), ask_trimesh, change_trimesh
    ),
    reading_part.PartShape: Example(
        lambda rng: file_parts(rng)[0].shape,
        (lambda shape, _: shape.digest,),
        lambda shape, _: told((shape.vertices, shape.triangles, shape.digest, shape.resolution)),
    ),
    reading_part.MeshPart: Example(
        lambda rng: file_parts(rng)[1], (lambda one, rng: use_mesh(one.mesh, rng), lambda one, _: one.pose), ask_part
    ),
    reading_part.Parts: Example(
        file_parts, (lambda parts, rng: use_mesh(parts[0].mesh, rng), lambda parts, _: ask_parts(parts, 0)), ask_parts
    ),
}


def is_plain(kind: type) -> bool:
    """Whether copies of a class need no example: a constant of an enumeration, an error, a class without objects."""
    return issubclass(kind, enum.Enum | BaseException) or kind is fcl.OcTree


def state(kind: type, seed: int, most_uses: int = 4) -> Any:
    """An object of a class after some uses, of which the seed decides."""
    example, rng = EXAMPLES[kind], np.random.default_rng(seed)
    thing = example.make(rng)
    for _ in range(rng.integers(most_uses + 1) if isinstance(example, Example) and example.uses else 0):
        example.uses[rng.integers(len(example.uses))](thing, rng)
    return thing
