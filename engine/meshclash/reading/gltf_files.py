"""Read glTF 2.0: every node of the scene, with instances, and with skins and morph targets at rest."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFile, InvalidPointCloud
from ..pointcloud.cloud import PointCloud
from .gltf_document import Document, Malformed, entry, extensions_of, names_of, numbers
from .gltf_shapes import LINES, POINTS, TRIANGLES, Shapes
from .raw_parts import RawPart, RawParts

INSTANCING = "EXT_mesh_gpu_instancing"
_ATTRIBUTES = {"TRANSLATION": "VEC3", "ROTATION": "VEC4", "SCALE": "VEC3"}


def read_gltf(file: Path) -> RawParts:
    """Read the nodes of the default scene, as they are before any animation.

    Raises:
        InvalidFile: the file is not glTF 2.0, cannot be read at all, or requires an unknown extension.
    """
    document = Document(file)
    try:
        return _Reader(document).read()
    except Malformed as error:
        raise InvalidFile(f"{file}: {error}") from None


class _Reader:
    """Reads one document."""

    def __init__(self, document: Document) -> None:
        self._document, self._shapes = document, Shapes(document)
        self._nodes = document.nodes
        self._children = [_children(node, k) for k, node in enumerate(self._nodes)]
        self._worlds = self._world_matrices()
        meshes = document.table("meshes")
        self._names = [_name(node, meshes, index) for index, node in enumerate(self._nodes)]
        self._found = RawParts(metres=1.0, y_up=True)
        self._why: dict[str, str] = {}

    def read(self) -> RawParts:
        """Read the file; every object is a part, left out, or counted as no geometry."""
        shown = self._shown()
        self._found.found = self._count_objects([index for index, _ in shown])
        for index, is_hidden in shown:
            self._read_node(index, is_hidden)
        self._pass_over("node outside the scene", len(self._nodes) - len(shown))
        self._pass_over("mesh without a node", self._count_unplaced())
        return self._found

    def _count_objects(self, shown: list[int]) -> int:
        """Return the number of objects in the file, from its JSON alone."""
        total = len(self._nodes) - len(shown) + self._count_unplaced()
        for node in (self._nodes[index] for index in shown):
            others = ("camera" in node) + ("KHR_lights_punctual" in extensions_of(node))
            try:
                own = (
                    max(len(self._shapes.kinds(node["mesh"])), 1) * self._instance_count(node) if "mesh" in node else 0
                )
            except Malformed:
                own = 1  # the node is left out as a whole
            total += own + others or 1
        return total

    def _count_unplaced(self) -> int:
        placed = {node["mesh"] for node in self._nodes if type(node.get("mesh")) is int}
        return len(set(range(len(self._document.table("meshes")))) - placed)

    def _pass_over(self, kind: str, count: int) -> None:
        """Count objects without geometry."""
        if count:
            self._found.no_geometry[kind] += count

    def _read_node(self, index: int, is_hidden: bool) -> None:
        """Read the mesh of a node; count its camera and light."""
        node = self._nodes[index]
        has_light = "KHR_lights_punctual" in extensions_of(node)
        self._pass_over("camera", "camera" in node)
        self._pass_over("light", has_light)
        if "mesh" not in node:
            self._pass_over("empty node", not ("camera" in node or has_light))
            return
        try:
            kinds, count = self._shapes.kinds(node["mesh"]), self._instance_count(node)
        except Malformed as error:
            self._lose(index, error, 1)
            return
        if is_hidden or not kinds:
            self._pass_over("invisible mesh" if is_hidden else "mesh without faces", max(len(kinds), 1) * count)
            return
        for kind in kinds:
            self._read_kind(index, kind, count)

    def _read_kind(self, index: int, kind: str, count: int) -> None:
        """Read the triangles or points of a node's mesh; count lines as no geometry."""
        if kind == LINES:
            self._pass_over("lines", count)
            return
        try:
            key = self._key(index, kind)
            matrices = self._matrices(index)
        except Malformed as error:
            self._lose(index, error, count)
            return
        if key is None:
            self._pass_over("mesh without faces" if kind == TRIANGLES else "mesh without points", count)
            return
        self._found.parts += [RawPart(self._names[index], key, matrix) for matrix in matrices]

    def _key(self, index: int, kind: str) -> str | None:
        """Return the key of a node's shape, which nodes may share; None if the shape is empty."""
        node = self._nodes[index]
        weights = self._shapes.weights(node)
        joints = self._joints(node) if "skin" in node else None
        signature = self._shapes.signature(node["mesh"], kind)
        key = f"{signature} {kind} {weights if any(weights) else ''} {index if joints is not None else ''}"
        if key in self._why:
            raise Malformed(self._why[key])
        if key not in self._found.shapes:
            try:
                shape = self._shapes.shape(node["mesh"], kind, weights, joints)
                if not len(shape.vertices):
                    return None
                if kind == POINTS:
                    PointCloud(shape.vertices)
            except (Malformed, InvalidPointCloud) as error:
                self._why[key] = str(error)
                raise Malformed(str(error)) from None
            self._found.shapes[key] = shape
        return key

    def _lose(self, index: int, error: Exception, count: int) -> None:
        self._found.left_out += [(self._names[index], str(error))] * count

    def _instance_count(self, node: dict[str, Any]) -> int:
        """Return the number of instances of a node's mesh; raises Malformed."""
        attributes = _instancing(node)
        if not attributes:
            return 1
        counts = {self._shapes.accessors.count(accessor) for accessor in attributes.values()}
        if len(counts) != 1:
            raise Malformed(f"the instance attributes have different numbers of elements: {sorted(counts)}")
        count = counts.pop()
        if count > self._document.stored_bytes:
            raise Malformed(f"there are {count} instances, more than the file can contain")
        return count

    def _matrices(self, index: int) -> list[np.ndarray]:
        """Return the matrices that place a node's mesh, one for each instance; raises Malformed."""
        node = self._nodes[index]
        attributes = _instancing(node)
        if "skin" in node:
            if attributes:
                raise Malformed("the node has both a skin and instances, which glTF does not allow")
            return [np.eye(4)]  # joints alone place a skinned mesh
        world = self._world(index)
        if not attributes:
            return [world]
        arrays = {
            name: self._shapes.accessors.floats(attributes[name], kind)
            for name, kind in _ATTRIBUTES.items()
            if name in attributes
        }
        count = self._instance_count(node)
        return list(world @ _placements(count, arrays))

    def _joints(self, node: dict[str, Any]) -> np.ndarray:
        """Return the matrices (k, 4, 4) from a skinned mesh to the world for each joint; raises Malformed."""
        skin = self._document.object_of("skins", node["skin"])
        joints = skin.get("joints")
        if not isinstance(joints, list) or not joints:
            raise Malformed("the skin has no joints")
        for joint in joints:
            entry(self._nodes, joint, "node")
        worlds = np.array([self._world(joint) for joint in joints])
        if "inverseBindMatrices" not in skin:
            return worlds
        columns = self._shapes.accessors.floats(skin["inverseBindMatrices"], "MAT4")
        if len(columns) < len(joints):
            raise Malformed(f"the skin has {len(joints)} joints, but {len(columns)} inverse bind matrices")
        inverse = columns[: len(joints)].reshape(-1, 4, 4).transpose(0, 2, 1)
        if not np.isfinite(inverse).all():
            raise Malformed("the skin has inverse bind matrices that are not finite")
        found: np.ndarray = worlds @ inverse
        return found

    def _world(self, index: int) -> np.ndarray:
        world = self._worlds[index]
        if isinstance(world, str):
            raise Malformed(world)
        return world

    def _world_matrices(self) -> list[np.ndarray | str]:
        """Return the matrix (4, 4) to the world for each node, or a text that describes the problem of the node."""
        worlds: list[np.ndarray | str | None] = [None] * len(self._nodes)
        is_child = np.zeros(len(self._nodes), bool)
        for index, children in enumerate(self._children):
            for child in children:
                if not 0 <= child < len(self._nodes):
                    raise Malformed(f"node {index} has the child {child}, but there are only {len(self._nodes)} nodes")
                if is_child[child]:
                    raise Malformed(f"node {child} has more than one parent")
                is_child[child] = True
        waiting: list[tuple[int, np.ndarray | str]] = [(int(k), np.eye(4)) for k in np.flatnonzero(~is_child)]
        while waiting:
            index, above = waiting.pop()
            world = above
            if not isinstance(above, str):
                try:
                    world = _finite(above @ _local_matrix(self._nodes[index]))
                except Malformed as error:
                    world = f"node {index}: {error}"
            worlds[index] = world
            waiting += [(child, world) for child in self._children[index]]
        found = [world for world in worlds if world is not None]
        if len(found) != len(worlds):
            below = next(k for k, world in enumerate(worlds) if world is None)
            raise Malformed(f"node {below} is its own ancestor")
        return found

    def _shown(self) -> list[tuple[int, bool]]:
        """Return the nodes of the scene in the order of the file, and whether each is hidden."""
        roots = self._roots()
        found, seen = list[tuple[int, bool]](), set[int]()
        waiting = [(root, False) for root in reversed(roots)]
        while waiting:
            index, is_hidden = waiting.pop()
            if index in seen:
                raise Malformed(f"node {index} occurs twice in the scene")
            seen.add(index)
            visibility = extensions_of(self._nodes[index]).get("KHR_node_visibility", {})
            is_hidden = is_hidden or (isinstance(visibility, dict) and visibility.get("visible") is False)
            found.append((index, is_hidden))
            waiting += [(child, is_hidden) for child in reversed(self._children[index])]
        return found

    def _roots(self) -> list[int]:
        """Return the root nodes of the default scene; all root nodes of a file without scenes."""
        below = {child for children in self._children for child in children}
        if "scene" not in self._document.root and not self._document.table("scenes"):
            return [k for k in range(len(self._nodes)) if k not in below]
        scene = self._document.object_of("scenes", self._document.root.get("scene", 0))
        roots = scene.get("nodes", [])
        if not isinstance(roots, list):
            raise Malformed("the scene's nodes must be a list")
        for root in roots:
            entry(self._nodes, root, "node")
            if root in below:
                raise Malformed(f"node {root} is a root of the scene, but also a child of another node")
        return roots


def _children(node: dict[str, Any], index: int) -> list[int]:
    children = node.get("children", [])
    if not isinstance(children, list) or any(type(child) is not int for child in children):
        raise Malformed(f"the children of node {index} must be a list of indices")
    return children


def _instancing(node: dict[str, Any]) -> dict[str, int]:
    """Return the accessors of a node's instances by name; empty if it has no instances."""
    extension = extensions_of(node).get(INSTANCING)
    if extension is None:
        return {}
    if not isinstance(extension, dict):
        raise Malformed(f"the extension {INSTANCING} must be an object")
    return names_of(extension, "attributes")


def _placements(count: int, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return matrices (k, 4, 4) of instances from their translations, rotations and scales."""
    found = np.tile(np.eye(4), (count, 1, 1))
    if "ROTATION" in arrays:
        found[:, :3, :3] = _rotations(arrays["ROTATION"])
    if "SCALE" in arrays:
        found[:, :3, :3] *= arrays["SCALE"][:, None, :]
    if "TRANSLATION" in arrays:
        found[:, :3, 3] = arrays["TRANSLATION"]
    if not np.isfinite(found).all():
        raise Malformed(
            f"the transform of instance {int((~np.isfinite(found).all(axis=(1, 2))).argmax())} is not finite"
        )
    return found


def _local_matrix(node: dict[str, Any]) -> np.ndarray:
    """Return the matrix (4, 4) from a node to its parent; raises Malformed."""
    if "matrix" in node:
        given = numbers(node, "matrix", 16, ())
        matrix = np.array(given if given else np.eye(4), np.float64).reshape(4, 4).T
        if matrix[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
            raise Malformed(f"the last row of a node's matrix is {matrix[3].tolist()}, but must be 0 0 0 1")
        return matrix
    arrays = {
        "TRANSLATION": np.array([numbers(node, "translation", 3, (0.0, 0.0, 0.0))]),
        "ROTATION": np.array([numbers(node, "rotation", 4, (0.0, 0.0, 0.0, 1.0))]),
        "SCALE": np.array([numbers(node, "scale", 3, (1.0, 1.0, 1.0))]),
    }
    matrix = _placements(1, arrays)[0]
    return matrix


def _rotations(quaternions: np.ndarray) -> np.ndarray:
    """Return rotation matrices (k, 3, 3) of quaternions x, y, z, w; raises Malformed for one of length 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(quaternions, axis=1, keepdims=True)
    if not ((lengths > 0.0) & np.isfinite(lengths)).all():
        raise Malformed("a rotation quaternion is zero: write 0 0 0 1 for no rotation")
    x, y, z, w = (quaternions / lengths).T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _finite(matrix: np.ndarray) -> np.ndarray:
    if not math.isfinite(float(np.abs(matrix).max())):
        raise Malformed("a node's matrix is not finite")
    return matrix


def _name(node: dict[str, Any], meshes: list[dict[str, Any]], index: int) -> str:
    """Return the name of a node, otherwise the name of its mesh, otherwise the index of the node as text."""
    mesh = node.get("mesh")
    owners = [node, meshes[mesh]] if type(mesh) is int and 0 <= mesh < len(meshes) else [node]
    names = (owner.get("name") for owner in owners)
    return next((name for name in names if isinstance(name, str) and name), str(index))
