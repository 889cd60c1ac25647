"""A robot's links and joints from a URDF file: as much of the format as collision of a robot in motion needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from oracles.mesh_files import Mesh, read_mesh

_MOVING = {"revolute", "continuous", "prismatic"}


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part: its mesh in its own frame."""

    name: str
    mesh: Mesh


@dataclass(frozen=True, eq=False)
class Joint:
    """How a link stands on another one."""

    parent: str
    child: str
    kind: str
    origin: np.ndarray
    """(4, 4)."""
    axis: np.ndarray
    """(3,), a unit vector."""
    limits: tuple[float, float]
    """[rad] or [m]."""

    @property
    def moves(self) -> bool:
        """Whether a configuration has a number for it."""
        return self.kind in _MOVING

    def placed(self, values: np.ndarray) -> np.ndarray:
        """Poses (m, 4, 4) of the child in the parent's frame, for numbers (m,)."""
        moved = np.tile(np.eye(4), (len(values), 1, 1))
        if self.kind == "prismatic":
            moved[:, :3, 3] = values[:, None] * self.axis
        elif self.moves:
            x, y, z = self.axis
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            sines, cosines = np.sin(values)[:, None, None], np.cos(values)[:, None, None]
            moved[:, :3, :3] += sines * cross + (1.0 - cosines) * (cross @ cross)
        return self.origin @ moved


@dataclass(frozen=True, eq=False)
class Robot:
    """Links with meshes, joints from the root on, and pairs of links that are not to be tested."""

    links: list[Link]
    joints: list[Joint]
    ignored: set[frozenset[str]]

    def poses(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """World poses (m, links, 4, 4) in random configurations within the limits of the joints."""
        still = np.tile(np.eye(4), (count, 1, 1))
        frames: dict[str, np.ndarray] = {}
        for joint in self.joints:
            values = rng.uniform(*joint.limits, count) if joint.moves else np.zeros(count)
            frames[joint.child] = frames.get(joint.parent, still) @ joint.placed(values)
        return np.stack([frames.get(link.name, still) for link in self.links], axis=1)


def read_robot(path: Path, srdf: Path | None = None) -> Robot:
    """Read links with meshes for collision, and joints; adjacent links and those that an SRDF file names are ignored.

    Raises:
        ValueError: a mesh that a link names cannot be found.
    """
    root = ElementTree.parse(path).getroot()
    links = [link for element in root.iter("link") if (link := _link(element, path)) is not None]
    joints = _from_root([_joint(element) for element in root.findall("joint")])
    named = {link.name for link in links}
    ignored = {frozenset((joint.parent, joint.child)) for joint in joints}
    if srdf is not None:
        for element in ElementTree.parse(srdf).getroot().iter("disable_collisions"):
            ignored.add(frozenset((element.attrib["link1"], element.attrib["link2"])))
    return Robot(links, joints, {pair for pair in ignored if pair <= named})


def _from_root(joints: list[Joint]) -> list[Joint]:
    """Joints in an order in which each parent is placed before its children."""
    children = {joint.child for joint in joints}
    ordered: list[Joint] = []
    placed = {joint.parent for joint in joints} - children
    while len(ordered) < len(joints):
        ready = [joint for joint in joints if joint.parent in placed and joint.child not in placed]
        if not ready:
            raise ValueError("the joints form a ring")
        ordered += ready
        placed |= {joint.child for joint in ready}
    return ordered


def _link(element: ElementTree.Element, path: Path) -> Link | None:
    vertices, triangles, count = [], [], 0
    for collision in element.findall("collision"):
        named = collision.find("geometry/mesh")
        if named is None:
            continue
        points, faces = read_mesh(_mesh_path(named.attrib["filename"], path))
        scale = np.array([float(x) for x in named.attrib.get("scale", "1 1 1").split()])
        placed = _origin(collision)
        vertices.append((points * scale) @ placed[:3, :3].T + placed[:3, 3])
        triangles.append(faces + count)
        count += len(points)
    if not count:
        return None
    return Link(element.attrib["name"], (np.concatenate(vertices), np.concatenate(triangles)))


def _mesh_path(name: str, path: Path) -> Path:
    """The file that a URDF names by a package, looked for in the folders above the URDF."""
    relative = Path(name.removeprefix("package://"))
    parts = relative.parts
    for folder in path.resolve().parents:
        for begin in range(len(parts)):
            found = folder.joinpath(*parts[begin:])
            if found.is_file():
                return found
    raise ValueError(f"{path}: the mesh {name} is not in any folder above it")


def _joint(element: ElementTree.Element) -> Joint:
    parent, child, axis, limit = (element.find(name) for name in ("parent", "child", "axis", "limit"))
    assert parent is not None
    assert child is not None
    direction = np.array([float(x) for x in (axis.attrib["xyz"] if axis is not None else "1 0 0").split()])
    kind = element.attrib["type"]
    limits = (-np.pi, np.pi)
    if limit is not None and kind != "continuous":
        limits = float(limit.attrib.get("lower", 0.0)), float(limit.attrib.get("upper", 0.0))
    unit = direction / np.linalg.norm(direction)
    return Joint(parent.attrib["link"], child.attrib["link"], kind, _origin(element), unit, limits)


def _origin(element: ElementTree.Element) -> np.ndarray:
    """The matrix (4, 4) of an element's origin: roll, pitch and yaw about fixed axes, then a shift."""
    matrix, origin = np.eye(4), element.find("origin")
    if origin is None:
        return matrix
    r, p, y = (float(x) for x in origin.attrib.get("rpy", "0 0 0").split())
    turns = [
        [[1, 0, 0], [0, np.cos(r), -np.sin(r)], [0, np.sin(r), np.cos(r)]],
        [[np.cos(p), 0, np.sin(p)], [0, 1, 0], [-np.sin(p), 0, np.cos(p)]],
        [[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]],
    ]
    about_x, about_y, about_z = (np.array(turn, float) for turn in turns)
    matrix[:3, :3] = about_z @ about_y @ about_x
    matrix[:3, 3] = [float(x) for x in origin.attrib.get("xyz", "0 0 0").split()]
    return matrix
