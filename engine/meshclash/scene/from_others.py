"""Scenes of trimesh and robots of yourdfpy as scenes: their objects, poses and names."""

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from ..broadphase.matrix import CollisionMatrix
from ..errors import InvalidFile, InvalidMesh, InvalidPose, UnsupportedOption
from ..messages import a_type, shown
from ..types.foreign import as_own
from ..types.mesh import TriangleMesh
from ..types.numbers import float_array
from ..types.pose import pose_stack


class PlacedMesh(NamedTuple):
    """An object to be added."""

    mesh: TriangleMesh
    pose: np.ndarray
    """(4, 4)."""
    name: str


def placed_meshes(scene: Any) -> Iterator[PlacedMesh]:
    """The objects of a ``trimesh.Scene``; a node that scales has a mesh of its own.

    Raises:
        UnsupportedOption: it is no scene; InvalidMesh: a geometry is no triangle mesh.
    """
    graph, geometry = getattr(scene, "graph", None), getattr(scene, "geometry", None)
    if graph is None or geometry is None:
        raise UnsupportedOption(f"expected a trimesh.Scene, not {a_type(scene)}")
    for node in graph.nodes_geometry:
        pose, name = graph[node]
        mesh = as_own(geometry[name])
        if not isinstance(mesh, TriangleMesh):
            raise InvalidMesh(f"geometry {shown(name)} is {a_type(mesh)}, not a triangle mesh: leave it out")
        yield _placed(mesh, np.array(pose, np.float64), str(node))


def _placed(mesh: TriangleMesh, pose: np.ndarray, name: str) -> PlacedMesh:
    try:
        pose_stack(pose)
    except InvalidPose:
        moved = mesh.vertices @ pose[:3, :3].T + pose[:3, 3]
        triangles = mesh.triangles[:, ::-1] if np.linalg.det(pose[:3, :3]) < 0.0 else mesh.triangles
        return PlacedMesh(TriangleMesh(moved, triangles), np.eye(4), name)
    return PlacedMesh(mesh, pose, name)


class Robot:
    """The links of a robot that have a shape for collision, and how they move.

    Attributes:
        links: a mesh for each, in the link's frame, with its pose where all joints are 0, and its name.
        joints: names of the joints that move, (n,): a configuration has a number [rad] or [m] for each, in this order.
        rules: which pairs are compared, by the ids 0, 1, ... of the links: not those that a joint joins, nor those
            that the SRDF file disables.
    """

    def __init__(self, path: Any, srdf: Any = None) -> None:
        try:
            library = import_module("yourdfpy")
        except ImportError as error:
            raise ImportError('URDF files are read by yourdfpy: pip install "meshclash[urdf]"') from error
        if not isinstance(path, str | bytes | os.PathLike):
            raise InvalidFile(f"a URDF file is named by a text or a Path, not by {a_type(path)}")
        try:
            self._model = library.URDF.load(
                os.fsdecode(path), build_collision_scene_graph=True, load_collision_meshes=True
            )
        except Exception as error:  # of any kind, where the file is damaged
            what = f"{error!s:.300}" or type(error).__name__
            raise InvalidFile(f"the URDF file {shown(path)} cannot be read: {what}") from error
        model = self._model.robot
        self.joints: list[str] = list(self._model.actuated_joint_names)
        self._joints = _from_root(model.joints)
        shapes = _shapes_of(self._model.collision_scene, [link.name for link in model.links])
        self._names = list(shapes)
        poses = self.poses(np.zeros((1, len(self.joints))))[0]
        self.links = [PlacedMesh(mesh, poses[k], name) for k, (name, mesh) in enumerate(shapes.items())]
        ids = {name: k for k, name in enumerate(self._names)}
        self.rules = CollisionMatrix()
        joined = [(joint.parent, joint.child) for joint in model.joints] + _disabled(srdf)
        for a, b in joined:
            if a in ids and b in ids and a != b:
                self.rules.set_pair(ids[a], ids[b], False)

    def poses(self, configurations: Any) -> np.ndarray:
        """World poses (m, links, 4, 4) for configurations (m, n), or (links, 4, 4) for one (n,).

        Raises:
            InvalidPose: numbers of another shape.
        """
        given = float_array("configurations", configurations, InvalidPose)
        if given.ndim not in (1, 2) or given.shape[-1] != len(self.joints):
            count = len(self.joints)
            raise InvalidPose(
                f"a configuration has {count} numbers: give ({count},) or (m, {count}), not {given.shape}"
            )
        rows = given.reshape(-1, len(self.joints))
        still = np.tile(np.eye(4), (len(rows), 1, 1))
        frames: dict[str, np.ndarray] = {}
        for joint in self._joints:
            moved = frames.get(joint.parent, still) @ (still if joint.origin is None else joint.origin)
            frames[joint.child] = moved @ self._moved(joint, rows)
        found = np.stack([frames.get(name, still) for name in self._names], axis=1)
        return found if given.ndim == 2 else found[0]

    def _moved(self, joint: Any, rows: np.ndarray) -> np.ndarray:
        """What a joint does in each configuration, (m, 4, 4)."""
        moved, source = np.tile(np.eye(4), (len(rows), 1, 1)), joint.name
        factor, offset = 1.0, 0.0
        if joint.mimic is not None:
            source, factor, offset = joint.mimic.joint, joint.mimic.multiplier or 1.0, joint.mimic.offset or 0.0
        if source not in self.joints:
            return moved
        values, axis = factor * rows[:, self.joints.index(source)] + offset, np.asarray(joint.axis, np.float64)
        if joint.type == "prismatic":
            moved[:, :3, 3] = values[:, None] * axis
        else:
            x, y, z = axis
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            sines, cosines = np.sin(values)[:, None, None], np.cos(values)[:, None, None]
            moved[:, :3, :3] += sines * cross + (1.0 - cosines) * (cross @ cross)
        return moved


def _from_root(joints: Any) -> list[Any]:
    """Joints in an order in which each parent is placed before its children."""
    waiting, ordered = list(joints), []
    placed = {joint.parent for joint in waiting} - {joint.child for joint in waiting}
    while waiting:
        ready = [joint for joint in waiting if joint.parent in placed]
        if not ready:
            raise InvalidPose("the joints of the robot form a ring")
        ordered += ready
        placed |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint not in ready]
    return ordered


def _shapes_of(scene: Any, links: list[str]) -> dict[str, TriangleMesh]:
    """The shape of each link for collision, all its parts in one mesh, in the link's frame."""
    parents, parts = scene.graph.transforms.parents, {name: [] for name in links}  # type: ignore[var-annotated]
    for node in scene.graph.nodes_geometry:
        link = node
        while link not in parts:
            link = parents[link]
        pose, geometry = scene.graph.get(node, frame_from=link)
        parts[link].append(_placed(as_own(scene.geometry[geometry]), np.array(pose), node))
    return {name: _joined(found) for name, found in parts.items() if found}


def _joined(parts: list[PlacedMesh]) -> TriangleMesh:
    corners = [part.mesh.vertices @ part.pose[:3, :3].T + part.pose[:3, 3] for part in parts]
    starts = np.cumsum([0, *map(len, corners)])
    triangles = [part.mesh.triangles + start for part, start in zip(parts, starts, strict=False)]
    return TriangleMesh(np.concatenate(corners), np.concatenate(triangles))


def _disabled(srdf: Any) -> list[tuple[str, str]]:
    """Pairs of links that an SRDF file does not want compared."""
    if srdf is None:
        return []
    try:
        found = ElementTree.fromstring(Path(os.fsdecode(srdf)).read_bytes()).iter("disable_collisions")
        return [(element.attrib["link1"], element.attrib["link2"]) for element in found]
    except TypeError:
        raise InvalidFile(f"an SRDF file is named by a text or a Path, not by {a_type(srdf)}") from None
    except (OSError, ValueError, LookupError, ElementTree.ParseError) as error:
        what = f"an element has no {error}" if isinstance(error, KeyError) else error
        raise InvalidFile(f"the SRDF file {shown(srdf)} cannot be read: {what!s:.300}") from error
