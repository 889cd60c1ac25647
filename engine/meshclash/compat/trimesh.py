"""Replacements for trimesh's ``CollisionManager``, ``RayMeshIntersector``, ``ProximityQuery`` and ``closest_point``.

To replace a class, assign it: ``trimesh.collision.CollisionManager = meshclash.compat.trimesh.CollisionManager``. To
replace the rays of one mesh, use ``mesh.ray = RayMeshIntersector(mesh)``.

Closed meshes are solids: an object inside another one collides with it, as one contact without triangles (-1). Contacts
are exact, whereas the original library rounds. Normals point from the first object of a contact to the second, and
depths are the depths of the contact's region. If objects overlap, the distance is minus the penetration depth, and the
points in its data are the points that touch last when the objects separate.

Rays are exact and have no gaps at edges. Crossings are sorted by ray and distance. No ray is restarted behind a
crossing, so no crossing is lost or found twice. Among equally near triangles, ``closest_point`` returns the one with
the lowest index, whereas trimesh compares normals.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from trimesh import collision

from ..errors import InvalidPose, NotASolid, UnsupportedOption
from ..manifold.contact_geometry import contact_points
from ..messages import a_type, shown, suggestion
from ..query.nearest import nearest
from ..query.penetration import penetration
from ..query.rays import ray_all, ray_any, ray_count, ray_first
from ..query.results import Penetration
from ..query.signed_distance import contains
from ..scene.results import PairGap, PairVerdict
from ..scene.scene import Scene
from ..solid.solidity import solidity
from ..types.affine import split_matrix
from ..types.arguments import instance
from ..types.copying import Changeable, Copyable
from ..types.foreign_meshes import as_own
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array, given_array, is_whole, truth, whole_number
from ..types.pose import Pose

EXTERNAL = "__external"
"""Name of an object that is not a member, in data about contacts and distances."""


class CollisionManager(Changeable, collision.CollisionManager):  # type: ignore[misc]
    """Objects with names and transforms, with the same methods, arguments and results as in trimesh."""

    def __init__(self) -> None:  # the original needs python-fcl
        self._scene = Scene()
        self._objs: dict[Any, int] = {}
        self._given: dict[Any, tuple[Any, bool]] = {}  # the mesh as given, and whether a matrix was baked into it

    def _shared_things(self) -> Iterable[object]:
        return (*self._scene._shared_things(), *(mesh for mesh, _ in self._given.values()))

    def add_object(self, name: Any, mesh: Any, transform: Any = None) -> int:
        """Add an object. If there is already an object with the same name, replace it.

        Args:
            name: name of the object.
            mesh: an object with vertices and faces.
            transform: (4, 4); the matrix may contain a scale, and None stands for the identity.

        Raises:
            InvalidMesh, InvalidPose: as for ``Scene.add``. UnsupportedOption: a name that cannot be hashed.
        """
        if not _is_hashable(name):
            raise UnsupportedOption(f"name must be hashable, not {a_type(name)}")
        added, baked = _add(self._scene, mesh, transform)
        if name in self._objs:
            self._scene.remove(self._objs[name])
        self._objs[name], self._given[name] = added, (mesh, baked)
        return added

    def remove_object(self, name: Any) -> None:
        """Remove an object. If the name is unknown, the method raises ValueError."""
        self._scene.remove(self._known(name))
        del self._objs[name], self._given[name]

    def set_transform(self, name: Any, transform: Any) -> None:
        """Move an object. The arguments are the same as for ``add_object``. If the name is unknown, the method raises
        ValueError.
        """
        place, (mesh, baked) = self._known(name), self._given[name]
        pose, stretch = split_matrix(transform)
        if baked or stretch is not None:
            self.add_object(name, mesh, transform)
        else:
            self._scene.set_pose(place, pose)

    def in_collision_single(
        self, mesh: Any, transform: Any = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Return whether a mesh collides with any object of this manager. Optionally, also return the names of these
        objects and the contacts.
        """
        with self._beside([(EXTERNAL, mesh, transform)]) as (names, ids):
            found = self._meeting(return_data, ids)
            named = {_this_first(pair, names, ids)[0] for pair in found}
            return self._answer(named, found, names, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Return whether any two objects of this manager collide. Optionally, also return the pairs of names, each in
        alphabetical order, and the contacts.
        """
        found, names = self._meeting(return_data), {place: name for name, place in self._objs.items()}
        named = {tuple(sorted(_names(pair, names), key=_order)) for pair in found}
        return self._answer(named, found, names, return_names, return_data)

    def in_collision_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Return whether any object of this manager collides with any object of another manager. Optionally, also
        return the pairs of names, in which the object of this manager comes first, and the contacts.
        """
        with self._with(other_manager) as (names, ids):
            found = self._meeting(return_data, ids)
            named = {_this_first(pair, names, ids) for pair in found}
            return self._answer(named, found, names, return_names, return_data)

    def min_distance_single(
        self, mesh: Any, transform: Any = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """Return the smallest distance between a mesh and the objects of this manager. If the mesh overlaps an object,
        the distance is minus the penetration depth.
        """
        with self._beside([(EXTERNAL, mesh, transform)]) as (names, ids):
            nearest = self._nearest(ids)
            named = None if nearest is None else _this_first(nearest, names, ids)[0]
            return _distance(named, nearest, names, return_name, return_data)

    def min_distance_internal(self, name: Any = None, return_names: bool = False, return_data: bool = False) -> Any:
        """Return the smallest distance between any two objects of this manager, or between one given object and all
        others.
        """
        nearest = self._nearest(None if name is None else [self._known(name)])
        names = {place: known for known, place in self._objs.items()}
        named = None if nearest is None else tuple(sorted(_names(nearest, names), key=_order))
        return _distance(named, nearest, names, return_names, return_data)

    def min_distance_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Return the smallest distance between an object of this manager and an object of another manager. In pairs of
        names, the object of this manager comes first.
        """
        with self._with(other_manager) as (names, ids):
            nearest = self._nearest(ids)
            named = None if nearest is None else _this_first(nearest, names, ids)
            return _distance(named, nearest, names, return_names, return_data)

    def _known(self, name: Any) -> int:
        if not _is_hashable(name) or name not in self._objs:
            near = suggestion(name, filter(_is_text, self._objs)) if _is_text(name) else ""
            named = name if _is_text(name) else shown(name)
            raise UnsupportedOption(f"{named:.80} not in collision manager!{near}")  # a ValueError, as trimesh's
        return self._objs[name]

    @contextmanager
    def _beside(self, others: Iterable[tuple[Any, Any, Any]]) -> Iterator[tuple[dict[int, Any], list[int]]]:
        """Add other objects to the scene temporarily; yield the names of all objects by id, and the others' ids."""
        names, ids = {place: name for name, place in self._objs.items()}, []
        try:
            for name, mesh, transform in others:
                ids.append(_add(self._scene, mesh, transform)[0])
                names[ids[-1]] = name
            yield names, ids
        finally:
            for place in ids:
                self._scene.remove(place)

    def _with(self, other: "CollisionManager") -> Any:
        instance("other_manager", other, CollisionManager)
        posed = {name: other._scene.posed(place) for name, place in other._objs.items()}
        return self._beside((name, mesh, pose) for name, (mesh, pose) in posed.items())

    def _sets(self, ids: list[int] | None) -> dict[str, Any]:
        if ids is None:
            return {}
        return {"set_a": [place for place in self._objs.values() if place not in ids], "set_b": ids}

    def _meeting(self, with_contacts: bool, ids: list[int] | None = None) -> list[Any]:
        """Return pairs that collide; with all contacts of each only if requested."""
        if truth("return_data", with_contacts):
            return list(self._scene.contacts(**self._sets(ids), depth=False))
        return [_Pair(a, b) for a, b in self._scene.collides(**self._sets(ids)).pairs.tolist()]

    def _nearest(self, ids: list[int] | None) -> "_Nearest | None":
        """Return the nearest pair, or the pair with the deepest overlap; None without a pair."""
        found = list(self._scene.distances(most=1, **self._sets(ids), depth=False))
        if not found:
            return None
        if found[0].gap > 0.0:
            assert found[0].points is not None and found[0].triangles is not None
            return _Nearest(found[0].a, found[0].b, found[0].gap, found[0].points, found[0].triangles)
        meeting = self._scene.clearances(0.0, **self._sets(ids), depth=False)
        return min((self._overlap(pair) for pair in meeting), key=lambda pair: pair.distance)

    def _overlap(self, pair: PairGap) -> "_Nearest":
        found, points = self._penetration(pair), pair.points
        if found is not None:
            points = np.stack([found.point_a, found.point_b])
        elif points is None:
            assert pair.location is not None
            points = np.stack([pair.location] * 2)
        depth = 0.0 if found is None else float(found.depth)
        return _Nearest(pair.a, pair.b, -depth if depth else 0.0, points, pair.triangles or (-1, -1))

    def _penetration(self, pair: PairVerdict) -> Penetration | None:
        """Return the penetration of two objects that meet.

        Returns None if the objects have no common volume, or if one object is not a solid or not a mesh in memory.
        """
        (a, pose_a), (b, pose_b) = (self._scene.posed(place) for place in (pair.a, pair.b))
        if not (isinstance(a, TriangleMesh) and isinstance(b, TriangleMesh)):
            return None
        try:
            found = penetration(a, b, pose_a, pose_b)
        except NotASolid:
            return None
        return found if found.depth > 0.0 else None

    def _answer(
        self, named: set[Any], pairs: list[Any], names: dict[int, Any], with_names: bool, with_data: bool
    ) -> Any:
        parts: list[Any] = [bool(pairs)]
        if truth("return_names", with_names):
            parts.append(named)
        if truth("return_data", with_data):
            parts.append([data for pair in pairs for data in self._contact_data(pair, names)])
        return parts[0] if len(parts) == 1 else tuple(parts)

    def _contact_data(self, pair: PairVerdict, names: dict[int, Any]) -> Iterator[collision.ContactData]:
        """Yield one item for each pair of triangles that meet, or a single item if an object lies inside another
        object.
        """
        if not len(pair.contacts):
            yield collision.ContactData(_names(pair, names), self._inside(pair))
            return
        found = contact_points(pair.contacts)
        rows = zip(pair.contacts.pairs.tolist(), found.normals, found.points, found.depths, strict=True)
        for (i, j), normal, point, depth in rows:
            contact = SimpleNamespace(b1=i, b2=j, normal=normal, pos=point, penetration_depth=float(depth))
            yield collision.ContactData(_names(pair, names), contact)

    def _inside(self, pair: PairVerdict) -> SimpleNamespace:
        """Return the contact of an object that lies inside another object."""
        found = self._penetration(pair)
        normal, depth = (np.zeros(3), 0.0) if found is None else (found.direction, float(found.depth))
        return SimpleNamespace(b1=-1, b2=-1, normal=normal, pos=pair.location, penetration_depth=depth)


class RayMeshIntersector(Copyable):
    """Ray queries of one mesh, with the same methods, arguments and results as in trimesh.

    A ray whose direction is (0, 0, 0) does not hit anything.

    Args:
        geometry: a trimesh.Trimesh, or any mesh that this engine accepts; it may change between two queries.
        scale_to_box: has no effect, because the precision does not depend on the size.
    """

    def __init__(self, geometry: Any, scale_to_box: bool = True) -> None:
        self.mesh = geometry
        self._scale_to_box = truth("scale_to_box", scale_to_box)

    def intersects_id(
        self,
        ray_origins: Any,
        ray_directions: Any,
        multiple_hits: bool = True,
        max_hits: int = 100,
        return_locations: bool = False,
    ) -> Any:
        """Return the triangles that the rays cross (m,), and the index of the ray for each of them (m,). Optionally,
        also return the locations of the crossings (m, 3).

        Args:
            ray_origins, ray_directions: (n, 3).
            multiple_hits: False returns only the first crossing of each ray.
            max_hits: maximum number of crossings to return for each ray, the nearest ones.
            return_locations: whether to return locations.
        """
        most = whole_number("max_hits", max_hits, 1) if truth("multiple_hits", multiple_hits) else 1
        hits, rays = self._cast(ray_first if most == 1 else ray_all, ray_origins, ray_directions)
        starts = np.searchsorted(hits.ray, hits.ray)  # hits are sorted by ray
        chosen = np.flatnonzero(hits.hit & (np.arange(len(hits)) - starts < most))
        found = hits.triangle[chosen].astype(np.int64), rays[hits.ray[chosen]]
        return (*found, hits.point[chosen]) if truth("return_locations", return_locations) else found

    def intersects_location(
        self, ray_origins: Any, ray_directions: Any, multiple_hits: bool = True, max_hits: int = 100
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the locations where rays cross the mesh (m, 3), together with the indices of the rays (m,) and of the
        triangles (m,).

        Args:
            ray_origins, ray_directions, multiple_hits, max_hits: as for ``intersects_id``.
        """
        triangles, rays, locations = self.intersects_id(ray_origins, ray_directions, multiple_hits, max_hits, True)
        return locations, rays, triangles

    def intersects_first(self, ray_origins: Any, ray_directions: Any) -> np.ndarray:
        """Return the index of the first triangle that each ray crosses, (n,) int64. If a ray crosses no triangle, its
        entry is -1.
        """
        hits, rays = self._cast(ray_first, ray_origins, ray_directions)
        found = np.full(len(ray_origins), -1, np.int64)
        found[rays] = hits.triangle
        return found

    def intersects_any(self, ray_origins: Any, ray_directions: Any) -> np.ndarray:
        """Return for each ray whether it crosses the mesh, (n,) bool."""
        crossed, rays = self._cast(ray_any, ray_origins, ray_directions)
        found = np.zeros(len(ray_origins), np.bool_)
        found[rays] = crossed
        return found

    def contains_points(self, points: Any) -> np.ndarray:
        """Return for each of n points whether it lies inside the mesh, (n,) bool. If the mesh is closed, points on its
        surface count as inside.

        If the mesh is open and does not approximate a solid, MeshClash casts two rays from each point, one up and one
        down. The point counts as inside if both rays cross the mesh an odd number of times.
        """
        if solidity(self.mesh).solid:
            return contains(self.mesh, points)
        up, down = (ray_count(self.mesh, points, (0.0, 0.0, z)) for z in (1.0, -1.0))
        inside: np.ndarray = (up % 2 == 1) & (down % 2 == 1)
        return inside

    def _cast(self, question: Any, origins: Any, directions: Any) -> tuple[Any, np.ndarray]:
        """Run a query for the rays with a nonzero direction; return the result and the indices of these rays (k,)."""
        starts, ways = (
            float_array(name, rays, UnsupportedOption)
            for name, rays in (("ray_origins", origins), ("ray_directions", directions))
        )
        if starts.shape != ways.shape:
            raise UnsupportedOption("Ray origin and direction don't match!")  # a ValueError, as trimesh's
        if ways.ndim != 2:
            raise UnsupportedOption(f"rays must have shape (n, 3), not {ways.shape}")
        chosen = np.flatnonzero(ways.any(axis=1))
        return question(self.mesh, starts[chosen], ways[chosen]), chosen


class ProximityQuery(Copyable):
    """Point queries of one mesh, with the same methods, arguments and results as in trimesh.

    Args:
        mesh: a trimesh.Trimesh, or any mesh that this engine accepts; it may change between two queries.
    """

    def __init__(self, mesh: Any) -> None:
        self._mesh = mesh

    def on_surface(self, points: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For points (n, 3), return the nearest points on the surface (n, 3), the distances (n,) and the triangles
        (n,).
        """
        return closest_point(self._mesh, points)

    def vertex(self, points: Any) -> tuple[np.ndarray, np.ndarray]:
        """For points (n, 3), return their distances to the nearest vertices (n,) and the indices of the
        vertices (n,).
        """
        vertices = as_own(self._mesh).vertices
        found = nearest(TriangleMesh(vertices, np.repeat(np.arange(len(vertices))[:, None], 3, axis=1)), points)
        return found.distance, found.triangle.astype(np.int64)

    def signed_distance(self, points: Any) -> np.ndarray:
        """Return the signed distances (n,) of points (n, 3) from the surface. Distances are positive inside the mesh
        and negative outside.

        Raises:
            NotASolid: the mesh is open and does not bound a solid.
        """
        return signed_distance(self._mesh, points)


def closest_point(mesh: Any, points: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For points (n, 3), return the nearest points on the surface of a mesh (n, 3), their distances (n,) and triangles
    (n,).
    """
    found = nearest(mesh, points)
    return found.point, found.distance, found.triangle.astype(np.int64)


def signed_distance(mesh: Any, points: Any) -> np.ndarray:
    """Return the signed distances (n,) of points (n, 3) from a mesh. Distances are positive inside the mesh and
    negative outside.

    Raises:
        NotASolid: the mesh is open and does not bound a solid.
    """
    distances: np.ndarray = -nearest(mesh, points, signed=True).distance
    return distances


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[str, int]]:
    """Return a manager with all objects of a trimesh scene, and a dictionary from the names of nodes to the ids of
    objects.
    """
    manager = CollisionManager()
    graph = getattr(scene, "graph", None)
    if graph is None or not hasattr(scene, "geometry"):
        raise UnsupportedOption(f"expected a trimesh.Scene, not {a_type(scene)}")
    placed = {node: graph[node] for node in graph.nodes_geometry}
    ids = {node: manager.add_object(node, scene.geometry[name], matrix) for node, (matrix, name) in placed.items()}
    return manager, ids


def _is_hashable(name: Any) -> bool:
    try:
        hash(name)
    except (TypeError, ValueError):  # NumPy's durations raise the second one
        return False
    return True


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


def _order(name: Any) -> tuple[bool, int, str]:
    """Return a sort key for names: numbers first, then all other names in alphabetical order."""
    return (False, int(name), "") if is_whole(name) else (True, 0, name if _is_text(name) else shown(name))


def _add(scene: Scene, mesh: Any, transform: Any) -> tuple[int, bool]:
    """Add a mesh in a pose; return its id, and whether a scale or shear of the transform was applied to it."""
    if transform is None or isinstance(transform, Pose):
        return scene.add(mesh, transform), False
    if given_array("transform", transform, InvalidPose).shape != (4, 4):
        raise InvalidPose("transform must be (4,4)!")  # a ValueError, as trimesh's
    pose, baked = split_matrix(transform)
    return scene.add(mesh if baked is None else as_own(mesh).transformed(baked), pose), baked is not None


def _names(pair: Any, names: dict[int, Any]) -> tuple[Any, Any]:
    return names[pair.a], names[pair.b]


class _Pair(NamedTuple):
    """Ids of two objects that collide."""

    a: int
    b: int


class _Nearest(NamedTuple):
    """Two objects by their ids, their distance [m], negative if they overlap, and the nearest points."""

    a: int
    b: int
    distance: float
    points: np.ndarray
    triangles: tuple[int, int]


def _this_first(pair: Any, names: dict[int, Any], others: list[int]) -> tuple[Any, Any]:
    first, second = _names(pair, names)
    return (second, first) if pair.a in others else (first, second)


def _distance(named: Any, nearest: _Nearest | None, names: dict[int, Any], with_names: bool, with_data: bool) -> Any:
    parts: list[Any] = [np.inf if nearest is None else nearest.distance]
    if truth("return_names", with_names):
        parts.append(named)
    if truth("return_data", with_data):
        parts.append(None if nearest is None else _distance_data(nearest, names))
    return parts[0] if len(parts) == 1 else tuple(parts)


def _distance_data(nearest: _Nearest, names: dict[int, Any]) -> collision.DistanceData:
    (i, j), points = nearest.triangles, nearest.points
    result = SimpleNamespace(b1=i, b2=j, nearest_points=points, min_distance=nearest.distance)
    return collision.DistanceData(_names(nearest, names), result)
