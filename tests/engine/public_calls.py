"""All public callables of MeshClash, found by introspection, and a valid call of each."""

import inspect
import json
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import meshclash as mc
import numpy as np
from fcl_calls import fcl_example
from meshclash.compat.bvhtree import BVHTree

CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
ONES = np.ones((8, 3))
HALF = np.array([[1.0, 0, 0, 0.5], [0, 1, 0, 0.1], [0, 0, 1, 0.2], [0, 0, 0, 1]])
COMPAT = ("compat.trimesh", "compat.bvhtree", "compat.fcl")
REFUSED = {"OcTree"}
"""Classes that refuse every call and name another way."""
RETURNED = {
    "Clearances", "FeaturePairs", "NearestPoints", "RayHits", "clouds.CloudContacts", "lab.ProgressiveMeshes",
    "massive.ClusteredMesh", "massive.MassiveCollision", "massive.MeshLevel", "massive.MeshLevels",
    "shapes.EnclosingCapsule", "shapes.EnclosingSpheres", "voxels.VoxelOverlaps", "compat.bvhtree.BVHTree",
}  # fmt: skip
"""Classes that users do not construct: queries and other functions return their objects."""
SPECIAL = "__call__", "__contains__", "__getitem__"


class Call(NamedTuple):
    """A call that is answered."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    options: dict[str, Any]


def packages() -> list[ModuleType]:
    """The package, those of its subjects, which have stubs, and the interfaces of other libraries."""
    stubs = sorted(Path(mc.__file__).parent.glob("*/__init__.pyi"))
    return [mc, *(import_module(f"meshclash.{name}") for name in (*(stub.parent.name for stub in stubs), *COMPAT))]


def public_callables() -> Iterator[str]:
    """Names of all functions, constructors, methods and setters that a user can call."""
    seen = set()
    for package in packages():
        own = package.__name__.rpartition(".compat")[1:]
        prefix = package.__name__.removeprefix("meshclash").lstrip(".")
        for name in _names(package):
            thing = getattr(package, name)
            if (
                name in REFUSED
                or inspect.ismodule(thing)
                or not callable(thing)
                or getattr(thing, "__module__", None) == "typing"
            ):
                continue
            full = f"{prefix}.{name}" if prefix else name
            if inspect.isclass(thing):
                if thing not in seen and not issubclass(thing, BaseException):
                    seen.add(thing)
                    if full not in RETURNED:
                        yield full
                    yield from (f"{full}.{method}" for method in _methods(thing))
            elif own or thing.__module__.startswith("meshclash"):
                yield full


def _names(package: ModuleType) -> list[str]:
    if hasattr(package, "__all__"):
        return list(package.__all__)
    return [
        name for name, value in vars(package).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == package.__name__
    ]  # fmt: skip


def _methods(kind: type) -> Iterator[str]:
    """Methods and setters that a class of MeshClash has, or inherits from another one."""
    own = {name: value for base in reversed(kind.__mro__) if _is_ours(base) for name, value in vars(base).items()}
    for name, value in own.items():
        if name.startswith("_") and name not in SPECIAL:
            continue
        if isinstance(value, property):
            if value.fset is not None:
                yield name
        elif callable(value) or isinstance(value, classmethod | staticmethod):
            yield name


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith("meshclash")


EXACT_SHAPES: dict[str, tuple[Any, ...]] = {
    "Sphere": (1.0,), "Capsule": (1.0, 2.0), "Box": ([1.0, 2.0, 3.0], 0.1), "Cylinder": (1.0, 2.0, 0.1),
    "Cone": (1.0, 2.0, 0.1), "Ellipsoid": ([1.0, 2.0, 3.0], 0.1), "Halfspace": ([0.0, 0.0, 1.0], 1.0),
    "Plane": ([0.0, 0.0, 1.0], 1.0), "Inflated": ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 0.1),
}  # fmt: skip
"""Arguments of shapes, by their names."""


class Things:
    """Objects that calls are about, made when they are first needed.

    Args:
        folder: for files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def mesh(self) -> mc.TriangleMesh:
        return mc.TriangleMesh(CUBE, FACES)

    @cached_property
    def ball(self) -> mc.TriangleMesh:
        return mc.shapes.sphere(0.5, 0.2)

    @cached_property
    def tree(self) -> mc.Hierarchy:
        return mc.build(self.mesh)

    @cached_property
    def cloud(self) -> mc.clouds.PointCloud:
        return mc.clouds.PointCloud(self.points)

    @cached_property
    def points(self) -> np.ndarray:
        k = np.arange(60) + 0.5
        z, turn = 1.0 - k / 30.0, 2.4 * k
        r = np.sqrt(1.0 - z * z)
        return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)

    @cached_property
    def contacts(self) -> mc.Contacts:
        return mc.collide(self.mesh, self.mesh, pose_b=HALF)

    @cached_property
    def hull(self) -> mc.shapes.ConvexHull:
        return mc.shapes.ConvexHull(CUBE)

    @cached_property
    def polygons(self) -> BVHTree:
        return BVHTree.FromPolygons(CUBE, FACES)

    @cached_property
    def scene_of(self) -> list[tuple[mc.TriangleMesh, Any, str]]:
        return [(self.mesh, None, "arm"), (self.mesh, HALF, "base"), (self.ball, HALF, "ball")]

    def scene(self) -> mc.Scene:
        made = mc.Scene()
        for mesh, pose, name in self.scene_of:
            made.add(mesh, pose, name=name)
        return made

    @cached_property
    def clustered(self) -> mc.massive.ClusteredMesh:
        return mc.massive.ClusteredMesh.build(self.mesh, self.folder / "cube.clustered")

    @cached_property
    def levels(self) -> mc.massive.MeshLevels:
        return mc.massive.MeshLevels.build(self.clustered)

    @cached_property
    def progressive(self) -> mc.lab.ProgressiveMeshes:
        return mc.lab.ProgressiveMeshes.build(self.clustered)

    @cached_property
    def massive(self) -> mc.massive.MassiveCollision:
        return mc.massive.massive_collide(self.clustered, self.mesh, pose_b=HALF, epsilon=0.1)

    @cached_property
    def regions(self) -> list[mc.manifold.ContactRegion]:
        return mc.manifold.contact_regions(self.contacts)

    @cached_property
    def overlaps(self) -> mc.voxels.VoxelOverlaps:
        return mc.voxels.voxel_overlaps([self.mesh, self.mesh], [None, HALF], resolution=8)

    @cached_property
    def mesh_file(self) -> str:
        path = self.folder / "cube.obj"
        rows = [f"v {x} {y} {z}" for x, y, z in CUBE] + [f"f {a} {b} {c}" for a, b, c in FACES + 1]
        path.write_text("\n".join(rows))
        return str(path)

    @cached_property
    def point_file(self) -> str:
        path = self.folder / "points.xyz"
        np.savetxt(path, self.points)
        return str(path)

    @cached_property
    def urdf(self) -> str:
        path = self.folder / "robot.urdf"
        box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
        path.write_text(
            f'<robot name="r"><link name="a">{box}</link><link name="b">{box}</link><joint name="j" type="revolute">'
            '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
        )
        return str(path)

    @cached_property
    def robot(self) -> mc.Robot:
        return mc.Robot(self.urdf)

    @cached_property
    def event(self) -> mc.clash.Event:
        return mc.clash.event("Ann", "0123", "status", "open", "2026-01-01T00:00:00+00:00")

    @cached_property
    def history(self) -> mc.clash.History:
        found = mc.clash.said_events("Ann", ["0123"], "found", json.dumps([["a", "b", "1", "2"]]))
        return mc.clash.History([*found, self.event])

    @cached_property
    def identity(self) -> mc.clash.Identity:
        return mc.clash.Identity("1", "Wall", np.array([[0.0, 0, 0], [1, 1, 1]]), 12, 6.0)

    @cached_property
    def parts(self) -> list[mc.clash.Part]:
        return [mc.clash.Part(str(k), f"Wall-{k}", "Wall", {"storey": "1"}) for k in range(3)]

    @cached_property
    def clashes(self) -> mc.clash.Clashes:
        places = np.array([0, 1]), np.array([1, 2])
        return mc.clash.Clashes(*places, np.array([0.1, 0.2]), np.zeros((2, 2, 3)), ["clash", "clash"])

    def manager(self) -> Any:
        made = compat_trimesh().CollisionManager()
        made.add_object("a", self.mesh)
        made.add_object("b", self.mesh, HALF)
        return made

    def journal(self) -> mc.clash.Journal:
        return mc.clash.Journal(self.folder / "journal.jsonl")


def call(function: Callable[..., Any], *args: Any, **options: Any) -> Call:
    """A call of a function."""
    return Call(function, args, options)


def again(made: Any, **other: Any) -> Call:
    """A call of the constructor that makes the same result again; its arguments are attributes, or in ``other``."""
    kind = type(made)
    names = [name for name, p in inspect.signature(kind).parameters.items() if name in other or _is_there(made, name)]
    return Call(kind, (), {name: other[name] if name in other else _attribute(made, name) for name in names})


def _is_there(made: Any, name: str) -> bool:
    return hasattr(made, name) or hasattr(made, f"_{name}")


def _attribute(made: Any, name: str) -> Any:
    return getattr(made, f"_{name}") if hasattr(made, f"_{name}") else getattr(made, name)


def examples(of: Things) -> dict[str, Callable[[], Call]]:
    """A valid call for each name of ``public_callables``; each makes its own objects where calls change them."""
    mesh, tree, clash, motion, lab = of.mesh, of.tree, mc.clash, mc.motion, mc.lab
    moving = np.array([[[0.2, 0.2, -1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]], float)
    keyed = {"times": [0.0, 1.0], "poses": [np.eye(4), HALF]}
    pairs = np.array([[0, 1], [1, 2]])
    screw, boxes = motion.ScrewMotion(None, HALF), np.tile(np.arange(6.0), (2, 1))

    def voxel_contacts() -> mc.voxels.VoxelContacts:
        return mc.voxels.voxel_collide(mesh, mesh, pose_b=HALF, resolution=8)

    manager, blender = "compat.trimesh.CollisionManager", "compat.bvhtree.BVHTree"
    ray, near = "compat.trimesh.RayMeshIntersector", "compat.trimesh.ProximityQuery"
    found: dict[str, Callable[[], Call]] = {
        manager: lambda: call(type(of.manager())),
        f"{manager}.add_object": lambda: call(of.manager().add_object, "new", mesh, HALF),
        f"{manager}.remove_object": lambda: call(of.manager().remove_object, "a"),
        f"{manager}.set_transform": lambda: call(of.manager().set_transform, "a", HALF),
        f"{manager}.in_collision_single": lambda: call(of.manager().in_collision_single, mesh, HALF),
        f"{manager}.in_collision_internal": lambda: call(of.manager().in_collision_internal, True, True),
        f"{manager}.in_collision_other": lambda: call(of.manager().in_collision_other, of.manager(), True),
        f"{manager}.min_distance_single": lambda: call(of.manager().min_distance_single, mesh, HALF, True),
        f"{manager}.min_distance_internal": lambda: call(of.manager().min_distance_internal, "a", True),
        f"{manager}.min_distance_other": lambda: call(of.manager().min_distance_other, of.manager(), True),
        f"{ray}": lambda: call(compat_trimesh().RayMeshIntersector, mesh),
        f"{ray}.intersects_id": lambda: call(
            compat_trimesh().RayMeshIntersector(mesh).intersects_id, CUBE, ONES, True, 5
        ),
        f"{ray}.intersects_location": lambda: call(
            compat_trimesh().RayMeshIntersector(mesh).intersects_location, CUBE, ONES, False
        ),
        f"{ray}.intersects_first": lambda: call(compat_trimesh().RayMeshIntersector(mesh).intersects_first, CUBE, ONES),
        f"{ray}.intersects_any": lambda: call(compat_trimesh().RayMeshIntersector(mesh).intersects_any, CUBE, ONES),
        f"{ray}.contains_points": lambda: call(compat_trimesh().RayMeshIntersector(mesh).contains_points, CUBE),
        f"{near}": lambda: call(compat_trimesh().ProximityQuery, mesh),
        f"{near}.on_surface": lambda: call(compat_trimesh().ProximityQuery(mesh).on_surface, CUBE),
        f"{near}.vertex": lambda: call(compat_trimesh().ProximityQuery(mesh).vertex, CUBE),
        f"{near}.signed_distance": lambda: call(compat_trimesh().ProximityQuery(mesh).signed_distance, CUBE),
        "compat.trimesh.closest_point": lambda: call(compat_trimesh().closest_point, mesh, CUBE),
        "compat.trimesh.signed_distance": lambda: call(compat_trimesh().signed_distance, mesh, CUBE),
        f"{blender}.FromPolygons": lambda: call(BVHTree.FromPolygons, CUBE, FACES, True, 0.0),
        f"{blender}.ray_cast": lambda: call(of.polygons.ray_cast, [0.5, 0.25, 3.0], [0.0, 0.0, -1.0], 9.0),
        f"{blender}.find_nearest": lambda: call(of.polygons.find_nearest, [0.5, 0.25, 3.0], 9.0),
        f"{blender}.find_nearest_range": lambda: call(of.polygons.find_nearest_range, [0.5, 0.25, 3.0], 9.0),
        f"{blender}.overlap": lambda: call(of.polygons.overlap, of.polygons),
        "compat.trimesh.scene_to_collision": lambda: call(compat_trimesh().scene_to_collision, trimesh_scene()),
        "build": lambda: call(mc.build, mesh, split="auto", leaf_size=4),
        "refit": lambda: call(mc.refit, mc.build(mesh), CUBE + 1.0),
        "collide": lambda: call(mc.collide, mesh, of.ball, pose_b=HALF),
        "collides": lambda: call(mc.collides, mesh, tree, HALF, [HALF, np.eye(4)]),
        "self_collide": lambda: call(mc.self_collide, mesh),
        "distance": lambda: call(mc.distance, mesh, of.ball, pose_b=HALF, relative_error=0.1),
        "clearance": lambda: call(mc.clearance, mesh, of.ball, 0.1, pose_b=HALF),
        "penetration": lambda: call(mc.penetration, mesh, mesh, pose_b=HALF),
        "verdict": lambda: call(mc.verdict, mesh, mesh, pose_b=HALF),
        "time_critical": lambda: call(mc.time_critical, mesh, mesh, pose_b=HALF, steps=5),
        "contains": lambda: call(mc.contains, mesh, CUBE),
        "signed_distance": lambda: call(mc.signed_distance, mesh, CUBE),
        "winding_number": lambda: call(mc.winding_number, mesh, CUBE),
        "nearest": lambda: call(mc.nearest, mesh, CUBE, HALF, k=2, upper_limit=1.0),
        "ray_first": lambda: call(mc.ray_first, mesh, CUBE, ONES, 2.0, HALF),
        "ray_any": lambda: call(mc.ray_any, mesh, CUBE, ONES, 2.0, HALF),
        "ray_count": lambda: call(mc.ray_count, mesh, CUBE, ONES, 2.0, HALF),
        "ray_all": lambda: call(mc.ray_all, tree, CUBE, ONES, 2.0, HALF),
        "solidity": lambda: call(mc.solidity, mesh),
        "split_matrix": lambda: call(mc.split_matrix, HALF),
        "float32_resolution": lambda: call(mc.float32_resolution, 1.0, HALF),
        "read": lambda: call(mc.read, of.mesh_file, unit="m"),
        "run": lambda: call(mc.run, mc.steps(mc.collide, mesh, mesh)),
        "steps": lambda: call(mc.steps, mc.collide, mesh, mesh),
        "warm_up": lambda: call(mc.warm_up, []),
        "configure_device": lambda: call(mc.configure_device),
        "device_state": lambda: call(mc.device_state, look=False),
        "TriangleMesh": lambda: call(mc.TriangleMesh, CUBE, FACES),
        "TriangleMesh.transformed": lambda: call(mesh.transformed, HALF),
        "TriangleMesh.with_vertices": lambda: call(mesh.with_vertices, CUBE + 1.0),
        "TriangleMesh.corners_of": lambda: call(mesh.corners_of, np.array([0, 1])),
        "TriangleMesh.topology_steps": lambda: call(mesh.topology_steps),
        "Pose": lambda: call(mc.Pose, HALF),
        "Pose.identity": lambda: call(mc.Pose.identity),
        "Pose.from_matrix": lambda: call(mc.Pose.from_matrix, HALF),
        "Pose.apply": lambda: call(mc.Pose.from_matrix(HALF).apply, CUBE),
        "Hierarchy": lambda: again(tree),
        "CollisionMatrix": lambda: call(mc.CollisionMatrix),
        "CollisionMatrix.group_of": lambda: call(mc.CollisionMatrix().group_of, 0),
        "CollisionMatrix.assign": lambda: call(mc.CollisionMatrix().assign, [0, 1], "robot"),
        "CollisionMatrix.set_rule": lambda: call(mc.CollisionMatrix().set_rule, "robot", "robot", False),
        "CollisionMatrix.set_pair": lambda: call(mc.CollisionMatrix().set_pair, 0, 1, False),
        "CollisionMatrix.__call__": lambda: call(mc.CollisionMatrix(), pairs),
        "Robot": lambda: call(mc.Robot, of.urdf),
        "Robot.poses": lambda: call(of.robot.poses, [0.5]),
        "Robot.beyond_limits": lambda: call(of.robot.beyond_limits, [0.5]),
        "Robot.configuration": lambda: call(of.robot.configuration, {of.robot.joints[0]: 0.5}),
        "ContactKind": lambda: call(mc.ContactKind, 1),
        "Verdict": lambda: call(mc.Verdict, mc.Verdict.CLASH.value),
        "Progress": lambda: call(mc.Progress, 0.5, "half"),
        "QueryStats": lambda: call(mc.QueryStats, volume_tests=1),
        "QueryStats.plus": lambda: call(mc.QueryStats().plus, mc.QueryStats(volume_tests=1)),
        "Contacts": lambda: again(of.contacts),
        "Contacts.world_triangles": lambda: call(of.contacts.world_triangles, 0),
        "Contacts.segments": lambda: call(of.contacts.segments, [0]),
        "Contacts.outlines": lambda: call(of.contacts.outlines, [0]),
        "Contacts.joined": lambda: call(mc.Contacts.joined, [(of.contacts, np.array([0, 1]))]),
        "Distance": lambda: again(mc.distance(mesh, of.ball, pose_b=HALF)),
        "self_clearance": lambda: call(mc.self_clearance, mesh, 0.1, HALF),
        "near_features": lambda: call(mc.near_features, mesh, 0.1, HALF),
        "Clearances.chosen": lambda: call(mc.clearance(mesh, of.ball, 0.1).chosen, np.array([0])),
        "Clearances.points": lambda: call(mc.clearance(mesh, of.ball, 0.1).points),
        "Penetration": lambda: again(mc.penetration(mesh, mesh, pose_b=HALF)),
        "SignedDistance": lambda: again(mc.signed_distance(mesh, CUBE)),
        "TimeCritical": lambda: again(mc.time_critical(mesh, mesh, steps=3)),
        "Solidity": lambda: again(mc.solidity(mesh)),
        "PairVerdict": lambda: again(mc.verdict(mesh, mesh, pose_b=HALF)),
        "PairVerdict.touched": lambda: call(mc.verdict(mesh, mesh, pose_b=HALF).touched, 0),
        "PairVerdict.to_dict": lambda: call(mc.verdict(mesh, mesh, pose_b=HALF).to_dict),
        "PairGap": lambda: again(of.scene().distances().pairs[0]),
        "PairGap.to_dict": lambda: call(of.scene().distances().pairs[0].to_dict),
        "PairGap.touched": lambda: call(of.scene().distances().pairs[0].touched, 0),
        "SceneContacts": lambda: again(of.scene().contacts()),
        "SceneContacts.__getitem__": lambda: call(of.scene().contacts().__getitem__, 0),
        "SceneGaps": lambda: again(of.scene().distances()),
        "SceneGaps.__getitem__": lambda: call(of.scene().distances().__getitem__, 0),
        "SceneContacts.to_dicts": lambda: call(of.scene().contacts().to_dicts),
        "SceneContacts.to_pandas": lambda: call(of.scene().contacts().to_pandas),
        "SceneGaps.to_dicts": lambda: call(of.scene().distances().to_dicts),
        "SceneGaps.to_pandas": lambda: call(of.scene().distances().to_pandas),
        "SceneCollisions": lambda: again(of.scene().collides()),
        "SceneDistances": lambda: again(of.scene().distances(poses=[np.eye(4)] * 3)),
        "Scene": lambda: call(mc.Scene),
        "Scene.from_trimesh": lambda: call(mc.Scene.from_trimesh, trimesh_scene()),
        "Scene.from_urdf": lambda: call(mc.Scene.from_urdf, of.urdf),
        "Scene.__contains__": lambda: call(of.scene().__contains__, "arm"),
        "Scene.add": lambda: call(of.scene().add, mesh, HALF, name="new", resolution=0.0),
        "Scene.remove": lambda: call(of.scene().remove, "arm"),
        "Scene.name_of": lambda: call(of.scene().name_of, 0),
        "Scene.id_of": lambda: call(of.scene().id_of, "arm"),
        "Scene.set_pose": lambda: call(of.scene().set_pose, "arm", HALF, 0.0),
        "Scene.set_poses": lambda: call(of.scene().set_poses, ["arm", 1], [HALF, HALF], [0.0, 0.0]),
        "Scene.set_vertices": lambda: call(of.scene().set_vertices, "arm", CUBE + 1.0),
        "Scene.posed": lambda: call(of.scene().posed, "arm"),
        "Scene.boxes": lambda: call(of.scene().boxes, 0.1),
        "Scene.revisions": lambda: call(of.scene().revisions, np.array([0, 1])),
        "Scene.contacts": lambda: call(of.scene().contacts, set_a=["arm"], keep=mc.CollisionMatrix()),
        "Scene.collides": lambda: call(of.scene().collides, [[HALF]], ["arm"]),
        "Scene.any": lambda: call(of.scene().any, [[HALF]], ["arm"]),
        "Scene.step": lambda: call(of.scene().step),
        "Scene.ray_first": lambda: call(of.scene().ray_first, CUBE, ONES, 2.0, objects=["arm"]),
        "Scene.ray_any": lambda: call(of.scene().ray_any, CUBE, ONES, 2.0, objects=["arm"]),
        "Scene.ray_count": lambda: call(of.scene().ray_count, CUBE, ONES, 2.0, objects=["arm"]),
        "Scene.ray_all": lambda: call(of.scene().ray_all, CUBE, ONES, 2.0, objects=["arm"]),
        "Scene.clearances": lambda: call(of.scene().clearances, 0.1, set_a=["arm"]),
        "Scene.distances": lambda: call(of.scene().distances, 2, set_b=[0]),
        "Scene.time_critical": lambda: call(of.scene().time_critical, steps=5),
        "clouds.PointCloud": lambda: call(mc.clouds.PointCloud, of.points),
        "clouds.PointCloud.make": lambda: call(mc.clouds.PointCloud.make, of.points),
        "clouds.PointCloud.build": lambda: call(of.cloud.build),
        "clouds.PointCloud.evaluate": lambda: call(of.cloud.evaluate, of.points[:4] * 1.01),
        "clouds.PointCloud.transformed": lambda: call(of.cloud.transformed, HALF),
        "clouds.deviation": lambda: call(mc.clouds.deviation, of.cloud, mesh),
        "clouds.read_points": lambda: call(mc.clouds.read_points, of.point_file, "mm"),
        "clouds.read_cloud": lambda: call(mc.clouds.read_cloud, of.point_file, surface="wls"),
        "clouds.CloudContacts.touched": lambda: call(mc.collide(of.cloud, mesh).touched, 0),
        "clouds.CloudContacts.depths": lambda: call(mc.collide(of.cloud, mesh).depths, 0),
        "clouds.CloudContacts.undecided": lambda: call(mc.collide(of.cloud, mesh).undecided),
        "clouds.CloudDistance": lambda: again(mc.distance(of.cloud, mesh)),
        "lab.Advice": lambda: call(lab.Advice, []),
        "lab.Candidate": lambda: call(lab.Candidate, "aabb", "median", 1.0, 1.0, 1.0, 1, 1),
        "lab.ClimbingPolytope": lambda: call(lab.ClimbingPolytope, CUBE, 9),
        "lab.ClimbingPolytope.turned": lambda: call(lab.ClimbingPolytope(CUBE, 9).turned, np.eye(3)),
        "lab.CloudCollision": lambda: again(lab.cloud_collision(of.cloud, of.cloud)),
        "lab.PaperControl": lambda: call(lab.PaperControl, 1.0),
        "lab.PaperControl.after": lambda: call(lab.PaperControl(1.0).after, 0.5),
        "lab.ProgressiveMeshes.build": lambda: call(lab.ProgressiveMeshes.build, of.clustered),
        "lab.ProgressiveMeshes.open": lambda: call(lab.ProgressiveMeshes.open, of.progressive.mesh),
        "lab.ProgressiveMeshes.stops": lambda: call(of.progressive.stops, 1 << 24),
        "lab.ProgressiveMeshes.verify": lambda: call(of.progressive.verify),
        "lab.ProgressiveMeshes.close": lambda: call(lab.ProgressiveMeshes.open(of.progressive.mesh).close),
        "lab.WakeUps": lambda: call(lab.WakeUps),
        "lab.WakeUps.set": lambda: call(lab.WakeUps().set, "pair", 1.0),
        "lab.WakeUps.forget": lambda: call(lab.WakeUps().forget, "pair"),
        "lab.WakeUps.take_due": lambda: call(lab.WakeUps().take_due, 1.0),
        "lab.advise": lambda: call(lab.advise, mesh, mesh, volumes=["aabb"], splits=["median"]),
        "lab.assert_well_formed": lambda: call(lab.assert_well_formed, tree),
        "lab.certify": lambda: call(lab.certify, CUBE[:1] - 2.0, CUBE[:3]),
        "lab.cloud_collision": lambda: call(lab.cloud_collision, of.cloud, of.cloud, budget=1.0),
        "lab.cloud_distance": lambda: call(lab.cloud_distance, of.cloud, of.cloud, None, HALF),
        "lab.collide_soups": lambda: call(lab.collide_soups, mesh, mesh, None, HALF, partition="grid"),
        "lab.hierarchy_level": lambda: call(lab.hierarchy_level, mesh, 1, "aabb"),
        "lab.level_wireframe": lambda: call(lab.level_wireframe, mesh, 1, "aabb"),
        "lab.progressive_collide": lambda: call(lab.progressive_collide, of.clustered, of.clustered, epsilon=0.1),
        "lab.safe_time": lambda: call(lab.safe_time, 1.0, 1.0, 1.0),
        "manifold.contact_points": lambda: call(mc.manifold.contact_points, of.contacts),
        "manifold.contact_regions": lambda: call(mc.manifold.contact_regions, of.contacts),
        "manifold.intersection_curves": lambda: call(mc.manifold.intersection_curves, of.contacts),
        "manifold.ContactPoints": lambda: again(mc.manifold.contact_points(of.contacts)),
        "manifold.ContactRegion": lambda: again(of.regions[0]),
        "manifold.ContactRegion.manifold": lambda: call(of.regions[0].manifold, 4),
        "manifold.IntersectionCurve": lambda: again(mc.manifold.intersection_curves(of.contacts)[0]),
        "massive.ClusteredMesh.build": lambda: call(mc.massive.ClusteredMesh.build, mesh, of.folder / "made"),
        "massive.ClusteredMesh.open": lambda: call(mc.massive.ClusteredMesh.open, of.clustered.path),
        "massive.ClusteredMesh.verify": lambda: call(of.clustered.verify),
        "massive.ClusteredMesh.sample": lambda: call(of.clustered.sample, 3),
        "massive.ClusteredMesh.loaded": lambda: call(of.clustered.loaded),
        "massive.ClusteredMesh.close": lambda: call(mc.massive.ClusteredMesh.open(of.clustered.path).close),
        "massive.MassiveCollision.resolve": lambda: call(of.massive.resolve),
        "massive.MassiveCollision.level_pairs": lambda: call(of.massive.level_pairs),
        "massive.MassiveCollision.nearest": lambda: call(of.massive.nearest),
        "massive.MeshLevel.build": lambda: call(mc.massive.MeshLevel.build, mesh, of.folder / "made"),
        "massive.MeshLevel.open": lambda: call(mc.massive.MeshLevel.open, of.clustered.path),
        "massive.MeshLevel.verify": lambda: call(of.levels.level(0.0).verify),
        "massive.MeshLevel.sample": lambda: call(of.levels.level(0.0).sample, 3),
        "massive.MeshLevel.loaded": lambda: call(of.levels.level(0.0).loaded),
        "massive.MeshLevel.close": lambda: call(mc.massive.MeshLevels.open(of.levels.mesh).level(0.0).close),
        "massive.MeshLevels.build": lambda: call(mc.massive.MeshLevels.build, of.clustered),
        "massive.MeshLevels.open": lambda: call(mc.massive.MeshLevels.open, of.levels.mesh),
        "massive.MeshLevels.level": lambda: call(of.levels.level, 0.1),
        "massive.MeshLevels.shown": lambda: call(of.levels.shown, 100),
        "massive.MeshLevels.verify": lambda: call(of.levels.verify),
        "massive.MeshLevels.close": lambda: call(mc.massive.MeshLevels.open(of.levels.mesh).close),
        "massive.massive_collide": lambda: call(mc.massive.massive_collide, of.clustered, mesh, epsilon=0.1),
        "motion.time_of_contact": lambda: call(motion.time_of_contact, mesh, of.ball, None, screw, tolerance=0.01),
        "motion.swept_collide": lambda: call(motion.swept_collide, mesh, mesh, end_b=CUBE + 1.5),
        "motion.swept_self_collide": lambda: call(motion.swept_self_collide, mesh, CUBE, CUBE + 1.0),
        "motion.edge_edge_impacts": lambda: call(motion.edge_edge_impacts, moving, moving + 1.0),
        "motion.point_triangle_impacts": lambda: call(motion.point_triangle_impacts, moving, moving + 1.0),
        "motion.KeyframedMotion": lambda: call(motion.KeyframedMotion, **keyed),
        "motion.ScrewMotion": lambda: call(motion.ScrewMotion, None, HALF),
        "motion.ScrewMotion.about": lambda: call(motion.ScrewMotion.about, [0, 0, 0], [0, 0, 1], 1.0),
        "motion.SweepAndPrune": lambda: call(motion.SweepAndPrune),
        "motion.SweepAndPrune.update": lambda: call(motion.SweepAndPrune().update, [0, 1], boxes),
        "motion.LiveContacts": lambda: call(motion.LiveContacts, of.scene()),
        "motion.LiveContacts.change_limits": lambda: call(motion.LiveContacts(of.scene()).change_limits, 0.1, 0.1),
        "motion.LiveContacts.take_changes": lambda: call(motion.LiveContacts(of.scene()).take_changes),
        "motion.LiveContacts.update": lambda: call(motion.LiveContacts(of.scene()).update),
        "motion.LiveGaps": lambda: call(motion.LiveGaps, of.scene(), 0.1),
        "motion.LiveGaps.change_limits": lambda: call(motion.LiveGaps(of.scene(), 0.1).change_limits, 0.1),
        "motion.LiveGaps.take_changes": lambda: call(motion.LiveGaps(of.scene(), 0.1).take_changes),
        "motion.LiveGaps.update": lambda: call(motion.LiveGaps(of.scene(), 0.1).update),
        "motion.LiveChanges": lambda: call(motion.LiveChanges, [], [], []),
        "motion.ContactInterval": lambda: call(motion.ContactInterval, 0.0, 1.0, 0.5, 0.1),
        "motion.Feature": lambda: call(motion.Feature, 1),
        "motion.Impacts": lambda: again(motion.edge_edge_impacts(moving, moving + 1.0)),
        "motion.PairChanges": lambda: call(motion.PairChanges, pairs, pairs),
        "motion.SceneEstimate": lambda: again(of.scene().time_critical(steps=3)),
        "motion.SceneStep": lambda: again(of.scene().step()),
        "motion.SweptContacts": lambda: again(motion.swept_collide(mesh, mesh, end_b=CUBE + 1.5)),
        "motion.SweptContacts.points": lambda: call(motion.swept_collide(mesh, mesh, end_b=CUBE + 1.5).points),
        "motion.SweptPoints": lambda: again(motion.swept_collide(mesh, mesh, end_b=CUBE + 1.5).points()),
        "motion.TimeOfContact": lambda: again(motion.time_of_contact(mesh, mesh)),
        "clash.Clashes": lambda: again(of.clashes),
        "clash.CoaxialFit": lambda: call(clash.CoaxialFit, np.zeros(3), np.ones(3), 1.0, 1.0, 1.0),
        "clash.Comment": lambda: call(clash.Comment, "", "Ann", "ok"),
        "clash.Decision": lambda: call(clash.Decision),
        "clash.Event": lambda: again(of.event),
        "clash.Event.of_scene": lambda: call(of.event.of_scene, "main"),
        "clash.Found": lambda: call(clash.Found, ("a", "b"), ("1", "2")),
        "clash.Group": lambda: call(clash.Group, np.array([0]), "because", "key"),
        "clash.History": lambda: call(clash.History, [of.event]),
        "clash.History.take": lambda: call(clash.History().take, [of.event]),
        "clash.History.moved_to": lambda: call(of.history.moved_to, "0123"),
        "clash.History.progress": lambda: call(of.history.progress, "0123"),
        "clash.History.thing": lambda: call(of.history.thing, "1"),
        "clash.History.still_there": lambda: call(of.history.still_there, "0123"),
        "clash.History.group_of": lambda: call(of.history.group_of, "key", "0123", "cause"),
        "clash.Identity": lambda: again(of.identity),
        "clash.Identity.stands_as": lambda: call(of.identity.stands_as, of.identity),
        "clash.Identity.is_shaped_as": lambda: call(of.identity.is_shaped_as, of.identity),
        "clash.Interference": lambda: call(clash.Interference, mesh, 1.0),
        "clash.Interference.contradicts": lambda: call(clash.Interference(mesh, 1.0).contradicts, 0.1),
        "clash.Journal": lambda: call(clash.Journal, of.folder / "journal.jsonl"),
        "clash.Journal.read": lambda: call(of.journal().read),
        "clash.Journal.add": lambda: call(of.journal().add, [of.event]),
        "clash.Journal.join": lambda: call(of.journal().join, [of.event]),
        "clash.Part": lambda: again(of.parts[0]),
        "clash.coaxial_fit": lambda: call(clash.coaxial_fit, mc.shapes.cylinder(1.0, 0.1, 0.1)),
        "clash.decisions": lambda: call(clash.decisions, [of.event]),
        "clash.detection_steps": lambda: call(
            clash.detection_steps, of.history, {"0123": clash.Found(("a", "b"), ("1", "2"))}, [of.identity], "Ann"
        ),
        "clash.event": lambda: call(clash.event, "Ann", "0123", "status", "open"),
        "clash.families": lambda: call(clash.families, ["Wall-1", "Wall-2"]),
        "clash.found_events": lambda: call(clash.found_events, {"0123": clash.Decision()}, ["0123"], "Ann"),
        "clash.group_clashes": lambda: call(clash.group_clashes, of.parts, of.clashes, "cause"),
        "clash.interference": lambda: call(clash.interference, mesh, mesh, None, HALF),
        "clash.match_revisions": lambda: call(clash.match_revisions, [of.identity], [of.identity]),
        "clash.progress": lambda: call(clash.progress, clash.Decision(found="2026"), "2026"),
        "clash.said_events": lambda: call(clash.said_events, "Ann", ["0123"], "status", "open"),
        **{
            f"shapes.{name}": lambda name=name, given=given: call(getattr(mc.shapes, name), *given)
            for name, given in EXACT_SHAPES.items()
        },
        "shapes.ExactShape": lambda: again(mc.shapes.Sphere(1.0)),
        "shapes.box": lambda: call(mc.shapes.box, [1.0, 2.0, 3.0]),
        "shapes.capsule": lambda: call(mc.shapes.capsule, 1.0, 1.0, 0.2),
        "shapes.cone": lambda: call(mc.shapes.cone, 1.0, 1.0, 0.2),
        "shapes.cylinder": lambda: call(mc.shapes.cylinder, 1.0, 1.0, 0.2),
        "shapes.plane": lambda: call(mc.shapes.plane, 1.0),
        "shapes.sphere": lambda: call(mc.shapes.sphere, 1.0, 0.2),
        "shapes.ConvexHull": lambda: call(mc.shapes.ConvexHull, CUBE),
        "shapes.ConvexHull.mesh": lambda: call(of.hull.mesh),
        "shapes.ClosestFeatures": lambda: again(mc.shapes.closest_features(of.hull, of.hull)),
        "shapes.closest_features": lambda: call(mc.shapes.closest_features, of.hull, of.hull, pose_b=HALF),
        "shapes.EnclosingSpheres.placed": lambda: call(mc.shapes.enclosing_spheres(mesh, 2).placed),
        "shapes.enclosing_capsule": lambda: call(mc.shapes.enclosing_capsule, mesh),
        "shapes.enclosing_spheres": lambda: call(mc.shapes.enclosing_spheres, mesh, 2),
        "shapes.convex_parts": lambda: call(mc.shapes.convex_parts, mesh, 0.5, most=2),
        "voxels.ShellContacts": lambda: call(mc.voxels.ShellContacts, CUBE, CUBE[:, 0], CUBE),
        "voxels.SurfaceVoxels": lambda: again(mc.voxels.voxelise(mesh, resolution=8)),
        "voxels.VoxelContacts": lambda: again(mc.voxels.voxel_collide(mesh, mesh, resolution=8)),
        "voxels.VoxelContacts.segments": lambda: call(voxel_contacts().segments),
        "voxels.VoxelMap": lambda: call(mc.voxels.VoxelMap, mesh, resolution=8),
        "voxels.VoxelMap.touch": lambda: call(mc.voxels.VoxelMap(mesh, resolution=8).touch, CUBE),
        "voxels.VoxelOverlaps.voxels": lambda: call(of.overlaps.voxels, 0),
        "voxels.VoxelOverlaps.boxes": lambda: call(of.overlaps.boxes, 0),
        "voxels.VoxelOverlaps.closer_than": lambda: call(of.overlaps.closer_than, 0),
        "voxels.VoxelOverlaps.primitives": lambda: call(of.overlaps.primitives, 0, 1),
        "voxels.voxel_collide": lambda: call(mc.voxels.voxel_collide, mesh, mesh, pose_b=HALF, resolution=8),
        "voxels.voxel_overlaps": lambda: call(mc.voxels.voxel_overlaps, [mesh, mesh], [None, HALF], resolution=8),
        "voxels.voxel_self_collide": lambda: call(mc.voxels.voxel_self_collide, mesh, resolution=8),
        "voxels.voxelise": lambda: call(mc.voxels.voxelise, mesh, resolution=8),
    }  # fmt: skip
    for name in public_callables():
        if name.startswith("compat.fcl."):
            found[name] = partial(_fcl_call, name.removeprefix("compat.fcl."))
    for kind in (motion.ScrewMotion, motion.KeyframedMotion):
        made = screw if kind is motion.ScrewMotion else motion.KeyframedMotion(**keyed)
        for name, args in (
            ("pose", (0.5,)), ("poses", ([0.5, 1.0],)), ("place_of", (0.5,)), ("piece", (0,)), ("next_change", (0.5,)),
            ("previous_change", (0.5,)), ("rows_at", (0.5,)), ("moved", (np.ones(3),)),
        ):  # fmt: skip
            found[f"motion.{kind.__name__}.{name}"] = partial(call, getattr(made, name), *args)
    return found


def _fcl_call(name: str) -> Call:
    function, args = fcl_example(name)
    return call(function, *args)


def trimesh_scene() -> Any:
    """A scene of another library."""
    library = import_module("trimesh")
    return library.Scene([library.creation.box()])


def compat_trimesh() -> ModuleType:
    """The module in the place of trimesh's."""
    return import_module("meshclash.compat.trimesh")
